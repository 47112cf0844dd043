import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { timestamp } from '../lib/clock.ts';
import { type AppTokenSubject, signAppToken, verifyAppToken } from './app-tokens.ts';
import type { SecretsVault } from './secrets.ts';
import { appTokenLifetimeSeconds, generateSigningKey, type StoredSigningKey } from './signing-key.ts';
import { type LiveSigningKeys, openSigningKeys, type SigningKeys } from './signing-keys.ts';
import { createSecretsInMemory } from './testing/secrets-in-memory.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const start = Date.parse('2026-01-01T00:00:00Z');

/** The time for which a key is published before it signs, and the time for which it verifies after it signed. */
const published = 10 * minute;
const grace = 48 * hour + 10 * minute;

interface Node {
  readonly keys: LiveSigningKeys;
  readonly vault: SecretsVault;
  readonly first: StoredSigningKey;
  readonly pass: (milliseconds: number) => void;
  readonly now: () => number;
  /** Another node of the same platform. */
  readonly another: () => Promise<LiveSigningKeys>;
}

async function node(ageDaysMax = 0): Promise<Node> {
  let now = start;
  const clock = { now: () => now };
  const first = await generateSigningKey(now);
  const vault = createSecretsInMemory({ signing_keys: [first], cursor_key: 'A'.repeat(43) });
  const another = () => openSigningKeys({ vault, clock, ageDaysMax });
  const pass = (milliseconds: number) => {
    now += milliseconds;
  };
  return { keys: await another(), vault, first, pass, now: () => now, another };
}

function keysOf(signing_keys: readonly StoredSigningKey[], now = start): Promise<LiveSigningKeys> {
  return openSigningKeys({ vault: createSecretsInMemory({ signing_keys }), clock: { now: () => now } });
}

async function keptIds(vault: SecretsVault): Promise<readonly string[]> {
  return ((await vault.read()).secrets.signing_keys ?? []).map(({ kid }) => kid);
}

function publishedIds(keys: SigningKeys): readonly string[] {
  return keys.jwks().keys.map(({ kid }) => kid);
}

function states(keys: LiveSigningKeys): Readonly<Record<string, string>> {
  return Object.fromEntries(keys.list().map(({ kid, state }) => [kid, state]));
}

test('a new key signs at once, is stamped by the clock, and survives being kept as JSON', async () => {
  const key = await generateSigningKey(start + minute);
  assert.equal(key.created_at, '2026-01-01T00:01:00.000Z');
  assert.equal(key.signs_from, key.created_at);
  assert.match(key.kid, /^[\w-]{43}$/);
  assert.equal((await keysOf([JSON.parse(JSON.stringify(key))], start + minute)).current().kid, key.kid);
});

test('J01 a new key is published first, signs after verifiers can have seen it, and the one before it goes when its tokens have', async () => {
  const { keys, vault, first, pass } = await node();
  const { key, isNew } = await keys.rotate();
  assert.ok(isNew);
  assert.deepEqual(states(keys), { [first.kid]: 'signing', [key.kid]: 'published' });
  assert.deepEqual(publishedIds(keys), [first.kid, key.kid]);
  assert.equal(key.signs_from, timestamp(start + published));
  pass(published - 1);
  assert.equal(keys.current().kid, first.kid);
  pass(1);
  assert.equal(keys.current().kid, key.kid);
  assert.deepEqual(states(keys), { [first.kid]: 'retiring', [key.kid]: 'signing' });
  assert.equal(keys.list()[0]?.verifies_until, timestamp(start + published + grace));
  pass(grace - 1);
  assert.equal(keys.find(first.kid)?.type, 'public');
  pass(1);
  assert.equal(keys.find(first.kid), undefined, 'also before anything has tidied up');
  assert.deepEqual(publishedIds(keys), [key.kid]);
  assert.deepEqual(await keptIds(vault), [first.kid, key.kid]);
  await keys.tend();
  assert.deepEqual(await keptIds(vault), [key.kid]);
  assert.deepEqual(keys.list(), [
    { kid: key.kid, state: 'signing', created_at: key.created_at, signs_from: key.signs_from },
  ]);
});

test('J01 over a hundred rotations every token holds for all of its life on every node, and few keys are held', async () => {
  const { keys, pass, now, another } = await node();
  const other = await another();
  const realm = () => ({ issuer: 'i', audience: 'a', nowSeconds: Math.floor(now() / 1000) });
  let tokens: (readonly [token: string, endsAt: number])[] = [];
  for (let turn = 0; turn < 100; turn++) {
    const [rotation, ...again] = await Promise.all(Array.from({ length: 4 }, () => keys.rotate()));
    for (const { key, isNew } of again) assert.deepEqual([key, isNew], [rotation?.key, false], 'one waits already');
    for (let step = 0; step < 8; step++) {
      const realmNow = realm();
      for (const signer of [keys, other]) {
        const token = await signAppToken(signer, subject, { ...realmNow, lifetimeSeconds: appTokenLifetimeSeconds });
        tokens.push([token, now() + 48 * hour]);
      }
      pass(hour);
      tokens = tokens.filter(([, endsAt]) => endsAt > now());
      const oldestAndNewest = [...tokens.slice(0, 2), ...tokens.slice(-2)];
      await Promise.all([
        keys.tend(),
        other.tend(),
        ...oldestAndNewest.map(([token]) => verifyAppToken(keys, token, realm())),
      ]);
      for (const [token] of oldestAndNewest) await verifyAppToken(other, token, realm());
    }
    assert.ok(keys.list().length <= 8, `${keys.list().length} keys`);
    assert.deepEqual(other.list(), keys.list());
  }
});

test('J01 more keys than a verifier should have to fetch are not made', async () => {
  const { keys, vault, pass } = await node();
  for (let made = 1; made < 8; made++) {
    await keys.rotate();
    pass(published);
  }
  await assert.rejects(keys.rotate(), { code: 'conflict' });
  assert.equal((await keptIds(vault)).length, 8);
  pass(grace);
  assert.ok((await keys.rotate()).isNew, 'those that have gone make room');
  assert.equal((await keptIds(vault)).length, 2);
});

test('a key of the age that is settled is followed by another, once, whichever node is first', async () => {
  const { keys, vault, first, pass, another } = await node(90);
  const other = await another();
  pass(90 * day);
  await Promise.all([keys.tend(), other.tend()]);
  assert.deepEqual(await keptIds(vault), [first.kid]);
  pass(1);
  await Promise.all([keys.tend(), other.tend(), keys.tend()]);
  await other.tend();
  assert.equal((await keptIds(vault)).length, 2);
  assert.deepEqual(other.list(), keys.list());
  pass(published);
  assert.notEqual(keys.current().kid, first.kid);
  await keys.tend();
  assert.equal((await keptIds(vault)).length, 2);
});

test('a key gets as old as it likes where no age is settled', async () => {
  const { keys, vault, first, pass } = await node(0);
  pass(9999 * day);
  await keys.tend();
  assert.deepEqual(await keptIds(vault), [first.kid]);
});

test('J02 a revoked key holds no more, and another signs at once', async () => {
  const { keys, vault, first } = await node();
  await keys.revoke(first.kid);
  assert.equal(keys.find(first.kid), undefined);
  const { kid } = keys.current();
  assert.notEqual(kid, first.kid);
  assert.deepEqual(states(keys), { [kid]: 'signing' });
  assert.deepEqual(publishedIds(keys), [kid]);
  assert.deepEqual(await keptIds(vault), [kid]);
  assert.equal((await vault.read()).secrets.cursor_key, 'A'.repeat(43), 'the other secrets stay');
});

test('J02 where a key waits, it takes over from the revoked one', async () => {
  const { keys, first, now } = await node();
  const { key } = await keys.rotate();
  await keys.revoke(first.kid);
  assert.deepEqual(keys.list(), [{ ...key, state: 'signing', signs_from: timestamp(now()) }]);
});

test('J02 a key that has retired never signs again', async () => {
  const { keys, first, pass } = await node();
  await keys.rotate();
  pass(published);
  const { kid } = keys.current();
  await keys.revoke(kid);
  assert.ok(![first.kid, kid].includes(keys.current().kid));
  assert.equal(states(keys)[first.kid], 'retiring');
});

test('a key that waits or retires can be revoked, and the signing key goes on', async () => {
  const { keys, first, pass } = await node();
  const waiting = await keys.rotate();
  await keys.revoke(waiting.key.kid);
  assert.deepEqual(states(keys), { [first.kid]: 'signing' });
  const next = await keys.rotate();
  pass(published);
  await keys.revoke(first.kid);
  assert.deepEqual(states(keys), { [next.key.kid]: 'signing' });
});

test('a key that is unknown cannot be revoked, nor one twice', async () => {
  const { keys, vault, first } = await node();
  await keys.revoke(first.kid);
  const ids = await keptIds(vault);
  for (const kid of [first.kid, '', 'toString']) await assert.rejects(keys.revoke(kid), { code: 'not_found' });
  assert.deepEqual(await keptIds(vault), ids);
});

test('J02 another node holds to a revocation as soon as it has looked', async () => {
  const { keys, first, another } = await node();
  const other = await another();
  const before = other.removals;
  await keys.revoke(first.kid);
  assert.equal(other.find(first.kid)?.type, 'public');
  await other.tend();
  assert.equal(other.find(first.kid), undefined);
  assert.ok(other.removals > before, 'what was verified before is verified again');
  assert.equal(other.current().kid, keys.current().kid);
});

test('only keys that are gone make tokens be verified again', async () => {
  const { keys, pass } = await node();
  await keys.tend();
  await keys.rotate();
  pass(published);
  await keys.tend();
  assert.equal(keys.removals, 0);
});

test('of revocations and rotations at once by two nodes all count', async () => {
  const { keys, vault, first, another } = await node();
  const other = await another();
  await Promise.all([keys.revoke(first.kid), other.rotate(), keys.tend(), other.tend()]);
  await Promise.all([keys.tend(), other.tend()]);
  assert.ok(!(await keptIds(vault)).includes(first.kid));
  assert.deepEqual(other.list(), keys.list());
  assert.equal(keys.list().filter(({ state }) => state === 'signing').length, 1);
});

test('a look at the keys during a change does not hide the change', async () => {
  const { vault, first, now } = await node();
  const keys = await openSigningKeys({
    clock: { now },
    vault: {
      read: () => vault.read(),
      write: async (next, seen) => {
        await keys.learn();
        return vault.write(next, seen);
      },
    },
  });
  const { key } = await keys.rotate();
  assert.deepEqual(publishedIds(keys), [first.kid, key.kid]);
});

test('of two keys of one time every node lets the same one sign, in whatever order they are kept', async () => {
  const two = await Promise.all([generateSigningKey(start), generateSigningKey(start)]);
  const [one, other] = [await keysOf(two), await keysOf(two.toReversed())];
  assert.deepEqual(one.list(), other.list());
  assert.equal(one.current().kid, other.current().kid);
  for (const { kid } of two) assert.ok(one.find(kid), 'both verify');
});

test('a clock that was set back before every key leaves a signing key', async () => {
  const [one, two] = await Promise.all([generateSigningKey(start), generateSigningKey(start + hour)]);
  const keys = await keysOf([two, one], start - day);
  assert.equal(keys.current().kid, one.kid);
  assert.deepEqual(states(keys), { [one.kid]: 'signing', [two.kid]: 'published' });
});

test('publishes and shows public keys and nothing more', async () => {
  const { keys, vault } = await node();
  await keys.rotate();
  for (const jwk of keys.jwks().keys) {
    assert.deepEqual(Object.keys(jwk).toSorted(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    assert.deepEqual([jwk.kty, jwk.crv, jwk.alg, jwk.use], ['EC', 'P-256', 'ES256', 'sig']);
    assert.equal(keys.find(jwk.kid)?.type, 'public');
  }
  const seen = [keys, keys.current(), keys.jwks(), keys.list(), await keys.rotate()];
  const shown = inspect(seen, { depth: 9 }) + JSON.stringify(seen);
  for (const { private_jwk: jwk } of (await vault.read()).secrets.signing_keys ?? []) assert.ok(!shown.includes(jwk.d));
});

test('refuses to start without a key, and with a damaged one, and repeats nothing of it', async () => {
  const [key, other] = await Promise.all([generateSigningKey(start), generateSigningKey(start)]);
  const { private_jwk: jwk } = key;
  const { x, y } = other.private_jwk;
  const damaged = [
    { ...jwk, d: 'A'.repeat(43) },
    { ...jwk, x: jwk.y },
    { ...jwk, x, y },
  ];
  for (const private_jwk of damaged)
    await assert.rejects(keysOf([{ ...key, private_jwk }]), (error: Error) => {
      assert.match(error.message, /token signing key .* is damaged$/);
      return !inspect(error).includes(jwk.d);
    });
  const vault = createSecretsInMemory({});
  await assert.rejects(openSigningKeys({ vault, clock: { now: () => start } }), /there is no token signing key/);
});

const subject: AppTokenSubject = {
  sub: 'u',
  org: 'acme',
  env: 'test',
  clientid: 'c',
  ep: 0,
  role: '',
  email: 'a@b.example',
  email_verified: false,
  fn: '',
  ln: '',
  idp: 'password',
  auth_time: 0,
  jti: 'j',
};
