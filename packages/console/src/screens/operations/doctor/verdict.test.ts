import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verdictOf } from './verdict.ts';

const note = { kind: 'note', says: 'a note' } as const;

test('a verdict counts faults, and says when findings are missing', () => {
  assert.equal(verdictOf({ complete: true, faults: 0, items: [] }).title, 'No faults found');
  assert.match(verdictOf({ complete: true, faults: 0, items: [note] }).sentence, /Read the notes/);
  assert.equal(verdictOf({ complete: true, faults: 1, items: [] }).title, '1 fault found');
  assert.match(verdictOf({ complete: false, faults: 2, items: [] }).sentence, /findings are missing/);
  assert.equal(verdictOf({ complete: false, faults: 0, items: [] }).title, 'The look was not complete');
});
