import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareBytes } from '../../lib/byte-order.ts';
import type { KeyBounds } from '../key-bounds.ts';
import { textBounds } from './rows.ts';

const stored = fc.string({ unit: fc.constantFrom('\u0001', '\u0002', 'a', 'é', '😀'), maxLength: 4 });
const bound = fc.string({ unit: fc.constantFrom('\0', '\u0001', '\u0002', 'a', 'é', '😀'), maxLength: 4 });

test('bounds without U+0000 hold the same texts without U+0000 as the bounds that were asked for', () => {
  const anyRequest = fc.record({ from: bound, isFromIncluded: fc.boolean(), to: fc.option(bound, { nil: undefined }) });
  fc.assert(
    fc.property(anyRequest, stored, (bounds, text) => {
      const { from, to } = textBounds(bounds);
      assert.ok(!`${from}${to}`.includes('\0'));
      const isIn = compareBytes(text, from) >= 0 && (to === undefined || compareBytes(text, to) < 0);
      assert.equal(isIn, isBetween(text, bounds));
    }),
    { numRuns: 3000 },
  );
});

function isBetween(text: string, { from, isFromIncluded, to }: KeyBounds): boolean {
  const atFrom = compareBytes(text, from);
  return (isFromIncluded ? atFrom >= 0 : atFrom > 0) && (to === undefined || compareBytes(text, to) < 0);
}
