import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addUpMetrics } from './add-up.ts';
import { createMetrics } from './metrics.ts';
import { recordBackups } from './work-metrics.ts';

/** What one thread shows of so many calls. */
function textOf(calls: number, delay: number): string {
  const metrics = createMetrics();
  const seconds = metrics.histogram({ name: 'call_seconds', help: 'Calls.' }, [1]);
  const failures = metrics.counter({ name: 'failures_total', help: 'Failures.' });
  metrics.asked({ name: 'lag_seconds', help: 'Lag.', type: 'gauge' }, () => [{ value: delay }]);
  metrics.asked({ name: 'process_cpu_seconds_total', help: 'CPU.', type: 'counter' }, () => [{ value: 7 }]);
  for (let call = 0; call < calls; call++) seconds({ route: '/a b' }).observe(0.5);
  if (calls > 1) failures({ space: 'only here' }).add();
  return metrics.text();
}

test('counts of threads are added up, of a delay the greatest is shown, and what is of the process once', () => {
  assert.equal(
    addUpMetrics([textOf(1, 0.25), textOf(2, 0.125)]),
    `# HELP call_seconds Calls.
# TYPE call_seconds histogram
call_seconds_bucket{route="/a b",le="1"} 3
call_seconds_bucket{route="/a b",le="+Inf"} 3
call_seconds_sum{route="/a b"} 1.5
call_seconds_count{route="/a b"} 3
# HELP failures_total Failures.
# TYPE failures_total counter
failures_total{space="only here"} 1
# HELP lag_seconds Lag.
# TYPE lag_seconds gauge
lag_seconds 0.25
# HELP process_cpu_seconds_total CPU.
# TYPE process_cpu_seconds_total counter
process_cpu_seconds_total 7
`,
  );
});

test('the metrics of one thread are shown as they are', () => {
  const text = textOf(3, 0.5);
  assert.equal(addUpMetrics([text]), text);
});

test('what the main thread counts for all workers is shown once', () => {
  const metrics = createMetrics();
  const standing = () => ({ passedAt: 1000, failures: { backup: 3 } });
  recordBackups(metrics, { standing }, { now: () => 61_000 });
  const text = metrics.text();
  assert.match(text, /^freehold_backup_age_seconds 60$/m);
  assert.equal(addUpMetrics([text, text, text]), text);
});
