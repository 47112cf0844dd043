import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { coalesce } from './single-flight.ts';

/** Work that ends when the test says so, and returns its number. */
function heldWork() {
  const ends: ((fails?: boolean) => void)[] = [];
  const ask = coalesce((key) => {
    const held = Promise.withResolvers<string>();
    const name = `${key}${ends.length}`;
    ends.push((fails = false) => (fails ? held.reject(new Error(name)) : held.resolve(name)));
    return held.promise;
  });
  return { ends, ask };
}

test('callers that come while work is in progress share the next run, which begins when that is over', async () => {
  const { ends, ask } = heldWork();
  const [first, second, third] = [ask('a'), ask('a'), ask('a')];
  assert.equal(ends.length, 1);
  ends[0]?.();
  assert.equal(await first, 'a0');
  await nextTurn();
  assert.equal(ends.length, 2);
  const fourth = ask('a');
  ends[1]?.();
  assert.deepEqual(await Promise.all([second, third]), ['a1', 'a1']);
  await nextTurn();
  ends[2]?.();
  assert.equal(await fourth, 'a2');
  assert.equal(ends.length, 3);
});

test('a run that fails fails for those who share it alone, and other work does not wait', async () => {
  const { ends, ask } = heldWork();
  const [first, second, other] = [ask('a'), ask('a'), ask('b')];
  assert.equal(ends.length, 2);
  ends[0]?.(true);
  await assert.rejects(first, { message: 'a0' });
  await nextTurn();
  ends[2]?.();
  assert.equal(await second, 'a2');
  ends[1]?.();
  assert.equal(await other, 'b1');
  const after = ask('a');
  ends[3]?.();
  assert.equal(await after, 'a3');
});
