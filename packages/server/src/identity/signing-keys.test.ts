import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import type { Clock } from '../lib/clock.ts';
import { generateSigningKey, loadSigningKeys, type StoredSigningKey } from './signing-keys.ts';

function clockAt(seconds: number): Clock {
  return { now: () => Date.UTC(2026, 0, 1) + seconds * 1000 };
}

const [oldest, middle, youngest] = await Promise.all(
  [0, 60, 120].map((seconds) => generateSigningKey(clockAt(seconds))),
);
assert.ok(oldest && middle && youngest);

function withStatus(key: StoredSigningKey, status: StoredSigningKey['status']): StoredSigningKey {
  return { ...key, status };
}

test('a new key is active, stamped by the clock, and survives being kept as JSON', () => {
  assert.equal(middle.status, 'active');
  assert.equal(middle.created_at, '2026-01-01T00:01:00.000Z');
  assert.match(middle.kid, /^[\w-]{43}$/);
  const kept: StoredSigningKey = JSON.parse(JSON.stringify(middle));
  assert.equal(loadSigningKeys([kept]).current.kid, middle.kid);
});

test('signs with the youngest active key, in whatever order they are kept', () => {
  const mixed = [middle, withStatus(youngest, 'retiring'), oldest];
  assert.equal(loadSigningKeys(mixed).current.kid, middle.kid);
  assert.equal(loadSigningKeys(mixed.toReversed()).current.kid, middle.kid);
});

test('J01 J02 a retiring key still verifies, a revoked one no longer does and is no longer published', () => {
  const keys = loadSigningKeys([youngest, withStatus(middle, 'retiring'), withStatus(oldest, 'revoked')]);
  assert.deepEqual([...keys.byKid.keys()], [youngest.kid, middle.kid]);
  assert.deepEqual(
    keys.jwks().keys.map((key) => key.kid),
    [youngest.kid, middle.kid],
  );
});

test('publishes public keys and nothing more', () => {
  const stored = [youngest, withStatus(middle, 'retiring')];
  const keys = loadSigningKeys(stored);
  for (const jwk of keys.jwks().keys) {
    assert.deepEqual(Object.keys(jwk).toSorted(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    assert.deepEqual([jwk.kty, jwk.crv, jwk.alg, jwk.use], ['EC', 'P-256', 'ES256', 'sig']);
  }
  for (const key of keys.byKid.values()) assert.equal(key.type, 'public');
  const shown = inspect(keys, { depth: 9 }) + JSON.stringify(keys) + JSON.stringify(keys.jwks());
  for (const { private_jwk: jwk } of stored) assert.ok(!shown.includes(jwk.d));
});

test('refuses to start without an active key, with two keys of one id, and with a damaged key', () => {
  const { private_jwk: jwk } = youngest;
  const { x, y } = middle.private_jwk;
  const refused: readonly (readonly StoredSigningKey[])[] = [
    [],
    [withStatus(oldest, 'retiring'), withStatus(middle, 'revoked')],
    [oldest, middle, withStatus(oldest, 'revoked')],
    [{ ...youngest, private_jwk: { ...jwk, d: 'AAAA' } }],
    [{ ...youngest, private_jwk: { ...jwk, x: jwk.y } }],
    [{ ...youngest, private_jwk: { ...jwk, x, y } }],
  ];
  for (const stored of refused) {
    assert.throws(
      () => loadSigningKeys(stored),
      (error: Error) => !inspect(error).includes(jwk.d),
    );
  }
});
