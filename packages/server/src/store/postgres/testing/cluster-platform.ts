/** Workspaces of a platform on a cluster, and what they are asked over HTTP. Only tests and measurements may use it. */
import assert from 'node:assert/strict';
import { testCluster } from './test-cluster.ts';
import { runOn } from './test-server.ts';

/** A workspace with an entity `ticket`, and a token of its only user. */
export interface Workspace {
  readonly app: string;
  readonly org: string;
  readonly code: string;
  readonly token: string;
  /** The ids of the records whose creation was acknowledged. */
  readonly acknowledged: string[];
}

export interface Outcome {
  readonly status: number;
  readonly milliseconds: number;
}

interface Called {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

function ask(method: string, url: string, { token, headers, body }: Called = {}): Promise<Response> {
  return fetch(url, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function alerts<T>(method: string, url: string, called: Called): Promise<T> {
  const reply = await ask(method, url, called);
  const text = await reply.text();
  assert.ok(reply.ok, `${method} ${url}: ${reply.status} ${text}`);
  return JSON.parse(text) as T;
}

interface SignedUp {
  readonly token: string;
  readonly org: { readonly code: string; readonly environments: { readonly test: { readonly client_id: string } } };
}

interface Platform {
  readonly app: string;
  readonly management: string;
}

const password = 'correct horse battery';

/** An org with so many workspaces, each of a user of its own. */
export async function makeWorkspaces(
  { app, management }: Platform,
  org: string,
  count: number,
): Promise<readonly Workspace[]> {
  const founder = { email: `${org}@example.com`, password, name: org, org_name: org, org_code: org };
  const { token, ...made } = await alerts<SignedUp>('POST', `${management}/auth/signup`, { body: founder });
  const settings = { group: 'tenancy', name: 'tenancy_type', value: 'multi' };
  await alerts('PUT', `${management}/org/settings`, { token, body: settings });
  const entity = {
    entityName: 'ticket',
    baseKeys: { pkTemplate: 'org#{org};data#ticket', skTemplate: 'ticket#{id}' },
    UpdateParams: [{ name: 'title', index: true }],
  };
  await alerts('POST', `${management}/api/create-ticket`, { token, body: entity });
  const client = { client_id: made.org.environments.test.client_id };
  const at = `${app}/app/${org}`;
  const workspaces: Workspace[] = [];
  for (let number = 0; number < count; number++) {
    const body = { email: `${org}-${number}@example.com`, password };
    const { token: login } = await alerts<{ token: string }>('POST', `${at}/login`, { headers: client, body });
    const exchange = (oauthtoken: string) =>
      alerts<{ token: string; tenant_code: string }>('GET', `${at}/token`, { headers: { ...client, oauthtoken } });
    const first = await exchange(login);
    await alerts('POST', `${at}/user/workspace`, { token: first.token, body: { name: 'Acme' } });
    const second = await exchange(first.token);
    workspaces.push({ app, org, code: second.tenant_code, token: second.token, acknowledged: [] });
  }
  return workspaces;
}

interface Placed extends Platform {
  /** Of the tables of its environment test. */
  readonly schema: string;
  /** The address of the server that is to fail. */
  readonly worker: string;
}

/** Of an org that lies on another server than the one which is to fail, so that only workspaces depend on that one. */
export async function workspacesByServer(subject: Placed) {
  const { schema, worker } = subject;
  const [local] = await runOn(worker, 'select groupid from pg_dist_local_group');
  const groupsOf = async (scopes: readonly string[]) => {
    const rows = await testCluster().run(`select scope, groupid from unnest(array['${scopes.join(`', '`)}']) as scope
      join pg_dist_placement on shardid = get_shard_id_for_distribution_column('"${schema}".heads', scope)`);
    return new Map(rows.map(({ scope, groupid }) => [String(scope), Number(groupid)]));
  };
  const isHung = (group: number | undefined) => group === Number(local?.groupid);
  const names = Array.from({ length: 32 }, (_, number) => `acme${number}`);
  const groups = await groupsOf(names.map((name) => `org#${name}`));
  const org = names.find((name) => !isHung(groups.get(`org#${name}`)));
  assert.ok(org !== undefined);
  const workspaces = await makeWorkspaces(subject, org, 12);
  const placed = await groupsOf(workspaces.map(scopeOf));
  const by = (wanted: boolean) => workspaces.filter((one) => isHung(placed.get(scopeOf(one))) === wanted);
  assert.ok(by(true).length > 0 && by(false).length > 0, 'no workspace on one of the servers');
  return { hung: by(true), others: by(false) };
}

/** The scope of the workspace in the store. */
export function scopeOf({ org, code }: Pick<Workspace, 'org' | 'code'>): string {
  return `org#${org}-${code}`;
}

export function list(workspace: Workspace): Promise<Outcome> {
  return timed(() => ask('GET', `${at(workspace)}/list/ticket?pagesize=20`, workspace));
}

/** Adds the id of what was acknowledged to the workspace. */
export function create(workspace: Workspace): Promise<Outcome> {
  return timed(async () => {
    const reply = await ask('POST', `${at(workspace)}/create/ticket`, {
      token: workspace.token,
      body: { title: 'one' },
    });
    if (reply.status === 201) workspace.acknowledged.push(((await reply.json()) as { id: string }).id);
    return reply;
  });
}

/** The acknowledged records that are not there. */
export async function lostOf(workspace: Workspace): Promise<readonly string[]> {
  const found = new Set<string>();
  for (let next = ''; ; ) {
    const query = `?pagesize=200${next === '' ? '' : `&nexttoken=${encodeURIComponent(next)}`}`;
    const page = await alerts<{ items: readonly { id: string }[]; nexttoken: string | null }>(
      'GET',
      `${at(workspace)}/list/ticket${query}`,
      workspace,
    );
    for (const { id } of page.items) found.add(id);
    if (page.nexttoken === null) break;
    next = page.nexttoken;
  }
  return workspace.acknowledged.filter((id) => !found.has(id));
}

function at({ app, org }: Workspace): string {
  return `${app}/app/${org}`;
}

async function timed(work: () => Promise<Response>): Promise<Outcome> {
  const startedAt = performance.now();
  const reply = await work();
  if (!reply.bodyUsed) await reply.arrayBuffer();
  return { status: reply.status, milliseconds: performance.now() - startedAt };
}
