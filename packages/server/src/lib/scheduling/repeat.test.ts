import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { repeat } from './repeat.ts';

test('turns never overlap, a failed one is reported and followed by the next, and the last is waited for', async () => {
  mock.timers.enable({ apis: ['setInterval'] });
  const turns: PromiseWithResolvers<void>[] = [];
  const errors: unknown[] = [];
  const turn = (): Promise<void> => {
    const next = Promise.withResolvers<void>();
    turns.push(next);
    return next.promise;
  };
  const repeated = repeat(turn, { milliseconds: 1000, onError: (error) => errors.push(error) });
  assert.equal(turns.length, 0);
  mock.timers.tick(3000);
  assert.equal(turns.length, 1);
  turns[0]?.reject('planted');
  await setImmediate();
  assert.deepEqual(errors, ['planted']);
  mock.timers.tick(1000);
  assert.equal(turns.length, 2);

  let isClosed = false;
  const closed = repeated.close().then(() => {
    isClosed = true;
  });
  await setImmediate();
  assert.equal(isClosed, false);
  turns[1]?.resolve();
  await closed;
  mock.timers.tick(5000);
  mock.timers.reset();
  assert.equal(turns.length, 2);
});
