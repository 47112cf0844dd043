import assert from 'node:assert/strict';
import { test } from 'node:test';
import { growing, pauseAfter, type RetryPauses } from './send.ts';

const listed: RetryPauses = { after: (attempts) => [5000, 60_000][attempts - 1] };
const drawn: RetryPauses = { after: growing(800, 3, 5000), between: (most) => [300, most] };

test('pauses of a list come in their order, and after the last there is none', () => {
  assert.deepEqual(
    [1, 2, 3].map((attempts) => pauseAfter(listed, attempts)),
    [5000, 60_000, undefined],
  );
});

test('pauses that grow lie between the shortest and one that grows up to a bound', () => {
  const range = (attempts: number) => [0, 0.5, 1].map((random) => pauseAfter(drawn, attempts, random));
  assert.deepEqual([1, 2, 3, 40].map(range), [
    [300, 550, 800],
    [300, 1350, 2400],
    [300, 2650, 5000],
    [300, 2650, 5000],
  ]);
});

test('a receiver may ask for a longer pause, of six hours at most, and for none where there is no further attempt', () => {
  assert.equal(pauseAfter(listed, 1, 0, 4), 5000);
  assert.equal(pauseAfter(listed, 1, 0, 6), 6000);
  assert.equal(pauseAfter(drawn, 1, 1, 1_000_000), 6 * 3600 * 1000);
  assert.equal(pauseAfter(listed, 3, 0, 6), undefined);
});
