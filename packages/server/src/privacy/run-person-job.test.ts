import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../lib/problem.ts';
import { overtaken } from '../store/transact.ts';
import type { PersonJobRun, PersonJobStep } from './person-data.ts';
import type { JobRow } from './person-job.ts';
import { afterFailure } from './run-person-job.ts';

const started = { kind: 'merge', state: 'running', cursor: { phase: 'accounts' } } as JobRow;

function stepAfter(error: unknown, job: JobRow): PersonJobStep {
  return afterFailure({ deps: { clock: { now: () => 0 } }, job } as unknown as PersonJobRun, error);
}

test('a step among the accounts that others overtake is tried again where it was, and fails when it is never done', () => {
  let step: PersonJobStep = { job: started };
  for (let waits = 1; waits <= 60; waits++) {
    step = stepAfter(overtaken(), step.job);
    assert.deepEqual(step, { job: { ...started, waits }, isWaiting: true });
  }
  assert.equal(stepAfter(overtaken(), step.job).job.state, 'failed');
});

test('what is refused fails the job at once, and what is no refusal is left to the queue', () => {
  const { job } = stepAfter(new Problem('last_admin', 'it is the last one'), started);
  assert.deepEqual([job.state, job.error?.code], ['failed', 'last_admin']);
  const fault = new TypeError('no');
  assert.throws(() => stepAfter(fault, started), fault);
});
