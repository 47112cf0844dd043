/** What a service that is not of the platform verifies an app token by. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createRemoteJWKSet, decodeJwt, type JWTPayload, jwtVerify } from 'jose';
import { assertProblem } from './assert-problem.ts';
import { call } from './call.ts';
import { root } from './guide-shell.ts';
import { foundedOrg, manage } from './org.ts';
import { platformForTests, platformOf, platformOfFile } from './platform-for-tests.ts';

const path = '/.well-known/openid-configuration';

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

const guide = readFileSync(join(root, 'docs/verify-tokens.md'), 'utf8');
const [byDiscovery = '', byKeys = ''] = Array.from(
  guide.matchAll(/```ts\n([\s\S]*?)```/g),
  ([, sample = '']) => sample,
);
const [, discovered = '', verified = ''] = byDiscovery.split('\n\n');
type Verify = (keysOf: typeof createRemoteJWKSet, by: typeof jwtVerify, token: string) => Promise<JWTPayload>;

/** The sample of the guide, with other values in the place of its own. */
function sampleWith(
  values: Readonly<Record<string, string>>,
  begin = discovered,
): (token: string) => Promise<JWTPayload> {
  const sample = `${begin}\n${verified}`;
  for (const value of Object.keys(values)) assert.ok(sample.includes(value), value);
  const program = Object.entries(values).reduce((text, [value, other]) => text.replaceAll(value, other), sample);
  const run = new Function(
    'createRemoteJWKSet',
    'jwtVerify',
    'token',
    `return (async () => {${program}return payload;})()`,
  );
  return (token) => (run as Verify)(createRemoteJWKSet, jwtVerify, token);
}

test('the sample of the guide verifies a token by its issuer, audience and org, and nothing else', async () => {
  const values = { 'https://api.example.com': issuer, acme: founder.org.code };
  const verify = sampleWith(values);
  assert.equal((await verify(founder.token)).sub, founder.id);
  await assert.rejects(verify(elsewhere.founder.token), /no applicable key found/);
  await assert.rejects(verify((await foundedOrg(platform)).founder.token), /the token is of another app/);
  const ofProduction = sampleWith({ ...values, 'freehold-app-test': 'freehold-app-prod' });
  await assert.rejects(ofProduction(founder.token), /unexpected "aud"/);
});

test('the sample for an issuer that is no address verifies by the keys that it names', async () => {
  const { iss = '' } = decodeJwt(elsewhere.founder.token);
  const [example = ''] = /urn:uuid:[0-9a-f-]+/.exec(byKeys) ?? [];
  const values = { 'https://api.example.com': withoutAddress.app, [example]: iss, acme: elsewhere.org.code };
  const verify = sampleWith(values, byKeys);
  assert.equal((await verify(elsewhere.founder.token)).sub, elsewhere.founder.id);
  await assert.rejects(verify(founder.token), /no applicable key found/);
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
