import assert from 'node:assert/strict';
import { test } from 'node:test';
import { interceptStore } from '../store/intercepted-store.ts';
import { openStore } from '../store/testing/open-store.ts';
import { foldDays } from './fold-days.ts';
import { PartsOfUsage } from './parts-of-usage.ts';
import { type MeteredNode, openNode, orgScope, place, recordsStored, SteppedClock } from './testing/metered-org.ts';
import { exportUsage, type UsageEntry, type UsageExport } from './usage-export.ts';

const hour = 3_600_000;

/** Days that are folded, stored by two nodes, in memory alone, and in both. */
async function countedOrg() {
  const clock = new SteppedClock('2026-01-30T12:00:00Z');
  const { store } = await openStore({ kind: 'memory', clock });
  const [one, two] = [openNode(store, clock, 'one'), openNode(store, clock, 'two')] as const;
  const count = (node: MeteredNode, env: 'test' | 'prod', code: string, times: number): void => {
    for (let made = 0; made < times; made++) node.meter.count({ ...place, env, tenantCode: code });
  };
  await one.write(2);
  count(one, 'test', 'main', 3);
  count(two, 'test', '', 2);
  count(two, 'prod', 'main', 5);
  for (const { meter } of [one, two]) await meter.flush();
  clock.advance(60 * hour);
  for (const env of ['test', 'prod'] as const) await foldDays(orgScope(store, env), clock.now());
  count(one, 'test', 'main', 1);
  count(two, 'test', 'other', 4);
  for (const { meter } of [one, two]) await meter.flush();
  clock.advance(24 * hour);
  count(one, 'test', 'main', 6);
  await one.meter.flush();
  count(one, 'prod', 'main', 7);
  const recordsOf = async () => [{ ...place, entity: 'order', records: await recordsStored(store) }];
  return { one, two, parts: { ledger: one.ledger, work: one.work, recordsOf } };
}

async function exported(parts: Parameters<typeof exportUsage>[0], query: Partial<UsageExport>) {
  const entries: UsageEntry[] = [];
  const request = { orgCode: 'acme', from: '2026-01-01', to: '2026-12-31', metric: undefined, ...query };
  for await (const some of exportUsage(parts, request)) entries.push(...some);
  return entries.map(({ env, date, tenant_code, entity, value }) => [env, date, tenant_code, entity, value]);
}

test('each part of usage is exported once, whichever node counted it and however it is stored', {
  timeout: 60_000,
}, async () => {
  const { parts } = await countedOrg();
  assert.deepEqual(await exported(parts, {}), [
    ['test', '2026-01-30', null, null, 2],
    ['test', '2026-01-30', 'main', null, 3],
    ['test', '2026-02-02', 'main', null, 1],
    ['test', '2026-02-02', 'other', null, 4],
    ['test', '2026-02-03', 'main', null, 6],
    ['prod', '2026-01-30', 'main', null, 5],
    ['prod', '2026-02-03', 'main', null, 7],
    ['test', null, 'main', 'order', 2],
  ]);
});

test('days that are asked for come to what the days as a whole come to', { timeout: 60_000 }, async () => {
  const { one, parts } = await countedOrg();
  for (const [from, to] of [
    ['2026-01-01', '2026-12-31'],
    ['2026-01-30', '2026-01-30'],
    ['2026-01-31', '2026-02-02'],
    ['2026-02-03', '2026-02-03'],
    ['2026-02-04', '2026-02-05'],
  ] as const) {
    let whole = 0;
    for (const env of ['test', 'prod'] as const)
      for (const [day, { calls }] of await one.ledger.days('acme', env, from)) if (day <= to) whole += calls;
    const entries = await exported(parts, { from, to, metric: 'api_calls' });
    assert.equal(
      entries.reduce((sum, [, , , , value]) => sum + Number(value), 0),
      whole,
      `${from} to ${to}`,
    );
  }
  assert.deepEqual(await exported(parts, { metric: 'records' }), [['test', null, 'main', 'order', 2]]);
});

for (const { what, isFoldedBefore } of [
  { what: 'is folded', isFoldedBefore: false },
  { what: 'was folded and is folded once more', isFoldedBefore: true },
])
  test(`no part of a day is missing or there twice where it ${what} between two reads of an export`, async () => {
    const clock = new SteppedClock('2026-01-28T12:00:00Z');
    const { store } = await openStore({ kind: 'memory', clock });
    const [one, late] = [openNode(store, clock, 'one'), openNode(store, clock, 'two')] as const;
    const count = async ({ meter }: MeteredNode, workspaces: number) => {
      for (let nr = 0; nr < workspaces; nr++) meter.count({ ...place, tenantCode: `w${nr}` });
      await meter.flush();
    };
    await count(one, 1500);
    const now = clock.now() + 50 * hour;
    if (isFoldedBefore) await foldDays(orgScope(store), now);
    if (isFoldedBefore) await count(late, 700);
    let reads = 0;
    const crossed = interceptStore(store, async ({ name }, call) => {
      if (name === 'range' && ++reads === 2) await foldDays(orgScope(store), now);
      return call();
    });
    clock.advance(50 * hour);
    const { ledger, work } = openNode(crossed, clock, 'three');
    const entries = await exported({ ledger, work, recordsOf: async () => [] }, { metric: 'api_calls' });
    const sum = entries.reduce((before, [, , , , value]) => before + Number(value), 0);
    assert.deepEqual([entries.length, sum], [1500, isFoldedBefore ? 2200 : 1500]);
  });

test('a figure of very many parts is shown by the largest, and by the sum of the others', () => {
  const parts = new PartsOfUsage('2026-02-03', 'api_calls.month');
  const workspaces = new Map(Array.from({ length: 9000 }, (_, nr) => [`w${nr}`, { calls: nr, records: 0 }]));
  parts.noteDay('test', { day: '2026-02-02', workspaces });
  parts.noteDay('prod', { day: '2026-02-04', workspaces });
  const explained = parts.explained();
  const shown = explained?.parts ?? [];
  assert.deepEqual([shown.length, shown[0]?.value, shown.at(-1)?.value], [1000, 8999, 8000]);
  assert.equal(explained?.value, (8999 * 9000) / 2);
  const sum = shown.reduce((before, { value }) => before + value, 0);
  assert.deepEqual(explained?.others, { count: 7999, value: explained.value - sum });
});
