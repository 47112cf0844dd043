/** A request is of one caller, and a token has one reading: what could be read in two ways is refused. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { call } from './call.ts';
import { allowIssuers, clientAtProvider, personAt, startIdentityProvider } from './identity-provider.ts';
import { appUrl, exchangeToken, foundedOrg, manage, password, signIn } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { rawCall } from './raw-call.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
const member = await signIn(org);
const provider = await startIdentityProvider();
after(provider.close);
const entry = { issuer: provider.issuer, audiences: [clientAtProvider] };
await allowIssuers(org, [entry]);

const bearer = (token: string): string => `Authorization: Bearer ${token}`;

async function serviceKey(): Promise<string> {
  const body = { name: 'server', env: 'test', tenant_code: founder.tenantCode };
  const made = await manage<{ key: string }>(org, 'POST', '/org/service-keys', { body });
  assert.equal(made.status, 201, made.text);
  return made.body.key;
}

test('two credentials that differ are refused by the app, whichever of them is good', async () => {
  const key = await serviceKey();
  const target = `/app/${org.code}/user/permissions`;
  for (const [one, other] of [
    [founder.token, member.token],
    [founder.token, key],
    [key, founder.token],
    [founder.token, 'junk'],
    ['junk', founder.token],
    [founder.token, founder.token.toUpperCase()],
  ] as const)
    for (const headers of [
      [bearer(one), bearer(other)],
      [bearer(one), `Authorization: ${other}`],
      [bearer(one), `x-service-token: ${other}`],
      [`x-service-token: ${one}`, bearer(other)],
      [`x-service-token: ${one}`, `X-Service-Token: ${other}`],
    ])
      assertProblem(await rawCall(gateways.app, { method: 'GET', target, headers }), 'invalid_request');
  const twice = [bearer(founder.token), bearer(founder.token), `x-service-token: ${founder.token}`];
  assert.equal((await rawCall(gateways.app, { method: 'GET', target, headers: twice })).status, 200);
});

test('two credentials that differ are refused by the management gateway, a cookie among them', async () => {
  const { token } = org.builder;
  const body = { email: org.builder.email, password };
  const login = await manage(org, 'POST', '/auth/login', { body, headers: { 'x-session': 'cookie' } });
  const [cookie = ''] = (login.headers.get('set-cookie') ?? '').split(';');
  const targets = ['/org', '/auth/me', '/deploy/history'];
  for (const target of targets)
    for (const headers of [
      [bearer(token), bearer('junk')],
      [bearer('junk'), bearer(token)],
      [bearer(token), `Cookie: ${cookie}`],
      [`Cookie: ${cookie}; freehold=junk`],
      [`Cookie: freehold=junk; ${cookie}`],
    ])
      assertProblem(await rawCall(gateways.management, { method: 'GET', target, headers }), 'invalid_request');
  const headers = [bearer(token), bearer(token), `Cookie: other=1; freehold=${token}`];
  assert.equal((await rawCall(gateways.management, { method: 'GET', target: '/org', headers })).status, 200);
});

test('an id token with times that are no whole seconds, or another spelling of its bytes, signs no user in', async () => {
  const claims = personAt('ann');
  const good = provider.token(claims);
  assert.equal((await exchangeToken(org, good)).status, 200);
  const seconds = Math.floor(Date.now() / 1000);
  for (const times of [
    { exp: 1e20 },
    { exp: seconds + 100.5 },
    { exp: Date.now() + 300_000 },
    { nbf: 0.5 },
    { iat: -1 },
  ])
    assertProblem(await exchangeToken(org, provider.token({ ...claims, ...times })), 'token_invalid');
  const [header = '', payload = '', signature = ''] = good.split('.');
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const twin = signature.slice(0, -1) + digits.charAt(digits.indexOf(signature.slice(-1)) ^ 1);
  for (const parts of [
    [header, payload, `${signature}==`],
    [header, payload, twin],
    [`${header}=`, payload, signature],
    [header, `${payload}=`, signature],
  ])
    assertProblem(await exchangeToken(org, parts.join('.')), 'token_invalid');
});

test('an `email_verified` that is a text is refused, unless the entry of the issuer says that it is one', async () => {
  const asText = (sub: string, email_verified: unknown) => provider.token(personAt(sub, { email_verified }));
  for (const value of ['true', 'false', 1, 'yes']) {
    const problem = assertProblem(await exchangeToken(org, asText('text', value)), 'token_invalid');
    assert.match(problem.detail, /`email_verified`/);
  }
  await allowIssuers(org, [{ ...entry, email_verified_as_string: true } as typeof entry]);
  for (const [value, verified] of [
    ['true', true],
    ['false', false],
    [true, true],
  ] as const) {
    const reply = await exchangeToken(org, asText(`text-${value}-${typeof value}`, value));
    assert.equal(reply.status, 200, reply.text);
    const me = await call<{ email_verified: boolean }>('GET', appUrl(org, '/user/me'), { token: reply.body.token });
    assert.equal(me.body.email_verified, verified);
  }
  for (const value of [1, 'yes', 'TRUE'])
    assertProblem(await exchangeToken(org, asText('text', value)), 'token_invalid');
  await allowIssuers(org, [entry]);
});
