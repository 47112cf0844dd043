import assert from 'node:assert/strict';
import { createPublicKey, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { CompactEncrypt, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { thinned } from '../store/testing/quick.ts';
import { type AppTokenSubject, signAppToken, verifyAppToken } from './app-tokens.ts';
import { createTokenCache } from './sessions/app-sessions.ts';
import { generateSigningKey, type StoredSigningKey } from './signing-key.ts';
import { openSigningKeys, type SigningKeys } from './signing-keys.ts';
import { createSecretsInMemory } from './testing/secrets-in-memory.ts';

const nowSeconds = 1_800_000_000;
const lifetimeSeconds = 48 * 3600;
const clock = { now: () => nowSeconds * 1000 };
const realm = { issuer: 'https://app.example', audience: 'freehold-app-test', nowSeconds };

const stored = await generateSigningKey(clock.now());
const attackerStored = await generateSigningKey(clock.now());
const keys = await keysOf([stored]);
const attacker = await keysOf([attackerStored]);
const { kid, privateKey } = keys.current();

const subject: AppTokenSubject = {
  sub: '0190a1b2-0000-7000-8000-000000000001',
  org: 'acme',
  env: 'test',
  clientid: 'test_client',
  tenant_id: '0190a1b2-0000-7000-8000-000000000002',
  tenant_code: 'main',
  member_since: '2026-01-01T00:00:00.000Z',
  ep: 0,
  role: 'admin',
  email: 'ann@example.com',
  email_verified: true,
  fn: 'Ann',
  ln: '',
  picture: 'https://example.com/ann.png',
  idp: 'https://provider.example',
  auth_time: nowSeconds - 60,
  jti: '0190a1b2-0000-7000-8000-000000000003',
};

const claims = {
  ...subject,
  iss: realm.issuer,
  aud: realm.audience,
  iat: nowSeconds,
  exp: nowSeconds + lifetimeSeconds,
};
const token = await signAppToken(keys, subject, { ...realm, lifetimeSeconds });

function keysOf(signing_keys: readonly StoredSigningKey[]): Promise<SigningKeys> {
  return openSigningKeys({ vault: createSecretsInMemory({ signing_keys }), clock });
}

/** A token of the right form but for what is named here. */
function forge(
  header: Record<string, unknown> = {},
  payload: JWTPayload = claims,
  key: KeyObject | Uint8Array = privateKey,
): Promise<string> {
  return new SignJWT({ ...payload }).setProtectedHeader({ alg: 'ES256', typ: 'app+jwt', kid, ...header }).sign(key, {
    crit: { x: true, exp: true },
  });
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

async function assertRefused(forged: string, keysHeld: SigningKeys = keys, code = 'token_invalid'): Promise<void> {
  await assert.rejects(verifyAppToken(keysHeld, forged, realm), { name: 'Problem', code, status: 401 });
}

/** The same keys, but any look-up of one fails the test: without a key there is no cryptography. */
const untouchableKeys: SigningKeys = { ...keys, find: () => assert.fail('a key was asked for') };

test('a token says what it was signed with, and when it ends', async () => {
  assert.deepEqual(await verifyAppToken(keys, token, realm), claims);
  const [header = ''] = token.split('.');
  assert.deepEqual(JSON.parse(Buffer.from(header, 'base64url').toString()), { alg: 'ES256', typ: 'app+jwt', kid });
  assert.deepEqual(await verifyAppToken(keys, await forge(), realm), claims, 'the forger of this file knows the form');
});

test('A43 a token without a workspace says so by leaving it out', async () => {
  const { tenant_id, tenant_code, member_since, picture, ...withoutWorkspace } = subject;
  const verified = await verifyAppToken(
    keys,
    await signAppToken(keys, withoutWorkspace, { ...realm, lifetimeSeconds }),
    realm,
  );
  for (const claim of ['tenant_id', 'tenant_code', 'member_since', 'picture']) assert.ok(!(claim in verified));
  await assertRefused(await forge({}, { ...claims, tenant_code: undefined }));
  await assertRefused(await forge({}, { ...claims, tenant_id: undefined }));
  await assertRefused(await forge({}, { ...claims, member_since: undefined }));
});

test('A01 A02 an unsigned token is refused, however it spells that', async () => {
  const [, payload = '', signature = ''] = token.split('.');
  const unsecured = new UnsecuredJWT({ ...claims }).encode();
  await assertRefused(unsecured, untouchableKeys);
  await assertRefused(`${unsecured}${signature}`, untouchableKeys);
  for (const alg of ['none', 'None', 'nOnE', 'NONE', '', null, 0, ['ES256'], undefined]) {
    const header = encoded({ alg, typ: 'app+jwt', kid });
    await assertRefused(`${header}.${payload}.`, untouchableKeys);
    await assertRefused(`${header}.${payload}`, untouchableKeys);
    await assertRefused(`${header}.${payload}.${signature}`, untouchableKeys);
  }
});

test('A04 the public key is no secret: HS256 and every other algorithm is refused before a key is looked at', async () => {
  const publicKey = createPublicKey(privateKey);
  const secrets = [
    publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    publicKey.export({ type: 'spki', format: 'pem' }).toString().trim(),
    publicKey.export({ type: 'spki', format: 'der' }),
    JSON.stringify(publicKey.export({ format: 'jwk' })),
    JSON.stringify(keys.jwks().keys[0]),
    kid,
  ];
  for (const secret of secrets) {
    const bytes = Uint8Array.from(Buffer.from(secret));
    for (const alg of ['HS256', 'HS384', 'HS512'])
      await assertRefused(await forge({ alg }, claims, bytes), untouchableKeys);
  }
  const [, payload, signature] = token.split('.');
  for (const alg of ['RS256', 'PS256', 'ES384', 'ES256K', 'EdDSA', 'es256', 'ES256 '])
    await assertRefused(`${encoded({ alg, typ: 'app+jwt', kid })}.${payload}.${signature}`, untouchableKeys);
});

test('A07 a critical header is refused, known or not', async () => {
  await assertRefused(await forge({ crit: ['x'], x: 1 }));
  await assertRefused(await forge({ crit: ['exp'], exp: 1 }));
  const [header = '', payload, signature] = token.split('.');
  const members = JSON.parse(Buffer.from(header, 'base64url').toString());
  for (const more of [
    { crit: [] },
    { crit: ['b64'], b64: false },
    { crit: ['b64'], b64: true },
    { crit: 'x' },
    { b64: false },
  ])
    await assertRefused(`${encoded({ ...members, ...more })}.${payload}.${signature}`, untouchableKeys);
});

test('A10 a token cannot bring its own key, and no address in it is ever called', async () => {
  let calls = 0;
  const server = createServer((_, response) => {
    calls += 1;
    response.end(JSON.stringify(attacker.jwks()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`;
  const [attackerJwk] = attacker.jwks().keys;
  const own = attacker.current();
  try {
    for (const header of [{ jku: url }, { x5u: url }, { jwk: attackerJwk }, { x5c: ['AAAA'] }, { cty: 'JWT' }]) {
      await assertRefused(await forge({ ...header }, claims, own.privateKey));
      await assertRefused(await forge({ kid: own.kid, ...header }, claims, own.privateKey));
      await assertRefused(await forge(header), untouchableKeys);
    }
    await assertRefused(await forge({ kid: url }, claims, own.privateKey));
    assert.equal(calls, 0);
  } finally {
    server.close();
  }
});

test('a key is found only by an id that the platform gave out', async () => {
  const own = attacker.current();
  const ids = [
    own.kid,
    '__proto__',
    'constructor',
    'toString',
    '',
    '0',
    ` ${kid}`,
    0,
    null,
    { $ne: '' },
    [kid],
    undefined,
  ];
  for (const id of ids) {
    await assertRefused(await forge({ kid: id }, claims, own.privateKey));
    await assertRefused(await forge({ kid: id }));
  }
  await assertRefused(await forge({}, claims, own.privateKey));
});

test('J01 J02 a token outlives its key’s turn to sign, but not the key', async () => {
  const next = { ...attackerStored, signs_from: new Date(clock.now()).toISOString() };
  const before = { ...stored, signs_from: new Date(clock.now() - 1).toISOString() };
  const rotated = await keysOf([before, next]);
  assert.deepEqual(await verifyAppToken(rotated, token, realm), claims);
  const fresh = await signAppToken(rotated, subject, { ...realm, lifetimeSeconds });
  assert.deepEqual(await verifyAppToken(rotated, fresh, realm), claims);
  await assertRefused(fresh);
  await assertRefused(token, await keysOf([next]));
});

test('J01 no token is signed that would outlive its key', async () => {
  await assert.rejects(signAppToken(keys, subject, { ...realm, lifetimeSeconds: lifetimeSeconds + 1 }), RangeError);
});

test('a token of another kind is refused, though the platform signed it', async () => {
  for (const typ of ['JWT', 'at+jwt', 'management+jwt', 'app', 'app+jwt2', '', undefined, null, ['app+jwt']])
    await assertRefused(await forge({ typ }));
});

test('A13 A14 C21 a token without exactly this audience and issuer is refused', async () => {
  const others = ['freehold-app-prod', '', null, undefined, [], [realm.audience], [realm.audience, 'other'], {}, true];
  for (const aud of others) await assertRefused(await forge({}, { ...claims, aud } as JWTPayload));
  for (const iss of ['https://app.example/', 'https://evil.example', '', null, undefined, [realm.issuer]])
    await assertRefused(await forge({}, { ...claims, iss } as JWTPayload));
  await assert.rejects(verifyAppToken(keys, token, { ...realm, audience: 'freehold-app-prod' }), {
    code: 'token_invalid',
  });
  await assert.rejects(verifyAppToken(keys, token, { ...realm, issuer: 'https://other.example' }), {
    code: 'token_invalid',
  });
});

test('A14 a realm that names no audience or issuer admits no token', async () => {
  for (const missing of [{ audience: undefined }, { issuer: undefined }, { audience: '' }, { issuer: '' }]) {
    const careless = { ...realm, ...missing } as typeof realm;
    await assert.rejects(verifyAppToken(keys, token, careless), { code: 'token_invalid' });
  }
});

test('A23 a token ends on the second, by the clock that is given, on a first look as on a hit of the cache', async () => {
  const cache = createTokenCache<typeof claims>({ entriesMax: 10 });
  cache.set(token, claims);
  for (const late of [claims.exp, claims.exp + 1]) {
    await assert.rejects(verifyAppToken(keys, token, { ...realm, nowSeconds: late }), {
      code: 'token_expired',
      status: 401,
    });
    assert.equal(cache.get(token, late), undefined);
  }
  cache.set(token, claims);
  assert.equal(cache.get(token, claims.exp - 1), claims);
  assert.deepEqual(await verifyAppToken(keys, token, { ...realm, nowSeconds: claims.exp - 1 }), claims);
});

test('only a token that is right in all else is called expired', async () => {
  const past = { ...claims, exp: nowSeconds - 1 };
  await assertRefused(await forge({}, past), keys, 'token_expired');
  await assertRefused(await forge({}, past, attacker.current().privateKey));
  await assertRefused(await forge({}, { ...past, aud: 'freehold-app-prod' }));
  await assertRefused(await forge({ typ: 'JWT' }, past));
});

test('a claim that lacks or has another type is refused, though the platform signed it', async () => {
  const optional = ['picture', 'tenant_id', 'tenant_code'];
  for (const claim of Object.keys(claims)) {
    for (const value of [null, { $ne: null }, ['x'], claim === 'email_verified' ? 'true' : false])
      await assertRefused(await forge({}, { ...claims, [claim]: value } as JWTPayload));
    if (!optional.includes(claim))
      await assertRefused(await forge({}, { ...claims, [claim]: undefined } as JWTPayload));
  }
  for (const exp of ['9999999999', 1.5e9 + 0.5 + lifetimeSeconds * 1e5, Number.MAX_VALUE])
    await assertRefused(await forge({}, { ...claims, exp } as JWTPayload));
  await assertRefused(await forge({}, { ...claims, env: 'staging' }));
  await assertRefused(await forge({}, { ...claims, nbf: nowSeconds + 1 }));
});

test('a claim that the platform does not know does not come through', async () => {
  const verified = await verifyAppToken(keys, await forge({}, { ...claims, admin: true }), realm);
  assert.deepEqual(verified, claims);
});

test('A38 an encrypted token and one of more than 8 kB are refused before a key is looked at', async () => {
  const bomb = await new CompactEncrypt(new Uint8Array(200_000))
    .setProtectedHeader({ alg: 'PBES2-HS256+A128KW', enc: 'A128GCM', p2c: 2048, kid })
    .encrypt(new TextEncoder().encode('password'));
  await assertRefused(bomb, untouchableKeys);
  const small = await new CompactEncrypt(new Uint8Array(10))
    .setProtectedHeader({ alg: 'dir', enc: 'A128GCM', kid })
    .encrypt(new Uint8Array(16));
  assert.equal(small.split('.').length, 5);
  await assertRefused(small, untouchableKeys);
  await assertRefused(await forge({}, { ...claims, fn: 'x'.repeat(8000) }), untouchableKeys);
  await assertRefused(`${token}.${token}`, untouchableKeys);
});

test('the platform signs no token that it would not take', async () => {
  await assert.rejects(signAppToken(keys, { ...subject, fn: 'x'.repeat(8000) }, { ...realm, lifetimeSeconds }), {
    name: 'Error',
  });
});

test('A32 what is no token at all is refused', async () => {
  const inputs = [
    '',
    ' ',
    'null',
    'undefined',
    '.',
    '..',
    '...',
    `${token} `,
    ` ${token}`,
    `${token}\n`,
    `${token},${token}`,
    `Bearer ${token}`,
    `${token}=`,
    '\ud800.a.b',
    'a.b.c',
    'bnVsbA.bnVsbA.bnVsbA',
    'W10.W10.W10',
  ];
  for (const input of inputs) await assertRefused(input, untouchableKeys);
});

test('a signature of zeros, of another length or in another encoding is refused', async () => {
  const [header, payload] = token.split('.');
  const signatures = [
    new Uint8Array(64),
    new Uint8Array(64).fill(255),
    new Uint8Array(1),
    new Uint8Array(63),
    new Uint8Array(65),
  ];
  for (const signature of signatures)
    await assertRefused(`${header}.${payload}.${Buffer.from(signature).toString('base64url')}`);
  await assertRefused(`${header}.${payload}.MEUCIQDAAAAA`);
});

test('no change of a single character gets through, and none is a fault', async () => {
  const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ \0é'];
  // The last character of a signature holds bits that no decoder reads, so it is left alone here.
  const position = fc.nat(token.length - 2);
  await fc.assert(
    fc.asyncProperty(position, fc.constantFrom(...alphabet), async (index, character) => {
      fc.pre(token[index] !== character);
      await assertRefused(`${token.slice(0, index)}${character}${token.slice(index + 1)}`);
    }),
    { numRuns: thinned(500) },
  );
});

test('J04 a refusal carries nothing of the token into a log', async () => {
  const forged = [
    await forge({}, { ...claims, aud: 'freehold-app-prod' }),
    await forge({}, { ...claims, exp: nowSeconds - 1 }),
    await forge({}, claims, attacker.current().privateKey),
    await forge({}, { ...claims, env: 'staging' }),
  ];
  for (const each of forged) {
    await assert.rejects(verifyAppToken(keys, each, realm), (error) => {
      const shown = inspect(error, { depth: 9, showHidden: true });
      assert.ok(!shown.includes(subject.email) && !shown.includes(each.slice(-20)));
      return true;
    });
  }
});
