import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import type { Problem } from '../../lib/problem.ts';
import {
  discoveryPath,
  keysPath,
  type LoopbackProvider,
  makeKeyPair,
  startLoopbackProvider,
} from '../testing/loopback-provider.ts';
import { createFetchJson } from './fetch-json.ts';
import { createProviderKeys, type FindProviderKey, type KeyOwner } from './provider-tokens.ts';

const seconds = 1000;
const minutes = 60 * seconds;

let now = 1_800_000_000_000;
const clock = { now: () => now };
const first = await makeKeyPair('ES256', 'first');
const second = await makeKeyPair('ES256', 'second');
const third = await makeKeyPair('ES256', 'third');

let provider: LoopbackProvider;
let owner: KeyOwner;
let find: FindProviderKey;

before(async () => {
  provider = await startLoopbackProvider();
  owner = { issuer: provider.issuer };
});

beforeEach(() => {
  find = findKeysOf(10);
  provider.answer(discoveryPath, { issuer: provider.issuer, jwks_uri: `${provider.issuer}${keysPath}` });
  provider.publish(first);
  provider.calls.length = 0;
});

after(() => provider.stop());

function findKeysOf(providersMax: number): FindProviderKey {
  const fetchJson = createFetchJson({
    allowPrivateAddresses: true,
    timeoutMilliseconds: 60_000,
    bodyBytesMax: 262_144,
  });
  return createProviderKeys({ clock, fetchJson, providersMax });
}

/** The id of the key that is found, or the code of the refusal. */
async function verdict(kid: string | undefined, of: KeyOwner = owner): Promise<string | undefined> {
  return find(of, { alg: 'ES256', kid }).then(
    (key) => key.kid,
    (problem: Problem) => problem.code,
  );
}

function randomKids(count: number): readonly string[] {
  return Array.from({ length: count }, () => randomUUID());
}

test('keys are taken from memory for ten minutes, then asked for again, with the place where they are', async () => {
  assert.equal(await verdict('first'), 'first');
  now += 10 * minutes - 1;
  assert.equal(await verdict('first'), 'first');
  assert.deepEqual(provider.calls, [discoveryPath, keysPath]);
  provider.answer(discoveryPath, { issuer: provider.issuer, jwks_uri: `${provider.issuer}/moved` });
  provider.answer('/moved', { keys: [second.jwk] });
  now += 1;
  assert.equal(await verdict('first'), 'token_invalid', 'a key that the provider has withdrawn verifies no more');
  assert.equal(await verdict('second'), 'second');
  assert.deepEqual(provider.calls.slice(2), [discoveryPath, '/moved']);
});

test('discovery is left out where the address of the keys is given', async () => {
  provider.answer('/given', { keys: [second.jwk] });
  assert.equal(await verdict('second', { ...owner, jwks_uri: `${provider.issuer}/given` }), 'second');
  assert.deepEqual(provider.calls, ['/given']);
});

test('discovery puts one slash between an issuer and its document', async () => {
  const issuer = `${provider.issuer}/realms/acme/`;
  provider.answer(`/realms/acme${discoveryPath}`, { issuer, jwks_uri: `${provider.issuer}${keysPath}` });
  assert.equal(await verdict('first', { issuer }), 'first');
});

test('A17 the keys that one app names for an issuer are not those of another app', async () => {
  provider.answer('/evil', { keys: [{ ...second.jwk, kid: 'first' }] });
  const evil = { ...owner, jwks_uri: `${provider.issuer}/evil` };
  const name = { alg: 'ES256', kid: 'first' };
  const theirs = await find(evil, name);
  const ours = await find(owner, name);
  assert.ok(!ours.key.equals(theirs.key));
  assert.equal(await find(evil, name), theirs);
});

test('J01 a key that has just been added is found at once', async () => {
  assert.equal(await verdict('first'), 'first');
  provider.publish(first, second);
  assert.deepEqual(await Promise.all([verdict('second'), verdict('second'), verdict('first')]), [
    'second',
    'second',
    'first',
  ]);
  assert.equal(provider.keyCalls(), 2);
});

test('A40 a thousand tokens that name unknown keys ask a provider once in 30 seconds', async () => {
  assert.equal(await verdict('first'), 'first');
  const atOnce = await Promise.all(randomKids(1000).map((kid) => verdict(kid)));
  assert.ok(atOnce.every((code) => code === 'token_invalid'));
  assert.deepEqual(provider.calls, [discoveryPath, keysPath, keysPath]);
  for (const kid of randomKids(100)) assert.equal(await verdict(kid), 'token_invalid');
  now += 30 * seconds - 1;
  assert.equal(await verdict(randomUUID()), 'token_invalid');
  assert.equal(provider.keyCalls(), 2);
  assert.equal(await verdict('first'), 'first');
  now += 1;
  provider.publish(first, second);
  assert.equal(await verdict('second'), 'second', 'and what is new is found within that time');
  assert.equal(provider.keyCalls(), 3);
});

test('A40 a thousand such tokens are the first to come: one question answers all of them', async () => {
  const codes = await Promise.all(randomKids(1000).map((kid) => verdict(kid)));
  for (const kid of randomKids(100)) codes.push(await verdict(kid));
  assert.ok(codes.every((code) => code === 'token_invalid'));
  assert.deepEqual(provider.calls, [discoveryPath, keysPath]);
});

test('A40 a provider that is down is asked now and then, and its keys hold for a day', async () => {
  assert.equal(await verdict('first'), 'first');
  provider.calls.length = 0;
  provider.answer(keysPath, undefined);
  for (let minute = 0; minute < 24 * 60; minute += 10) {
    assert.equal(await verdict('first'), 'first', `after ${minute} minutes`);
    assert.equal(await verdict('first'), 'first');
    now += 10 * minutes;
  }
  assert.equal(provider.keyCalls(), 24 * 6 - 1);
  assert.equal(await verdict('first'), 'unavailable');
  provider.publish(first);
  now += 5 * seconds;
  assert.equal(await verdict('first'), 'first');
});

test('while a provider is down, a key that is not held may be a new one: there is no telling', async () => {
  assert.equal(await verdict('first'), 'first');
  provider.pause();
  assert.equal(await verdict('second'), 'unavailable');
  assert.equal(await verdict('first'), 'first');
  provider.resume();
  provider.publish(first, second);
  assert.equal(await verdict('second'), 'unavailable', 'it is left alone for a while');
  now += 30 * seconds;
  assert.equal(await verdict('second'), 'second');
});

test('a provider that has never answered is left alone for five seconds, and no longer', async () => {
  provider.pause();
  await assert.rejects(find(owner, { alg: 'ES256', kid: 'first' }), {
    name: 'Problem',
    code: 'unavailable',
    details: { retry_after_seconds: 5 },
  });
  provider.resume();
  now += 5 * seconds - 1;
  assert.equal(await verdict('first'), 'unavailable');
  assert.deepEqual(provider.calls, []);
  now += 1;
  assert.equal(await verdict('first'), 'first');
  assert.equal(await verdict('second'), 'token_invalid', 'and once it has answered, there is telling again');
});

test('a document that is not the issuer’s own is not believed', async () => {
  const jwks_uri = `${provider.issuer}${keysPath}`;
  const { issuer } = provider;
  for (const named of [`${issuer}/`, issuer.toUpperCase(), 'https://other.example', undefined, null, [issuer]]) {
    provider.answer(discoveryPath, { issuer: named, jwks_uri });
    assert.equal(await verdict('first'), 'issuer_not_allowed', String(named));
    now += 5 * seconds;
  }
  assert.equal(provider.keyCalls(), 0);
});

test('F04 discovery leads to no address that must not be called', async () => {
  const beside = ['http://169.254.169.254/keys', 'http://10.0.0.1/keys', 'file:///etc/passwd', 'http://[::]/'];
  for (const jwks_uri of beside) {
    provider.answer(discoveryPath, { issuer: provider.issuer, jwks_uri });
    assert.equal(await verdict('first'), 'issuer_not_allowed', jwks_uri);
    now += 5 * seconds;
  }
});

test('what is no discovery document and no key set gives no keys, and does not drive out those that are held', async () => {
  assert.equal(await verdict('first'), 'first');
  const { issuer } = provider;
  const good = { issuer, jwks_uri: `${issuer}${keysPath}` };
  for (const document of [{ issuer }, { issuer, jwks_uri: 7 }, { issuer, jwks_uri: null }]) {
    now += 10 * minutes;
    provider.answer(discoveryPath, document);
    assert.equal(await verdict('first'), 'first');
    assert.equal(await verdict('second'), 'unavailable');
  }
  provider.answer(discoveryPath, good);
  for (const document of [{}, [], 'first', { keys: 'first' }, { keys: [], pad: 'x'.repeat(300_000) }]) {
    now += 10 * minutes;
    provider.answer(keysPath, document);
    assert.equal(await verdict('first'), 'first');
    assert.equal(await verdict('second'), 'unavailable');
  }
  assert.equal(provider.keyCalls(), 1 + 5);
});

test('keys of so many providers are held and no more', async () => {
  find = findKeysOf(2);
  const owners = ['/a', '/b', '/c'].map((path) => {
    provider.answer(path, { keys: [first.jwk] });
    return { ...owner, jwks_uri: `${provider.issuer}${path}` };
  });
  for (const one of [...owners, ...owners.slice(1)]) assert.equal(await verdict('first', one), 'first');
  assert.deepEqual(provider.calls, ['/a', '/b', '/c']);
  assert.equal(await verdict('first', owners[0]), 'first');
  assert.deepEqual(provider.calls, ['/a', '/b', '/c', '/a']);
});

test('J01 a hundred changes of keys refuse no token of the key at hand or the one before', async () => {
  provider.publish(first, second);
  const pairs = [first, second, third];
  for (let round = 0; round < 100; round += 1) {
    const current = pairs[round % 3];
    const next = pairs[(round + 1) % 3];
    assert.ok(current && next);
    provider.publish(current, next);
    now += 31 * seconds;
    assert.equal(await verdict(current.jwk.kid), current.jwk.kid);
    assert.equal(await verdict(next.jwk.kid), next.jwk.kid);
  }
});
