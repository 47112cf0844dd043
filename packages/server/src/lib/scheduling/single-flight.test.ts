import assert from 'node:assert/strict';
import { test } from 'node:test';
import { singleFlight } from './single-flight.ts';

test('shares one run among concurrent calls of one key, and starts again afterwards', async () => {
  const fly = singleFlight<string, number>();
  const gate = Promise.withResolvers<void>();
  let runs = 0;
  const work = async () => {
    runs += 1;
    await gate.promise;
    return runs;
  };
  const calls = [fly('a', work), fly('a', work), fly('a', work)];
  assert.equal(runs, 1);
  gate.resolve();
  assert.deepEqual(await Promise.all(calls), [1, 1, 1]);
  assert.equal(await fly('a', work), 2);
});

test('keeps different keys apart', async () => {
  const fly = singleFlight<string, string>();
  const results = await Promise.all(['a', 'b', 'a'].map((key) => fly(key, async () => key)));
  assert.deepEqual(results, ['a', 'b', 'a']);
});

test('gives a failure to all who wait and forgets it, also when the work throws before its first await', async () => {
  const fly = singleFlight<string, number>();
  const failures: (() => Promise<number>)[] = [
    () => Promise.reject(new Error('no')),
    () => {
      throw new Error('no');
    },
  ];
  for (const work of failures) {
    const both = await Promise.allSettled([fly('a', work), fly('a', work)]);
    assert.deepEqual(
      both.map((result) => result.status),
      ['rejected', 'rejected'],
    );
    assert.equal(await fly('a', async () => 7), 7);
  }
});
