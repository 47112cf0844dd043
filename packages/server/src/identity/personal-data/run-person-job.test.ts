import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../lib/problem.ts';
import { overtaken } from '../../store/transact.ts';
import type { JobRow } from './person-job.ts';
import type { Run, Step } from './run.ts';
import { afterFailure } from './run-person-job.ts';

const begun = { kind: 'merge', state: 'running', cursor: { phase: 'accounts' } } as JobRow;

function stepAfter(error: unknown, job: JobRow): Step {
  return afterFailure({ deps: { clock: { now: () => 0 } }, job } as unknown as Run, error);
}

test('a step among the accounts that others overtake is tried again where it was, and fails when it is never done', () => {
  let step: Step = { job: begun };
  for (let waits = 1; waits <= 60; waits++) {
    step = stepAfter(overtaken(), step.job);
    assert.deepEqual(step, { job: { ...begun, waits }, isWaiting: true });
  }
  assert.equal(stepAfter(overtaken(), step.job).job.state, 'failed');
});

test('what is refused fails the job at once, and what is no refusal is left to the queue', () => {
  const { job } = stepAfter(new Problem('last_admin', 'it is the last one'), begun);
  assert.deepEqual([job.state, job.error?.code], ['failed', 'last_admin']);
  const fault = new TypeError('no');
  assert.throws(() => stepAfter(fault, begun), fault);
});
