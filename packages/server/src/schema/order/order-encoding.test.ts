import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareBytes } from '../../lib/byte-order.ts';
import { thinned } from '../../store/testing/quick.ts';
import { afterAll, encodeNumber, indexPrefix, indexSortKey, indexStart, isAloneInIndex } from './order-encoding.ts';

const double = fc.oneof(
  { weight: 4, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
  { weight: 2, arbitrary: fc.integer({ min: -3, max: 3 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      -0,
      0,
      Number.MIN_VALUE,
      -Number.MIN_VALUE,
      2 ** -1022,
      -(2 ** -1022),
      Number.MAX_VALUE,
      -Number.MAX_VALUE,
      Number.MAX_SAFE_INTEGER,
      Number.MIN_SAFE_INTEGER,
      0.1,
      0.1 + Number.EPSILON,
    ),
  },
);

test('encoded numbers are in the order of the numbers', () => {
  const property = fc.property(double, double, (left, right) => {
    assert.equal(Math.sign(compareBytes(encodeNumber(left), encodeNumber(right))), order(left, right));
  });
  fc.assert(property, { numRuns: thinned(10_000) });
});

test('zero has one spelling, and every number has sixteen digits', () => {
  assert.equal(encodeNumber(-0), encodeNumber(0));
  const property = fc.property(double, (number) => assert.match(encodeNumber(number), /^[0-9a-f]{16}$/));
  fc.assert(property);
});

const character = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b', '\u0001', '\u0002', '\u0003', '\uffff', '\u{10ffff}', '😀', 'é') },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((text) => text !== '\0') },
);
const shortText = fc.array(character, { maxLength: 5 }).map((characters) => characters.join(''));
const id = fc.constantFrom(
  '018bcfe5-6800-7000-8000-000000000000',
  '018bcfe5-6800-7000-8000-00000000000a',
  'ffffffff-ffff-7fff-bfff-ffffffffffff',
);
const value = fc.option(shortText, { nil: undefined });

test('index keys are in the order of the values, equal values in the order of the ids, no value before any', () => {
  const property = fc.property(value, id, value, id, (left, leftId, right, rightId) => {
    const expected = orderOfValues(left, right) || order(leftId, rightId);
    assert.equal(Math.sign(compareBytes(indexSortKey(left, leftId), indexSortKey(right, rightId))), expected);
  });
  fc.assert(property, { numRuns: thinned(10_000) });
});

test('the prefix of a value holds its own entries and those of no other value', () => {
  const property = fc.property(value, value, id, (wanted, other, ofOther) => {
    assert.equal(indexSortKey(other, ofOther).startsWith(indexPrefix(wanted)), wanted === other);
  });
  fc.assert(property, { numRuns: thinned(10_000) });
});

test('a range from a value on, or up to it, leaves out no value that belongs to it', () => {
  const property = fc.property(longText, longText, id, (bound, stored, ofStored) => {
    const key = indexSortKey(stored, ofStored);
    if (compareBytes(stored, bound) >= 0) assert.ok(compareBytes(key, indexStart(bound)) > 0);
    if (compareBytes(stored, bound) <= 0) assert.ok(compareBytes(key, indexStart(bound) + afterAll) < 0);
  });
  fc.assert(property, { numRuns: thinned(10_000) });
});

/** Texts around the length at which the index cuts, that differ at their ends. */
const longText = fc
  .tuple(fc.constantFrom('a', 'é', '€', '😀', '\u0001'), fc.integer({ min: 500, max: 516 }), shortText)
  .map(([filling, bytes, end]) => filling.repeat(Math.ceil(bytes / Buffer.byteLength(filling))) + end);

test('long values are cut without losing their order', () => {
  const property = fc.property(aroundTheCut, id, aroundTheCut, id, (left, leftId, right, rightId) => {
    const byKey = compareBytes(indexSortKey(left, leftId), indexSortKey(right, rightId));
    const isShared = indexPrefix(left) === indexPrefix(right);
    const expected = isShared ? order(leftId, rightId) : orderOfValues(left, right);
    assert.equal(Math.sign(byKey), expected);
  });
  fc.assert(property, { numRuns: thinned(10_000) });
});

test('a value said to be alone in the index shares its entries with no other value', () => {
  const property = fc.property(aroundTheCut, aroundTheCut, (left, right) => {
    if (left !== right && isAloneInIndex(left)) assert.notEqual(indexPrefix(left), indexPrefix(right));
  });
  fc.assert(property, { numRuns: thinned(10_000) });
  for (const short of ['', 'a', 'a'.repeat(400), '😀'.repeat(100)]) assert.ok(isAloneInIndex(short));
});

/** A common beginning close to the cut and every kind of character behind it. */
const aroundTheCut = fc
  .tuple(fc.integer({ min: 504, max: 513 }), shortText)
  .map(([length, end]) => 'a'.repeat(length) + end);

test('whatever a value holds, its entry keeps within what a key may have', () => {
  for (const filling of ['a', '\u0001', '😀', '\uffff'])
    assert.ok(Buffer.byteLength(indexSortKey(filling.repeat(2000), 'f'.repeat(36))) <= 600);
});

function orderOfValues(left: string | undefined, right: string | undefined): number {
  if (left === undefined || right === undefined) return order(left === undefined ? 0 : 1, right === undefined ? 0 : 1);
  return Math.sign(Buffer.compare(Buffer.from(left), Buffer.from(right)));
}

function order(left: number | string, right: number | string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
