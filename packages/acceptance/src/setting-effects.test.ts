/** What settings do to those who sign in and to what they may do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import type { Reply } from './call.ts';
import { allowIssuers, clientAtProvider, personAt, startIdentityProvider } from './identity-provider.ts';
import { ask, codeTo, platformForMails, signUpUser } from './mails.ts';
import {
  type AppUser,
  act,
  allow,
  count,
  create,
  defineEntity,
  definition,
  exchangeToken,
  foundedOrg,
  list,
  logIn,
  memberWith,
  newEmail,
  type Org,
  random,
  signIn,
  signUp,
} from './org.ts';
import { putSetting, refreshed } from './workspaces.ts';

const gateways = await platformForMails();

function passwords(org: Org, value: object): Promise<void> {
  return putSetting(org, 'auth', 'password_login', value);
}

test('where passwords are switched off no user signs in with one, not even with the right one', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await passwords(org, { enabled: false });
  const known = assertProblem(await logIn(org, founder.email), 'credentials_invalid');
  const unknown = assertProblem(await logIn(org, newEmail('new')), 'credentials_invalid');
  assert.deepEqual({ ...known, request_id: '' }, { ...unknown, request_id: '' });
  assert.equal((await act(founder, 'GET', '/user/me')).status, 200);
  assert.equal((await exchangeToken(org, founder.token)).status, 200);
  await passwords(org, { enabled: true });
  assert.equal((await logIn(org, founder.email)).status, 200);
});

test('where sign-up is closed an unknown email is answered like a wrong password, and makes no user', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await passwords(org, { allow_signup: false });
  const email = newEmail('new');
  const unknown = assertProblem(await logIn(org, email), 'credentials_invalid');
  const wrong = assertProblem(await logIn(org, founder.email, 'another password'), 'credentials_invalid');
  assert.deepEqual({ ...unknown, request_id: '' }, { ...wrong, request_id: '' });
  assert.equal((await logIn(org, founder.email)).status, 200);
  await passwords(org, { allow_signup: true });
  await signIn(org, email, 'chosen only now');
});

test('a new password has the characters that are asked for, and an old one goes on as it is', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await passwords(org, { min_length: 30 });
  const short = assertProblem(await logIn(org, newEmail('new'), 'x'.repeat(29)), 'validation_failed');
  assert.deepEqual(pointers(short), ['/password']);
  assert.equal((await logIn(org, newEmail('new'), 'x'.repeat(30))).status, 200);
  assert.equal((await logIn(org, founder.email)).status, 200);
  await passwords(org, { min_length: 8 });
  assert.equal((await logIn(org, newEmail('new'), 'x'.repeat(8))).status, 200);
});

test('one org’s passwords are no other org’s', async () => {
  const [strict, other] = await Promise.all([foundedOrg(gateways), foundedOrg(gateways)]);
  await passwords(strict.org, { enabled: false });
  assert.equal((await logIn(other.org, other.founder.email)).status, 200);
});

test('until the founder that was named comes others are in no workspace, and then join it', async () => {
  const org = await signUp(gateways);
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  const email = newEmail('founder');
  await putSetting(org, 'tenancy', 'founder_email', email);
  const early = await signIn(org);
  assert.deepEqual([early.tenantId, early.tenantCode], [null, null]);
  assertProblem(await act(early, 'GET', '/list/order'), 'workspace_required');
  assertProblem(await act(early, 'POST', '/create/order', { body: { title: 'early' } }), 'workspace_required');
  assert.equal((await refreshed(early)).tenantId, null);
  const named = await signUpUser(org, email.toUpperCase());
  assert.equal(named.tenantId, null);
  const unproved = assertProblem(await act(named, 'GET', '/list/order'), 'workspace_required');
  assert.match(unproved.detail, /has to be verified first/);
  assert.equal((await refreshed(named)).tenantId, null);
  const code = await codeTo(gateways, named.email, 'verify-email');
  assert.equal((await ask(org, '/verify-email', { code })).status, 204);
  const founder = await refreshed(named);
  assert.deepEqual(await roleAndPolicies(founder, founder), ['admin', ['adminacl']]);
  assertProblem(await act(early, 'GET', '/list/order'), 'workspace_required');
  const member = await refreshed(early);
  assert.equal(member.tenantId, founder.tenantId);
  assert.deepEqual(await roleAndPolicies(founder, member), ['', ['vieweracl']]);
  assert.equal((await list(member, 'order')).items.length, 0);
});

test('a named founder whose address a provider has verified founds at the first sign-in, and another does not', async (t) => {
  const org = await signUp(gateways);
  const provider = await startIdentityProvider();
  t.after(() => provider.close());
  await allowIssuers(org, [{ issuer: provider.issuer, audiences: [clientAtProvider] }]);
  const email = newEmail('founder');
  await putSetting(org, 'tenancy', 'founder_email', email);
  const unproved = await exchangeToken(org, provider.token(personAt('eve', { email, email_verified: false })));
  assert.deepEqual([unproved.status, unproved.body.tenant_id], [200, null]);
  const founder = await exchangeToken(org, provider.token(personAt('ann', { email })));
  assert.equal(founder.body.tenant_code, 'main');
  assert.notEqual(founder.body.user_id, unproved.body.user_id);
});

test('the founder setting is read at each sign-in, and the founder of a workspace stays its founder', async () => {
  const org = await signUp(gateways);
  await putSetting(org, 'tenancy', 'founder_email', newEmail('absent'));
  const early = await signIn(org);
  assert.equal(early.tenantId, null);
  await putSetting(org, 'tenancy', 'founder_email', null);
  const founder = await refreshed(early);
  assert.deepEqual(await roleAndPolicies(founder, founder), ['admin', ['adminacl']]);
  const late = newEmail('late');
  await putSetting(org, 'tenancy', 'founder_email', late);
  assert.deepEqual(await roleAndPolicies(founder, await signIn(org, late)), ['', ['vieweracl']]);
});

test('new members get the policy that was named when the workspace was founded', async () => {
  const org = await signUp(gateways);
  await putSetting(org, 'tenancy', 'default_member_access', 'clerks');
  const founder = await signIn(org);
  const early = await signIn(org);
  assert.deepEqual(await roleAndPolicies(founder, early), ['', []]);
  assertProblem(await act(early, 'GET', '/list/user'), 'access_denied');
  await create(founder, 'aclpolicy', { name: 'clerks', statements: [allow('listuser')] });
  const clerk = await signIn(org);
  assert.deepEqual(await roleAndPolicies(founder, clerk), ['', ['clerks']]);
  assert.equal((await act(clerk, 'GET', '/list/user')).status, 200);
  assertProblem(await act(clerk, 'GET', '/list/group'), 'access_denied');
});

test('where grants are not checked a user may grant what it may not do itself, and no longer once they are', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const clerk = await memberWith(founder, [allow(['create*', 'list*'])]);
  const wide = () => act(clerk, 'POST', '/create/aclpolicy', { body: policyBody() });
  assertProblem(await wide(), 'escalation_refused');
  await putSetting(org, 'acl', 'escalation_check', false);
  const policy = await wide();
  assert.equal(policy.status, 201, policy.text);
  const link = { user_id: clerk.id, acl_policy_id: policy.body.id };
  assert.equal((await act(clerk, 'POST', '/create/useraclpolicy', { body: link })).status, 201);
  assert.equal((await act(clerk, 'DELETE', `/delete/user/${clerk.id}`)).status, 204);
  await putSetting(org, 'acl', 'escalation_check', true);
  const other = await memberWith(founder, [allow(['create*', 'list*'])]);
  const before = await count(founder, 'aclpolicy');
  assertProblem(await act(other, 'POST', '/create/aclpolicy', { body: policyBody() }), 'escalation_refused');
  assert.equal(await count(founder, 'aclpolicy'), before);
});

test('where grants are not checked a workspace still keeps an administrator', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await putSetting(org, 'acl', 'escalation_check', false);
  assertProblem(await act(founder, 'DELETE', `/delete/user/${founder.id}`), 'last_admin');
});

for (const seconds of [0, 300])
  test(`where policies are kept for ${seconds} seconds a change of them still applies at once on its own node`, async () => {
    const { org, founder } = await foundedOrg(gateways);
    await putSetting(org, 'acl', 'cache_seconds', seconds);
    const clerk = await memberWith(founder, [allow('listuser')]);
    assert.equal((await act(clerk, 'GET', '/list/user')).status, 200);
    const [link] = (await list(founder, 'useraclpolicy', `?user_id=${clerk.id}`)).items;
    assert.equal((await act(founder, 'DELETE', `/delete/useraclpolicy/${link?.id}`)).status, 204);
    assertProblem(await act(clerk, 'GET', '/list/user'), 'access_denied');
  });

function policyBody(): object {
  return { name: `wide-${random()}`, statements: [allow('*')] };
}

/** What a member is called, and the names of the policies that it holds directly. */
async function roleAndPolicies(admin: AppUser, member: AppUser): Promise<readonly [unknown, readonly unknown[]]> {
  const user: Reply<{ readonly role?: string }> = await act(admin, 'GET', `/item/user/${member.id}`);
  assert.equal(user.status, 200, user.text);
  const links = (await list(admin, 'useraclpolicy', '?pagesize=200')).items.filter(
    ({ user_id }) => user_id === member.id,
  );
  const policies = (await list(admin, 'aclpolicy', '?pagesize=200')).items;
  const names = links.map(({ acl_policy_id }) => policies.find(({ id }) => id === acl_policy_id)?.name);
  return [user.body.role ?? '', names];
}
