/**
 * An org that is as large as it may be, in what a caller may make large: entities, records, policies, members. It is set
 * up over HTTP, on a platform in this process or in another.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  fullLinks,
  largestDefinition,
  linkedDefinition,
  manyDefinition,
  noteDefinition,
  viewedDefinition,
} from './largest/largest-definitions.ts';
import { block } from './largest/largest-items.ts';
import { largestPolicies } from './largest/largest-policies.ts';
import { ask, type Caller, type Gateways, type RawRequest, type SentRequest } from './send.ts';

const operatorKey = 'g7Vt2kQx9LmZp4RwYb6NsHc3JdFe8TuA';
export const platformSettings = {
  FREEHOLD_OPERATOR_KEY: operatorKey,
  FREEHOLD_TRUSTED_PROXIES: '127.0.0.1',
  FREEHOLD_LOG_LEVEL: 'warn',
};

/** How much of it there is: the gate takes less of what only adds up. */
export interface Scale {
  readonly entities: number;
  readonly notes: number;
  readonly linked: number;
  readonly invitations: number;
  readonly blocks: number;
}

export const gateScale: Scale = { entities: 40, notes: 12, linked: 110, invitations: 20, blocks: 4 };
/** As much as an org may have. The rest of its 500 entities are made by the cases. */
export const fullScale: Scale = { entities: 450, notes: 40, linked: 200, invitations: 450, blocks: 60 };

export interface Stage {
  readonly gateways: Gateways;
  readonly scale: Scale;
  readonly org: string;
  readonly email: string;
  readonly clientId: string;
  /** Who founded the workspace and holds everything. */
  readonly member: Person;
  /** Who holds as many statements as anyone may. */
  readonly restricted: Person;
  readonly wideId: string;
  readonly noteId: string;
  readonly linkedIds: readonly string[];
  /** A call as a given caller, answered with JSON. @throws AssertionError unless it succeeds. */
  call(as: Caller, method: string, target: string, body?: unknown): Promise<Body>;
  /** What a builder is answered, as it stands. */
  download(target: string): Promise<string>;
  raw(request: SentRequest): RawRequest;
}

export interface Person {
  readonly id: string;
  readonly token: string;
}

/** Some members of answers. */
export interface Body {
  readonly id: string;
  readonly token: string;
  readonly user_id: string;
  readonly code: string;
  readonly base: string;
  readonly version: number;
  readonly items: readonly { readonly id: string; readonly name: string; readonly code: string }[];
  readonly org: { readonly code: string; readonly environments: { readonly test: { readonly client_id: string } } };
}

const password = 'correct horse battery';
export const random = (): string => randomBytes(6).toString('hex');

export async function setStage(gateways: Gateways, scale: Scale): Promise<Stage> {
  const code = `o${random()}`;
  const email = `${code}@example.com`;
  const signUp = { email, password, name: 'Bea', org_name: code, org_code: code };
  const session = await answered({
    method: 'POST',
    url: `${gateways.management}/auth/signup`,
    body: JSON.stringify(signUp),
  });
  const clientId = session.org.environments.test.client_id;
  const stageOrg = { gateways, org: code, clientId };
  const member = await signIn(stageOrg);
  const restricted = await signIn(stageOrg);
  const tokens: Tokens = { builder: session.token, member: member.token, restricted: restricted.token };
  const raw = (request: SentRequest): RawRequest => rawOf(gateways, { clientId, tokens }, request);
  const call: Stage['call'] = (as, method, target, body) =>
    answered(raw({ as, method, target, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }));
  const download = async (target: string): Promise<string> =>
    (await ask(raw({ as: 'builder', method: 'GET', target }))).text;
  const known = { gateways, scale, org: code, email, clientId, member, restricted, call, download, raw };
  return { ...known, ...(await fill(known)) };
}

interface StageOrg {
  readonly gateways: Gateways;
  readonly org: string;
  readonly clientId: string;
}

async function signIn({ gateways, org, clientId }: StageOrg): Promise<Person> {
  const login = { email: `${random()}@example.com`, password };
  const headers = { client_id: clientId };
  const url = `${gateways.app}/app/${org}`;
  const { token: oauthtoken } = await answered({
    method: 'POST',
    url: `${url}/login`,
    headers,
    body: JSON.stringify(login),
  });
  const { user_id, token } = await answered({
    method: 'GET',
    url: `${url}/token`,
    headers: { ...headers, oauthtoken },
  });
  return { id: user_id, token };
}

type Tokens = Readonly<Record<Exclude<Caller, 'anyone' | 'operator'>, string>>;

function rawOf(
  gateways: Gateways,
  { clientId, tokens }: { readonly clientId: string; readonly tokens: Tokens },
  request: SentRequest,
): RawRequest {
  const { as, method, target, headers = {}, body } = request;
  const gateway = request.gateway ?? (target.startsWith('/app/') ? 'app' : 'management');
  const token = as === 'anyone' ? undefined : as === 'operator' ? operatorKey : tokens[as];
  return {
    method,
    url: gateways[gateway] + target,
    headers: {
      ...(gateway === 'app' ? { client_id: clientId } : {}),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body,
  };
}

async function answered(raw: RawRequest): Promise<Body> {
  const { status, text } = await ask(raw);
  assert.ok(status < 300, `${raw.method} ${raw.url} was answered ${status}: ${text.slice(0, 1000)}`);
  return JSON.parse(text === '' ? 'null' : text);
}

type Filled = 'wideId' | 'noteId' | 'linkedIds';

async function fill({ org, scale, call, restricted }: Omit<Stage, Filled>): Promise<Pick<Stage, Filled>> {
  const unlimited = { name: 'unlimited', limits: {} };
  await call('operator', 'PUT', `/platform/orgs/${org}/plan`, unlimited);
  for (const definition of [noteDefinition, linkedDefinition, largestDefinition, viewedDefinition])
    await call('builder', 'POST', `/api/create-${definition.entityName}`, definition);
  for (let index = 0; index < scale.entities; index++) {
    const definition = manyDefinition(index);
    await call('builder', 'POST', `/api/create-${definition.entityName}`, definition);
  }
  const { id: wideId } = await call('member', 'POST', `/app/${org}/create/${largestDefinition.entityName}`, {
    f0: 'a',
  });
  let noteId = '';
  let parent_id: string | null = null;
  for (let index = 0; index < scale.notes; index++) {
    const note = { title: `n${index}`, note: 'a'.repeat(400_000), parent_id };
    ({ id: noteId } = await call('member', 'POST', `/app/${org}/create/note`, note));
    parent_id ??= noteId;
  }
  const linkedIds: string[] = [];
  for (let index = 0; index < scale.linked; index++)
    linkedIds.push((await call('member', 'POST', `/app/${org}/create/linked`, {})).id);
  for (const id of linkedIds) await call('member', 'PUT', `/app/${org}/update/linked/${id}`, fullLinks(linkedIds));
  for (let index = 0; index < scale.blocks; index++)
    await call('builder', 'POST', '/config/logicblock', { name: `block${index}`, content: block(`block${index}`) });
  for (const policy of largestPolicies()) {
    const { id } = await call('member', 'POST', `/app/${org}/create/aclpolicy`, policy);
    await call('member', 'POST', `/app/${org}/create/useraclpolicy`, { user_id: restricted.id, acl_policy_id: id });
  }
  for (let index = 0; index < scale.invitations; index++)
    await call('member', 'POST', `/app/${org}/user/invitations`, { email: `${random()}@example.com` });
  return { wideId, noteId, linkedIds };
}
