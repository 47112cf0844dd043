/** What automation does is counted by day, and held to the plan apart from calls and records. */
import assert from 'node:assert/strict';
import { assertProblem } from './assert-problem.ts';
import { testOnOneDay as test } from './on-one-day.ts';
import { act, create, defineEntity, definition, foundedOrg, manage } from './org.ts';
import { askPlan, withOperator } from './plans.ts';
import { platformOfFile } from './platform-for-tests.ts';

const gateways = await platformOfFile(withOperator);

async function orgWith(limits: object) {
  const founded = await foundedOrg(gateways);
  const { org } = founded;
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  const script = [{ id: 'one', type: 'script', source: 'return 1' }];
  for (const [name, steps] of [
    ['plain', [{ id: 'one', type: 'set', values: { a: 1 } }]],
    ['scripted', script],
  ] as const) {
    const reply = await manage(org, 'POST', '/config/logicblock', {
      body: { name, content: { name, steps, returns: 1 } },
    });
    assert.equal(reply.status, 201, reply.text);
  }
  const plan = await askPlan(gateways, 'PUT', org.code, { body: { name: 'own', limits } });
  assert.equal(plan.status, 200, plan.text);
  return founded;
}

interface Shown {
  readonly work: { readonly today: Record<string, number>; readonly by_day: readonly Record<string, unknown>[] };
  readonly flags: Record<string, boolean>;
  readonly alerts: readonly { metric: string; percent: number; message: string }[];
}

test('beyond its limit of runs an org runs no block, and its records are written and read as before', async () => {
  const { org, founder } = await orgWith({ runs_per_day: 2 });
  const run = () => act(founder, 'POST', '/logicblocks/plain', { body: {} });
  for (let times = 0; times < 2; times++) assert.equal((await run()).status, 200);
  const refused = await run();
  const problem = assertProblem(refused, 'plan_limit_exceeded') as unknown as Record<string, unknown>;
  assert.deepEqual([problem.metric, problem.used, problem.limit, problem.window], ['runs_per_day', 2, 2, 'day']);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  assertProblem(await act(founder, 'POST', '/logicblocks/none', { body: {} }), 'not_found');
  await create(founder, 'order', { title: 'a' });
  const { body } = await manage<Shown>(org, 'GET', '/observability?days=2');
  assert.equal(body.work.today.runs, 2);
  assert.deepEqual(
    body.work.by_day.map(({ runs }) => runs),
    [0, 2],
  );
  assert.deepEqual(Object.values(body.flags), [false, false, false]);
  assert.deepEqual(
    body.alerts.map(({ metric, percent }) => [metric, percent]),
    [['runs_per_day', 100]],
  );
  const file = await manage(org, 'GET', '/observability/export?metric=runs&format=csv');
  assert.match(file.text, /^metric,env,date,tenant_code,entity,value\r?\nruns,test,\d{4}-\d\d-\d\d,,,2\r?\n$/);
});

test('beyond its limit of script seconds an org runs no script, and blocks without one run', async () => {
  const { founder } = await orgWith({ script_seconds_per_day: 0 });
  assertProblem(await act(founder, 'POST', '/logicblocks/scripted', { body: {} }), 'plan_limit_exceeded');
  assert.equal((await act(founder, 'POST', '/logicblocks/plain', { body: {} })).status, 200);
});

test('a plan says for how long runs and receipts are kept, from a day to 400', async () => {
  const { org } = await orgWith({ run_days: 3, receipt_days: 400 });
  for (const limits of [{ run_days: 0 }, { receipt_days: 401 }, { run_days: 1.5 }, { mails_per_day: -1 }])
    assertProblem(await askPlan(gateways, 'PUT', org.code, { body: { name: 'own', limits } }), 'validation_failed');
  const { body } = await askPlan(gateways, 'GET', org.code);
  assert.deepEqual(body.limits, { run_days: 3, receipt_days: 400 });
});
