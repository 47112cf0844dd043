import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createKeyHolder, idleMinutes } from './key-holder.ts';

const minute = 60_000;

function unlockedHolder({ mock: { timers } }: TestContext) {
  timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 });
  const holder = createKeyHolder();
  const states: unknown[] = [];
  holder.subscribe(() => states.push(holder.state()));
  holder.unlock('the-key');
  return { holder, states, pass: (minutes: number) => timers.tick(minutes * minute), set: timers };
}

test('a holder is locked until it gets a key, and again once it is locked', (t) => {
  assert.equal(createKeyHolder().authorization(), undefined);
  const { holder, states } = unlockedHolder(t);
  assert.equal(holder.authorization(), 'Bearer the-key');
  holder.lock();
  assert.equal(holder.authorization(), undefined);
  holder.lock('refused');
  assert.deepEqual(states, [
    { isUnlocked: true, why: undefined },
    { isUnlocked: false, why: undefined },
  ]);
});

test('without use the key is gone after a quarter of an hour', (t) => {
  const { holder, pass } = unlockedHolder(t);
  pass(idleMinutes - 1);
  assert.equal(holder.state().isUnlocked, true);
  pass(1);
  assert.deepEqual(holder.state(), { isUnlocked: false, why: 'idle' });
  assert.equal(holder.authorization(), undefined);
});

test('each use begins the time again, and a call that the page repeats by itself does not', (t) => {
  const { holder, pass } = unlockedHolder(t);
  pass(10);
  holder.touch();
  pass(10);
  assert.equal(holder.authorization(), 'Bearer the-key');
  pass(5);
  assert.deepEqual(holder.state(), { isUnlocked: false, why: 'idle' });
});

test('a computer that has slept finds the key gone, also by its first touch', (t) => {
  for (const use of ['touch', 'authorization'] as const) {
    const { holder, set } = unlockedHolder(t);
    // The clock goes on while no timer fires.
    set.setTime(1_000_000 + 60 * minute);
    set.reset();
    t.mock.timers.enable({ apis: ['Date'], now: 1_000_000 + 60 * minute });
    assert.equal(holder[use](), undefined);
    assert.deepEqual(holder.state(), { isUnlocked: false, why: 'idle' });
    t.mock.timers.reset();
  }
});
