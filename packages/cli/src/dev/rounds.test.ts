import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRounds } from './rounds.ts';

/** Lets promises that have settled be noticed. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test('many changes are one round, after a moment of quiet', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const rounds: (readonly string[])[] = [];
  const { ask } = createRounds(async (kinds) => {
    rounds.push([...kinds]);
  });
  ask('config');
  t.mock.timers.tick(149);
  ask('seeds');
  t.mock.timers.tick(149);
  assert.deepEqual(rounds, []);
  t.mock.timers.tick(1);
  await settled();
  assert.deepEqual(rounds, [['config', 'seeds']]);
});

test('a change during a round makes one more round, which begins after it', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const ends: (() => void)[] = [];
  const { ask } = createRounds(() => new Promise((resolve) => ends.push(resolve)));
  ask('config');
  t.mock.timers.tick(150);
  for (let change = 0; change < 5; change += 1) {
    ask('config');
    t.mock.timers.tick(150);
  }
  assert.equal(ends.length, 1);
  ends[0]?.();
  await settled();
  t.mock.timers.tick(150);
  assert.equal(ends.length, 2);
});

test('a stop waits for the round at work, and no round follows', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let end = () => {};
  let started = 0;
  const { ask, stop } = createRounds(() => {
    started += 1;
    return new Promise((resolve) => {
      end = resolve;
    });
  });
  ask('config');
  t.mock.timers.tick(150);
  ask('config');
  const stopped = stop();
  end();
  await stopped;
  ask('config');
  t.mock.timers.tick(1_000);
  assert.equal(started, 1);
});
