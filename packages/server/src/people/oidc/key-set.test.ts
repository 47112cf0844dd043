import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { makeKeyPair } from '../testing/loopback-provider.ts';
import { findKey, readKeySet } from './fetch-json.ts';

const { jwk: rsa } = await makeKeyPair('RS256', 'rsa');
const { jwk: ec } = await makeKeyPair('ES256', 'ec');
const { jwk: okp } = await makeKeyPair('EdDSA', 'okp');

/** A key of so many bits without a known private half. */
function modulusOf(bits: number): string {
  const bytes = randomBytes(bits / 8);
  bytes[0] = (bytes[0] ?? 0) | 0x80;
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 1;
  return bytes.toString('base64url');
}

function algorithmsIn(...keys: readonly unknown[]): readonly string[] {
  return readKeySet({ keys }).map(({ algorithms }) => algorithms.join(' '));
}

test('a key verifies the algorithm that it names, or else those of its type', () => {
  assert.deepEqual(algorithmsIn(rsa, ec, okp), ['RS256', 'ES256', 'EdDSA']);
  const bare = [rsa, ec, okp].map(({ alg, use, kid, ...key }) => key);
  assert.deepEqual(algorithmsIn(...bare), ['RS256 RS384 RS512 PS256 PS384 PS512', 'ES256', 'EdDSA']);
  assert.deepEqual(algorithmsIn({ ...rsa, alg: 'PS512' }), ['PS512']);
  assert.deepEqual(algorithmsIn({ ...rsa, key_ops: ['verify'] }, { ...ec, x5c: ['AAAA'], ext: true }), [
    'RS256',
    'ES256',
  ]);
});

test('keys that verify no identity tokens are left out, and do not hide the others', () => {
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' });
  const unusable: readonly unknown[] = [
    ...[null, 7, 'key', [], {}, { kty: 'RSA' }, { ...rsa, n: undefined }, { ...rsa, n: 7 }, { ...rsa, n: '' }],
    ...[
      { ...rsa, kty: 'oct', k: 'AAAA' },
      { ...rsa, kty: 'EC' },
      { ...rsa, kty: { toString: 1 } },
      { ...rsa, crv: 'x' },
    ],
    ...[
      { ...rsa, use: 'enc' },
      { ...rsa, use: null },
      { ...rsa, key_ops: ['sign'] },
      { ...rsa, key_ops: 'verify' },
    ],
    ...[
      { ...rsa, d: 'AQAB' },
      { ...rsa, e: 'AQAAAAE' },
      { ...rsa, e: rsa.n },
      { ...ec, d: ec.x },
      { ...rsa, kid: 7 },
      { ...rsa, kid: null },
    ],
    ...['none', 'HS256', 'ES256', 'RSA-OAEP', 'Ed25519', '', null, ['RS256']].map((alg) => ({ ...rsa, alg })),
    ...['ES384', 'RS256', 'EdDSA'].map((alg) => ({ ...ec, alg })),
    ...[
      { ...ec, crv: 'P-384' },
      { ...ec, crv: 'secp256k1' },
      { ...ec, y: ec.x },
      { ...okp, crv: 'X25519' },
    ],
    ...[weak, { ...rsa, n: modulusOf(2040) }, { ...rsa, n: modulusOf(8200) }],
  ];
  for (const key of unusable) assert.deepEqual(algorithmsIn(key, ec), ['ES256'], JSON.stringify(key));
  assert.deepEqual(algorithmsIn({ ...rsa, n: modulusOf(8192) }), ['RS256']);
});

test('of a very long set only the first keys are read', () => {
  assert.equal(readKeySet({ keys: Array.from({ length: 1000 }, () => ec) }).length, 64);
});

test('what is no key set is refused', () => {
  for (const document of [null, [], 'keys', 7, {}, { keys: null }, { keys: {} }, { keys: 'rsa' }])
    assert.throws(() => readKeySet(document), Error, JSON.stringify(document));
  fc.assert(fc.property(fc.array(fc.jsonValue()), (keys) => assert.deepEqual(readKeySet({ keys }), [])));
});

test('a header means a key by its id and algorithm, and none where it could mean two', () => {
  const keys = readKeySet({ keys: [rsa, { ...rsa, alg: 'PS256' }, ec, { ...ec, kid: undefined }, okp] });
  const meant = (alg: string, kid?: string): string | undefined => {
    const key = findKey(keys, { alg, kid });
    return key && `${key.algorithms.join(' ')} ${key.kid}`;
  };
  assert.equal(meant('RS256', 'rsa'), 'RS256 rsa');
  assert.equal(meant('PS256', 'rsa'), 'PS256 rsa');
  assert.equal(meant('EdDSA'), 'EdDSA okp', 'a token need not name the only key');
  for (const [alg, kid] of [
    ['RS256', 'ec'],
    ['RS512', 'rsa'],
    ['ES256', 'undefined'],
    ['ES256', ''],
    ['ES256'],
  ] as const)
    assert.equal(meant(alg, kid), undefined);
  const twins = readKeySet({ keys: [ec, ec] });
  assert.equal(findKey(twins, { alg: 'ES256', kid: 'ec' }), undefined);
});

test('a header with an id means a key without one only where no other key fits', () => {
  const unnamed = { ...rsa, kid: undefined };
  const meant = (keys: readonly unknown[], alg: string, kid?: string): string | undefined => {
    const key = findKey(readKeySet({ keys }), { alg, kid });
    return key && `${key.kid}`;
  };
  assert.equal(meant([unnamed, ec], 'RS256', 'any'), 'undefined');
  assert.equal(
    meant([unnamed, { ...rsa, use: 'enc' }], 'RS256', 'any'),
    'undefined',
    'a key for encryption does not fit',
  );
  assert.equal(meant([unnamed, { ...rsa, alg: 'RS512' }], 'RS256', 'any'), 'undefined');
  assert.equal(meant([unnamed, rsa], 'RS256', 'rsa'), 'rsa');
  assert.equal(meant([unnamed, rsa], 'RS256', 'any'), undefined);
  assert.equal(meant([unnamed, unnamed], 'RS256', 'any'), undefined);
  assert.equal(meant([rsa], 'RS256', 'any'), undefined);
  assert.equal(meant([rsa], 'RS256', ''), undefined);
  const bare = { ...rsa, alg: undefined };
  assert.equal(meant([bare, ec], 'PS384', 'rsa'), 'rsa');
  assert.equal(meant([bare, ec], 'ES256', 'rsa'), undefined);
  assert.equal(meant([bare, ec], 'HS256', 'rsa'), undefined);
});
