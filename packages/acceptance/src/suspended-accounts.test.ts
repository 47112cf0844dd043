/** The outcome of an account with an unverified address when another account verifies the address. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readAppToken } from './app-token.ts';
import { assertProblem } from './assert-problem.ts';
import { call } from './call.ts';
import { allowIssuers, clientAtProvider, personAt, startIdentityProvider } from './identity-provider.ts';
import { ask, codeIn, codeTo, fromElsewhere, mailsTo, platformForMails, signUpUser } from './mails.ts';
import {
  type AppUser,
  act,
  appUrl,
  create,
  defineEntity,
  definition,
  exchangeToken,
  foundedOrg,
  joinOrg,
  list,
  logIn,
  manage,
  newEmail,
  type Org,
  signUp,
} from './org.ts';
import { founderOf, makeWorkspace, multiOrg, putSetting, refreshed, tenantsOf } from './workspaces.ts';

const gateways = await platformForMails();
const provider = await startIdentityProvider();
after(() => provider.close());

interface Suspended {
  readonly env: string;
  readonly user_id: string;
  readonly email: string;
  readonly proved_by: string;
  readonly suspended_at: string;
}

async function withProvider(org: Org): Promise<Org> {
  await allowIssuers(org, [{ issuer: provider.issuer, audiences: [clientAtProvider] }]);
  return org;
}

/** An org with a founder of its own, whose people may come by a password or through the provider. */
async function founded() {
  const { org, founder } = await foundedOrg(gateways);
  return { org: await withProvider(org), founder };
}

/** A sign-in through the provider, which has verified the address. */
async function through(org: Org, email: string, claims: object = {}): Promise<AppUser> {
  const reply = await exchangeToken(org, provider.token(personAt(email, { email, ...claims })));
  assert.equal(reply.status, 200, reply.text);
  const { token, user_id, tenant_id, tenant_code } = reply.body;
  return { org, email, password: '', token, id: user_id, tenantId: tenant_id, tenantCode: tenant_code };
}

async function entriesOf(founder: AppUser, email: string) {
  const { items } = await list(founder, 'user', `?email=${encodeURIComponent(email)}`);
  return items.map(({ id, status }) => [id, status] as const);
}

async function suspended(org: Org): Promise<readonly Suspended[]> {
  const reply = await manage<{ items: readonly Suspended[] }>(org, 'GET', '/org/suspended-accounts');
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items;
}

/** Follows the link of the last mail. */
async function prove(org: Org, email: string): Promise<void> {
  const reply = await ask(org, '/verify-email', { code: await codeTo(gateways, email, 'verify-email') });
  assert.equal(reply.status, 204, reply.text);
}

async function makeAdmin(founder: AppUser, user: AppUser): Promise<void> {
  const admin = (await list(founder, 'aclpolicy', '?name=adminacl')).items[0];
  await create(founder, 'useraclpolicy', { user_id: user.id, acl_policy_id: admin?.id });
}

test('A25: a plain member makes room for the owner of the address: one entry, and nothing of the one is the other’s', async () => {
  const { org, founder } = await founded();
  const lurker = await signUpUser(org);
  const owner = await through(org, lurker.email);
  assert.notEqual(owner.id, lurker.id);
  assert.equal(owner.tenantCode, 'main');
  assert.deepEqual(await entriesOf(founder, lurker.email), [[owner.id, 'active']]);
  assertProblem(await act(lurker, 'GET', '/user/me'), 'token_invalid');
  assertProblem(await exchangeToken(org, lurker.token), 'token_invalid');
  for (const secret of [lurker.password, 'another password'])
    assertProblem(await logIn(org, lurker.email, secret), 'credentials_invalid');
  assert.deepEqual(
    (await suspended(org)).map(({ user_id, email, proved_by }) => [user_id, email, proved_by]),
    [[lurker.id, lurker.email, owner.id]],
  );
});

test('the owner of an account with a password has it back, with its records, by the mailed link', async () => {
  const { org, founder } = await founded();
  await defineEntity(org, {
    ...definition('note', [{ name: 'title' }, { name: 'owner_id', colType: 'guid', index: true }]),
  });
  const user = await signUpUser(org);
  await create(founder, 'note', { title: 'mine', owner_id: user.id });
  const other = await through(org, user.email);
  assert.equal((await list(other, 'note', `?owner_id=${other.id}`)).items.length, 0);
  await prove(org, user.email);
  assertProblem(await act(other, 'GET', '/user/me'), 'token_invalid');
  const back = await through(org, user.email);
  assert.equal(back.id, user.id);
  assert.equal((await list(back, 'note', `?owner_id=${back.id}`)).items.length, 1);
  assert.deepEqual(await entriesOf(founder, user.email), [[user.id, 'active']]);
  assert.deepEqual(await suspended(org), []);
  assert.equal((await act(back, 'GET', '/user/me')).body.email_verified, true);
  assertProblem(await logIn(org, user.email, user.password), 'credentials_invalid');
});

test('the sole admin of a workspace stays its admin, is shown with his state, and comes back by the link', async () => {
  const org = await withProvider(await signUp(gateways));
  const founder = await signUpUser(org);
  const welcome = await codeTo(gateways, founder.email, 'verify-email');
  const other = await through(org, founder.email);
  assert.equal(other.tenantCode, 'main');
  assertProblem(await act(other, 'POST', '/create/userrole', { body: { name: 'no admin' } }), 'access_denied');
  // The data that were sent before says nothing of two accounts.
  assertProblem(await ask(org, '/verify-email', { code: welcome }), 'not_found');
  const [mail] = await mailsTo(gateways, founder.email);
  assert.match(mail?.text ?? '', /If you made that account yourself/);
  const matrix = await manage<{ items: readonly { user_id: string; status: string }[] }>(
    org,
    'GET',
    '/acl/matrix?env=test&tenant_code=main',
  );
  assert.deepEqual(
    new Map(matrix.body.items.map(({ user_id, status }) => [user_id, status])),
    new Map([
      [founder.id, 'password_suspended'],
      [other.id, 'active'],
    ]),
  );
  assertProblem(await manage(org, 'DELETE', `/org/suspended-accounts/${founder.id}`), 'last_admin');
  await prove(org, founder.email);
  const back = await through(org, founder.email);
  assert.deepEqual([back.id, back.tenantCode], [founder.id, 'main']);
  assert.deepEqual(await entriesOf(back, founder.email), [[founder.id, 'active']]);
  await create(back, 'userrole', { name: 'still admin' });
});

test('an org admin names an admin by a key where none can sign in, and then the account may be removed', async () => {
  const org = await withProvider(await signUp(gateways));
  const founder = await signUpUser(org);
  const member = await signUpUser(org);
  const other = await through(org, founder.email);
  const body = { env: 'test', tenant_code: 'main', name: 'rescue', policies: ['adminacl'] };
  const made = await manage<{ id: string; key: string }>(org, 'POST', '/org/service-keys', { body });
  const rescue = { ...member, token: made.body.key };
  await makeAdmin(rescue, member);
  assert.equal((await manage(org, 'DELETE', `/org/service-keys/${made.body.id}`)).status, 204);
  assert.equal((await manage(org, 'DELETE', `/org/suspended-accounts/${founder.id}`)).status, 204);
  assert.deepEqual(await entriesOf(member, founder.email), [[other.id, 'active']]);
  assert.equal((await through(org, founder.email)).tenantCode, 'main');
});

test('a password that is set by mail proves the address too, and both accounts are one', async () => {
  const { org, founder } = await founded();
  const user = await signUpUser(org);
  await makeAdmin(founder, user);
  const other = await through(org, user.email);
  assert.deepEqual(
    new Map(await entriesOf(founder, user.email)),
    new Map([
      [user.id, 'password_suspended'],
      [other.id, 'active'],
    ]),
  );
  assert.equal((await ask(org, '/password/forgot', { email: user.email })).status, 202);
  const code = await codeTo(gateways, user.email, 'reset-password');
  assert.equal((await ask(org, '/password/reset', { code, new_password: 'correct horse 2' })).status, 204);
  const login = await logIn(org, user.email, 'correct horse 2');
  const byPassword = await exchangeToken(org, login.body.token);
  assert.deepEqual([byPassword.body.user_id, byPassword.body.tenant_code], [user.id, 'main']);
  assert.equal((await through(org, user.email)).id, user.id);
  assert.deepEqual(await entriesOf(founder, user.email), [[user.id, 'active']]);
});

test('an admin who cannot sign in does not count: the last one who can stays', async () => {
  const { org, founder } = await founded();
  const second = await signUpUser(org);
  await makeAdmin(founder, second);
  await through(org, second.email);
  assertProblem(await act(founder, 'POST', '/user/leave', { body: { tenant_code: 'main' } }), 'last_admin');
  const path = `/update/user/${second.id}`;
  for (const status of ['active', 'suspended', null])
    assertProblem(await act(founder, 'PUT', path, { body: { status } }), 'conflict');
  assertProblem(
    await act(founder, 'PUT', `/update/user/${founder.id}`, { body: { status: 'password_suspended' } }),
    'conflict',
  );
  assert.equal((await act(founder, 'DELETE', `/delete/user/${second.id}`)).status, 204);
  const owner = await through(org, second.email);
  assert.equal(owner.tenantCode, 'main');
  assert.deepEqual(await entriesOf(founder, second.email), [[owner.id, 'active']]);
});

test('an org admin merges two accounts or removes one, each once, and no other caller can', async () => {
  const { org, founder } = await founded();
  const [kept, gone] = [await signUpUser(org), await signUpUser(org)];
  for (const user of [kept, gone]) {
    await makeAdmin(founder, user);
    assert.equal((await through(org, user.email)).tenantCode, 'main');
  }
  const developer = await joinOrg(org, 'developer');
  const stranger = await signUp(gateways);
  const path = `/org/suspended-accounts/${kept.id}`;
  for (const [method, route] of [
    ['POST', `${path}/merge`],
    ['DELETE', path],
    ['GET', '/org/suspended-accounts'],
  ] as const) {
    assertProblem(await manage(org, method, route, { token: developer.token }), 'role_required');
    if (method !== 'GET') assertProblem(await manage(stranger, method, route), 'not_found');
  }
  assertProblem(await manage(org, 'POST', `/org/suspended-accounts/${founder.id}/merge`), 'not_found');
  const merged = await manage(org, 'POST', `${path}/merge`);
  assert.deepEqual([merged.status, merged.body], [200, { env: 'test', user_id: kept.id, email: kept.email }]);
  assert.deepEqual(await entriesOf(founder, kept.email), [[kept.id, 'active']]);
  assertProblem(await manage(org, 'POST', `${path}/merge`), 'not_found');
  const back = await through(org, kept.email);
  assert.equal(back.id, kept.id);
  await create(back, 'userrole', { name: 'admin still' });
  assertProblem(await logIn(org, kept.email, kept.password), 'credentials_invalid');

  assert.equal((await manage(org, 'DELETE', `/org/suspended-accounts/${gone.id}`)).status, 204);
  assertProblem(await manage(org, 'DELETE', `/org/suspended-accounts/${gone.id}`), 'not_found');
  const fresh = await through(org, gone.email);
  assert.equal(fresh.tenantCode, 'main');
  assert.deepEqual(await entriesOf(founder, gone.email), [[fresh.id, 'active']]);
  assertProblem(await act(fresh, 'POST', '/create/userrole', { body: { name: 'x' } }), 'access_denied');
  const log = await manage<{ items: readonly { action: string; actor: { kind: string } }[] }>(
    org,
    'GET',
    '/audit?action=app_user',
  );
  assert.deepEqual(
    log.body.items.map(({ action, actor }) => [action, actor.kind]).filter(([action]) => !action?.endsWith('_refused')),
    [
      ['app_user.removed', 'org_user'],
      ['app_user.merged', 'org_user'],
      ['app_user.password_suspended', 'app_user'],
      ['app_user.password_suspended', 'app_user'],
    ],
  );
});

test('A25: data planted under an address is not given to its owner before the owner follows the link', async () => {
  const org = await withProvider(await multiOrg(gateways));
  const attacker = await signUpUser(org);
  assert.equal((await makeWorkspace(attacker, { name: 'Trap', code: 'trap' })).status, 201);
  const victim = await through(org, attacker.email);
  assert.deepEqual(await tenantsOf(victim), []);
  assert.equal((await makeWorkspace(victim, { name: 'Own', code: 'own' })).status, 201);
  assertProblem(
    await act(await refreshed(victim), 'POST', '/user/switch-tenant', { body: { tenant_code: 'trap' } }),
    'not_found',
  );
  const own = await refreshed(victim);
  assert.equal(own.tenantCode, 'own');
  await prove(org, victim.email);
  const both = await through(org, victim.email);
  assert.equal(both.id, attacker.id);
  assert.deepEqual((await tenantsOf(both)).map(({ code, role }) => [code, role]).sort(), [
    ['own', 'admin'],
    ['trap', 'admin'],
  ]);
  const chosen = await act(both, 'POST', '/user/switch-tenant', { body: { tenant_code: 'own' } });
  assert.equal(chosen.status, 200, chosen.text);
  await create(await refreshed(both), 'userrole', { name: 'admin here' });
});

test('by an invitation too an address becomes one entry, unless its suspended member holds more', async () => {
  const org = await withProvider(await multiOrg(gateways));
  const founder = await founderOf(org);
  const invite = async (email: string) =>
    (await act<{ code: string }>(founder, 'POST', '/user/invitations', { body: { email } })).body.code;
  const accept = (user: AppUser, code: string) => act(user, 'POST', '/user/acceptinvitation', { body: { code } });
  const [plain, admin] = [await signUpUser(org), await signUpUser(org)];
  for (const user of [plain, admin]) assert.equal((await accept(user, await invite(user.email))).status, 200);
  await makeAdmin(founder, admin);
  const [first, second] = [await through(org, plain.email), await through(org, admin.email)];
  assert.deepEqual(await entriesOf(founder, plain.email), [[plain.id, 'password_suspended']]);
  assert.equal((await accept(first, await invite(plain.email))).status, 200);
  assert.deepEqual(await entriesOf(founder, plain.email), [[first.id, 'active']]);
  assertProblem(await accept(second, await invite(admin.email)), 'conflict');
  assert.deepEqual(await entriesOf(founder, admin.email), [[admin.id, 'password_suspended']]);
});

test('what an admin took from one of two accounts stays taken when they become one', async () => {
  const { org, founder } = await founded();
  const [put, out] = [await signUpUser(org), await signUpUser(org)];
  const [first, second] = [await through(org, put.email), await through(org, out.email)];
  assert.equal((await act(founder, 'PUT', `/update/user/${first.id}`, { body: { status: 'suspended' } })).status, 200);
  assert.equal((await act(founder, 'DELETE', `/delete/user/${second.id}`)).status, 204);
  for (const { email } of [put, out]) await prove(org, email);
  assertProblem(await exchangeToken(org, provider.token(personAt(put.email, { email: put.email }))), 'token_invalid');
  assert.equal((await through(org, out.email)).tenantId, null);
  assert.deepEqual(await entriesOf(founder, put.email), [[put.id, 'suspended']]);
  assert.deepEqual(await entriesOf(founder, out.email), []);
});

/** What the account of the caller says of another account that waits under the same address. */
async function joinOf(user: AppUser): Promise<unknown> {
  const reply = await act<{ readonly join?: unknown }>(user, 'GET', '/user/me');
  assert.equal(reply.status, 200, reply.text);
  return reply.body.join;
}

function requestToJoin(user: AppUser) {
  return act(user, 'POST', '/user/join', { headers: fromElsewhere() });
}

test('a caller by the provider hears of the account that waits, asks for its link again, and no more once both are one', async () => {
  const { org } = await founded();
  const user = await signUpUser(org);
  assert.equal(await joinOf(user), undefined);
  const other = await through(org, user.email);
  const [{ suspended_at } = {}] = await suspended(org);
  assert.deepEqual(await joinOf(other), { since: suspended_at });
  const renamed = await act(other, 'PUT', '/user/me', { body: { fn: 'Ann' } });
  assert.deepEqual(renamed.body.join, { since: suspended_at });
  const before = (await mailsTo(gateways, user.email)).length;
  const requested = await requestToJoin(other);
  assert.deepEqual([requested.status, requested.body], [202, {}]);
  const mails = await mailsTo(gateways, user.email);
  assert.equal(mails.length, before + 1);
  const codes = mails.slice(0, 2).map(({ text }) => codeIn(text, 'verify-email'));
  assert.equal(new Set(codes).size, 2);
  await prove(org, user.email);
  assertProblem(await requestToJoin(other), 'token_invalid');
  const back = await through(org, user.email);
  assert.deepEqual([back.id, await joinOf(back)], [user.id, undefined]);
  assertProblem(await requestToJoin(back), 'conflict');
  // The first of the two is good for nothing now.
  assertProblem(await ask(org, '/verify-email', { code: codes[1] }), 'not_found');
});

test('other callers do not hear of an account that waits, and have no link mailed', async (t) => {
  const { org, founder } = await founded();
  const neighbour = await withProvider(await signUp(gateways));
  const user = await signUpUser(org);
  const email = user.email;
  const unproved = await exchangeToken(org, provider.token(personAt(`${email}?`, { email, email_verified: false })));
  const stranger: AppUser = { ...user, token: unproved.body.token, id: unproved.body.user_id };
  for (const other of [user, founder, stranger]) {
    assert.equal(await joinOf(other), undefined);
    assertProblem(await requestToJoin(other), 'conflict');
  }
  const owner = await through(org, email);
  assert.notEqual(await joinOf(owner), undefined);
  assert.equal(await joinOf(stranger), undefined);
  assertProblem(await requestToJoin(stranger), 'conflict');
  assertProblem(await act(owner, 'POST', '/user/verification'), 'conflict');
  const url = appUrl(org, '/user/join');
  assertProblem(await call('POST', url), 'token_missing');
  assertProblem(await call('POST', url, { token: org.builder.token }), 'token_invalid');
  assertProblem(await call('POST', appUrl(neighbour, '/user/join'), { token: owner.token }), 'token_invalid');
  assertProblem(await act(owner, 'POST', '/user/join?email=eve@example.com'), 'invalid_request');
  const impersonation = { env: 'test', tenant_code: 'main', user_id: owner.id, reason: 'a look' };
  const acting = await manage<{ token: string }>(org, 'POST', '/org/impersonate', { body: impersonation });
  assert.equal(acting.status, 200, acting.text);
  assert.equal(await joinOf({ ...owner, token: acting.body.token }), undefined);
  assertProblem(await requestToJoin({ ...owner, token: acting.body.token }), 'access_denied');
  const second = await startIdentityProvider();
  t.after(() => second.close());
  const audiences = [clientAtProvider];
  await allowIssuers(org, [
    { issuer: provider.issuer, audiences },
    { issuer: second.issuer, audiences },
  ]);
  const bySecond = await exchangeToken(org, second.token(personAt(email, { email })));
  assert.equal(bySecond.body.user_id, owner.id);
  const problem = assertProblem(await requestToJoin({ ...owner, token: bySecond.body.token }), 'access_denied');
  assert.match(problem.detail, /by the provider that has verified/);
  assert.equal((await mailsTo(gateways, email)).length, 2);
});

test('the link is asked for within an hour of the sign-in, which no exchange of tokens renews', async () => {
  const { org } = await founded();
  const { email } = await signUpUser(org);
  const first = await through(org, email);
  const { auth_time: now } = (await readAppToken(org.app, first.token)).claims;
  const came = (auth_time: number) => through(org, email, { auth_time });
  const old = await came(now - 3601);
  assert.notEqual(await joinOf(old), undefined);
  for (const user of [old, await refreshed(old)])
    assert.match(assertProblem(await requestToJoin(user), 'access_denied').detail, /sign in at the provider again/);
  assert.equal((await requestToJoin(await came(now - 3000))).status, 202);
});

test('the link is mailed three times in all, also to a caller in no workspace, and what it joins is one account', async () => {
  const org = await withProvider(await multiOrg(gateways));
  const user = await signUpUser(org);
  const other = await through(org, user.email);
  assert.equal(other.tenantId, null);
  assert.notEqual(await joinOf(other), undefined);
  // One came with the sign-up, and one with the suspension.
  assert.equal((await requestToJoin(other)).status, 202);
  const refusal = await requestToJoin(other);
  assertProblem(refusal, 'rate_limited');
  assert.ok(Number(refusal.headers.get('retry-after')) > 0);
  assert.equal((await mailsTo(gateways, user.email)).length, 3);
  await prove(org, user.email);
  assert.equal((await through(org, user.email)).id, user.id);
});

test('a provider that verifies an address later than at the first sign-in proves it then', async () => {
  const { org, founder } = await founded();
  const email = newEmail('late');
  const unproved = await exchangeToken(org, provider.token(personAt(email, { email, email_verified: false })));
  const lurker = await signUpUser(org, email);
  const proved = await through(org, email);
  assert.equal(proved.id, unproved.body.user_id);
  assert.equal((await act(proved, 'GET', '/user/me')).body.email_verified, true);
  assertProblem(await act(lurker, 'GET', '/user/me'), 'token_invalid');
  assert.deepEqual(await entriesOf(founder, email), [[proved.id, 'active']]);
  await putSetting(org, 'auth', 'password_login', { allow_signup: false });
  assertProblem(await logIn(org, email), 'credentials_invalid');
});
