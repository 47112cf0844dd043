/** Passkeys of builders: they sign in alone and as a second factor, and only as they were made. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { mailsTo, platformForMails } from './mails.ts';
import { manage, newEmail, password, random, signUp } from './org.ts';
import { platformOf } from './platform-for-tests.ts';
import {
  addApp,
  ask,
  complete,
  isSession,
  logInBuilder,
  type PasskeyOptions,
  type SignedIn,
  stepOf,
} from './second-factor-calls.ts';
import { type CreationOptions, type Lie, SoftwareAuthenticator } from './software-authenticator.ts';

const origin = 'https://console.example';
const platform = await platformForMails({ FREEHOLD_MANAGEMENT_URL: `${origin}/manage` });

interface AddedPasskey {
  readonly recovery_codes?: readonly string[];
  readonly passkey: { readonly id: string; readonly name: string; readonly is_backed_up: boolean };
}

async function optionsFor(token: string, proof: object = { password }): Promise<CreationOptions> {
  const reply = await ask<CreationOptions>(platform, 'POST', '/auth/passkeys/options', { token, body: proof });
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
}

function add(token: string, passkey: unknown, name = 'my laptop') {
  return ask<AddedPasskey>(platform, 'POST', '/auth/passkeys', { token, body: { name, passkey } });
}

/** A builder whose account has a passkey. */
async function passkeyOrg() {
  const org = await signUp(platform);
  const { email, token } = org.builder;
  const key = new SoftwareAuthenticator(origin);
  const options = await optionsFor(token);
  const added = await add(token, key.create(options));
  assert.equal(added.status, 201, added.text);
  return { org, email, token, key, options, recoveryCodes: [...(added.body.recovery_codes ?? [])] };
}

async function challenge(): Promise<PasskeyOptions> {
  const reply = await ask<PasskeyOptions>(platform, 'GET', '/auth/passkey-challenge');
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

function enter(passkey: unknown, more: object = {}) {
  return ask<SignedIn>(platform, 'POST', '/auth/passkey-sign-in', { body: { passkey, ...more } });
}

test('a passkey is made for the host of the console, with its user verified, and comes with recovery codes', async () => {
  const { org, email, token, key, options, recoveryCodes } = await passkeyOrg();
  assert.equal(options.rp.id, 'console.example');
  const shown = options as unknown as {
    authenticatorSelection: object;
    attestation: string;
    user: { name: string };
    excludeCredentials: readonly object[];
  };
  assert.deepEqual(shown.authenticatorSelection, {
    residentKey: 'required',
    requireResidentKey: true,
    userVerification: 'required',
  });
  assert.deepEqual([shown.attestation, shown.user.name, shown.excludeCredentials], ['none', email, []]);
  assert.equal(recoveryCodes.length, 10);
  const list = await ask<{ passkeys: readonly { id: string; name: string }[]; passkey_site: string }>(
    platform,
    'GET',
    '/auth/second-factors',
    { token },
  );
  assert.deepEqual(
    list.body.passkeys.map(({ id, name }) => [id, name]),
    [[key.id, 'my laptop']],
  );
  assert.equal(list.body.passkey_site, 'console.example');
  assert.ok((await mailsTo(platform, email)).some(({ text }) => /a passkey was added/.test(text)));
  assert.ok(await isSession(org, token));
});

test('it signs in alone, to the org that is named', async () => {
  const { org, email, key } = await passkeyOrg();
  const options = await challenge();
  assert.deepEqual([options.rpId, options.allowCredentials], ['console.example', []]);
  const entered = await enter(key.get(options));
  assert.equal(entered.status, 200, entered.text);
  assert.deepEqual([entered.body.user.email, entered.body.org.code], [email, org.code]);
  assert.ok(await isSession(org, entered.body.token));
  const named = await enter(key.get(await challenge()), { org: org.code });
  assert.equal(named.status, 200, named.text);
  const elsewhere = await signUp(platform);
  assertProblem(await enter(key.get(await challenge()), { org: elsewhere.code }), 'credentials_invalid');
});

test('it is the second factor after a password', async () => {
  const { email, key } = await passkeyOrg();
  const step = await stepOf(platform, email);
  assert.deepEqual(step.methods, ['passkey', 'recovery_code']);
  assert.deepEqual(
    step.passkey?.allowCredentials.map(({ id }) => id),
    [key.id],
  );
  assert.ok(step.passkey !== undefined);
  const done = await complete(platform, { token: step.token, passkey: key.get(step.passkey) });
  assert.equal(done.status, 200, done.text);
});

test('what an attacker can turn about a passkey is refused: N10', async () => {
  const { email, key, options } = await passkeyOrg();
  const other = await passkeyOrg();
  const bare = await signUp(platform);
  const { user } = (await manage<{ user: { id: string } }>(bare, 'GET', '/auth/me')).body;
  const handleOf = (id: string) => Buffer.from(id).toString('base64url');
  const lies: readonly Lie[] = [
    { origin: 'https://console.example.evil.example' },
    { origin: 'http://console.example' },
    { rpId: 'evil.example' },
    { type: 'webauthn.create' },
    { isUnverified: true },
    { userHandle: other.options.user.id },
    { userHandle: handleOf(user.id) },
    { userHandle: '' },
    { userHandle: 'AAAA' },
    { id: other.key.id },
    { id: other.key.id, userHandle: other.options.user.id },
    { challenge: Buffer.from('nonsense').toString('base64url') },
    { challenge: options.challenge },
    { challenge: (await stepOf(platform, email)).passkey?.challenge ?? '' },
  ];
  const answers = new Set<string>();
  for (const lie of lies) {
    const problem = assertProblem(await enter(key.get(await challenge(), lie)), 'credentials_invalid');
    answers.add(problem.detail);
  }
  assert.equal(answers.size, 1);
  assert.equal((await enter(key.get(await challenge()))).status, 200);
});

test('a challenge is used once, for its own purpose, person and sign-in', async () => {
  const { email, key, token } = await passkeyOrg();
  const options = await challenge();
  assert.equal((await enter(key.get(options))).status, 200);
  assertProblem(await enter(key.get(options)), 'credentials_invalid');
  const [first, second] = [await stepOf(platform, email), await stepOf(platform, email)];
  assert.ok(first.passkey !== undefined && second.passkey !== undefined);
  for (const wrong of [await challenge(), second.passkey])
    assertProblem(await complete(platform, { token: first.token, passkey: key.get(wrong) }), 'credentials_invalid');
  const proof = await ask<PasskeyOptions>(platform, 'GET', '/auth/second-factors/challenge', { token });
  assert.equal(proof.status, 200, proof.text);
  assertProblem(await complete(platform, { token: first.token, passkey: key.get(proof.body) }), 'credentials_invalid');
  const both = await Promise.all(
    Array.from({ length: 6 }, () =>
      complete(platform, { token: first.token, passkey: key.get(first.passkey ?? options) }),
    ),
  );
  assert.equal(both.filter(({ status }) => status === 200).length, 1);
});

test('a counter that goes back is refused', async () => {
  const { key } = await passkeyOrg();
  assert.equal((await enter(key.get(await challenge(), { counter: 50 }))).status, 200);
  for (const counter of [50, 49, 1])
    assertProblem(await enter(key.get(await challenge(), { counter })), 'credentials_invalid');
  assert.equal((await enter(key.get(await challenge(), { counter: 51 }))).status, 200);
});

test('a passkey is made by the session that asked for it, once, and as it was asked for', async () => {
  const org = await signUp(platform);
  const { email, token } = org.builder;
  const other = (await logInBuilder(platform, email)).body.token;
  const stranger = await signUp(platform);
  const fresh = () => new SoftwareAuthenticator(origin);
  const options = await optionsFor(token);
  for (const session of [other, stranger.builder.token])
    assertProblem(await add(session, fresh().create(options)), 'credentials_invalid');
  const lies: readonly Lie[] = [
    { origin: 'https://evil.example' },
    { rpId: 'evil.example' },
    { isUnverified: true },
    { type: 'webauthn.get' },
    { challenge: (await challenge()).challenge },
  ];
  for (const lie of lies) assertProblem(await add(token, fresh().create(options, lie)), 'credentials_invalid');
  const key = fresh();
  assert.equal((await add(token, key.create(options))).status, 201);
  assertProblem(await add(token, fresh().create(options)), 'conflict');
  // Enrolment proves nothing: N09.
  const again = await ask(platform, 'POST', '/auth/passkeys/options', { token, body: { password } });
  assertProblem(again, 'validation_failed');
  const challengeOf = { challenge: options.challenge, rpId: 'console.example' };
  const replayed = await ask(platform, 'POST', '/auth/recovery-codes', {
    token,
    body: { passkey: key.get(challengeOf) },
  });
  assertProblem(replayed, 'credentials_invalid');
});

test('passkeys are renamed, and removed with a proof that was made in this session; another account sees none of them', async () => {
  const { org, key, token, email, recoveryCodes } = await passkeyOrg();
  const path = `/auth/passkeys/${key.id}`;
  const renamed = await ask<{ name: string }>(platform, 'PUT', path, { token, body: { name: 'old laptop' } });
  assert.deepEqual([renamed.status, renamed.body.name], [200, 'old laptop'], renamed.text);
  const other = await passkeyOrg();
  assertProblem(await ask(platform, 'PUT', path, { token: other.token, body: { name: 'mine' } }), 'not_found');
  const removal = `/auth/second-factors/${key.id}/remove`;
  const foreign = { recovery_code: other.recoveryCodes.pop() };
  assertProblem(await ask(platform, 'POST', removal, { token: other.token, body: foreign }), 'not_found');
  const session = (await enter(key.get(await challenge()))).body.token;
  const proof = async (by: string) =>
    (await ask<PasskeyOptions>(platform, 'GET', '/auth/second-factors/challenge', { token: by })).body;
  const ofOther = { passkey: key.get(await proof(session)) };
  assertProblem(await ask(platform, 'POST', removal, { token, body: ofOther }), 'credentials_invalid');
  const body = { passkey: key.get(await proof(token)) };
  const removed = await ask(platform, 'POST', removal, { token, body });
  assert.equal(removed.status, 204, removed.text);
  assertProblem(await enter(key.get(await challenge())), 'credentials_invalid');
  assert.equal((await logInBuilder(platform, email)).status, 200);
  assert.equal(recoveryCodes.length, 10);
  assert.ok(await isSession(org, token));
});

test('an account has at most 10 passkeys, of names that can be read', async () => {
  const { token, recoveryCodes } = await passkeyOrg();
  const options = await optionsFor(token, { recovery_code: recoveryCodes.pop() });
  const blank = await add(token, new SoftwareAuthenticator(origin).create(options), ' ');
  assert.deepEqual(pointers(assertProblem(blank, 'validation_failed')), ['/name']);
  for (let made = 1; made < 10; made++) {
    const next = await optionsFor(token, { recovery_code: recoveryCodes.pop() });
    assert.equal((await add(token, new SoftwareAuthenticator(origin).create(next), `key ${made}`)).status, 201);
  }
  assertProblem(await add(token, new SoftwareAuthenticator(origin).create(options), 'one more'), 'conflict');
});

test('an account with both may use either', async () => {
  const org = await signUp(platform);
  const { token, email } = org.builder;
  const { app, recoveryCodes } = await addApp(platform, token);
  const options = await optionsFor(token, { recovery_code: recoveryCodes.pop() });
  const key = new SoftwareAuthenticator(origin);
  const added = await add(token, key.create(options));
  assert.deepEqual([added.status, added.body.recovery_codes], [201, undefined], added.text);
  assert.deepEqual((await stepOf(platform, email)).methods, ['passkey', 'totp', 'recovery_code']);
  const step = await stepOf(platform, email);
  assert.equal((await complete(platform, { token: step.token, code: app.next() })).status, 200);
  assert.equal((await enter(key.get(await challenge()))).status, 200);
});

test('guesses of passkeys are slowed down by network', async () => {
  const { key } = await passkeyOrg();
  const headers = { 'x-forwarded-for': `198.51.100.${1 + (Number.parseInt(random().slice(0, 4), 16) % 250)}` };
  const guess = async () => {
    const passkey = key.get(await challenge(), { isUnverified: true });
    return ask(platform, 'POST', '/auth/passkey-sign-in', { body: { passkey }, headers });
  };
  for (let guesses = 0; guesses < 10; guesses++) assertProblem(await guess(), 'credentials_invalid');
  assertProblem(await guess(), 'rate_limited');
});

test('without an address that browsers make passkeys for, the platform says so; at localhost it takes them', async (context) => {
  const plain = await platformOf(context);
  const org = await signUp(plain);
  const { token } = org.builder;
  assert.match(
    assertProblem(await ask(plain, 'GET', '/auth/passkey-challenge'), 'not_found').detail,
    /FREEHOLD_MANAGEMENT_URL/,
  );
  assertProblem(await ask(plain, 'POST', '/auth/passkeys/options', { token, body: { password } }), 'not_found');
  const local = { ...plain, management: plain.management.replace('127.0.0.1', 'localhost') };
  const reply = await ask<PasskeyOptions>(local, 'GET', '/auth/passkey-challenge');
  assert.deepEqual([reply.status, reply.body.rpId], [200, 'localhost'], reply.text);
});

test('what is no passkey is refused by its member', async () => {
  const { key } = await passkeyOrg();
  const good = key.get(await challenge()) as { response: Record<string, string> };
  for (const [passkey, pointer] of [
    [undefined, '/passkey'],
    ['x', '/passkey'],
    [{ ...good, id: 'short' }, '/passkey/id'],
    [{ ...good, id: 'a'.repeat(1365) }, '/passkey/id'],
    [{ ...good, type: 'password' }, '/passkey/type'],
    [{ ...good, response: { ...good.response, signature: '!' } }, '/passkey/response/signature'],
    [{ ...good, response: { ...good.response, clientDataJSON: 'a'.repeat(4097) } }, '/passkey/response/clientDataJSON'],
  ] as const)
    assert.deepEqual(pointers(assertProblem(await enter(passkey), 'validation_failed')), [pointer]);
  assertProblem(
    await enter({ ...good, response: { ...good.response, clientDataJSON: 'AAAA' } }),
    'credentials_invalid',
  );
  assert.equal((await logInBuilder(platform, newEmail('absent'))).status, 401);
});
