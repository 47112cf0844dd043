import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Limits } from '../plans.ts';
import { SteppedClock } from '../testing/metered-org.ts';
import { createCaps, showCaps } from './caps.ts';

const clock = new SteppedClock('2026-01-31T12:00:00Z');
const place = { orgCode: 'acme', env: 'prod' } as const;

function capsOf(limits: Limits) {
  const usage = { api_calls_per_day: 0, api_calls_per_month: 0, records: 9 };
  const today = new Date(clock.now()).toISOString().slice(0, 'YYYY-MM-DD'.length);
  return createCaps({
    plans: { of: async () => ({ name: 'own', limits, updated_at: null }) },
    configured: { size: async () => ({ entities: 0, indexes: 0 }), policies: async () => [] },
    quota: async () => ({ limits: { records: 9 }, usage, today }),
  });
}

const size = (entities: number, indexes: number) => ({ entities, indexes });

for (const [what, limits, before, after, metric] of [
  ['the last entity', { entities: 2 }, size(1, 1), size(2, 2), undefined],
  ['one entity too many', { entities: 2 }, size(2, 2), size(3, 3), 'entities'],
  ['several at once, of which some have room', { entities: 2 }, size(1, 1), size(3, 3), 'entities'],
  ['the first of none', { entities: 0 }, size(0, 0), size(1, 1), 'entities'],
  ['indexes too many by a new entity', { entities: 2, indexes: 1 }, size(1, 1), size(2, 2), 'indexes'],
  ['indexes in place of others', { indexes: 1 }, size(1, 5), size(1, 5), undefined],
  ['fewer, and still too many', { entities: 1, indexes: 1 }, size(5, 9), size(4, 8), undefined],
  ['fewer entities with more indexes', { indexes: 3 }, size(5, 3), size(4, 4), 'indexes'],
  ['more than anybody has where the plan says nothing', {}, size(0, 0), size(500, 18_500), undefined],
] as const)
  test(`a plan ${metric === undefined ? 'lets in' : 'refuses'} ${what}`, async () => {
    const requested = capsOf(limits).admitConfig(place, { before, after });
    if (metric === undefined) return requested;
    const used = before[metric];
    const limit = (limits as Limits)[metric];
    await assert.rejects(requested, {
      code: 'plan_limit_exceeded',
      details: {
        metric,
        used,
        limit,
        window: 'total',
        resets_at: null,
        flags: { apiLimitExceeded: false, dailyLimitExceeded: false, recordLimitExceeded: true },
        env: 'prod',
        retry_after_seconds: 3600,
      },
    });
  });

test('a plan without a limit of policies has no bound for them, and a plan with one has that', async () => {
  const workspace = { ...place, tenantCode: 'main' };
  assert.equal(await capsOf({ entities: 1 }).policyBound(workspace), undefined);
  const bound = await capsOf({ policies: 0 }).policyBound(workspace);
  assert.equal(bound?.max, 0);
  const { code, details } = (await bound?.exceeded(2, 3)) ?? {};
  assert.deepEqual(
    [code, details?.metric, details?.used, details?.tenant_code],
    ['plan_limit_exceeded', 'policies', 2, 'main'],
  );
});

test('of policies the fullest workspace of each environment is shown, and those with most by name', async () => {
  const many = Array.from({ length: 12 }, (_, index) => ({ tenantCode: `w${index}`, policies: index }));
  const configured = {
    size: async (_org: string, env: string) => (env === 'test' ? size(3, 7) : size(2, 5)),
    policies: async (_org: string, env: string) => (env === 'test' ? many : [{ tenantCode: 'main', policies: 20 }]),
  };
  const shown = await showCaps(configured, { orgCode: 'acme', hasProd: true, limits: { entities: 9 } });
  assert.deepEqual(shown.entities, { limit: 9, test: 3, prod: 2 });
  assert.deepEqual(shown.indexes, { limit: null, test: 7, prod: 5 });
  const { workspaces, ...most } = shown.policies;
  assert.deepEqual(most, { limit: null, test: 11, prod: 20 });
  assert.equal(workspaces.length, 10);
  assert.deepEqual(workspaces[0], { env: 'prod', tenant_code: 'main', used: 20 });
  const before = await showCaps(configured, { orgCode: 'acme', hasProd: false, limits: {} });
  assert.deepEqual([before.entities.prod, before.policies.prod], [null, null]);
});
