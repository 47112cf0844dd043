import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPacer } from './fair-scheduler.ts';

/** Background work on a clock of its own; `callsOf` says how many calls come in a time. */
function workplace(callsOf: (from: number, until: number) => number, atOnce = 0) {
  let [now, calls] = [0, 0];
  const pass = (milliseconds: number): void => {
    calls += callsOf(now, now + milliseconds);
    now += milliseconds;
  };
  const pauses: number[] = [];
  const parts = {
    now: () => now,
    callsStarted: () => calls,
    pause: async (milliseconds: number) => {
      pauses.push(milliseconds);
      pass(milliseconds);
    },
  };
  const pace = createPacer(parts, atOnce);
  const step = async (milliseconds: number): Promise<void> => {
    pass(milliseconds);
    await pace();
  };
  return { step, pauses, now: () => now };
}

test('work that meets no call never pauses', async () => {
  const { step, pauses } = workplace(() => 0);
  for (let steps = 0; steps < 10; steps++) await step(20);
  assert.deepEqual(pauses, []);
});

test('under permanent load work has a seventh of the time, and comes to its end', async () => {
  const { step, now } = workplace((from, until) => until - from);
  for (let steps = 0; steps < 10; steps++) await step(20);
  assert.equal(now(), 10 * 7 * 20);
});

test('work goes on as soon as no call has come for as long as its step took', async () => {
  const { step, pauses } = workplace((from) => (from < 50 ? 1 : 0));
  for (let steps = 0; steps < 4; steps++) await step(20);
  assert.deepEqual(pauses, [20, 20, 20]);
});

test('a call now and then delays work by one pause', async () => {
  const { step, pauses } = workplace((from, until) => Math.floor(until / 100) - Math.floor(from / 100));
  for (let steps = 0; steps < 10; steps++) await step(10);
  assert.deepEqual(pauses, [10]);
});

test('after a long step pauses are bounded', async () => {
  const { step, pauses } = workplace((from, until) => until - from);
  await step(60_000);
  assert.deepEqual(pauses, Array(6).fill(250));
});

test('work that is soon done never pauses, and longer work does after that', async () => {
  const { step, pauses } = workplace((from, until) => until - from, 100);
  for (let steps = 0; steps < 5; steps++) await step(20);
  assert.deepEqual(pauses, []);
  await step(20);
  assert.deepEqual(pauses, Array(6).fill(20));
});
