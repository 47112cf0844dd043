import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNotYet } from './factor-reset.ts';

test('a reset is asked for with an address and a reason', () => {
  const whole = { email: 'ada@example.com', reason: 'known by voice' };
  assert.equal(whyNotYet(whole), undefined);
  for (const email of ['', 'ada', '@example.com', 'ada@', 'ada @example.com', 'a@b@c'])
    assert.match(whyNotYet({ ...whole, email }) ?? '', /email address/);
  assert.match(whyNotYet({ ...whole, reason: '' }) ?? '', /reason/);
});
