import assert from 'node:assert/strict';
import { test } from 'node:test';
import { revocationSentences, stateSentence } from './words.ts';

const times = { created_at: '2026-11-26T22:00:00.000Z', signs_from: '2026-11-26T22:10:00.000Z' };
const signing = { kid: 'one', state: 'signing', ...times } as const;
const waiting = { kid: 'two', state: 'published', ...times } as const;
const retiring = { kid: 'three', state: 'retiring', ...times, verifies_until: '2026-11-28T22:20:00.000Z' } as const;

test('each state says what the key does and until when', () => {
  assert.match(stateSentence(signing), /signs every new token, since 2026-11-26 22:10 UTC\./);
  assert.match(stateSentence(waiting), /signs from 2026-11-26 22:10 UTC on\./);
  assert.match(stateSentence(retiring), /accepted until 2026-11-28 22:20 UTC; then the platform deletes the key\./);
});

test('a revocation says whose tokens end and which key signs then', () => {
  const keys = [signing, waiting, retiring];
  assert.match(revocationSentences(signing, [signing]).join(' '), /Every token .* ends at once.* A new key is made/s);
  assert.match(revocationSentences(signing, keys).join(' '), /The key two, which waits, signs at once/);
  assert.match(revocationSentences(retiring, keys).join(' '), /Every token .* The key that signs now is not touched/s);
  assert.match(revocationSentences(waiting, keys).join(' '), /^It has signed nothing yet, so no token ends/);
});
