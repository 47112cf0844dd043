/** The accounts of an app's users as the builders of its org see them, disable them and sign them out. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { call } from './call.ts';
import { allowIssuers, clientAtProvider, personAt, startIdentityProvider } from './identity-provider.ts';
import { ask, codeTo, platformForMails, signUpUser } from './mails.ts';
import {
  type AppUser,
  act,
  allow,
  create,
  exchangeToken,
  foundedOrg,
  joinOrg,
  list,
  logIn,
  manage,
  memberWith,
  newEmail,
  type Org,
  random,
  signIn,
  signUp,
} from './org.ts';
import { founderOf, multiOrg } from './workspaces.ts';

const gateways = await platformForMails();
const provider = await startIdentityProvider();
after(() => provider.close());

const missing = '01890000-0000-7000-8000-000000000000';
const reason = 'Reported by two other users.';

test('a log-in that does not sign up refuses a new email as it does a wrong password', async () => {
  const org = await signUp(gateways);
  const email = newEmail('user');
  const ask = (body: object) =>
    call('POST', `${org.app}/app/${org.code}/login`, { headers: { client_id: org.clientId }, body });
  const refused = await ask({ email, password: 'a long password', signup: false });
  assertProblem(refused, 'credentials_invalid');
  assert.deepEqual((await page(org, { q: email })).items, []);
  const wrong = { email: (await signIn(org)).email, password: 'a wrong password' };
  assertProblem(await ask(wrong), 'credentials_invalid');
  assert.equal((await ask({ email, password: 'a long password', signup: true })).status, 200);
  assert.equal((await ask({ email, password: 'a long password', signup: false })).status, 200);
});

interface Account {
  readonly id: string;
  readonly email: string;
  readonly state: string;
}

interface Details extends Account {
  readonly email_verified: boolean;
  readonly has_password: boolean;
  readonly providers: readonly { readonly issuer: string; readonly subject: string }[];
  readonly tokens_revoked_at: string | null;
  readonly disabled: { readonly at: string; readonly by: string; readonly reason: string } | null;
  readonly proved_by: string | null;
  readonly suspends: string | null;
  readonly merged_into: string | null;
  readonly memberships: readonly { readonly tenant_code: string; readonly name: string; readonly status: string }[];
}

interface Page {
  readonly items: readonly Account[];
  readonly nexttoken: string | null;
}

async function page(org: Org, query: Readonly<Record<string, string>> = {}): Promise<Page> {
  const reply = await manage<Page>(org, 'GET', `/org/app-users?${new URLSearchParams(query)}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

/** All pages of a list, whatever their size. */
async function all(org: Org, query: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  const seen: string[] = [];
  for (let more: Readonly<Record<string, string>> = {}; ; ) {
    const { items, nexttoken } = await page(org, { ...query, ...more });
    seen.push(...items.map(({ email }) => email));
    if (nexttoken === null) return seen;
    more = { nexttoken };
  }
}

async function details(org: Org, id: string): Promise<Details> {
  const reply = await manage<Details>(org, 'GET', `/org/app-users/${id}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

interface Control {
  readonly id: string;
  readonly action: string;
  readonly body?: object;
  readonly token?: string;
}

const control = (org: Org, { id, action, body = {}, token = org.builder.token }: Control) =>
  manage(org, 'POST', `/org/app-users/${id}/${action}`, { body: { env: 'test', ...body }, token });

async function disable(user: AppUser): Promise<void> {
  const reply = await control(user.org, { id: user.id, action: 'disable', body: { reason } });
  assert.equal(reply.status, 204, reply.text);
}

async function enable(user: AppUser): Promise<void> {
  assert.equal((await control(user.org, { id: user.id, action: 'enable' })).status, 204);
}

/** A sign-in through the provider. */
function through(org: Org, subject: string, claims: object) {
  return exchangeToken(org, provider.token(personAt(subject, claims)));
}

async function withProvider(org: Org): Promise<Org> {
  await allowIssuers(org, [{ issuer: provider.issuer, audiences: [clientAtProvider] }]);
  return org;
}

test('builders find the accounts of an app by email, by id and by state, a page at a time', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await withProvider(org);
  const mark = random();
  const byPassword = [await signIn(org, `b-${mark}@example.com`), await signIn(org, `a-${mark}@example.com`)];
  const verified = `c-${mark}@example.com`;
  const unverified = `a-${mark}@example.net`;
  assert.equal((await through(org, random(), { email: verified })).status, 200);
  assert.equal((await through(org, random(), { email: unverified, email_verified: false })).status, 200);
  const emails = [founder.email, ...byPassword.map(({ email }) => email), verified, unverified];
  for (const pagesize of ['1', '2', '50'])
    assert.deepEqual(await all(org, { pagesize }), emails.toReversed(), `pages of ${pagesize}`);

  for (const pagesize of ['1', '50']) {
    assert.deepEqual(await all(org, { pagesize, q: `A-${mark}` }), [`a-${mark}@example.com`, unverified]);
    assert.deepEqual(await all(org, { pagesize, q: `c-${mark}@` }), [verified]);
    assert.deepEqual(await all(org, { pagesize, q: mark }), []);
    assert.deepEqual(await all(org, { pagesize, q: founder.id }), [founder.email]);
    assert.deepEqual(await all(org, { pagesize, q: missing }), []);
  }
  assert.deepEqual(await all(org, { env: 'prod' }), []);

  const [blocked, other] = byPassword;
  assert.ok(blocked !== undefined && other !== undefined);
  await disable(blocked);
  for (const pagesize of ['1', '50']) {
    assert.deepEqual(await all(org, { pagesize, state: 'disabled' }), [blocked.email]);
    assert.deepEqual(await all(org, { pagesize, state: 'disabled', q: 'b-' }), [blocked.email]);
    assert.deepEqual(await all(org, { pagesize, state: 'disabled', q: 'a-' }), []);
    assert.ok(!(await all(org, { pagesize, state: 'active' })).includes(blocked.email));
  }
  // A provider proves the address of the other one, whose password is suspended by that.
  assert.equal((await through(org, random(), { email: other.email })).status, 200);
  assert.deepEqual(await all(org, { state: 'password_suspended' }), [other.email]);
  assert.deepEqual(await all(org, { pagesize: '1', q: other.email }), [other.email, other.email]);
});

test('an account shows its identities, its workspaces, and what its state is', async () => {
  const org = await withProvider(await multiOrg(gateways));
  const founder = await founderOf(org, 'Alpha');
  assert.equal((await act(founder, 'POST', '/user/workspace', { body: { name: 'Beta' } })).status, 201);
  const shown = await details(org, founder.id);
  assert.deepEqual(
    [shown.email, shown.state, shown.has_password, shown.providers, shown.disabled, shown.tokens_revoked_at],
    [founder.email, 'active', true, [], null, null],
  );
  assert.deepEqual(
    shown.memberships.map(({ tenant_code, name, status }) => [tenant_code, name, status]),
    [
      ['alpha', 'Alpha', 'active'],
      ['beta', 'Beta', 'active'],
    ],
  );

  const [subject, email] = [random(), newEmail('ann')];
  const first = (await through(org, subject, { email })).body.user_id;
  assert.equal((await through(org, subject, { email })).body.user_id, first);
  const ann = await details(org, first);
  assert.deepEqual([ann.email_verified, ann.has_password, ann.memberships], [true, false, []]);
  assert.deepEqual(
    ann.providers.map(({ issuer, subject: name }) => [issuer, name]),
    [[provider.issuer, subject]],
  );
});

test('accounts that have become one show the identities of both, and the merged account is not listed', async () => {
  const { org } = await foundedOrg(gateways);
  await withProvider(org);
  const user = await signUpUser(org);
  const subject = random();
  const other = (await through(org, subject, { email: user.email })).body.user_id;
  assert.deepEqual([(await details(org, user.id)).proved_by, (await details(org, other)).suspends], [other, user.id]);
  const merged = await manage(org, 'POST', `/org/suspended-accounts/${user.id}/merge`);
  assert.equal(merged.status, 200, merged.text);
  const [kept, gone] = [await details(org, user.id), await details(org, other)];
  assert.deepEqual([kept.state, kept.providers.map(({ subject: name }) => name)], ['active', [subject]]);
  assert.deepEqual([gone.state, gone.merged_into, gone.providers], ['merged', user.id, []]);
  assert.deepEqual(await all(org, { q: user.email }), [user.email]);
  for (const action of ['disable', 'revoke-tokens'])
    assertProblem(await control(org, { id: other, action, body: action === 'disable' ? { reason } : {} }), 'conflict');
});

test('A34: a disabled account can neither use its tokens, nor sign in, nor exchange, by whatever identity', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await withProvider(org);
  const user = await signUpUser(org);
  const verify = { code: await codeTo(gateways, user.email, 'verify-email') };
  assert.equal((await ask(org, '/verify-email', verify)).status, 204);
  const subject = random();
  const second = await through(org, subject, { email: user.email });
  assert.equal(second.body.user_id, user.id);
  const pending = (await logIn(org, user.email)).body.token;
  const request = { env: 'test', tenant_code: 'main', user_id: user.id };
  const acting = (await manage<{ token: string }>(org, 'POST', '/org/impersonate', { body: request })).body.token;
  assert.equal((await act({ ...user, token: acting }, 'GET', '/user/me')).status, 200);

  await disable(user);
  for (const token of [user.token, second.body.token, acting]) {
    assertProblem(await act({ ...user, token }, 'GET', '/user/me'), 'account_disabled');
    assertProblem(await act({ ...user, token }, 'GET', '/list/user'), 'account_disabled');
  }
  for (const token of [user.token, second.body.token, pending])
    assertProblem(await exchangeToken(org, token), 'account_disabled');
  assertProblem(await logIn(org, user.email), 'account_disabled');
  assertProblem(await logIn(org, user.email, 'not the password'), 'credentials_invalid');
  assertProblem(await through(org, subject, { email: user.email }), 'account_disabled');
  assertProblem(await through(org, random(), { email: user.email }), 'account_disabled');
  assertProblem(await manage(org, 'POST', '/org/impersonate', { body: request }), 'conflict');
  assert.equal((await act(founder, 'GET', '/user/me')).status, 200);

  const { disabled, state, tokens_revoked_at } = await details(org, user.id);
  const me = (await manage<{ user: { id: string } }>(org, 'GET', '/auth/me')).body.user.id;
  assert.deepEqual([state, disabled?.reason, disabled?.by], ['disabled', reason, me]);
  assert.equal(disabled?.at, tokens_revoked_at);
  assertProblem(await control(org, { id: user.id, action: 'disable', body: { reason } }), 'conflict');

  await enable(user);
  assertProblem(await control(org, { id: user.id, action: 'enable' }), 'conflict');
  assertProblem(await act(user, 'GET', '/user/me'), 'token_invalid');
  assert.equal((await signIn(org, user.email)).id, user.id);
});

test('a password that is set by mail opens nothing while the account is disabled', async () => {
  const { org } = await foundedOrg(gateways);
  const user = await signUpUser(org);
  await disable(user);
  assert.equal((await ask(org, '/password/forgot', { email: user.email })).status, 202);
  const code = await codeTo(gateways, user.email, 'reset-password');
  const renewed = 'a password of later';
  assert.equal((await ask(org, '/password/reset', { code, new_password: renewed })).status, 204);
  assertProblem(await logIn(org, user.email, renewed), 'account_disabled');
});

test('two accounts that become one are disabled if either was', async () => {
  const { org } = await foundedOrg(gateways);
  await withProvider(org);
  for (const which of ['the account that stays', 'the account that goes'] as const) {
    const user = await signUpUser(org);
    const subject = random();
    const other = (await through(org, subject, { email: user.email })).body.user_id;
    await disable({ ...user, id: which === 'the account that stays' ? user.id : other });
    assert.equal((await manage(org, 'POST', `/org/suspended-accounts/${user.id}/merge`)).status, 200);
    assertProblem(await through(org, subject, { email: user.email }), 'account_disabled');
    assert.equal((await details(org, user.id)).state, 'disabled', which);
    assert.deepEqual(await all(org, { state: 'disabled', q: user.email }), [user.email]);
    await enable(user);
    assert.equal((await through(org, subject, { email: user.email })).body.user_id, user.id);
  }
  assert.deepEqual(await all(org, { state: 'disabled' }), []);
});

test('an invitation of a disabled account admits no one, and a service key does not depend on accounts', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const inviter = await memberWith(founder, [allow(['createinvitation', 'listinvitation'])]);
  const email = newEmail('guest');
  const invited = await act<{ code: string }>(inviter, 'POST', '/user/invitations', { body: { email } });
  assert.equal(invited.status, 201, invited.text);
  const key = { env: 'test', tenant_code: 'main', name: 'server', policies: ['vieweracl'] };
  const made = await manage<{ key: string }>(org, 'POST', '/org/service-keys', { body: key });
  await disable(inviter);
  assert.equal((await act({ ...founder, token: made.body.key }, 'GET', '/list/user')).status, 200);

  const come = await signUpUser(org, email);
  await act(founder, 'DELETE', `/delete/user/${come.id}`);
  const back = { ...come, token: (await exchangeToken(org, (await logIn(org, come.email)).body.token)).body.token };
  const accept = () => act(back, 'POST', '/user/acceptinvitation', { body: { code: invited.body.code } });
  assertProblem(await accept(), 'escalation_refused');
  await enable(inviter);
  assert.equal((await accept()).status, 200);
});

test('signing a user out everywhere ends every token, and the user signs in again', async () => {
  const { org } = await foundedOrg(gateways);
  const user = await signIn(org);
  const again = await signIn(org, user.email);
  assert.equal((await control(org, { id: user.id, action: 'revoke-tokens' })).status, 204);
  for (const { token } of [user, again])
    assertProblem(await act({ ...user, token }, 'GET', '/user/me'), 'token_invalid');
  assert.ok((await details(org, user.id)).tokens_revoked_at !== null);
  const { token } = await signIn(org, user.email);
  assert.equal((await act({ ...user, token }, 'GET', '/user/me')).status, 200);
});

test('membership, policies and records of a disabled account stay as they are', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const user = await memberWith(founder, [allow('*')]);
  const role = await create(user, 'userrole', { name: random() });
  await disable(user);
  const members = (await list(founder, 'user')).items.map(({ id, status }) => [id, status]);
  assert.ok(members.some(([id, status]) => id === user.id && status === 'active'));
  assert.equal((await act(founder, 'GET', `/item/userrole/${role.id}`)).status, 200);
  await enable(user);
  assert.equal((await act(await signIn(org, user.email), 'GET', `/item/userrole/${role.id}`)).status, 200);
});

test('the audit log has who did what to which account, and why', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await disable(founder);
  await enable(founder);
  await control(org, { id: founder.id, action: 'revoke-tokens' });
  assertProblem(await control(org, { id: missing, action: 'disable', body: { reason } }), 'not_found');
  const query = `?target=${founder.id}`;
  const { items } = (await manage<{ items: readonly Entry[] }>(org, 'GET', `/audit${query}`)).body;
  const me = (await manage<{ user: { id: string } }>(org, 'GET', '/auth/me')).body.user.id;
  const done = items.filter(({ action }) => action.startsWith('app_user.')).reverse();
  assert.deepEqual(
    done.map(({ action, env, detail }) => [action, env, detail?.reason]),
    [
      ['app_user.disabled', 'test', reason],
      ['app_user.enabled', 'test', undefined],
      ['app_user.tokens_revoked', 'test', undefined],
    ],
  );
  assert.ok(done.every(({ actor }) => actor.kind === 'org_user' && actor.id === me));
  const refused = (await manage<{ items: readonly Entry[] }>(org, 'GET', '/audit')).body.items;
  assert.ok(refused.some(({ action }) => action === 'app_user.disabling_refused'));
});

interface Entry {
  readonly action: string;
  readonly env?: string;
  readonly actor: { readonly kind: string; readonly id: string };
  readonly detail?: { readonly reason?: string };
}

test('a developer reads accounts and changes none; other orgs, other callers and nonsense get nothing', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const developer = await joinOrg(org, 'developer');
  const foreign = await foundedOrg(gateways);
  const outsider = await signUp(gateways);
  const actions = ['disable', 'enable', 'revoke-tokens'] as const;
  const bodyOf = (action: string) => ({ env: 'test', ...(action === 'disable' ? { reason } : {}) });
  const read = (token: string | undefined, id = founder.id) =>
    call('GET', `${org.management}/org/app-users/${id}`, token === undefined ? {} : { token });
  assert.equal((await read(developer.token)).status, 200);
  assert.equal((await call('GET', `${org.management}/org/app-users`, { token: developer.token })).status, 200);
  for (const action of actions)
    assertProblem(
      await control(org, { id: founder.id, action, body: bodyOf(action), token: developer.token }),
      'role_required',
    );

  // Another org's admin knows the id, and learns no more than of an id that there is not.
  const strange = await manage(outsider, 'GET', `/org/app-users/${founder.id}`);
  const none = await manage(outsider, 'GET', `/org/app-users/${missing}`);
  assert.deepEqual([assertProblem(strange, 'not_found').detail], [assertProblem(none, 'not_found').detail]);
  assert.deepEqual(await all(outsider, { q: founder.email }), []);
  assert.deepEqual(await all(outsider, { q: founder.id }), []);
  for (const action of actions) {
    assertProblem(await control(outsider, { id: founder.id, action, body: bodyOf(action) }), 'not_found');
    assertProblem(await control(org, { id: foreign.founder.id, action, body: bodyOf(action) }), 'not_found');
    assertProblem(
      await control(org, { id: founder.id, action, body: { ...bodyOf(action), env: 'prod' } }),
      'not_found',
    );
  }

  for (const path of ['/org/app-users', `/org/app-users/${founder.id}`]) {
    assertProblem(await call('GET', org.management + path), 'token_missing');
    assertProblem(await call('GET', org.management + path, { token: 'nonsense' }), 'token_invalid');
    assertProblem(await call('GET', org.management + path, { token: founder.token }), 'token_invalid');
  }
  for (const id of ['x', missing, 'a'.repeat(100)])
    assertProblem(await manage(org, 'GET', `/org/app-users/${id}`), 'not_found');
  for (const query of [`q=${'a'.repeat(255)}`, 'state=gone', 'env=live', 'pagesize=201', 'pagesize=0'])
    assertProblem(await manage(org, 'GET', `/org/app-users?${query}`), 'invalid_request');
  for (const q of ['%', '_', ';', '"', 'é'.repeat(100), 'a;b#c%d'])
    assert.deepEqual(await all(org, { q }), [], JSON.stringify(q));
  assertProblem(await manage(org, 'GET', '/org/app-users?nexttoken=x'), 'invalid_cursor');
  const bad = [{}, { reason: '' }, { reason: '  ' }, { reason: 'a\nb' }, { reason: 'a'.repeat(501) }];
  for (const body of bad)
    assert.deepEqual(
      pointers(assertProblem(await control(org, { id: founder.id, action: 'disable', body }), 'validation_failed')),
      ['/reason'],
      JSON.stringify(body),
    );
  assert.equal((await act(founder, 'GET', '/user/me')).status, 200);
});

test('a cursor of one list is no good for another', async () => {
  const { org } = await foundedOrg(gateways);
  for (let users = 0; users < 2; users++) await signIn(org);
  const { nexttoken } = await page(org, { pagesize: '1' });
  assert.ok(nexttoken !== null);
  for (const query of ['q=a', 'state=active', 'env=prod'])
    assertProblem(await manage(org, 'GET', `/org/app-users?nexttoken=${nexttoken}&${query}`), 'invalid_cursor');
  const other = await signUp(gateways);
  assertProblem(await manage(other, 'GET', `/org/app-users?nexttoken=${nexttoken}`), 'invalid_cursor');
});
