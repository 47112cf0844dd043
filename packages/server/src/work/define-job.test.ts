import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineJob } from './job.ts';

/** A job of so many steps, each of which takes so long or ends otherwise. */
function jobOf(steps: readonly (number | 'wait' | 'over')[]) {
  let now = 1_800_000_000_000;
  const started = now;
  const space = { clock: { now: () => now } };
  const log: string[] = [];
  let done = 0;
  const job = defineJob({
    name: 'count',
    begin: (_space: typeof space, work: { readonly id: string }) => ({
      row: async () => (done < steps.length ? done : undefined),
      step: async (row: number, { isLate }) => {
        log.push(`${work.id} ${row}${isLate() ? ' late' : ''}`);
        done += 1;
        const step = steps[row] ?? 'over';
        if (typeof step === 'string') return step;
        now += step;
        return 'more';
      },
    }),
  });
  const run = async (renewLease = async (): Promise<void> => undefined) => {
    const at = await job.run(space, { id: 'w' }, renewLease);
    return at === undefined ? undefined : at - started;
  };
  return { run, log };
}

test('a job goes on from its row until nothing is left, and comes back when its turn is over', async () => {
  const { run, log } = jobOf([6000, 4000, 9999, 1, 1]);
  assert.deepEqual([await run(), await run(), await run()], [10_000, 20_000, undefined]);
  assert.deepEqual(log, ['w 0', 'w 1', 'w 2', 'w 3', 'w 4']);
});

test('a job that others are in the way of looks again a second later, and one that is over does no more', async () => {
  const { run, log } = jobOf([1, 'wait', 'over', 1]);
  assert.deepEqual([await run(), await run()], [1001, undefined]);
  assert.deepEqual(log, ['w 0', 'w 1', 'w 2']);
});

test('a job that has lost its lease begins no step', async () => {
  const { run, log } = jobOf([1, 1]);
  const lost = new Error('another process has taken over');
  let renewals = 0;
  const renewLease = async () => {
    if (++renewals === 2) throw lost;
  };
  await assert.rejects(run(renewLease), lost);
  assert.deepEqual(log, ['w 0']);
});
