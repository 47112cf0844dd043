/** What a service that is not of the platform verifies an app token by. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { assertProblem } from './assert-problem.ts';
import { call } from './call.ts';
import { foundedOrg, manage } from './org.ts';
import { platformForTests, platformOf, platformOfFile } from './platform-for-tests.ts';

const path = '/.well-known/openid-configuration';
const audience = 'freehold-app-test';

interface Discovered {
  readonly issuer: string;
  readonly jwks_uri: string;
  readonly id_token_signing_alg_values_supported: string[];
}

/** A proxy that serves a platform below a path, as an address of many services does. */
const below = '/base/of/apps';
const proxy = createServer(async ({ url = '' }, response) => {
  if (!url.startsWith(`${below}/`)) return void response.writeHead(404).end();
  const reply = await fetch(platform.app + url.slice(below.length));
  response.writeHead(reply.status, [...reply.headers].flat()).end(await reply.text());
});
await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
after(() => void proxy.close());
const issuer = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${below}`;
const platform = await platformOfFile({ env: { FREEHOLD_PUBLIC_URL: issuer } });
const { founder } = await foundedOrg(platform);
const withoutAddress = await platformForTests();
const elsewhere = await foundedOrg(withoutAddress);

/** As libraries do that are given an issuer and an audience (OpenID Connect Discovery 1.0, section 4). */
async function verify(token: string, expected: string) {
  const { body } = await call<Discovered>('GET', issuer + path);
  assert.equal(body.issuer, issuer);
  const keys = createRemoteJWKSet(new URL(body.jwks_uri));
  const algorithms = body.id_token_signing_alg_values_supported;
  return jwtVerify(token, keys, { issuer, audience: expected, algorithms });
}

test('an app token is verified by its issuer and audience, and nothing else', async () => {
  assert.equal((await verify(founder.token, audience)).payload.sub, founder.id);
  await assert.rejects(verify(founder.token, 'freehold-app-prod'), /unexpected "aud"/);
  await assert.rejects(verify(elsewhere.founder.token, audience), /no applicable key found/);
});

test('another platform finds the keys by the issuer', async () => {
  const found = await manage(elsewhere.org, 'POST', '/org/providers/discover', { body: { issuer } });
  assert.equal(found.status, 200, found.text);
  assert.equal(found.body.jwks_uri, `${issuer}/.well-known/jwks.json`);
});

test('the document names no endpoint, is on the app gateway alone, and is cached as long as the keys', async () => {
  const reply = await call('GET', platform.app + path);
  assert.deepEqual(reply.body, {
    issuer,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    id_token_signing_alg_values_supported: ['ES256'],
    subject_types_supported: ['public'],
    response_types_supported: [],
  });
  const keys = await call('GET', `${platform.app}/.well-known/jwks.json`);
  for (const { headers } of [reply, keys]) assert.equal(headers.get('cache-control'), 'public, max-age=300');
  assertProblem(await call('GET', platform.management + path), 'not_found');
});

test('an issuer that is no address has no document', async () => {
  assert.match(decodeJwt(elsewhere.founder.token).iss ?? '', /^urn:uuid:[0-9a-f-]{36}$/);
  assertProblem(await call('GET', withoutAddress.app + path), 'not_found');
});

test('the issuer of the first start stays when the address changes', async (t) => {
  const { body } = await call('GET', platform.app + path);
  await platform.terminate();
  const env = { FREEHOLD_PUBLIC_URL: 'https://moved.example.com' };
  const again = await platformOf(t, { dataDir: platform.dataDir, env });
  assert.deepEqual((await call('GET', again.app + path)).body, body);
  assert.equal(decodeJwt((await foundedOrg(again)).founder.token).iss, issuer);
});
