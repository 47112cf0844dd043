import { type Act, bearer, FixtureOrg, type Gateways, must, operatorKey, type Person, password } from './calls.ts';
import {
  configItems,
  customer,
  customerWithCity,
  noDeletes,
  operations,
  ownThings,
  settings,
  thing,
  thingCountedOtherwise,
  thingIndexedOtherwise,
  valueOfEachType,
} from './definitions.ts';
import { type FilledAccounts, fillAccounts } from './fill-accounts.ts';

/** Who can be asked for afterwards, and for what. */
export interface Filled extends FilledAccounts {
  readonly org: FixtureOrg;
  readonly developer: string;
  readonly founder: Person;
  readonly member: Person;
  readonly suspended: Person;
  readonly other: Person;
  readonly impersonated: string;
  readonly server: string;
  readonly pipeline: string;
  readonly production: Person;
  readonly productionServer: string;
  readonly productionClientId: string;
  readonly customerId: string;
  readonly thingId: string;
  /** The release before the one that was rolled back, and that one. */
  readonly releases: readonly [number, number];
  readonly orgInvitation: string;
}

/** Gives a running platform something of every kind that it stores. @param now its clock. */
export async function fill(gateways: Gateways, now: () => number = Date.now): Promise<Filled> {
  const org = await FixtureOrg.signUp(gateways, 'shop');
  const people = await fillOrg(gateways, org);
  const founder = await org.signIn('ann@example.com');
  const act = org.as(founder.token);
  const records = await fillRecords(act);
  await must('202 POST', org.url('/password/forgot'), {
    headers: { client_id: org.clientId },
    body: { email: 'ann@example.com' },
  });
  await org.manage('200 PUT', '/api/create-thing', {
    body: { UpdateParams: thingIndexedOtherwise, aggregates: thingCountedOtherwise },
  });
  const members = await fillAccess(org, act);
  const other = await fillWorkspaces(org);
  const keys = await fillKeys(org, founder);
  const accounts = await fillAccounts(gateways, org, now);
  await fillAlerts(gateways, org);
  for (const { kind, ...body } of configItems) await org.manage('201 POST', `/config/${kind}`, { body });
  const production = await fillProduction(gateways, org, keys.pipeline);
  await org.manage('201 POST', '/api/create-brief', {
    body: { entityName: 'brief', UpdateParams: [{ name: 'name', colType: 'string' }] },
  });
  await act('201 POST', '/create/brief', { body: { name: 'gone soon' } });
  await org.manage('204 DELETE', '/api/entity?entityname=brief');
  await act('200 PUT', '/user/me', { body: { fn: 'Ann', ln: 'Archer' } });
  return { org, founder, ...people, ...records, ...members, other, ...keys, ...accounts, ...production };
}

async function fillOrg(gateways: Gateways, org: FixtureOrg) {
  const { management } = gateways;
  const invite = (email: string) => org.manage('201 POST', '/org/users', { body: { email, role: 'developer' } });
  const { code } = await invite('ben@shop.example');
  const joined = await must('200 POST', `${management}/auth/accept-invitation`, {
    body: { code, password, name: 'Ben' },
  });
  const waiting = await invite('bob@shop.example');
  await must('202 POST', `${management}/auth/forgot-password`, { body: { email: 'bea@shop.example' } });
  await org.manage('200 POST', '/org/environments/test/rotate-client-id');
  await org.manage('200 POST', '/auth/switch-org', { body: { org: 'shop' } });
  const limits = { records: 200, api_calls_per_day: 10_000, entities: 20, indexes: 30, policies: 30 };
  await must('200 PUT', `${management}/platform/orgs/shop/plan`, {
    headers: bearer(operatorKey),
    body: { name: 'small', limits },
  });
  await must('201 POST', `${management}/platform/keys/rotate`, { headers: bearer(operatorKey) });
  for (const body of settings) await org.manage('200 PUT', '/org/settings', { body });
  await org.manage('201 POST', '/api/create-customer', { body: customer });
  await org.manage('201 POST', '/api/create-thing', { body: thing, headers: { 'idempotency-key': 'define-thing' } });
  const row = { fields: [{ name: 'title' }, { name: 'number' }] };
  await org.manage('200 PUT', '/api/list-thing', { body: { Views: { row } } });
  const multi = await FixtureOrg.signUp(gateways, 'club');
  await multi.manage('200 PUT', '/org/settings', {
    body: { group: 'tenancy', name: 'tenancy_type', value: 'multi' },
  });
  await multi.signIn('lost@example.com');
  return { developer: joined.token, orgInvitation: waiting.code };
}

async function fillRecords(act: Act) {
  const { id: customerId } = await act('201 POST', '/create/customer', { body: { name: 'Customer' } });
  const { id: thingId } = await act('201 POST', '/create/thing', {
    body: { ...valueOfEachType, customer_id: customerId },
    headers: { 'idempotency-key': 'create-one' },
  });
  for (let index = 0; index < 12; index++) {
    const word = `${'abcdefghijklmnop'.slice(index, index + 4)}x`;
    const odd = index % 2 === 0 ? {} : { customer_id: customerId, pin: `p${index}` };
    const body = { title: `thing ${index}`, amount: index, day: `2026-10-${10 + index}`, word, ...odd };
    await act('201 POST', '/create/thing', { body });
  }
  await act('200 PUT', `/update/thing/${thingId}`, { body: { title: 'Émile rewrites' } });
  const doomed = await act('201 POST', '/create/thing', { body: { title: 'doomed', word: 'doomed' } });
  await act('204 DELETE', `/delete/thing/${doomed.id}`);
  for (const mode of ['atomic', 'independent'])
    await act('200 POST', '/batch', { body: { mode, operations }, headers: { 'idempotency-key': `batch-${mode}` } });
  await act('200 POST', '/import/thing?upsert=by_word', {
    body: `${JSON.stringify({ title: 'imported', word: 'imp' })}\n`,
    headers: { 'content-type': 'application/x-ndjson' },
  });
  return { customerId, thingId };
}

async function fillAccess(org: FixtureOrg, act: Act) {
  const member = await org.signIn('eve@example.com');
  const suspended = await org.signIn('dan@example.com');
  const own = await act('201 POST', '/create/aclpolicy', {
    body: { name: 'own things', statements: ownThings },
    headers: { 'idempotency-key': 'policy' },
  });
  const plain = await act('201 POST', '/create/aclpolicy', { body: { name: 'no deletes', statements: noDeletes } });
  const group = await act('201 POST', '/create/group', { body: { name: 'of late', acl_policies: [plain.id] } });
  await act('201 POST', '/create/usergroup', { body: { user_id: member.id, group_id: group.id } });
  await act('201 POST', '/create/useraclpolicy', { body: { user_id: member.id, acl_policy_id: own.id } });
  await act('201 POST', '/create/userrole', { body: { name: 'clerk' } });
  await act('200 PUT', `/update/user/${suspended.id}`, { body: { status: 'suspended' } });
  await act('201 POST', '/user/invitations', { body: { email: 'fay@example.com', role: 'clerk' } });
  await act('201 POST', '/user/invitations', { body: { email: 'gus@example.com', acl_policy_id: plain.id } });
  return { member, suspended };
}

/** A second workspace, and a third one that is being removed. */
async function fillWorkspaces(org: FixtureOrg): Promise<Person> {
  const first = await org.signIn('hal@example.com');
  await org.as(first.token)('201 POST', '/user/workspace', { body: { name: 'Second', code: 'second' } });
  const second = await org.exchange(first.token);
  await org.as(second.token)('201 POST', '/create/thing', { body: { title: 'of the second' } });
  await org.as(second.token)('201 POST', '/user/workspace', { body: { name: 'Third', code: 'third' } });
  const third = await org.exchange(second.token);
  await org.as(third.token)('204 DELETE', '/user/workspace', { body: { code: 'third' } });
  await org.as(second.token)('200 POST', '/user/switch-tenant', { body: { tenant_code: 'second' } });
  return second;
}

async function fillKeys(org: FixtureOrg, founder: Person) {
  const make = (name: string, policies: readonly string[]) =>
    org.manage('201 POST', '/org/service-keys', { body: { env: 'test', tenant_code: 'main', name, policies } });
  const server = await make('server', ['vieweracl']);
  await org.as(server.key)('200 GET', '/list/thing');
  const removed = await make('removed', []);
  await org.manage('204 DELETE', `/org/service-keys/${removed.id}`);
  const pipeline = await org.manage('201 POST', '/deploy/keys', { body: { name: 'pipeline', scope: 'activate' } });
  const request = { env: 'test', tenant_code: 'main', user_id: founder.id };
  const { token } = await org.manage('200 POST', '/org/impersonate', { body: request });
  await org.as(token)('201 POST', '/create/thing', { body: { title: 'by a builder' } });
  return { server: server.key, pipeline: pipeline.key, impersonated: token };
}

async function fillAlerts({ management }: Gateways, org: FixtureOrg): Promise<void> {
  await org.manage('200 PUT', '/org/alerts/webhook', { body: { url: `${management}/nowhere` } });
  await org.manage('202 POST', '/org/alerts/webhook/test');
}

/** Two releases, back to the first, and something staged. */
async function fillProduction({ management }: Gateways, org: FixtureOrg, pipeline: string) {
  const { client_id: productionClientId } = await org.manage('200 POST', '/user/provision-prod');
  await org.manage('201 POST', '/deploy/publish', { body: { all: true, note: 'first' } });
  const first = await org.manage('200 POST', '/deploy/activate', { body: { note: 'first' } });
  const production = await org.signIn('pia@example.com', productionClientId);
  const server = await org.manage('201 POST', '/org/service-keys', {
    body: { env: 'prod', tenant_code: 'main', name: 'server of production', policies: ['adminacl'] },
  });
  await makeAdmin(org, { userId: production.id, key: server.key });
  const act = org.as(production.token);
  const { id } = await act('201 POST', '/create/customer', { body: { name: 'Real customer' } });
  await act('201 POST', '/create/thing', { body: { ...valueOfEachType, customer_id: id } });
  const extra = { entityName: 'extra', UpdateParams: [{ name: 'name', colType: 'string' }] };
  await org.manage('201 POST', '/api/create-extra', { body: extra });
  await org.manage('200 PUT', '/api/create-customer', { body: { UpdateParams: customerWithCity } });
  await org.manage('201 POST', '/deploy/publish', { body: { all: true } });
  const second = await must('200 POST', `${management}/deploy/activate`, { headers: bearer(pipeline), body: {} });
  await act('201 POST', '/create/extra', { body: { name: 'retired by the rollback' } });
  await act('201 POST', '/create/customer', { body: { name: 'with a city', city: 'Basel' } });
  await org.manage('200 POST', '/deploy/rollback', { body: { version: first.version } });
  const city = { fields: [{ name: 'city' }] };
  await org.manage('200 PUT', '/api/list-customer', { body: { Views: { city } } });
  await org.manage('201 POST', '/deploy/publish', { body: { items: [{ kind: 'entity', name: 'customer' }] } });
  const releases: readonly [number, number] = [first.version, second.version];
  return { production, productionClientId, productionServer: server.key, releases };
}

/** The platform makes no admin of production of who comes first. */
async function makeAdmin(org: FixtureOrg, { userId, key }: { readonly userId: string; readonly key: string }) {
  const held = await org.manage('200 GET', '/acl/policies?env=prod&tenant_code=main&q=adminacl');
  const link = { user_id: userId, acl_policy_id: held.items[0]?.id };
  await org.as(key)('201 POST', '/create/useraclpolicy', { body: link });
}
