import assert from 'node:assert/strict';
import { test } from 'node:test';
import { interceptStore } from '../store/intercepted-store.ts';
import { openStore } from '../store/testing/open-store.ts';
import { reportUsage } from './report.ts';
import { auditContext, openNode, place, SteppedClock } from './testing/metered-org.ts';

test('the figures of one answer come to the same, also while calls are counted', async () => {
  const clock = new SteppedClock('2026-01-31T12:00:00Z');
  const { store } = await openStore({ kind: 'memory', clock });
  const busy = interceptStore(store, async (_operation, call) => {
    const answer = await call();
    for (const env of ['test', 'prod'] as const) node.meter.count({ ...place, env });
    return answer;
  });
  const node = openNode(busy, clock, 'one');
  await node.plans.set('acme', { name: 'own', limits: { api_calls_per_day: 1000 } }, auditContext);
  clock.advance(24 * 3_600_000);
  const parts = { ...node, alerts: { show: async () => [] }, recordsOf: async () => [], now: () => clock.now() };
  const request = { orgCode: 'acme', hasProd: true, days: 7, upgradeUrl: '' };
  for (const figure of ['today', 'month'] as const) {
    const { usage, environments, explain } = await reportUsage(parts, { ...request, explain: `api_calls.${figure}` });
    const reported = usage.api_calls[figure];
    assert.ok(reported > 0);
    assert.equal(explain?.value, reported);
    assert.equal(environments.test.api_calls[figure] + (environments.prod?.api_calls[figure] ?? 0), reported);
    assert.equal(
      usage.by_workspace.reduce((sum, { api_calls }) => sum + api_calls[figure], 0),
      reported,
    );
  }
});

test('work of automation is explained by environment, and nothing else with it', async () => {
  const clock = new SteppedClock('2026-01-31T12:00:00Z');
  const { store } = await openStore({ kind: 'memory', clock });
  const node = openNode(store, clock, 'one');
  node.work.add({ orgCode: 'acme', env: 'test' }, 'runs', 3);
  node.work.add({ orgCode: 'acme', env: 'prod' }, 'runs', 4);
  node.work.add({ orgCode: 'acme', env: 'prod' }, 'mails', 5);
  const parts = { ...node, alerts: { show: async () => [] }, recordsOf: async () => [], now: () => clock.now() };
  const request = { orgCode: 'acme', hasProd: true, days: 1, upgradeUrl: '' };
  const explained = async (figure: 'runs.today' | 'mails.today' | 'deliveries.today') =>
    (await reportUsage(parts, { ...request, explain: figure })).explain;
  const date = '2026-01-31';
  const others = { count: 0, value: 0 };
  assert.deepEqual(await explained('runs.today'), {
    ...{ figure: 'runs.today', value: 7, others },
    parts: [
      { env: 'test', date, tenant_code: null, value: 3 },
      { env: 'prod', date, tenant_code: null, value: 4 },
    ],
  });
  assert.equal((await explained('mails.today'))?.value, 5);
  assert.deepEqual((await explained('deliveries.today'))?.parts, []);
});

test('what is over until the month is, is gone at its end, and anything else at the end of the day', async () => {
  const clock = new SteppedClock('2026-01-15T12:00:00Z');
  const { store } = await openStore({ kind: 'memory', clock });
  const node = openNode(store, clock, 'one');
  node.meter.count(place);
  assert.deepEqual((await node.meter.flush()).failures, []);
  const parts = { ...node, alerts: { show: async () => [] }, recordsOf: async () => [], now: () => clock.now() };
  const request = { orgCode: 'acme', hasProd: false, days: 1, upgradeUrl: '', explain: undefined };
  for (const [limits, resets] of [
    [{ api_calls_per_month: 2 }, '2026-01-16T00:00:00.000Z'],
    [{ api_calls_per_day: 1 }, '2026-01-16T00:00:00.000Z'],
    [{ api_calls_per_month: 1 }, '2026-02-01T00:00:00.000Z'],
  ] as const) {
    await node.plans.set('acme', { name: 'own', limits }, auditContext);
    clock.advance(60_000);
    assert.equal((await reportUsage(parts, request)).resets_at, resets, JSON.stringify(limits));
  }
});
