import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { thinned } from '../../store/testing/quick.ts';
import { matchesSearch, readSearch, searchTerms } from './words.ts';

function finds(q: string, ...values: readonly string[]): boolean {
  const query = readSearch(q);
  assert.ok(typeof query === 'object', String(query));
  return matchesSearch(query, searchTerms(values));
}

test('all words must be there, the last as a beginning', () => {
  assert.deepEqual(readSearch('Red Red Sho'), { words: ['red'], prefix: 'sho' });
  assert.equal(finds('red sho', 'Red shoes'), true);
  assert.equal(finds('sho red', 'Red shoes'), false);
  assert.equal(finds('shoes re', 'Red', 'shoes'), true);
  assert.equal(finds('red blue', 'Red shoes'), false);
  assert.equal(finds('STRASSE', 'Am Straßenrand'), true);
});

test('one word to ten are taken', () => {
  assert.equal(readSearch(''), 'needs at least one word');
  assert.equal(readSearch(' -*- '), 'needs at least one word');
  assert.equal(typeof readSearch('a b c d e f g h i j'), 'object');
  assert.equal(readSearch('a b c d e f g h i j k'), 'takes at most 10 words');
});

test('a text is found by itself in any case, and by all that it begins with', () => {
  const letters = [...'aZ09éßÉẞΣςйИ각ﬁİı\u0301\u00ad', ' ', '.', "'", '-', '😀'];
  const text = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 30 });
  const property = fc.property(text, fc.nat(), (whole, seed) => {
    const characters = Array.from(whole);
    const typed = characters.slice(0, 1 + (seed % characters.length)).join('');
    for (const q of [typed, typed.toUpperCase(), typed.normalize('NFC')])
      if (typeof readSearch(q) === 'object') assert.equal(finds(q, whole), true, q);
  });
  fc.assert(property, { numRuns: thinned(2000) });
});
