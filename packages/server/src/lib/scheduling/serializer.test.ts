import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSerializer } from './serializer.ts';

test('runs the work of one key in its order, one at a time, also after a failure', async () => {
  const serialize = createSerializer<string>();
  const log: string[] = [];
  const work =
    (name: string, fails = false) =>
    async () => {
      log.push(`${name} begins`);
      await Promise.resolve();
      log.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    };
  const [first, second, third] = await Promise.allSettled([
    serialize('a', work('first')),
    serialize('a', work('second', true)),
    serialize('a', work('third')),
  ]);
  assert.deepEqual(log, ['first begins', 'first ends', 'second begins', 'second ends', 'third begins', 'third ends']);
  assert.deepEqual([first.status, second.status, third.status], ['fulfilled', 'rejected', 'fulfilled']);
});

test('lets the work of different keys run side by side', async () => {
  const serialize = createSerializer<string>();
  const gate = Promise.withResolvers<void>();
  const waiting = serialize('a', () => gate.promise);
  assert.equal(await serialize('b', async () => 'done'), 'done');
  gate.resolve();
  await waiting;
});
