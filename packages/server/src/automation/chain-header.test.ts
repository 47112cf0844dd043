import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createChainHeader } from './chain-header.ts';

const now = 1_800_000_000_000;
const chain = createChainHeader(Buffer.alloc(32, 1));

test('a depth comes back as it was sent', () => {
  for (const depth of [0, 1, 8, 9, 4000]) assert.equal(chain.read(chain.write(depth, now), now + 1000), depth);
});

test('K11: a depth that is missing, made up, signed by others or old is none', () => {
  const own = chain.write(7, now);
  const [, seconds = '', signature = ''] = own.split('.');
  const others = createChainHeader(Buffer.alloc(32, 2)).write(7, now);
  const made = ['', '7', `6.${seconds}.${signature}`, `7.${Number(seconds) + 1}.${signature}`, `${own}x`, ` ${own}`];
  for (const value of [undefined, null, 7, [own], ...made, `7.${seconds}.`, `7.${seconds}.${'A'.repeat(22)}`, others])
    assert.equal(chain.read(value, now), 0, String(value));
  assert.equal(chain.read(own, now + 3_600_000), 7);
  assert.equal(chain.read(own, now + 3_602_000), 0);
  assert.equal(chain.read(own, now - 3_602_000), 0);
});
