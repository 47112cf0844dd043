/** The way the sign-in of systems of this kind was attacked. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call } from './call.ts';
import { mailsTo, platformForMails, type ReceivedMail, signUpUser } from './mails.ts';
import { appUrl, manage, newEmail, signUp } from './org.ts';
import { rawCall } from './raw-call.ts';

const gateways = await platformForMails();

/** Every header by which a caller may say where a page is, each naming a host of the attacker. */
const evil = {
  Origin: 'https://evil.example',
  Referer: 'https://evil.example/page',
  'X-Forwarded-Host': 'evil.example',
  'X-Forwarded-Proto': 'https',
  Forwarded: 'host=evil.example;proto=https',
  'X-Original-Host': 'evil.example',
};

/** A POST whose `Host` is the attacker's too. */
async function post(url: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const { origin, pathname } = new URL(url);
  const lines = Object.entries({ ...evil, ...headers, 'Content-Type': 'application/json' });
  const reply = await rawCall(origin, {
    method: 'POST',
    target: pathname,
    host: 'evil.example',
    headers: lines.map(([name, value]) => `${name}: ${value}`),
    body: JSON.stringify(body),
  });
  assert.ok(reply.status < 300, reply.text);
}

function assertOwnLinks(mail: ReceivedMail | undefined): void {
  assert.ok(mail !== undefined, 'a mail came');
  assert.doesNotMatch(`${mail.subject} ${mail.text}`, /evil/);
  for (const [link] of mail.text.matchAll(/https?:\/\/\S+/g)) assert.equal(new URL(link).hostname, 'localhost', link);
}

test('N01: links in mails lead to the configured address, whatever the headers of a call say', async () => {
  const org = await signUp(gateways);
  const asBuilder = { Authorization: `Bearer ${org.builder.token}` };
  await post(`${org.management}/auth/forgot-password`, { email: org.builder.email });
  assertOwnLinks((await mailsTo(org, org.builder.email))[0]);
  const invited = newEmail('invited');
  await post(`${org.management}/org/users`, { email: invited, role: 'developer' }, asBuilder);
  assertOwnLinks((await mailsTo(org, invited))[0]);

  const { email } = await signUpUser(org);
  assertOwnLinks((await mailsTo(org, email))[0]);
  await post(appUrl(org, '/password/forgot'), { email }, { client_id: org.clientId });
  const mails = await mailsTo(org, email);
  assert.equal(mails.length, 2);
  for (const mail of mails) assertOwnLinks(mail);
});

test('N01: where an address is configured, links lead there alone', async () => {
  const configured = await platformForMails({ FREEHOLD_MANAGEMENT_URL: 'https://console.shop.example' });
  const email = newEmail('builder');
  const body = { email, password: 'correct horse battery', name: 'B', org_name: 'Shop' };
  assert.equal((await call('POST', `${configured.management}/auth/signup`, { body })).status, 201);
  const headers = { ...evil };
  assert.equal(
    (await call('POST', `${configured.management}/auth/forgot-password`, { body: { email }, headers })).status,
    202,
  );
  const [mail] = await mailsTo(configured, email);
  const links = [...(mail?.text ?? '').matchAll(/https?:\/\/\S+/g)].map(([link]) => new URL(link).origin);
  assert.deepEqual([...new Set(links)], ['https://console.shop.example']);
});

test('N04: no route gives a token by a redirect, an authorization code or in an address', async () => {
  const org = await signUp(gateways);
  for (const target of ['/authorize', '/oauth/authorize', '/oauth2/auth', '/callback', '/auth/callback'])
    for (const url of [appUrl(org, target), `${org.management}${target}`]) {
      const query = '?response_type=token&client_id=x&redirect_uri=https://evil.example&code_challenge_method=plain';
      const { status, headers } = await call('GET', url + query);
      assert.deepEqual([status, headers.get('location')], [404, null], url);
    }
  assert.equal((await manage(org, 'GET', '/auth/me')).status, 200);
});
