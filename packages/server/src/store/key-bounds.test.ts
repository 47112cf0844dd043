import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareBytes } from '../lib/byte-order.ts';
import { prefixEnd } from './key-bounds.ts';
import { byBytes } from './testing/conformance/bench.ts';
import { nastyText } from './testing/conformance/text-arbitrary.ts';

test('orders texts as their UTF-8 bytes are ordered', () => {
  const sign = (left: string, right: string) => Math.sign(byBytes(left, right));
  fc.assert(
    fc.property(nastyText(), nastyText(), (left, right) => Math.sign(compareBytes(left, right)) === sign(left, right)),
  );
});

test('ends a prefix right behind every text that begins with it', () => {
  fc.assert(
    fc.property(nastyText(2), nastyText(3), (prefix, text) => {
      const end = prefixEnd(prefix);
      const isBetween = byBytes(text, prefix) >= 0 && (end === undefined || byBytes(text, end) < 0);
      return isBetween === text.startsWith(prefix) && (end === undefined || byBytes(prefix + text, end) < 0);
    }),
  );
});

test('ends a prefix at the edges of Unicode', () => {
  assert.equal(prefixEnd(''), undefined);
  assert.equal(prefixEnd('\u{10ffff}'), undefined);
  assert.equal(prefixEnd('a\u{10ffff}\u{10ffff}'), 'b');
  assert.equal(prefixEnd('\ud7ff'), '\ue000');
  assert.equal(prefixEnd('\uffff'), '\u{10000}');
});
