import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createFairSlots } from './fair-slots.ts';

function slots(limits: { readonly perOrg: number; readonly perNode: number; readonly waitingPerOrg: number }) {
  const fair = createFairSlots({ ...limits, what: 'calls' });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (org: string, name: string, signal?: AbortSignal) =>
    fair.run(
      org,
      () => {
        started.push(name);
        const { promise, resolve } = Promise.withResolvers<void>();
        ends.set(name, resolve);
        return promise.then(() => name);
      },
      signal,
    );
  const end = async (name: string) => {
    ends.get(name)?.();
    await turn();
  };
  return { run, end, started };
}

test('orgs take turns, and no org has more than its share', async () => {
  const { run, end, started } = slots({ perOrg: 2, perNode: 3, waitingPerOrg: 10 });
  const requested = [
    ...['a1', 'a2', 'a3', 'a4'].map((name) => run('a', name)),
    ...['b1', 'b2'].map((name) => run('b', name)),
    run('c', 'c1'),
  ];
  assert.deepEqual(started, ['a1', 'a2', 'b1']);
  await end('b1');
  assert.deepEqual(started.slice(3), ['b2']);
  await end('a1');
  assert.deepEqual(started.slice(4), ['a3']);
  await end('a3');
  assert.deepEqual(started.slice(5), ['c1']);
  for (const name of ['a2', 'b2', 'c1', 'a4']) await end(name);
  assert.deepEqual(await Promise.all(requested), ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']);
});

test('more than may wait is refused, and of that org alone', async () => {
  const { run, end, started } = slots({ perOrg: 1, perNode: 2, waitingPerOrg: 1 });
  const first = run('a', 'a1');
  const second = run('a', 'a2');
  await assert.rejects(run('a', 'a3'), { code: 'rate_limited' });
  const other = run('b', 'b1');
  assert.deepEqual(started, ['a1', 'b1']);
  for (const name of ['a1', 'a2', 'b1']) await end(name);
  assert.deepEqual(await Promise.all([first, second, other]), ['a1', 'a2', 'b1']);
});

test('what waits gives up when it is told to, and what failed leaves its place', async () => {
  const { run, end, started } = slots({ perOrg: 1, perNode: 1, waitingPerOrg: 10 });
  const first = run('a', 'a1');
  const giving = new AbortController();
  const second = run('a', 'a2', giving.signal);
  giving.abort(new Error('too late'));
  await assert.rejects(second, { message: 'too late' });
  await assert.rejects(run('a', 'a3', giving.signal), { message: 'too late' });
  await end('a1');
  assert.deepEqual([await first, started], ['a1', ['a1']]);
  const fair = createFairSlots({ perOrg: 1, perNode: 1, waitingPerOrg: 1, what: 'calls' });
  await assert.rejects(
    fair.run('a', () => Promise.reject(new Error('broken'))),
    { message: 'broken' },
  );
  assert.equal(await fair.run('a', async () => 'next'), 'next');
});
