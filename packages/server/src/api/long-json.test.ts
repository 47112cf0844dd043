import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jsonPieces } from './long-json.ts';

test('the pieces of a value are its text together, however deep it is taken apart', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 12 }), fc.nat(12), (value, depth) => {
      assert.equal([...jsonPieces(value, depth)].join(''), JSON.stringify(value));
    }),
  );
});

test('a member that is undefined is left out, wherever it stands', () => {
  for (const value of [{ a: undefined }, { a: undefined, b: 1 }, { a: 1, b: undefined }, [{ a: undefined }]])
    assert.equal([...jsonPieces(value)].join(''), JSON.stringify(value));
});

test('no piece has more than one of the elements that may be large', () => {
  const content = 'x'.repeat(1000);
  const items = Array.from({ length: 50 }, () => ({ diff: [{ changes: [{ op: 'add', value: { content } }] }] }));
  assert.ok([...jsonPieces({ items })].every(({ length }) => length < 1200));
});
