import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareBytes } from '../../lib/byte-order.ts';
import { thinned } from '../../store/testing/quick.ts';
import { afterAll, isAloneInTuple, tuplePart, tupleRange } from './order-encoding.ts';

const character = fc.constantFrom('a', 'b', '\u0001', '\u0002', '\uffff', '\u{10ffff}', '😀', 'é');
const shortText = fc.array(character, { maxLength: 4 }).map((characters) => characters.join(''));
const value = fc.option(shortText, { nil: undefined });
const directions = fc.array(fc.boolean(), { minLength: 1, maxLength: 4 });
const pair = directions.chain((descending) => {
  const tuple = fc.array(value, { minLength: descending.length, maxLength: descending.length });
  return fc.record({ descending: fc.constant(descending), left: tuple, right: tuple });
});

const keyOf = (tuple: readonly (string | undefined)[], descending: readonly boolean[]): string =>
  tuple.map((one, at) => tuplePart(one, { descending: descending[at] === true })).join('');

test('keys are in the order of the tuples, ascending and descending, no value before any', () => {
  const property = fc.property(pair, ({ descending, left, right }) => {
    const order =
      left.map((one, at) => (descending[at] === true ? -1 : 1) * compare(one, right[at])).find(Boolean) ?? 0;
    assert.equal(Math.sign(compareBytes(keyOf(left, descending), keyOf(right, descending))), order);
  });
  fc.assert(property, { numRuns: thinned(10_000) });
});

test('the beginning of a tuple is the beginning of the keys of its tuples, and of no others', () => {
  const property = fc.property(pair, fc.nat({ max: 3 }), ({ descending, left, right }, length) => {
    const isSame = left.slice(0, length).every((one, at) => one === right[at]);
    assert.equal(keyOf(right, descending).startsWith(keyOf(left.slice(0, length), descending)), isSame);
  });
  fc.assert(property, { numRuns: thinned(10_000) });
});

/** Texts around the length at which a value is cut, that differ at their ends. */
const longText = fc
  .tuple(fc.constantFrom('a', 'é', '😀', '\u0001'), fc.integer({ min: 112, max: 122 }), shortText)
  .map(([filling, bytes, end]) => filling.repeat(Math.ceil(bytes / Buffer.byteLength(filling))) + end);
const anyText = fc.oneof(shortText, longText);

test('a range leaves out no value that belongs to it, and every record without a value', () => {
  const property = fc.property(anyText, anyText, fc.boolean(), (bound, stored, descending) => {
    const order = { descending };
    const isIn = (key: string, range: { readonly after: string; readonly through: string | undefined }): boolean =>
      compareBytes(key, range.after) > 0 &&
      (range.through === undefined || compareBytes(key, range.through + afterAll) < 0);
    const key = tuplePart(stored, order);
    const [from, to] = [
      tupleRange({ from: bound, to: undefined }, order),
      tupleRange({ from: undefined, to: bound }, order),
    ];
    if (compare(stored, bound) >= 0) assert.ok(isIn(key, from));
    if (compare(stored, bound) <= 0) assert.ok(isIn(key, to));
    for (const range of [from, to]) assert.ok(!isIn(tuplePart(undefined, order), range));
  });
  fc.assert(property, { numRuns: thinned(10_000) });
});

test('long values are cut without losing their order, and one said to be alone shares its part with no other', () => {
  const property = fc.property(anyText, anyText, fc.boolean(), (left, right, descending) => {
    const [one, other] = [tuplePart(left, { descending }), tuplePart(right, { descending })];
    if (one === other) assert.ok(left === right || !(isAloneInTuple(left) || isAloneInTuple(right)));
    else assert.equal(Math.sign(compareBytes(one, other)), (descending ? -1 : 1) * compare(left, right));
  });
  fc.assert(property, { numRuns: thinned(10_000) });
});

test('four of the longest parts and an id keep within what a key may have', () => {
  for (const filling of ['a', '\u0001', '😀', '\uffff']) {
    const part = tuplePart(filling.repeat(2000), { descending: true });
    assert.ok(4 * Buffer.byteLength(part) + 36 <= 1024);
  }
});

function compare(left: string | undefined, right: string | undefined): number {
  if (left === undefined || right === undefined) return Number(left !== undefined) - Number(right !== undefined);
  return Math.sign(Buffer.compare(Buffer.from(left), Buffer.from(right)));
}
