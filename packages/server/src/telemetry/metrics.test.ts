import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beginTrace } from '../gateway/call-trace.ts';
import { openStore } from '../store/testing/open-store.ts';
import { createMetrics } from './metrics.ts';
import { createCallMetrics } from './watch-calls.ts';
import { createStoreMetrics } from './watch-store.ts';
import { watchJobs } from './work-metrics.ts';

function valueIn(text: string, series: string): number {
  const found = text.split('\n').filter((line) => line.startsWith(`${series} `));
  assert.equal(found.length, 1, `${series} in\n${text}`);
  return Number(found[0]?.slice(series.length + 1));
}

test('a histogram counts what lies at or below each bound, and adds up', () => {
  const metrics = createMetrics();
  const series = metrics.histogram({ name: 'h', help: 'H.' }, [1, 2]);
  for (const value of [0.5, 1, 1.5, 2, 9]) series({ a: 'x' }).observe(value);
  series({ a: 'y' }).observe(3);
  assert.equal(
    metrics.text(),
    `# HELP h H.
# TYPE h histogram
h_bucket{a="x",le="1"} 2
h_bucket{a="x",le="2"} 4
h_bucket{a="x",le="+Inf"} 5
h_sum{a="x"} 14
h_count{a="x"} 5
h_bucket{a="y",le="1"} 0
h_bucket{a="y",le="2"} 0
h_bucket{a="y",le="+Inf"} 1
h_sum{a="y"} 3
h_count{a="y"} 1
`,
  );
});

test('counters keep their series, what is asked is asked again, and labels are escaped', () => {
  const metrics = createMetrics();
  const count = metrics.counter({ name: 'c', help: 'C.' });
  count({ a: 'x"\\\n' }).add();
  count({ a: 'x"\\\n' }).add();
  let value = 1;
  metrics.collected({ name: 'g', help: 'G.', type: 'gauge' }, () => [{ value }]);
  value = 2;
  const text = '# HELP c C.\n# TYPE c counter\nc{a="x\\"\\\\\\n"} 2\n# HELP g G.\n# TYPE g gauge\ng 2\n';
  assert.equal(metrics.text(), text);
  assert.throws(() => metrics.counter({ name: 'c', help: 'Again.' }), TypeError);
});

test('calls are counted by route and class of status, those without an answer too', () => {
  const metrics = createMetrics();
  const app = createCallMetrics(metrics)('app');
  const trace = beginTrace('r', { method: 'GET', traceparent: undefined });
  const of = (route: string | undefined) => ({ ...trace, route, org: 'acme', principal: 'p' });
  for (const status of [200, 204, 404, undefined]) app.ended(of('/x/:id'), { status, isWhole: true, milliseconds: 1 });
  app.ended(of(undefined), { status: 404, isWhole: true, milliseconds: 1 });
  app.refused('invalid_request');
  const text = metrics.text();
  const countOf = (route: string, status: string) =>
    valueIn(text, `freehold_call_seconds_count{gateway="app",method="GET",route="${route}",status="${status}"}`);
  assert.deepEqual(
    [countOf('/x/:id', '2xx'), countOf('/x/:id', '4xx'), countOf('/x/:id', 'none'), countOf('none', '4xx')],
    [2, 1, 1, 1],
  );
  assert.equal(valueIn(text, 'freehold_refused_connections_total{gateway="app",code="invalid_request"}'), 1);
  assert.ok(!text.includes('acme'));
});

test('calls of a store are counted with their failures, and conflicts apart', async () => {
  const metrics = createMetrics();
  const opened = await openStore({ kind: 'memory', clock: { now: () => 0 } });
  const { store } = createStoreMetrics(metrics, { noteFailure: () => undefined })('test', opened);
  const scope = store.scope('s');
  const put = { kind: 'put', pk: 'p', sk: 'k', value: 'v', if: 'absent' } as const;
  await scope.commit([put]);
  await assert.rejects(scope.commit([put]));
  assert.equal((await scope.get([{ pk: 'p', sk: 'k' }]))[0]?.value, 'v');
  await store.close();
  await assert.rejects(scope.range('p', { limit: 1 }));
  const text = metrics.text();
  assert.equal(valueIn(text, 'freehold_store_seconds_count{space="test",call="commit"}'), 2);
  assert.equal(valueIn(text, 'freehold_store_seconds_count{space="test",call="get"}'), 1);
  assert.equal(valueIn(text, 'freehold_store_conflicts_total{space="test"}'), 1);
  assert.equal(valueIn(text, 'freehold_store_failures_total{space="test",call="commit"}'), 0);
  assert.equal(valueIn(text, 'freehold_store_failures_total{space="test",call="range"}'), 1);
});

test('runs of jobs are counted by their end', async () => {
  const metrics = createMetrics();
  const fails = new Error('fails');
  const [job] = watchJobs(metrics)([{ name: 'j', run: async (work: boolean) => assert.ok(work, fails) }]);
  const run = async (work: boolean) => job?.run(work);
  await run(true);
  await assert.rejects(async () => run(false), fails);
  assert.equal(valueIn(metrics.text(), 'freehold_job_runs_total{job="j",outcome="done"}'), 1);
  assert.equal(valueIn(metrics.text(), 'freehold_job_runs_total{job="j",outcome="cut_off"}'), 1);
});
