/** Keys by which an org's servers call its app: what they open, for whom, and that nothing of them outlives them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProblemCode } from '@freehold/contract/problem';
import { assertProblem, pointers } from './assert-problem.ts';
import { type CallOptions, call, type Reply } from './call.ts';
import { eventually } from './eventually.ts';
import {
  type AppUser,
  act,
  allow,
  appUrl,
  create,
  defineEntity,
  definition,
  exchangeToken,
  foundedOrg,
  grant,
  joinOrg,
  list,
  manage,
  memberWith,
  newEmail,
  type Org,
  password,
  random,
  type Statement,
  signUp,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { founderOf, multiOrg } from './workspaces.ts';

const gateways = await platformForTests();

interface ServiceKey {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly env: string;
  readonly tenant_code: string;
  readonly policies: readonly string[];
  readonly state: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
}

interface Page {
  readonly items: readonly ServiceKey[];
  readonly nexttoken: string | null;
}

const note = definition('note', [{ name: 'title' }]);

/** An org with an entity, and the founder of its workspace. */
async function orgWithNotes(): Promise<{ readonly org: Org; readonly founder: AppUser }> {
  const founded = await foundedOrg(gateways);
  await defineEntity(founded.org, note);
  return founded;
}

function ask(org: Org, body: object = {}, options: CallOptions = {}): Promise<Reply<ServiceKey>> {
  const request = { env: 'test', tenant_code: 'main', name: 'Nightly sync', ...body };
  return manage<ServiceKey>(org, 'POST', '/org/service-keys', { body: request, ...options });
}

async function newKey(org: Org, body: object = {}): Promise<ServiceKey> {
  const reply = await ask(org, body);
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
}

/** A key whose principal holds these statements and nothing else. */
async function keyWith(founder: AppUser, statements: readonly Statement[]): Promise<ServiceKey> {
  const name = `policy-${random()}`;
  await create(founder, 'aclpolicy', { name, statements });
  return newKey(founder.org, { policies: [name] });
}

async function keys(org: Org, query = ''): Promise<readonly ServiceKey[]> {
  const reply = await manage<Page>(org, 'GET', `/org/service-keys${query}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items;
}

function remove(org: Org, id: string, options: CallOptions = {}): Promise<Reply> {
  return manage(org, 'DELETE', `/org/service-keys/${id}`, options);
}

/** The caller as which a server with this key calls. */
function server(founder: AppUser, { id, key }: Pick<ServiceKey, 'id' | 'key'>): AppUser {
  return { ...founder, id, token: key };
}

function notes(org: Org, headers: Readonly<Record<string, string>>): Promise<Reply> {
  return call('GET', appUrl(org, '/list/note'), { headers });
}

test('a key is shown once, and calls the app in the name of a principal of its own', async () => {
  const { org, founder } = await orgWithNotes();
  const made = await newKey(org, { policies: ['adminacl'] });
  assert.match(made.key, /^fhk_test_[\w-]{43}$/);
  assert.deepEqual([made.name, made.env, made.tenant_code], ['Nightly sync', 'test', 'main']);
  assert.deepEqual([made.policies, made.expires_at], [['adminacl'], null]);
  const record = await create(server(founder, made), 'note', { title: 'from a server' });
  assert.equal(record.created_by, made.id);
  const shown = await manage<Page>(org, 'GET', '/org/service-keys');
  assert.ok(!shown.text.includes(made.key.slice(9)));
  assert.deepEqual(
    shown.body.items.map(({ id, state }) => [id, state]),
    [[made.id, 'ready']],
  );
});

test('a key is taken as a bearer token, bare, and as x-service-token', async () => {
  const { org } = await orgWithNotes();
  const { key } = await newKey(org, { policies: ['vieweracl'] });
  for (const headers of [{ authorization: `Bearer ${key}` }, { authorization: key }, { 'x-service-token': key }])
    assert.equal((await notes(org, headers)).status, 200);
  for (const wrong of [`bearer  ${key}`, `Basic ${key}`, `${key}=`, key.toUpperCase()])
    assertProblem(await notes(org, { authorization: wrong }), 'token_invalid');
});

test('a key without policies may do nothing, also not what new members may', async () => {
  const { org, founder } = await orgWithNotes();
  const made = server(founder, await newKey(org));
  assert.equal(assertProblem(await act(made, 'GET', '/list/note'), 'access_denied').reason, 'implicit_deny');
  const permissions = await act<{ readonly statements: unknown }>(made, 'GET', '/user/permissions');
  assert.deepEqual(permissions.body.statements, []);
});

test('a workspace sees a server among its members, and gives and takes policies as of anybody', async () => {
  const { org, founder } = await orgWithNotes();
  const made = await newKey(org);
  const caller = server(founder, made);
  const member = (await list(founder, 'user', `?email=${made.id}@service.invalid`)).items[0];
  assert.deepEqual([member?.id, member?.fn, member?.role, member?.status], [made.id, made.name, 'service', 'active']);
  await grant(founder, caller, [allow('listnote')]);
  assert.equal((await act(caller, 'GET', '/list/note')).status, 200);
  await act(founder, 'PUT', `/update/user/${made.id}`, { body: { status: 'suspended' } });
  assertProblem(await act(caller, 'GET', '/list/note'), 'token_invalid');
  await act(founder, 'PUT', `/update/user/${made.id}`, { body: { status: 'active' } });
  assert.equal((await act(caller, 'GET', '/list/note')).status, 200);
  assert.equal((await act(founder, 'DELETE', `/delete/user/${made.id}`)).status, 204);
  assertProblem(await act(caller, 'GET', '/list/note'), 'token_invalid');
  assert.equal((await remove(org, made.id)).status, 204);
});

test('a removed key opens nothing from then on, and leaves no member behind, whatever it held', async () => {
  const { org, founder } = await orgWithNotes();
  const made = await newKey(org, { policies: ['adminacl', 'vieweracl'] });
  const caller = server(founder, made);
  assert.equal((await act(caller, 'GET', '/list/note')).status, 200);
  assert.equal((await remove(org, made.id)).status, 204);
  assertProblem(await act(caller, 'GET', '/list/note'), 'token_invalid');
  assertProblem(await act(caller, 'GET', '/user/me'), 'token_invalid');
  assert.deepEqual(await keys(org), []);
  assertProblem(await act(founder, 'GET', `/item/user/${made.id}`), 'not_found');
  assert.deepEqual((await list(founder, 'useraclpolicy', `?user_id=${made.id}`)).items, []);
  assertProblem(await remove(org, made.id), 'not_found');
});

test('a removed workspace ends its keys, which can be removed afterwards', async () => {
  const org = await multiOrg(gateways);
  const founder = await founderOf(org);
  const made = await newKey(org, { tenant_code: founder.tenantCode, policies: ['vieweracl'] });
  const caller = server(founder, made);
  assert.equal((await act(caller, 'GET', '/list/user')).status, 200);
  await act(founder, 'DELETE', '/user/workspace', { body: { code: founder.tenantCode } });
  assertProblem(await act(caller, 'GET', '/list/user'), 'token_invalid');
  assertProblem(await ask(org, { tenant_code: founder.tenantCode }), 'not_found');
  assert.equal((await remove(org, made.id)).status, 204);
});

test('a key belongs to one workspace', async () => {
  const org = await multiOrg(gateways);
  await defineEntity(org, note);
  const [one, two] = [await founderOf(org, 'One'), await founderOf(org, 'Two')];
  const record = await create(two, 'note', { title: 'of the other workspace' });
  const caller = server(one, await newKey(org, { tenant_code: one.tenantCode, policies: ['adminacl'] }));
  assert.deepEqual((await list(caller, 'note')).items, []);
  assertProblem(await act(caller, 'GET', `/item/note/${record.id}`), 'not_found');
});

test('a server is no person: of what is about the caller it learns what it is and may do', async () => {
  const { org, founder } = await orgWithNotes();
  const made = await newKey(org, { policies: ['adminacl'] });
  const caller = server(founder, made);
  const me = await act<Record<string, unknown>>(caller, 'GET', '/user/me');
  const { id, email, fn, role, tenant_code } = me.body;
  assert.deepEqual(
    [id, email, fn, role, tenant_code],
    [made.id, `${made.id}@service.invalid`, made.name, 'service', 'main'],
  );
  const permissions = await act<{ entities: Record<string, Record<string, boolean>> }>(
    caller,
    'GET',
    '/user/permissions',
  );
  assert.equal(permissions.body.entities.note?.create, true);
  assert.equal((await act(caller, 'GET', '/openapi.json')).status, 200);
  const refused: readonly (readonly [string, string, object?])[] = [
    ['PUT', '/user/me', { fn: 'Ann' }],
    ['POST', '/user/password', { current_password: password, new_password: password }],
    ['POST', '/user/logout', {}],
    ['GET', '/user/tenants'],
    ['POST', '/user/workspace', { name: 'Own' }],
    ['POST', '/user/switch-tenant', { tenant_code: 'main' }],
    ['POST', '/user/leave', { tenant_code: 'main' }],
    ['GET', '/user/invitations/mine'],
    ['POST', '/user/acceptinvitation', { code: 'x' }],
  ];
  for (const [method, path, body] of refused) {
    const options = body === undefined ? {} : { body };
    assertProblem(await act(caller, method, path, options), 'access_denied');
  }
  assert.equal((await act(caller, 'GET', '/list/note')).status, 200);
});

test('a key is exchanged for no token, and opens nothing on the management gateway', async () => {
  const { org } = await orgWithNotes();
  const { key } = await newKey(org, { policies: ['adminacl'] });
  assertProblem(await exchangeToken(org, key), 'token_invalid');
  assertProblem(await manage(org, 'GET', '/org', { token: key }), 'token_invalid');
  assertProblem(await notes(org, { authorization: org.builder.token }), 'token_invalid');
});

test('what is about the workspace a server does as its policies say', async () => {
  const { founder } = await orgWithNotes();
  const inviting = server(founder, await keyWith(founder, [allow('createinvitation')]));
  const email = newEmail('invited');
  assert.equal((await act(inviting, 'POST', '/user/invitations', { body: { email } })).status, 201);
  assertProblem(await act(inviting, 'PUT', '/user/workspace', { body: { name: 'Own' } }), 'access_denied');
  const linking = server(founder, await keyWith(founder, [allow(['createuseraclpolicy', 'listaclpolicy'])]));
  const admin = (await list(linking, 'aclpolicy', '?name=adminacl')).items[0];
  const link = { user_id: linking.id, acl_policy_id: admin?.id };
  assertProblem(await act(linking, 'POST', '/create/useraclpolicy', { body: link }), 'escalation_refused');
});

test('a server that holds adminacl does not let the last admin who is a person go', async () => {
  const { org, founder } = await orgWithNotes();
  const made = await newKey(org, { policies: ['adminacl'] });
  const caller = server(founder, made);
  const suspend = { body: { status: 'suspended' } };
  assertProblem(await act(caller, 'DELETE', `/delete/user/${founder.id}`), 'last_admin');
  assertProblem(await act(caller, 'PUT', `/update/user/${founder.id}`, suspend), 'last_admin');
  assertProblem(await act(founder, 'POST', '/user/leave', { body: { tenant_code: 'main' } }), 'last_admin');
  assert.equal((await act(founder, 'PUT', `/update/user/${made.id}`, suspend)).status, 200);
  assert.equal((await remove(org, made.id)).status, 204);
});

test('a key opens the org alone that it was made in, and its environment', async () => {
  const { org, founder } = await orgWithNotes();
  const other = await orgWithNotes();
  const { key } = await newKey(org, { policies: ['adminacl'] });
  const secret = key.slice('fhk_test_'.length);
  const anywhere = (at: Org, token: string) => notes(at, { authorization: `Bearer ${token}` });
  assert.equal((await anywhere(org, key)).status, 200);
  for (const one of [other.org, { ...org, code: 'nowhere' }, { ...org, code: `${org.code}-main` }])
    assertProblem(await anywhere(one, key), 'token_invalid');
  const wrong = [`fhk_prod_${secret}`, `fhk_dev_${secret}`, secret, `fhk_test_${secret.slice(1)}`, 'fhk_', 'fhk_test_'];
  const flipped = `fhk_test_${secret.startsWith('A') ? 'B' : 'A'}${secret.slice(1)}`;
  for (const token of [...wrong, flipped, `${key}A`, `fhk_test_${'x'.repeat(5000)}`])
    assertProblem(await anywhere(org, token), 'token_invalid');
  assert.equal((await anywhere(org, key)).status, 200);
  assertProblem(await remove(other.org, (await keys(org))[0]?.id ?? ''), 'not_found');
  assert.equal((await act(founder, 'GET', '/list/note')).status, 200);
  assert.equal((await anywhere(org, key)).status, 200);
});

test('what is wrong with a key that is asked for is named, and nothing is made', async () => {
  const { org } = await orgWithNotes();
  const wrong: readonly (readonly [object, ProblemCode, readonly string[]])[] = [
    [{ env: 'stage' }, 'validation_failed', ['/env']],
    [{ name: '' }, 'validation_failed', ['/name']],
    [{ name: 'x'.repeat(129) }, 'validation_failed', ['/name']],
    [{ name: 5 }, 'validation_failed', ['/name']],
    [{ policies: 'adminacl' }, 'validation_failed', ['/policies']],
    [{ policies: [1] }, 'validation_failed', ['/policies/0']],
    [{ policies: Array.from({ length: 91 }, (_, index) => `p${index}`) }, 'validation_failed', ['/policies']],
    [{ policies: ['vieweracl', 'none', 'x'.repeat(2000)] }, 'validation_failed', ['/policies/1', '/policies/2']],
    [{ expires_at: '2020-01-01T00:00:00Z' }, 'validation_failed', ['/expires_at']],
    [{ expires_at: 'tomorrow' }, 'validation_failed', ['/expires_at']],
    [{ expires_at: '2999-13-01T00:00:00Z' }, 'validation_failed', ['/expires_at']],
    [{ role: 'admin' }, 'unknown_field', ['/role']],
    [{ tenant_code: 'nowhere' }, 'not_found', []],
    [{ tenant_code: '../main' }, 'not_found', []],
    [{ tenant_code: 'x'.repeat(3000) }, 'not_found', []],
    [{ env: 'prod' }, 'not_found', []],
  ];
  for (const [body, code, places] of wrong)
    assert.deepEqual(pointers(assertProblem(await ask(org, body), code)), [...places].sort());
  assertProblem(await manage(org, 'POST', '/org/service-keys', { body: [] }), 'validation_failed');
  assert.deepEqual(await keys(org), []);
});

test('the expiry of a key is shown in UTC', async () => {
  const { org } = await orgWithNotes();
  const made = await newKey(org, { expires_at: '2999-01-01T02:00:00.0009+02:00', policies: ['vieweracl'] });
  assert.equal(made.expires_at, '2999-01-01T00:00:00.000Z');
  assert.equal((await notes(org, { authorization: made.key })).status, 200);
});

test('a workspace has a hundred keys at most', async () => {
  const { org } = await orgWithNotes();
  const made: ServiceKey[] = [];
  for (let start = 0; start < 100; start += 20)
    made.push(...(await Promise.all(Array.from({ length: 20 }, () => newKey(org)))));
  assertProblem(await ask(org), 'conflict');
  const first = await manage<Page>(org, 'GET', '/org/service-keys?pagesize=60');
  const rest = await manage<Page>(org, 'GET', `/org/service-keys?pagesize=60&nexttoken=${first.body.nexttoken}`);
  const found = [...first.body.items, ...rest.body.items].map(({ id }) => id);
  assert.deepEqual(found, made.map(({ id }) => id).sort());
  assert.equal(rest.body.nexttoken, null);
  const other = await signUp(gateways);
  const foreign = `/org/service-keys?pagesize=60&nexttoken=${first.body.nexttoken}`;
  assertProblem(await manage(other, 'GET', foreign), 'invalid_cursor');
  assert.equal((await remove(org, made[0]?.id ?? '')).status, 204);
  await newKey(org);
});

test('the list tells when a key was used last', async () => {
  const { org } = await orgWithNotes();
  const made = await newKey(org, { policies: ['vieweracl'] });
  assert.equal((await keys(org))[0]?.last_used_at, null);
  const before = Date.now();
  await notes(org, { authorization: made.key });
  const used = await eventually('the last use of the key', async () => (await keys(org))[0]?.last_used_at ?? undefined);
  assert.ok(Date.parse(used) >= before);
});

test('keys are made, seen and removed by admins of the org, and its log records that', async () => {
  const { org, founder } = await orgWithNotes();
  const developer = await joinOrg(org, 'developer');
  const made = await newKey(org);
  const callWith = async (options: CallOptions) => [
    await ask(org, {}, options),
    await manage(org, 'GET', '/org/service-keys', options),
    await remove(org, made.id, options),
  ];
  for (const reply of await callWith({ token: developer.token })) assertProblem(reply, 'role_required');
  for (const reply of await callWith({ token: founder.token })) assertProblem(reply, 'token_invalid');
  for (const reply of await callWith({ token: made.key })) assertProblem(reply, 'token_invalid');
  for (const id of ['nonsense', made.id.toUpperCase(), founder.id]) assertProblem(await remove(org, id), 'not_found');
  await remove(org, made.id);
  const log = await manage<{ items: { action: string; target?: { id: string } }[] }>(
    org,
    'GET',
    '/audit?action=service_key',
  );
  assert.deepEqual(
    log.body.items.map(({ action, target }) => [action, target?.id]),
    [
      ['service_key.removed', made.id],
      ['service_key.created', made.id],
    ],
  );
  assert.ok(!log.text.includes(made.key.slice(9)));
});

test('a person with few rights gains none by being called like a server', async () => {
  const { founder } = await orgWithNotes();
  const member = await memberWith(founder, [allow('listnote')]);
  assert.equal((await act(member, 'GET', '/list/note')).status, 200);
  assertProblem(await act({ ...member, token: `fhk_test_${member.token}` }, 'GET', '/list/note'), 'token_invalid');
});
