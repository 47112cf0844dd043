import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { type OpenedStore, type Store, Unavailable } from '../store/port.ts';
import { openStore } from '../store/testing/open-store.ts';
import { type Job, working } from './job.ts';
import { WorkQueue } from './work-queue.ts';

type Handler = (...args: Parameters<Job['run']>) => Promise<void>;

/** A store with work in it, and runners on it that the test wakes. */
async function workplace() {
  let now = 1_800_000_000_000;
  const clock = { now: () => now };
  const opened = await openStore({ kind: 'memory', clock });
  const errors: unknown[] = [];
  const run = (handler: Handler, space: OpenedStore = opened, isParallel = false) => {
    const onError = (error: unknown) => errors.push(error);
    const runner = new WorkQueue({ queue: 'work', spaces: [space], clock, onError, atOnce: isParallel ? 10 : 1 });
    const job: Job = {
      name: 'job',
      run: async (...args) => {
        await handler(...args);
        return undefined;
      },
    };
    runner.begin(working([job], { nodeId: 'one', clock }));
    return runner;
  };
  const give = (name: string, job = 'job') => {
    const value = JSON.stringify({ job, name });
    const due = { at: now, queue: 'work' } as const;
    return opened.store.scope('s').commit([{ kind: 'put', pk: 'work', sk: name, value, if: 'any', due }]);
  };
  const due = async () => (await opened.maintenance.due('work', now, 100)).map(({ item }) => item.sk);
  const left = async () => (await opened.store.scope('s').range('work', { limit: 100 })).map(({ sk }) => sk);
  return { opened, clock, errors, run, give, due, left, advance: (milliseconds: number) => (now += milliseconds) };
}

/** Waits, a turn of the event loop at a time, until something has come true. */
async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (let turns = 0; turns < 1000; turns++) {
    if (await isTrue()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.fail('it did not come true');
}

const nameOf = (work: unknown): string => (work as { readonly name: string }).name;

test('every piece of work that is due is done once and removed, also more than one look finds', async () => {
  const { run, give, left, errors } = await workplace();
  const names = Array.from({ length: 25 }, (_, index) => `w${String(index).padStart(2, '0')}`);
  for (const name of names) await give(name);
  const done: string[] = [];
  const runner = run(async (_space, work) => void done.push(nameOf(work)));
  runner.wake();
  await until(async () => (await left()).length === 0);
  assert.deepEqual(done.toSorted(), names);
  assert.deepEqual(errors, []);
  await runner.close();
});

test('a parallel runner does at most ten at once, each once, and a failing job keeps none from its end', async () => {
  const { opened, run, give, left, errors } = await workplace();
  const names = Array.from({ length: 25 }, (_, index) => `w${String(index).padStart(2, '0')}`);
  for (const name of names) await give(name);
  const done: string[] = [];
  let gate = Promise.withResolvers<void>();
  const started: string[] = [];
  const handler: Handler = async (_space, work) => {
    started.push(nameOf(work));
    await gate.promise;
    if (nameOf(work) === 'w24') throw new Error('broken');
    done.push(nameOf(work));
  };
  const runner = run(handler, opened, true);
  runner.wake();
  for (const count of [10, 20, 25]) {
    await until(() => started.length === count);
    await until(() => true);
    assert.equal(started.length, count);
    const { resolve } = gate;
    gate = Promise.withResolvers<void>();
    resolve();
  }
  await until(() => errors.length === 1 && done.length === 24);
  assert.deepEqual(done.toSorted(), names.slice(0, 24));
  await runner.close();
  assert.deepEqual(await left(), ['w24']);
});

test('work whose time has not come is left', async () => {
  const { run, give, due, advance } = await workplace();
  advance(1000);
  await give('later');
  advance(-1000);
  const runner = run(() => assert.fail('too early'));
  runner.wake();
  await runner.close();
  assert.deepEqual(await due(), []);
});

test('work is found by itself at the next turn', async () => {
  mock.timers.enable({ apis: ['setInterval'] });
  const { run, give, left } = await workplace();
  const runner = run(async () => undefined);
  await give('w');
  mock.timers.tick(1000);
  mock.timers.reset();
  await until(async () => (await left()).length === 0);
  await runner.close();
});

test('a failed job is reported and done again when its lease has run out, and keeps nothing else from being done', async () => {
  const { run, give, left, due, errors, advance } = await workplace();
  for (const name of ['bad', 'good']) await give(name);
  const tries: string[] = [];
  const runner = run(async (_space, work) => {
    tries.push(nameOf(work));
    if (nameOf(work) === 'bad' && tries.length < 3) throw new Error('broken');
  });
  runner.wake();
  await until(() => tries.length === 2 && errors.length === 1);
  advance(29_999);
  assert.deepEqual(await due(), []);
  advance(1);
  runner.wake();
  await until(async () => (await left()).length === 0);
  assert.deepEqual(tries, ['bad', 'good', 'bad']);
  assert.match(String(errors[0]), /broken/);
  await runner.close();
});

test('unknown or unreadable work is reported and kept', async () => {
  const { opened, run, give, left, errors } = await workplace();
  await give('unknown', 'no-such-job');
  const broken = {
    kind: 'put',
    pk: 'work',
    sk: 'broken',
    value: '{',
    if: 'any',
    due: { at: 0, queue: 'work' },
  } as const;
  await opened.store.scope('s').commit([broken]);
  const runner = run(() => assert.fail('not for this handler'));
  runner.wake();
  await until(() => errors.length === 2);
  await runner.close();
  assert.deepEqual(await left(), ['broken', 'unknown']);
});

test('two processes do not do one piece of work at a time, and it passes to the other when the lease runs out', async () => {
  const { run, give, left, errors, advance } = await workplace();
  const gate = Promise.withResolvers<void>();
  const log: string[] = [];
  const slow = run(async (_space, _work, renewLease) => {
    log.push('slow begins');
    await gate.promise;
    await renewLease().catch((error: unknown) => {
      log.push('slow is logged');
      throw error;
    });
    log.push('slow goes on');
  });
  const other = run(async () => void log.push('other does it'));
  await give('w');
  slow.wake();
  await until(() => log.length === 1);
  other.wake();
  advance(29_999);
  other.wake();
  await until(async () => true);
  assert.deepEqual(log, ['slow begins']);
  advance(1);
  other.wake();
  await until(async () => (await left()).length === 0);
  gate.resolve();
  await until(() => log.length === 3);
  await slow.close();
  await other.close();
  assert.deepEqual(log, ['slow begins', 'other does it', 'slow is logged']);
  assert.deepEqual(errors, []);
});

test('a job that says it is still at work keeps its lease', async () => {
  const { run, give, due, left, advance } = await workplace();
  const steps: number[] = [];
  const runner = run(async (_space, _work, renewLease) => {
    for (let step = 0; step < 8; step++) {
      advance(20_000);
      await renewLease();
      steps.push((await due()).length);
    }
  });
  await give('w');
  runner.wake();
  await until(async () => (await left()).length === 0);
  assert.deepEqual(steps, Array(8).fill(0));
  await runner.close();
});

test('a runner that is closed lets its job stop between two steps, and the work is due for the next one at once', async () => {
  const { run, give, due, left, errors } = await workplace();
  const started = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const runner = run(async (_space, _work, renewLease) => {
    started.resolve();
    await gate.promise;
    await renewLease();
    assert.fail('it was to stop');
  });
  for (const name of ['a', 'b']) await give(name);
  runner.wake();
  await started.promise;
  const closing = runner.close();
  gate.resolve();
  await closing;
  assert.deepEqual((await due()).toSorted(), ['a', 'b']);
  runner.wake();
  assert.deepEqual(await left(), ['a', 'b']);
  assert.deepEqual(errors, []);
});

test('a runner that is closed gives nothing back that another process has taken over', async () => {
  const { run, give, left, errors, advance } = await workplace();
  const started = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const runner = run(async (_space, _work, renewLease) => {
    started.resolve();
    await gate.promise;
    await renewLease();
  });
  await give('w');
  runner.wake();
  await started.promise;
  advance(30_000);
  const other = run(async () => undefined);
  other.wake();
  await until(async () => (await left()).length === 0);
  const closing = runner.close();
  gate.resolve();
  await closing;
  await other.close();
  assert.deepEqual([await left(), errors], [[], []]);
});

test('while the store takes no commits the queue waits for its next turn, and does not try on and on', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { opened, run, give, errors } = await workplace();
  for (let index = 0; index < 12; index++) await give(`w${index}`);
  const failing: Store = {
    ...opened.store,
    scope: (name) => ({
      ...opened.store.scope(name),
      commit: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        throw new Unavailable('the disk is full');
      },
    }),
  };
  const runner = run(async () => undefined, { ...opened, store: failing });
  t.after(() => runner.close());
  runner.wake();
  await until(() => errors.length === 10);
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(errors.length, 10);
});

test('work that takes the place of work being done is done as well', async () => {
  const { run, give, left, errors, advance } = await workplace();
  let times = 0;
  const runner = run(async () => {
    times += 1;
    if (times > 1) return;
    await give('w');
    runner.wake();
  });
  await give('w');
  runner.wake();
  await until(() => times === 2);
  await runner.close();
  advance(30_000);
  assert.deepEqual([await left(), errors], [[], []]);
});

test('a wake-up while work is done is not lost', async () => {
  const { run, give, left } = await workplace();
  const done: string[] = [];
  const runner = run(async (_space, work) => {
    done.push(nameOf(work));
    if (done.length === 1) await give('second');
    runner.wake();
  });
  await give('first');
  runner.wake();
  await until(async () => (await left()).length === 0);
  assert.deepEqual(done, ['first', 'second']);
  await runner.close();
});

test('a piece of work names who is at it and until when, and its job sees nothing of that', async () => {
  const { opened, run, give, left, advance } = await workplace();
  const rows = async () =>
    (await opened.store.scope('s').range('work', { limit: 10 })).map(({ value, due }) => [value, due?.at]);
  const started = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const seen: unknown[] = [];
  const dies = run(async (_space, work) => {
    seen.push(work);
    started.resolve();
    await gate.promise;
  });
  await give('w');
  dies.wake();
  await started.promise;
  const end = 1_800_000_030_000;
  const text = (leased: object) => JSON.stringify({ job: 'job', name: 'w', leased });
  assert.deepEqual(await rows(), [[text({ by: 'one', until: end }), end]]);
  advance(30_000);
  const other = run(async (_space, work) => void seen.push(work));
  other.wake();
  await until(async () => (await left()).length === 0);
  gate.resolve();
  await Promise.all([dies.close(), other.close()]);
  assert.deepEqual(seen, [
    { job: 'job', name: 'w' },
    { job: 'job', name: 'w' },
  ]);
});

test('work of one space that comes back at once keeps none of another space waiting', async () => {
  const { opened, clock, give, errors } = await workplace();
  const other = await openStore({ kind: 'memory', clock });
  const onError = (error: unknown) => errors.push(error);
  const queue = new WorkQueue({ queue: 'work', spaces: [opened, other], clock, onError, atOnce: 1 });
  const log: string[] = [];
  const run: Job['run'] = async (space) => {
    log.push(space === other ? 'other' : 'first');
    return log.length < 8 ? clock.now() : undefined;
  };
  queue.begin(working([{ name: 'job', run }], { nodeId: 'one', clock }));
  await give('w');
  const due = { at: 0, queue: 'work' } as const;
  const value = JSON.stringify({ job: 'job' });
  await other.store.scope('s').commit([{ kind: 'put', pk: 'work', sk: 'w', value, if: 'any', due }]);
  queue.wake();
  await until(() => log.length === 9);
  await queue.close();
  assert.deepEqual(log.slice(0, 4), ['first', 'other', 'first', 'other']);
  assert.deepEqual(errors, []);
});
