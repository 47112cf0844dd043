import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createCursors } from './cursor.ts';

const cursors = createCursors(new Uint8Array(32).fill(7));
const invalid = { code: 'invalid_cursor' };

test('a cursor opens to the position it was sealed with, under the same binding', () => {
  const property = fc.property(
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.array(fc.string({ maxLength: 5 })),
    (position, binding) => {
      assert.equal(cursors.open(cursors.seal(position, binding), binding), position);
    },
  );
  fc.assert(property);
});

test('a cursor with any one bit changed, cut short or made longer does not open', () => {
  const cursor = cursors.seal('order#018bcfe5', ['a', 'b']);
  const bytes = Buffer.from(cursor, 'base64url');
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    assert.throws(() => cursors.open(changed.toString('base64url'), ['a', 'b']), invalid, `bit ${bit}`);
  }
  for (let length = 0; length < cursor.length; length++)
    assert.throws(() => cursors.open(cursor.slice(0, length), ['a', 'b']), invalid, `length ${length}`);
  for (const end of ['A', 'AAAA', '=', '==', ' ', '\n', '.', '€'])
    assert.throws(() => cursors.open(cursor + end, ['a', 'b']), invalid, JSON.stringify(end));
});

test('a cursor has one spelling', () => {
  // 28 bytes and a position of 2 make 40 characters exactly; of 3 bytes the last character has bits to spare.
  const cursor = cursors.seal('abc', []);
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=';
  for (const last of alphabet.replace(cursor.at(-1) ?? '', ''))
    assert.throws(() => cursors.open(cursor.slice(0, -1) + last, []), invalid, last);
});

test('bindings that differ in any part, or only in where their parts begin, are different', () => {
  const cursor = cursors.seal('x', ['ab', 'c']);
  for (const binding of [[], ['ab'], ['ab', 'd'], ['a', 'bc'], ['ab', 'c', ''], ['c', 'ab'], ['ab,c']])
    assert.throws(() => cursors.open(cursor, binding), invalid);
});

test('a cursor of another key does not open, and text that is no cursor neither', () => {
  const other = createCursors(new Uint8Array(32).fill(8));
  assert.throws(() => other.open(cursors.seal('x', []), []), invalid);
  for (const text of ['', 'x', '__proto__', '\0', '€', 'A'.repeat(40), 'A'.repeat(100_000)])
    assert.throws(() => cursors.open(text, []), invalid);
});

test('a cursor does not show its position, and no two are the same', () => {
  const [one, other] = [cursors.seal('secret-value', []), cursors.seal('secret-value', [])];
  assert.notEqual(one, other);
  assert.ok(!Buffer.from(one, 'base64url').includes('secret'));
});
