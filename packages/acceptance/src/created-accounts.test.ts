/** Workspaces and accounts that a builder makes in the test environment, before the app has a page to sign in. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import {
  type AppUser,
  act,
  create,
  defineEntity,
  definition,
  exchangeToken,
  joinOrg,
  list,
  logIn,
  manage,
  newEmail,
  type Org,
  password,
  random,
  signIn,
  signUp,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { multiOrg, putSetting, tenantsOf } from './workspaces.ts';

const gateways = await platformForTests();

interface CreatedAccount {
  readonly id: string;
  readonly email: string;
  readonly tenant_id: string;
  readonly tenant_code: string;
  readonly password: string | null;
}

interface Workspace {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly state: string;
  readonly members: number;
}

function makeWorkspace(org: Org, body: object, options: object = {}) {
  return manage<Workspace>(org, 'POST', '/org/workspaces', { body: { env: 'test', ...body }, ...options });
}

function makeUser(org: Org, body: object, options: object = {}) {
  return manage<CreatedAccount>(org, 'POST', '/org/app-users', { body: { env: 'test', ...body }, ...options });
}

/** The account signed in by the password that its builder was shown. */
async function made(org: Org, tenantCode: string, email = newEmail('made')) {
  const reply = await makeUser(org, { tenant_code: tenantCode, email });
  assert.equal(reply.status, 201, reply.text);
  assert.equal(reply.body.tenant_code, tenantCode);
  assert.ok(reply.body.password !== null);
  return { made: reply.body, user: await signIn(org, email, reply.body.password) };
}

async function policiesOf(user: AppUser): Promise<readonly string[]> {
  const names = [];
  for (const { acl_policy_id } of (await list(user, 'useraclpolicy', `?user_id=${user.id}`)).items)
    names.push(String((await act(user, 'GET', `/item/aclpolicy/${acl_policy_id}`)).body.name));
  return names;
}

test('the first account of a new org founds its workspace, and signs in by the password that is shown', async () => {
  const org = await signUp(gateways);
  await defineEntity(org, definition('note', [{ name: 'title' }]));
  const first = await made(org, 'main');
  assert.equal(first.user.id, first.made.id);
  assert.deepEqual([first.user.tenantCode, first.user.tenantId], ['main', first.made.tenant_id]);
  const note = await create(first.user, 'note', { title: 'x' });

  const second = await made(org, 'main');
  assert.deepEqual(
    (await list(second.user, 'note')).items.map(({ id }) => id),
    [note.id],
  );
  assertProblem(await act(second.user, 'POST', '/create/note', { body: { title: 'y' } }), 'access_denied');
  assert.deepEqual(await policiesOf(first.user), ['adminacl']);
  assert.deepEqual(await policiesOf(second.user), ['vieweracl']);
});

test('the first account in a workspace that a builder has made is its admin, of several at once only one', async () => {
  for (const org of [await signUp(gateways), await multiOrg(gateways)]) {
    const reply = await makeWorkspace(org, { name: '  Café Acme ' });
    assert.equal(reply.status, 201, reply.text);
    const { code, name, state, members } = reply.body;
    assert.deepEqual([code, name, state, members], ['cafe-acme', 'Café Acme', 'ready', 0]);
    const people = await Promise.all([1, 2, 3].map(() => made(org, code)));
    assert.deepEqual(new Set(people.map(({ user }) => user.tenantId)), new Set([reply.body.id]));
    const held = [];
    for (const { user } of people) held.push((await policiesOf(user)).join());
    assert.deepEqual(held.toSorted(), ['adminacl', 'vieweracl', 'vieweracl']);
    // Also under single tenancy the account stays where it was made.
    const [{ user } = assert.fail()] = people;
    assert.deepEqual(
      (await tenantsOf(user)).map((tenant) => tenant.code),
      [code],
    );
  }
});

test('what cannot be made is named, and leaves no account', async () => {
  const org = await signUp(gateways);
  const email = newEmail('none');
  const unknown = assertProblem(await makeUser(org, { tenant_code: 'none', email }), 'validation_failed');
  assert.deepEqual(pointers(unknown), ['/tenant_code']);
  const wrong = assertProblem(await makeUser(org, { tenant_code: 'A B', email: 'x' }), 'validation_failed');
  assert.deepEqual(pointers(wrong).toSorted(), ['/email', '/tenant_code']);
  assert.deepEqual(pointers(assertProblem(await makeWorkspace(org, { name: ' ' }), 'validation_failed')), ['/name']);
  const kept = assertProblem(await makeWorkspace(org, { name: 'x', code: 'main' }), 'validation_failed');
  assert.deepEqual(pointers(kept), ['/code']);

  const multi = await multiOrg(gateways);
  assertProblem(await makeUser(multi, { tenant_code: 'main', email }), 'validation_failed');
  await makeWorkspace(org, { name: 'x', code: 'shut' });
  const reason = 'a test';
  await manage(org, 'POST', '/org/workspaces/shut/suspend', { body: { env: 'test', reason } });
  assertProblem(await makeUser(org, { tenant_code: 'shut', email }), 'workspace_suspended');
  await putSetting(org, 'tenancy', 'founder_email', newEmail('other'));
  assertProblem(await makeUser(org, { tenant_code: 'main', email }), 'conflict');
  await putSetting(org, 'auth', 'password_login', { enabled: false });
  assertProblem(await makeUser(org, { tenant_code: 'main', email }), 'conflict');
  await putSetting(org, 'auth', 'password_login', { enabled: true });
  const { items } = (await manage<{ items: readonly object[] }>(org, 'GET', '/org/app-users')).body;
  assert.deepEqual(items, []);
});

test('an address that has an account, and a code that is taken, are refused; of two requests at once one is answered', async () => {
  const org = await signUp(gateways);
  const { email } = await signIn(org);
  assertProblem(await makeUser(org, { tenant_code: 'main', email }), 'conflict');
  assert.equal((await logIn(org, email, password)).status, 200);
  const twice = newEmail('twice');
  const replies = await Promise.all([1, 2, 3].map(() => makeUser(org, { tenant_code: 'main', email: twice })));
  assert.deepEqual(replies.map(({ status }) => status).toSorted(), [201, 409, 409]);
  const shown = replies.find(({ status }) => status === 201)?.body.password ?? assert.fail();
  assert.equal((await logIn(org, twice, shown)).status, 200);

  assert.equal((await makeWorkspace(org, { name: 'Team', code: 'team' })).status, 201);
  assertProblem(await makeWorkspace(org, { name: 'Team', code: 'team' }), 'conflict');
  assert.match((await makeWorkspace(org, { name: 'Team' })).body.code, /^team-[0-9a-f]{8}$/);
});

test('a request under one key makes one account, and shows its password again', async () => {
  const org = await signUp(gateways);
  const headers = { 'Idempotency-Key': random() };
  const body = { tenant_code: 'main', email: newEmail('once') };
  const [first, again] = [await makeUser(org, body, { headers }), await makeUser(org, body, { headers })];
  assert.deepEqual([first.status, again.body], [201, first.body]);
});

test('production is read-only, developers make neither, and the audit log has who made what without the address', async () => {
  const org = await signUp(gateways);
  const email = newEmail('audited');
  assertProblem(await makeWorkspace(org, { env: 'prod', name: 'x' }), 'prod_read_only');
  assertProblem(await makeUser(org, { env: 'prod', tenant_code: 'main', email }), 'prod_read_only');
  const { token } = await joinOrg(org, 'developer');
  assertProblem(await makeWorkspace(org, { name: 'x' }, { token }), 'role_required');
  assertProblem(await makeUser(org, { tenant_code: 'main', email }, { token }), 'role_required');

  await makeWorkspace(org, { name: 'x', code: 'x' });
  const { body } = await makeUser(org, { tenant_code: 'x', email });
  const entries = async (query: string) =>
    (await manage<{ items: readonly Entry[] }>(org, 'GET', `/audit?pagesize=200${query}`)).body.items;
  const items = [...(await entries('')), ...(await entries('&env=test&tenant_code=x'))];
  const seen = (action: string) =>
    items
      .filter((entry) => entry.action === action)
      .map(({ actor, target, tenant_code }) => [actor.kind, target?.id, tenant_code]);
  assert.deepEqual(seen('app_user.created'), [['org_user', body.id, undefined]]);
  assert.deepEqual(seen('workspace.created')[0], ['org_user', body.tenant_id, 'x']);
  assert.deepEqual(seen('member.joined'), [['org_user', body.id, 'x']]);
  assert.equal(seen('app_user.creation_refused').length, 2);
  assert.equal(seen('workspace.creation_refused').length, 2);
  assert.ok(!JSON.stringify(items).includes(email));
  assert.ok(!JSON.stringify(items).includes(String(body.password)));
});

interface Entry {
  readonly action: string;
  readonly actor: { readonly kind: string };
  readonly target?: { readonly id: string };
  readonly tenant_code?: string;
}

test('a password that was shown once opens the account alone', async () => {
  const org = await signUp(gateways);
  const { made: account } = await made(org, 'main');
  const details = await manage(org, 'GET', `/org/app-users/${account.id}`);
  assert.ok(!details.text.includes(String(account.password)));
  assertProblem(await logIn(org, account.email, 'another password'), 'credentials_invalid');
  const login = await logIn(org, account.email, String(account.password));
  assert.equal((await exchangeToken(org, login.body.token)).body.tenant_code, 'main');
});
