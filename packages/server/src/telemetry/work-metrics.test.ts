import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Conflict, ScopeClosed } from '../store/port.ts';
import { createWorkFacts } from './work-metrics.ts';

function factsAt(times: readonly number[]) {
  const left = [...times];
  const clock = { now: () => left.shift() ?? assert.fail('the clock was asked too often') };
  return createWorkFacts(clock, { failedIn: () => undefined });
}

const at = (milliseconds: number) => new Date(milliseconds).toISOString();

test('runs and failures are noted by job, and the error goes on', async () => {
  const facts = factsAt([1000, 2000, 3000, 4000, 5000]);
  const errors = [undefined, new Error('the disk is full'), new Conflict(0, 'condition'), new ScopeClosed()];
  const work = async (index: number) => {
    assert.equal(facts.all()[0]?.running, 1);
    if (errors[index] !== undefined) throw errors[index];
  };
  const [purge] = facts.watch('work')([
    { name: 'purge', run: work },
    { name: 'never', run: work },
  ]);
  for (const [index, error] of errors.entries()) {
    const run = purge?.run(index);
    if (error === undefined) await run;
    else await assert.rejects(async () => run, error);
  }
  const none = { running: 0, runs: 0, failures: 0, last_run_at: null, last_failure: null };
  const last_failure = { at: at(2000), name: 'Error', code: null, message: 'the disk is full' };
  assert.deepEqual(facts.all(), [
    { name: 'purge', queue: 'work', running: 0, runs: 4, failures: 1, last_run_at: at(5000), last_failure },
    { name: 'never', queue: 'work', ...none },
  ]);
});
