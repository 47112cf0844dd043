import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Overtaken } from '../../../records/port.ts';
import { SteppedClock } from '../../../testing/record-bench.ts';
import { ContendedTransaction, TransactionQueue } from './run-transaction.ts';

const bounds = { attemptsMax: 10, attemptsBeside: 2, milliseconds: 10_000 };

function overtakenEachTime(): { attempts: number; readonly attempt: () => Promise<never> } {
  const counted = {
    attempts: 0,
    attempt: async () => {
      counted.attempts += 1;
      throw new Overtaken('by another');
    },
  };
  return counted;
}

test('a transaction that is overtaken is done ten times and then refused', async () => {
  const queue = new TransactionQueue(new SteppedClock());
  const counted = overtakenEachTime();
  await assert.rejects(queue.run('w', counted.attempt), ContendedTransaction);
  assert.equal(counted.attempts, 10);
  assert.equal(await queue.run('w', async () => 'done'), 'done');
});

test('it is not done again after ten seconds', async () => {
  const clock = new SteppedClock();
  const queue = new TransactionQueue(clock);
  const counted = overtakenEachTime();
  const attempt = () => {
    clock.advance(4000);
    return counted.attempt();
  };
  await assert.rejects(queue.run('w', attempt), { code: 'conflict' });
  assert.equal(counted.attempts, 3);
});

test('after the second time it waits for those of its workspace that wait, and for no others', async () => {
  const queue = new TransactionQueue(new SteppedClock(), bounds);
  const order: string[] = [];
  const first = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const contended = (name: string, key: string, third: () => Promise<void>) => {
    let attempts = 0;
    return queue.run(key, async () => {
      attempts += 1;
      if (attempts <= 2) throw new Overtaken('by another');
      await third();
      order.push(name);
    });
  };
  const one = contended('one', 'w', async () => {
    started.resolve();
    await first.promise;
  });
  await started.promise;
  const two = contended('two', 'w', async () => undefined);
  await contended('elsewhere', 'x', async () => undefined);
  await queue.run('w', async () => void order.push('beside'));
  first.resolve();
  await Promise.all([one, two]);
  assert.deepEqual(order, ['elsewhere', 'beside', 'one', 'two']);
});

test('the others of its workspace give way to one that is overtaken in its turn, and those of other workspaces do not', async () => {
  const queue = new TransactionQueue(new SteppedClock(), bounds);
  const order: string[] = [];
  const [started, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let attempts = 0;
  const pressed = queue.run('w', async () => {
    attempts += 1;
    if (attempts <= 3) throw new Overtaken('by another');
    started.resolve();
    await held.promise;
    order.push('pressed');
  });
  await started.promise;
  const late = queue.run('w', async () => void order.push('late'));
  await queue.run('x', async () => void order.push('elsewhere'));
  held.resolve();
  await Promise.all([pressed, late]);
  assert.deepEqual(order, ['elsewhere', 'pressed', 'late']);
});

test('one whose turn does not come in time is refused, and keeps no place of others', async () => {
  const clock = new SteppedClock();
  const queue = new TransactionQueue(clock, { ...bounds, milliseconds: 20 });
  const held = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  let attempts = 0;
  const holder = queue.run('w', async () => {
    attempts += 1;
    if (attempts <= 2) throw new Overtaken('by another');
    started.resolve();
    await held.promise;
  });
  await started.promise;
  const late = overtakenEachTime();
  await assert.rejects(queue.run('w', late.attempt), ContendedTransaction);
  assert.equal(late.attempts, 2);
  held.resolve();
  await holder;
  let others = 0;
  const other = async () => {
    others += 1;
    if (others <= 2) throw new Overtaken('by another');
    return 'done';
  };
  assert.equal(await queue.run('w', other), 'done');
});

test('what fails otherwise fails at once, and ends its turn', async () => {
  const queue = new TransactionQueue(new SteppedClock());
  for (const failing of [1, 3]) {
    let attempts = 0;
    const attempt = async () => {
      attempts += 1;
      throw attempts < failing ? new Overtaken('by another') : new TypeError('a fault');
    };
    await assert.rejects(queue.run('w', attempt), TypeError);
    assert.equal(attempts, failing);
  }
});
