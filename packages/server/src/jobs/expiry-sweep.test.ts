import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { openStore } from '../store/open-store.ts';
import { startExpirySweep } from './expiry-sweep.ts';

async function sweptStore() {
  let now = 1_800_000_000_000;
  const clock = { now: () => now };
  const opened = await openStore({ kind: 'memory', clock });
  const errors: unknown[] = [];
  const put = (scope: string, sk: string, at: number, queue: 'expire' | 'work' = 'expire') =>
    opened.store.scope(scope).commit([{ kind: 'put', pk: 'p', sk, value: '1', if: 'any', due: { at, queue } }]);
  const stored = async (scope: string) => (await opened.maintenance.scan(scope, undefined, 1000)).map(({ sk }) => sk);
  /** Lets one turn of the sweep pass, to its end. */
  const sweep = async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    const running = startExpirySweep({ spaces: [opened], clock, onError: (error) => errors.push(error) });
    mock.timers.tick(60_000);
    mock.timers.reset();
    await running.close();
  };
  return {
    opened,
    errors,
    put,
    stored,
    sweep,
    now: () => now,
    advance: (milliseconds: number) => (now += milliseconds),
  };
}

test('what has expired is removed, everything else is left', async () => {
  const { put, stored, sweep, now, errors } = await sweptStore();
  await put('s', 'past', now() - 1);
  await put('s', 'now', now());
  await put('s', 'future', now() + 1);
  await put('s', 'work', now() - 1, 'work');
  await put('t', 'past', now() - 1);
  await sweep();
  assert.deepEqual([await stored('s'), await stored('t'), errors], [['future', 'work'], [], []]);
});

test('more than one step is removed in one turn', async () => {
  const { put, stored, sweep, now } = await sweptStore();
  for (let index = 0; index < 450; index++) await put('s', `k${index}`, now());
  await sweep();
  assert.deepEqual(await stored('s'), []);
});

test('what was written again on an expired key is spared', async () => {
  const { opened, put, stored, sweep, now } = await sweptStore();
  await put('s', 'again', now() - 1);
  const write = put('s', 'again', now() + 1000);
  await sweep();
  await write;
  assert.deepEqual(await stored('s'), ['again']);
  assert.equal((await opened.store.scope('s').get([{ pk: 'p', sk: 'again' }])).length, 1);
});

test('a scope that is closed does not keep the others from being swept', async () => {
  const { opened, put, stored, sweep, now, errors } = await sweptStore();
  for (let index = 0; index < 250; index++) await put('closed', `k${index}`, now() - 10);
  await put('open', 'past', now() - 1);
  await opened.maintenance.setState('closed', 'closed');
  await sweep();
  assert.deepEqual([await stored('open'), errors], [[], []]);
});
