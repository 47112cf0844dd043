/** An org of a test's own: its builder, its entities and its app users. Tests that share a platform never share an org. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type CallOptions, call, type Reply } from './call.ts';
import type { Gateways } from './platform.ts';

export interface Org extends Gateways {
  readonly code: string;
  readonly clientId: string;
  readonly builder: Builder;
}

export interface Builder {
  readonly email: string;
  readonly password: string;
  /** A management token. */
  readonly token: string;
}

export interface AppUser {
  readonly org: Org;
  readonly email: string;
  readonly password: string;
  readonly id: string;
  readonly tenantId: string;
  readonly tenantCode: string;
  /** An app JWT. */
  readonly token: string;
}

export interface StoredRecord {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly created_by: string;
  readonly updated_by: string;
  readonly version: number;
  readonly [field: string]: unknown;
}

export interface Page {
  readonly items: readonly StoredRecord[];
  readonly nexttoken: string | null;
}

export interface Statement {
  readonly Sid?: string;
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly Fields?: readonly string[];
}

interface SignedUp {
  readonly token: string;
  readonly org: { readonly code: string; readonly environments: { readonly test: { readonly client_id: string } } };
}

export const password = 'correct horse battery';

/** Signs up a builder with an org of its own. */
export async function signUp(gateways: Gateways, code = newOrgCode()): Promise<Org> {
  const email = newEmail('builder');
  const reply = await call<SignedUp>('POST', `${gateways.management}/auth/signup`, {
    body: { email, password, name: 'Bea Builder', org_name: `Org ${code}`, org_code: code },
  });
  assert.equal(reply.status, 201, reply.text);
  const { token, org } = reply.body;
  const clientId = org.environments.test.client_id;
  return { app: gateways.app, management: gateways.management, code, clientId, builder: { email, password, token } };
}

/** Another builder of an org, invited and come. */
export async function joinOrg(
  org: Org,
  role: string,
  email = newEmail('builder'),
): Promise<{ readonly id: string; readonly token: string }> {
  const body = { email, role };
  const invited = await manage<{ code: string }>(org, 'POST', '/org/users', { body });
  const { code } = invited.body;
  const reply = await call<{ token: string; user: { id: string } }>(
    'POST',
    `${org.management}/auth/accept-invitation`,
    { body: { code, password, name: 'Ben Builder' } },
  );
  assert.equal(reply.status, 200, reply.text);
  return { id: reply.body.user.id, token: reply.body.token };
}

/** Signs an app user in by password: the first one of an org founds its workspace, an unknown one is created. */
export async function signIn(org: Org, email = newEmail('user'), secret = password): Promise<AppUser> {
  const login = await logIn(org, email, secret);
  assert.equal(login.status, 200, login.text);
  const exchange = await exchangeToken(org, login.body.token);
  assert.equal(exchange.status, 200, exchange.text);
  const { token, user_id, tenant_id, tenant_code } = exchange.body;
  return { org, email, password: secret, token, id: user_id, tenantId: tenant_id, tenantCode: tenant_code };
}

export interface LoggedIn {
  readonly token: string;
  readonly expires_at: string;
}

export function logIn(org: Org, email: string, secret = password): Promise<Reply<LoggedIn>> {
  return call('POST', appUrl(org, '/login'), {
    headers: { client_id: org.clientId },
    body: { email, password: secret },
  });
}

export interface Exchanged {
  readonly token: string;
  readonly expires_at: string;
  readonly user_id: string;
  readonly tenant_id: string;
  readonly tenant_code: string;
}

export function exchangeToken(org: Org, oauthtoken: string): Promise<Reply<Exchanged>> {
  return call('GET', appUrl(org, '/token'), { headers: { oauthtoken, client_id: org.clientId } });
}

/** An org whose first user, holding `adminacl`, has signed in. */
export async function foundedOrg(gateways: Gateways): Promise<{ readonly org: Org; readonly founder: AppUser }> {
  const org = await signUp(gateways);
  return { org, founder: await signIn(org, newEmail('founder')) };
}

export type FieldDefinition = { readonly name: string; readonly [hint: string]: unknown };

/** The smallest definition with these fields, as a builder would write it. */
export function definition(entityName: string, fields: readonly FieldDefinition[]): Record<string, unknown> {
  return {
    entityName,
    baseKeys: { pkTemplate: `org#{org};data#${entityName}`, skTemplate: `${entityName}#{id}` },
    UpdateParams: fields,
  };
}

export async function defineEntity(org: Org, body: Readonly<Record<string, unknown>>): Promise<Reply> {
  const reply = await manage(org, 'POST', `/api/create-${String(body.entityName)}`, { body });
  assert.equal(reply.status, 201, reply.text);
  return reply;
}

/** A call of the builder. */
export function manage<Body = Readonly<Record<string, unknown>>>(
  org: Org,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Reply<Body>> {
  return call<Body>(method, `${org.management}${path}`, { token: org.builder.token, ...options });
}

/** A call of an app user, in its own org. */
export function act<Body = StoredRecord>(
  user: AppUser,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Reply<Body>> {
  return call<Body>(method, appUrl(user.org, path), { token: user.token, ...options });
}

export function appUrl(org: Org, path: string): string {
  return `${org.app}/app/${org.code}${path}`;
}

/** Creates a record that must be accepted. */
export async function create(user: AppUser, entity: string, body: unknown): Promise<StoredRecord> {
  const reply = await act(user, 'POST', `/create/${entity}`, { body });
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
}

/** Lists a page that must be given. */
export async function list(user: AppUser, entity: string, query = ''): Promise<Page> {
  const reply = await act<Page>(user, 'GET', `/list/${entity}${query}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

export async function count(user: AppUser, entity: string, query = ''): Promise<number> {
  const reply = await act<{ readonly count: number }>(user, 'GET', `/count/${entity}${query}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.count;
}

/** Makes a policy of these statements and links it to the user, both in the name of `admin`. */
export async function grant(admin: AppUser, user: AppUser, statements: readonly Statement[]): Promise<StoredRecord> {
  const policy = await create(admin, 'aclpolicy', { name: `policy-${random()}`, statements });
  await create(admin, 'useraclpolicy', { user_id: user.id, acl_policy_id: policy.id });
  return policy;
}

/** A member of the founder's workspace who holds these statements and nothing else: also not the policy of new members. */
export async function memberWith(admin: AppUser, statements: readonly Statement[]): Promise<AppUser> {
  const user = await signIn(admin.org);
  await leaveWith(admin, user, statements);
  return user;
}

/** Takes every policy from a member, and gives these statements. */
export async function leaveWith(admin: AppUser, user: AppUser, statements: readonly Statement[]): Promise<void> {
  const links = await list(admin, 'useraclpolicy', `?pagesize=200`);
  for (const link of links.items.filter((item) => item.user_id === user.id)) {
    const reply = await act(admin, 'DELETE', `/delete/useraclpolicy/${link.id}`);
    assert.equal(reply.status, 204, reply.text);
  }
  if (statements.length > 0) await grant(admin, user, statements);
}

export function allow(action: string | readonly string[], resource: string | readonly string[] = '*'): Statement {
  return { Effect: 'Allow', Action: [action].flat(), Resource: [resource].flat() };
}

export function deny(action: string | readonly string[], resource: string | readonly string[] = '*'): Statement {
  return { Effect: 'Deny', Action: [action].flat(), Resource: [resource].flat() };
}

export function withFields(statement: Statement, ...Fields: readonly string[]): Statement {
  return { ...statement, Fields };
}

export function withCondition(statement: Statement, Condition: NonNullable<Statement['Condition']>): Statement {
  return { ...statement, Condition };
}

export function newOrgCode(): string {
  return `o${random()}`;
}

export function newEmail(name: string): string {
  return `${name}-${random()}@example.com`;
}

export function random(): string {
  return randomBytes(6).toString('hex');
}
