/** That an app's user reads the mail of the address he signed up with. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAppToken } from './app-token.ts';
import { assertProblem } from './assert-problem.ts';
import { call } from './call.ts';
import { allowIssuers, clientAtProvider, personAt, startIdentityProvider } from './identity-provider.ts';
import { ask, codeTo, fromElsewhere, mailsTo, platformForMails, signUpUser } from './mails.ts';
import { type AppUser, act, appUrl, exchangeToken, foundedOrg, logIn, newEmail, signIn, signUp } from './org.ts';
import { putSetting, refreshed } from './workspaces.ts';

const gateways = await platformForMails();
const { org } = await foundedOrg(gateways);
const neighbour = await signUp(gateways);
const page = 'verify-email';

function verify(code: unknown, of = org) {
  return ask(of, '/verify-email', { code });
}

function sendAgain(user: AppUser) {
  return act(user, 'POST', '/user/verification', { headers: fromElsewhere() });
}

async function isVerified(user: AppUser): Promise<unknown> {
  return (await act(user, 'GET', '/user/me')).body.email_verified;
}

async function claimOf(user: AppUser): Promise<boolean> {
  return (await readAppToken(org.app, user.token)).claims.email_verified;
}

test('a sign-up brings a mail, whose code verifies the email for the tokens to come', async () => {
  const user = await signUpUser(org);
  assert.equal(await isVerified(user), false);
  const mails = await mailsTo(gateways, user.email);
  assert.deepEqual(
    mails.map(({ to }) => to),
    [user.email],
  );
  const code = await codeTo(gateways, user.email, page);
  const done = await verify(code);
  assert.deepEqual([done.status, done.text], [204, '']);
  assert.equal(await isVerified(user), true);
  assert.equal(await claimOf(user), false);
  assert.equal(await claimOf(await refreshed(user)), true);
  assertProblem(await verify(code), 'not_found');
});

test('a log-in of one who is known brings no mail', async () => {
  const user = await signUpUser(org);
  await signUpUser(org, user.email.toUpperCase());
  assert.equal((await mailsTo(gateways, user.email)).length, 1);
});

test('A22: of 32 uses of one code at once exactly one succeeds', async () => {
  const user = await signUpUser(org);
  const code = await codeTo(gateways, user.email, page);
  const replies = await Promise.all(Array.from({ length: 32 }, () => verify(code)));
  assert.equal(replies.filter(({ status }) => status === 204).length, 1);
  for (const reply of replies) if (reply.status !== 204) assertProblem(reply, 'not_found');
});

test('the mail is sent again to who asks, three times in all, and not to one who is verified', async () => {
  const user = await signUpUser(org);
  const first = await codeTo(gateways, user.email, page);
  for (let sent = 0; sent < 2; sent++) assert.equal((await sendAgain(user)).status, 202);
  assertProblem(await sendAgain(user), 'rate_limited');
  assert.equal((await mailsTo(gateways, user.email)).length, 3);
  assert.equal((await verify(first)).status, 204);
  assertProblem(await sendAgain(user), 'conflict');
  const last = await codeTo(gateways, user.email, page);
  assert.equal((await verify(last)).status, 204);
});

test('asking for the mail takes a token of the app, and nothing in the call says whose', async () => {
  const user = await signUpUser(org);
  const url = appUrl(org, '/user/verification');
  assertProblem(await call('POST', url), 'token_missing');
  assertProblem(await call('POST', url, { token: 'junk' }), 'token_invalid');
  assertProblem(await call('POST', url, { token: org.builder.token }), 'token_invalid');
  assertProblem(await call('POST', appUrl(neighbour, '/user/verification'), { token: user.token }), 'token_invalid');
  assertProblem(await act(user, 'POST', '/user/verification?email=eve@example.com'), 'invalid_request');
  assert.equal((await mailsTo(gateways, user.email)).length, 1);
});

test('a code is of its own app', async () => {
  const user = await signUpUser(org);
  const code = await codeTo(gateways, user.email, page);
  assertProblem(await verify(code, neighbour), 'not_found');
  assert.equal(await isVerified(user), false);
});

test('more than 20 sign-ups from one network are let in, and the later ones are not written to', async () => {
  const headers = { client_id: org.clientId, 'x-forwarded-for': '2001:db8:88:1::1' };
  const emails = Array.from({ length: 22 }, () => newEmail('crowd'));
  for (const email of emails) {
    const reply = await call('POST', appUrl(org, '/login'), { headers, body: { email, password: 'correct horse 1' } });
    assert.equal(reply.status, 200, reply.text);
  }
  const counts = await Promise.all(emails.map(async (email) => (await mailsTo(gateways, email)).length));
  assert.deepEqual(counts, [...Array.from({ length: 20 }, () => 1), 0, 0]);
});

test('A25, A26: a provider that verifies the address signs in to the account that has verified it, and takes nothing from it', async (t) => {
  const app = await signUp(gateways);
  const provider = await startIdentityProvider();
  t.after(() => provider.close());
  await allowIssuers(app, [{ issuer: provider.issuer, audiences: [clientAtProvider] }]);
  const [verified, waiting] = [await signUpUser(app), await signUpUser(app)];
  assert.equal((await verify(await codeTo(gateways, verified.email, page), app)).status, 204);
  const through = (email: string) => exchangeToken(app, provider.token(personAt(email, { email })));
  assert.equal((await through(verified.email)).body.user_id, verified.id);
  assert.equal((await signIn(app, verified.email)).id, verified.id);
  assert.equal(await isVerified(verified), true);
  const other = await through(waiting.email);
  assert.notEqual(other.body.user_id, waiting.id);
  assertProblem(await act(waiting, 'GET', '/user/me'), 'token_invalid');
  // Its code only says what is so, and gives it nothing back.
  assert.equal((await verify(await codeTo(gateways, waiting.email, page), app)).status, 204);
  await putSetting(app, 'auth', 'password_login', { allow_signup: false });
  assertProblem(await logIn(app, waiting.email), 'credentials_invalid');
});

test('the name of an app is one plain line in its mails', async () => {
  const body = {
    email: newEmail('builder'),
    password: 'correct horse 1',
    name: 'Bea',
    org_name: 'Shop\r\nBcc: eve@evil.example\r\n\r\nhttps://evil.example/?',
  };
  const url = `${gateways.management}/auth/signup`;
  const reply = await call<{ org: { code: string; environments: { test: { client_id: string } } } }>('POST', url, {
    body,
  });
  assert.equal(reply.status, 201, reply.text);
  const { code, environments } = reply.body.org;
  const user = await signUpUser({ ...org, code, clientId: environments.test.client_id });
  const [mail] = await mailsTo(gateways, user.email);
  assert.match(mail?.subject ?? '', /^Confirm your email for Shop Bcc: eve evil example https evil example/);
  assert.doesNotMatch(`${mail?.subject}${mail?.text}`, /evil\.example|\r/);
});
