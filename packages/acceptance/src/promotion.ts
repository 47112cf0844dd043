/** The way of configuration from test to production, as a builder goes it. */
import assert from 'node:assert/strict';
import type { CallOptions, Reply } from './call.ts';
import { eventually } from './eventually.ts';
import { type AppUser, act, manage, newEmail, type Org, signIn, signUp } from './org.ts';
import type { Gateways } from './platform.ts';

export interface Item {
  readonly kind: string;
  readonly name: string;
}

export interface PatchOperation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

export interface Difference extends Item {
  readonly change: string;
  readonly staged: boolean;
  readonly edited_since_staged?: boolean;
  readonly changes: readonly PatchOperation[];
  readonly summary: readonly string[];
  readonly losses: readonly string[];
  readonly depends_on: readonly (Item & {
    readonly pointer: string;
    readonly reason: string;
    readonly in_production: boolean;
  })[];
}

export interface Check extends Partial<Item> {
  readonly check: string;
  readonly level: string;
  readonly message: string;
  readonly [detail: string]: unknown;
}

export interface Published {
  readonly release_id: string;
  readonly staged: readonly Item[];
  readonly added_dependencies: readonly (Item & { readonly reason: string })[];
  readonly checks: readonly Check[];
}

export interface Staged extends Item {
  readonly change: string;
  readonly test_version: number;
  readonly release_id: string;
  readonly staged_at: string;
  readonly staged_by: { readonly kind: string; readonly id: string };
  readonly note?: string;
  readonly reason?: string;
}

export interface Activated {
  readonly version: number;
  readonly activated: readonly (Item & { readonly change: string })[];
  readonly checks: readonly Check[];
  readonly template_application?: string | null;
}

export interface RolledBack {
  readonly version: number;
  readonly restored: number;
}

export interface Release {
  readonly version: number;
  readonly action: string;
  readonly at: string;
  readonly actor: { readonly kind: string; readonly id: string };
  readonly note?: string;
  readonly live: boolean;
  readonly restored?: number;
  readonly previous?: number;
  readonly items: readonly (Item & { readonly change: string })[];
  readonly diff: readonly ItemChange[];
  /** With `compare`. */
  readonly compared?: {
    readonly live: number;
    readonly items: readonly (ItemChange & { readonly change: string })[];
  };
}

interface ItemChange extends Item {
  readonly changes: readonly PatchOperation[];
  readonly summary: readonly string[];
  readonly losses: readonly string[];
}

export interface Provisioned {
  readonly environment: string;
  readonly client_id: string;
  readonly provisioned_at: string;
  readonly created: boolean;
  /** Until the first admin of production has signed in. */
  readonly awaited_founder?: { readonly email: string | null };
}

/** An org with its production, which holds nothing yet. */
export async function provisionedOrg(gateways: Gateways): Promise<Org> {
  const org = await signUp(gateways);
  await provision(org);
  return org;
}

export async function provision(org: Org, founder_email?: string): Promise<Provisioned> {
  const sent = founder_email === undefined ? {} : { body: { founder_email } };
  const reply = await manage<Provisioned>(org, 'POST', '/user/provision-prod', sent);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

/** The same org, whose users sign in to production. */
export async function inProduction(org: Org): Promise<Org> {
  return { ...org, clientId: (await provision(org)).client_id };
}

/** A user of an org in production, who holds `adminacl` there by an invitation of the org admin. */
export async function prodFounder(org: Org): Promise<AppUser> {
  const user = await signIn(await inProduction(org), newEmail('prod'));
  await makeProdAdmin(org, user);
  return user;
}

/** Invites a member of production as an admin, and accepts. */
export async function makeProdAdmin(org: Org, user: AppUser): Promise<void> {
  const held = await manage<{ items: readonly { id: string; name: string }[] }>(
    org,
    'GET',
    '/acl/policies?env=prod&tenant_code=main&q=adminacl',
  );
  const body = { env: 'prod', email: user.email, acl_policy_id: held.body.items[0]?.id };
  const invited = await manage<{ code: string }>(org, 'POST', '/org/workspaces/main/invitations', { body });
  assert.equal(invited.status, 201, invited.text);
  const { code } = invited.body;
  const accepted = await act(user, 'POST', '/user/acceptinvitation', { body: { code } });
  assert.equal(accepted.status, 200, accepted.text);
}

export async function diff(org: Org): Promise<readonly Difference[]> {
  const reply = await manage<{ readonly items: readonly Difference[] }>(org, 'GET', '/deploy/diff');
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items;
}

export function tryPublish(org: Org, body: object = { all: true }, options: CallOptions = {}) {
  return manage<Published>(org, 'POST', '/deploy/publish', { body, ...options });
}

/** Publishes what must be taken: these items, or everything. */
export async function publish(org: Org, items?: readonly Item[], note?: string): Promise<Published> {
  const reply = await tryPublish(org, { ...(items === undefined ? { all: true } : { items }), note });
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
}

interface AllStaged {
  readonly base: string;
  readonly items: readonly Staged[];
  readonly checks: readonly Check[];
}

export async function staged(org: Org): Promise<AllStaged> {
  const reply = await manage<AllStaged>(org, 'GET', '/deploy/staged');
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

export function tryActivate(org: Org, body?: object): Promise<Reply<Activated>> {
  return manage<Activated>(org, 'POST', '/deploy/activate', body === undefined ? {} : { body });
}

export async function activate(org: Org, body?: object): Promise<Activated> {
  const reply = await tryActivate(org, body);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

/** Brings all of test to production. */
export async function deploy(org: Org, body?: object): Promise<Activated> {
  await publish(org);
  return activate(org, body);
}

export function tryRollback(org: Org, body?: object): Promise<Reply<RolledBack>> {
  return manage<RolledBack>(org, 'POST', '/deploy/rollback', body === undefined ? {} : { body });
}

export async function rollback(org: Org, version?: number): Promise<RolledBack> {
  const reply = await tryRollback(org, version === undefined ? undefined : { version });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

export async function history(org: Org): Promise<readonly Release[]> {
  const reply = await manage<{ readonly items: readonly Release[] }>(org, 'GET', '/deploy/history?pagesize=200');
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items;
}

export function entity(name: string): Item {
  return { kind: 'entity', name };
}

export function settings(name: string): Item {
  return { kind: 'settings', name };
}

/** Who an item is, where the rest of it does not matter. */
export function names(items: readonly Item[]): readonly string[] {
  return items.map(({ kind, name }) => `${kind} ${name}`).sort();
}

/** Merges into a config of test what must be taken. */
/** Fields that the body names are all that the entity has then, and have no other members. */
export async function change(org: Org, apiName: string, body: object, query = ''): Promise<void> {
  const reply = await tryChange(org, apiName, body, query);
  assert.equal(reply.status, 200, reply.text);
}

export async function tryChange(org: Org, apiName: string, body: object, query = ''): Promise<Reply<unknown>> {
  return manage(org, 'PUT', `/api/${apiName}${query}`, { body: await withoutOthers(org, apiName, body) });
}

interface Field {
  readonly name: string;
}

async function withoutOthers(org: Org, apiName: string, body: { readonly UpdateParams?: readonly Field[] }) {
  const { UpdateParams: fields } = body;
  if (fields === undefined) return body;
  const path = `/api/entity?entityName=${apiName.replace('create-', '')}`;
  const shown = await manage<{ readonly create: { readonly UpdateParams: readonly Field[] } }>(org, 'GET', path);
  const current = shown.body.create.UpdateParams;
  const UpdateParams = fields.map((field) => {
    const members = Object.keys(current.find(({ name }) => name === field.name) ?? {});
    return { ...Object.fromEntries(members.map((member) => [member, null])), ...field };
  });
  const removeFields = current.map(({ name }) => name).filter((name) => !fields.some((field) => field.name === name));
  return { ...body, UpdateParams, removeFields };
}

export async function removeEntity(org: Org, name: string): Promise<void> {
  const reply = await manage(org, 'DELETE', `/api/entity?entityname=${name}`);
  assert.equal(reply.status, 204, reply.text);
}

/** Asks again while background work stands in the way of it, as the records of an entity that are still being removed. */
export async function onceAccepted<Body>(ask: () => Promise<Reply<Body>>): Promise<Reply<Body>> {
  return eventually('the end of background work', async () => {
    const reply = await ask();
    if (reply.status >= 300) assert.equal(reply.status, 409, reply.text);
    return reply.status < 300 && reply;
  });
}

export interface Index {
  readonly name: string;
  readonly kind: string;
  readonly state: string;
  readonly duplicates?: readonly { readonly tenant_code: string; readonly ids: readonly string[] }[];
}

/** The indexes of an entity once the platform is done with them. */
export async function settledIndexes(org: Org, name: string, env = 'prod'): Promise<readonly Index[]> {
  return eventually('the end of building indexes', async () => {
    const path = `/api/entity?entityName=${name}&env=${env}`;
    const { indexes } = (await manage<{ indexes: readonly Index[] }>(org, 'GET', path)).body;
    return indexes.every(({ state }) => state === 'ready' || state === 'failed') && indexes;
  });
}

/** What the configuration of an environment is to those who read it: entities with everything, and settings. */
export async function shownConfig(org: Org, env: 'test' | 'prod'): Promise<object> {
  const listed = await manage<{ items: readonly { name: string }[] }>(org, 'GET', `/api/entities?env=${env}`);
  assert.equal(listed.status, 200, listed.text);
  const found = await Promise.all(
    listed.body.items.map(({ name }) => manage<Shown>(org, 'GET', `/api/entity?entityName=${name}&env=${env}`)),
  );
  const settled = await manage<{ items: readonly object[] }>(org, 'GET', `/org/settings?env=${env}`);
  return {
    entities: found.map(({ body }) => withoutVersions(body)),
    settings: settled.body.items.map(withoutVersions),
  };
}

type Shown = Readonly<Record<string, unknown>>;

/** Versions count the changes of each environment, and what an index is doing is no configuration. */
function withoutVersions(shown: object): object {
  const kept = Object.entries(shown).filter(([member]) => !['version', 'indexes', 'updated_at'].includes(member));
  const inner = kept.map(([member, value]) => [
    member,
    typeof value === 'object' && value !== null && 'version' in value ? withoutVersions(value) : value,
  ]);
  return Object.fromEntries(inner);
}
