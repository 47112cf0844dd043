import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { thinned } from '../../store/testing/quick.ts';
import { compareDecimals, plainText, readDecimal } from './compared-values.ts';

function compare(left: unknown, right: unknown): number {
  const [one, other] = [readDecimal(left), readDecimal(right)];
  assert.ok(one !== undefined && other !== undefined, `${left} ${right}`);
  return Math.sign(compareDecimals(one, other));
}

test('reads decimals alone', () => {
  for (const text of ['0', '-0', '007', '1.50', '-12.5', '9'.repeat(400)]) assert.ok(readDecimal(text), text);
  const others = [
    '',
    '-',
    '+1',
    '.5',
    '5.',
    '1.2.3',
    '1e3',
    '0x10',
    ' 1',
    '1\n',
    '1,5',
    'NaN',
    'Infinity',
    '１',
    '1_0',
  ];
  for (const text of others) assert.equal(readDecimal(text), undefined, text);
  for (const value of [null, true, {}, [], ['1'], Number.NaN, Number.POSITIVE_INFINITY, new Date(0), 1n])
    assert.equal(readDecimal(value), undefined, String(value));
});

test('compares without rounding', () => {
  assert.equal(compare('9007199254740993', '9007199254740992'), 1);
  assert.equal(compare('0.1000000000000000000001', '0.1'), 1);
  assert.equal(compare('-0.1000000000000000000001', '-0.1'), -1);
  assert.equal(compare('-1', '1'), -1);
  assert.equal(compare('007.50', '7.5'), 0);
  assert.equal(compare('-0.0', '0'), 0);
  assert.equal(compare(1e21, `1${'0'.repeat(21)}`), 0);
  assert.equal(compare(1.5e-7, '0.00000015'), 0);
  assert.equal(compare(-5e-324, 0), -1);
  assert.equal(compare('10', '9'), 1);
});

test('orders as numbers do', () => {
  const number = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer({ min: -20, max: 20 }));
  fc.assert(
    fc.property(number, number, (left, right) => {
      assert.equal(compare(left, right), Math.sign(left < right ? -1 : left > right ? 1 : 0));
      assert.equal(Number(plainText(left)), left === 0 ? 0 : left);
    }),
    { numRuns: thinned(2000) },
  );
});
