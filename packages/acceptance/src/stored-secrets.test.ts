/** Passwords, tokens, codes and addresses go through every way in; afterwards no log and no file tells of them. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { call, type Reply } from './call.ts';
import { allowIssuers, personAt, startIdentityProvider } from './identity-provider.ts';
import { act, appUrl, exchangeToken, foundedOrg, logIn, manage, newEmail, random, signIn } from './org.ts';
import { startPlatform, whyNoDataDir } from './platform.ts';
import { rawCall } from './raw-call.ts';

const platform = await startPlatform({ env: { FREEHOLD_LOG_LEVEL: 'trace' } });
const provider = await startIdentityProvider();
after(() => platform.kill());
after(() => provider.close());

/** May stand nowhere but in the answer to whom they were given. */
const secrets = new Set<string>();
/** May stand in the store, and in no log. */
const addresses = new Set<string>();

function secret(text: string): string {
  assert.ok(text.length >= 16, text);
  secrets.add(text);
  return text;
}

function address(name: string): string {
  const email = newEmail(name);
  addresses.add(email);
  return email;
}

/** The part of a token that only its holder has. */
function token(text: string): string {
  secret(text.split('.').at(-1) ?? '');
  return text;
}

function done(reply: Reply<unknown>, status: number): void {
  assert.equal(reply.status, status, reply.text);
}

const { org, founder } = await foundedOrg(platform);
await allowIssuers(org, [{ issuer: provider.issuer, audiences: ['client-at-the-provider'] }]);
for (const given of [org.builder.token, founder.token]) token(given);
for (const email of [org.builder.email, founder.email]) addresses.add(email);

test('J04: every way in is gone, with good secrets and with bad ones', async () => {
  const password = secret(`password-${random()}-ü`);
  const email = address('ann');
  const user = await signIn(org, email, password);
  token(user.token);
  const login = await logIn(org, email, password);
  const exchanged = await exchangeToken(org, token(login.body.token));
  token(exchanged.body.token);
  for (const bad of [secret(`wrong-${random()}-password`), secret('x'.repeat(3000))]) await logIn(org, email, bad);
  await logIn(org, address('absent'), secret(`unknown-${random()}`));
  const new_password = secret(`changed-${random()}`);
  const change = { current_password: password, new_password };
  const changed = await act<{ token: string }>(user, 'POST', '/user/password', { body: change });
  done(changed, 200);
  token(changed.body.token);
  const identity = personAt('kim', { email: address('kim') });
  done(await exchangeToken(org, token(provider.token(identity))), 200);
  done(await exchangeToken(org, token(provider.token({ ...identity, aud: 'x' }))), 401);
  done(await exchangeToken(org, token(provider.token({ ...identity, exp: 1 }))), 401);
  const invited = await act<{ code: string }>(founder, 'POST', '/user/invitations', {
    body: { email: address('ivy') },
  });
  done(invited, 201);
  const guest = await signIn(org, email, new_password);
  await act(guest, 'POST', '/user/acceptinvitation', { body: { code: secret(invited.body.code) } });
  const body = { email: address('otto'), role: 'developer' };
  const coming = await manage<{ code: string }>(org, 'POST', '/org/users', { body });
  done(coming, 201);
  const accepted = { code: secret(coming.body.code), password: secret(`invited-${random()}`), name: 'Otto' };
  done(await call('POST', `${org.management}/auth/accept-invitation`, { body: accepted }), 200);
  const cookie = await call('POST', `${org.management}/auth/login`, {
    body: { email: body.email, password: accepted.password },
    headers: { 'x-session': 'cookie' },
  });
  secret(/=([^;]+)/.exec(cookie.headers.get('set-cookie') ?? '')?.[1] ?? '');
  done(await act(user, 'POST', '/user/logout', { token: changed.body.token }), 204);
});

test('J04: secrets for other systems are set, replaced and refused', async () => {
  const put = (value: string, env = 'test') =>
    manage(org, 'PUT', `/secrets/stripe?env=${env}`, { body: { value, hosts: ['api.example.com'] } });
  for (const value of [secret(`value-${random()}-${random()}`), secret(`other-${random()}-${random()}`)])
    done(await put(value), 200);
  done(await put(`${secret(`refused-${random()}-${random()}`)}\n`), 400);
  done(await put(secret(`unprovisioned-${random()}-${random()}`), 'prod'), 409);
});

test('J04: secrets are sent to where they do not belong', async () => {
  const stray = secret(`stray-${random()}-${random()}`);
  const { token: good } = founder;
  for (const gateway of [org.app, org.management])
    for (const target of [
      `/${stray}`,
      `/?token=${stray}`,
      `/app/${org.code}/list/order?token=${stray}`,
      `//${stray}`,
    ]) {
      await call('GET', gateway + target, { token: good });
      await call('POST', gateway + target, { token: stray, body: { password: stray, token: stray } });
      await rawCall(gateway, { method: 'GET', target, headers: [`Cookie: freehold=${stray}`, `X-Whatever: ${stray}`] });
    }
  await call('POST', appUrl(org, '/login'), { headers: { client_id: stray }, body: `{"password":"${stray}"` });
  await exchangeToken(org, `${stray}.${stray}.${stray}`);
  await exchangeToken(org, stray);
  await rawCall(org.app, { method: stray, target: `/${stray}`, headers: [`${stray}`] }).catch(() => undefined);
});

test('J04: no log line holds a secret or an address, and no file of the platform a secret', {
  skip: whyNoDataDir,
}, async () => {
  assert.ok(secrets.size > 15 && addresses.size > 5);
  await platform.terminate();
  const log = platform.stdout() + platform.stderr();
  assert.match(log, /ready app=/);
  for (const text of [...secrets, ...addresses]) assert.ok(!log.includes(text), `the log holds ${text}`);
  const files = readdirSync(platform.dataDir, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const contents = files.map(({ name, parentPath }) => ({ name, bytes: readFileSync(join(parentPath, name)) }));
  for (const email of [founder.email, org.builder.email])
    assert.ok(
      contents.some(({ bytes }) => bytes.includes(email)),
      'what may stand in the files is found there',
    );
  for (const { name, bytes } of contents)
    for (const text of secrets) assert.equal(bytes.indexOf(text), -1, `${name} holds ${text}`);
});
