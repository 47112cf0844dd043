import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { createOperatorAccess, operatorKeyDigest, operatorKeyFault } from './operator-key.ts';
import { createLoginThrottle } from './realm/realm.ts';

const key = 'g7Vt2kQx9LmZp4RwYb6NsHc3JdFe8TuA';

function access() {
  let now = 0;
  const loginThrottle = createLoginThrottle({ clock: { now: () => now } });
  const { admit } = createOperatorAccess({ digest: operatorKeyDigest(key), loginThrottle });
  return {
    admit,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

test('the key opens and nothing else does', () => {
  const { admit } = access();
  assert.doesNotThrow(() => admit(key, '192.0.2.1'));
  for (const wrong of ['', key.slice(1), `${key}A`, key.toLowerCase(), operatorKeyDigest(key)])
    assert.throws(() => admit(wrong, '192.0.2.1'), { code: 'token_invalid' });
});

test('after ten wrong keys an address waits, with the right one too, and others do not', () => {
  const { admit, pass } = access();
  for (let tried = 0; tried < 10; tried++) assert.throws(() => admit('x', '192.0.2.1'), { code: 'token_invalid' });
  for (const next of ['x', key]) assert.throws(() => admit(next, '192.0.2.1'), { code: 'rate_limited' });
  assert.doesNotThrow(() => admit(key, '192.0.2.2'));
  pass(15 * 60 * 1000);
  assert.doesNotThrow(() => admit(key, '192.0.2.1'));
});

test('memory holds no key', () => {
  const digest = operatorKeyDigest(key);
  assert.match(digest, /^[0-9a-f]{64}$/);
  assert.ok(!inspect({ digest, ...access() }, { depth: 9 }).includes(key));
});

test('production takes long random keys only', () => {
  const random = Array.from({ length: 200 }, () => [
    randomBytes(32).toString('hex'),
    randomBytes(24).toString('base64'),
    randomBytes(16).toString('hex'),
  ]);
  for (const good of [key, ...random.flat()]) assert.equal(operatorKeyFault(good, 'production'), undefined, good);
  const refused = [
    key.slice(1),
    'changeme',
    'changeme'.repeat(4),
    'change-me-before-you-run-this-in-production',
    'a'.repeat(64),
    'abcdefgh'.repeat(4),
    '0123456789abcdef0123456789abcdef',
    'MySuperSecretOperatorKeyForFreehold',
    `${key} `,
    `${key}ä`,
  ];
  for (const bad of refused) {
    const fault = operatorKeyFault(bad, 'production');
    assert.match(fault ?? '', /^must /, bad);
    assert.ok(!fault?.includes(bad), 'it is not repeated');
  }
});

test('development takes a short key, but none that no header can carry', () => {
  assert.equal(operatorKeyFault('changeme', 'development'), undefined);
  for (const bad of ['a b', 'a\n', 'ä']) assert.match(operatorKeyFault(bad, 'development') ?? '', /^must /);
});
