import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createTokenCache } from './token-cache.ts';

test('A08 of 100,000 random tokens none is ever answered with the value of another', () => {
  const cache = createTokenCache<{ readonly exp: number; readonly owner: number }>({ entriesMax: 200_000 });
  const tokens = Array.from({ length: 100_000 }, () => randomBytes(24).toString('base64url'));
  for (const [owner, token] of tokens.entries()) cache.set(token, { exp: 10, owner });
  for (const [owner, token] of tokens.entries()) assert.equal(cache.get(token, 0)?.owner, owner);
  for (const token of tokens) assert.equal(cache.get(`${token}A`, 0), undefined);
});

test('A08 of 100,000 pairs of tokens that differ little each has its own value', () => {
  const cache = createTokenCache<{ readonly exp: number; readonly owner: string }>({ entriesMax: 4 });
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  for (let pair = 0; pair < 100_000; pair++) {
    const one = randomBytes(30).toString('base64url');
    const at = pair % one.length;
    const swapped = digits.charAt((digits.indexOf(one.charAt(at)) + 1 + (pair % 63)) % 64);
    const twins = [one.slice(0, at) + swapped + one.slice(at + 1), one.slice(at) + one.slice(0, at), one.slice(0, at)];
    const other = twins[pair % 3] ?? '';
    cache.set(one, { exp: 10, owner: one });
    if (other !== one) assert.equal(cache.get(other, 0), undefined);
    cache.set(other, { exp: 10, owner: other });
    assert.deepEqual([cache.get(one, 0)?.owner, cache.get(other, 0)?.owner], [one, other]);
  }
});

test('A08 the last character counts, also of a token whose signature decodes to the same bytes', () => {
  const cache = createTokenCache<{ readonly exp: number }>({ entriesMax: 9 });
  cache.set('header.payload.AA', { exp: 10 });
  for (const other of ['header.payload.AB', 'header.payload.A', 'header.payload.AA ', 'header.payload.AA\0', ''])
    assert.equal(cache.get(other, 0), undefined);
});

test('A23 an entry ends with its token, on the second, though it was found a moment before', () => {
  const cache = createTokenCache<{ readonly exp: number }>({ entriesMax: 9 });
  const value = { exp: 1000 };
  cache.set('token', value);
  assert.equal(cache.get('token', 999), value);
  assert.equal(cache.get('token', 1000), undefined);
  assert.equal(cache.get('token', 999), undefined, 'an ended entry is gone, should the clock step back too');
});

test('forgets one token and keeps the others', () => {
  const cache = createTokenCache<{ readonly exp: number }>({ entriesMax: 9 });
  for (const token of ['a', 'b', 'c']) cache.set(token, { exp: 10 });
  cache.delete('a');
  assert.deepEqual(
    ['a', 'b', 'c'].map((token) => cache.get(token, 0) !== undefined),
    [false, true, true],
  );
});

test('drops unused entries, two for each that comes', () => {
  let now = 0;
  const cache = createTokenCache<{ readonly exp: number; readonly checkedAt: number }>({
    entriesMax: 9,
    isIdle: ({ checkedAt }) => now - checkedAt > 10,
  });
  const set = (token: string) => cache.set(token, { exp: 1000, checkedAt: now });
  for (const token of ['a', 'b', 'c']) set(token);
  now = 10;
  set('d');
  now = 11;
  assert.ok(cache.get('a', now));
  set('e');
  assert.deepEqual(
    ['b', 'c', 'a', 'd', 'e'].map((token) => cache.get(token, now) !== undefined),
    [false, false, true, true, true],
  );
});

test('holds no more entries than it was given, and forgets first what is used least', () => {
  const cache = createTokenCache<{ readonly exp: number }>({ entriesMax: 2 });
  cache.set('a', { exp: 10 });
  cache.set('b', { exp: 10 });
  cache.get('a', 0);
  cache.set('c', { exp: 10 });
  assert.deepEqual(
    ['a', 'b', 'c'].map((token) => cache.get(token, 0) !== undefined),
    [true, false, true],
  );
});
