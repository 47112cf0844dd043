import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBench } from '../testing/record-bench.ts';
import { delivered, failure, openOutboxBench } from './outbox/testing/outbox-bench.ts';
import { startRun } from './runs/runs.ts';
import { accounts, both, openOrg, paid, states } from './runs/testing/account-runs.ts';
import { every, openScheduleBench, place } from './schedules/testing/schedule-bench.ts';
import { createSuspensions } from './suspensions.ts';

const suspension = { at: '2026-11-01T00:00:00Z', by: 'b1', reason: 'a dispute' };
const hour = 3_600_000;

test('what a suspended workspace would send waits for days, and is sent in its order once it is resumed', async (t) => {
  const stage = await openOutboxBench(t);
  const { bench } = stage;
  await stage.define({ event_name: 'tell' });
  const other = bench.workspaceOf('other');
  for (const workspace of [bench.workspace, other]) await bench.found(workspace);
  const seen: string[] = [];
  let isWell = false;
  const node = stage.node(async ({ item, record }) => {
    seen.push(`${item.op} ${String(record.title)}`);
    return isWell ? delivered : failure;
  });
  await node.runtime.create(await node.call('order'), { title: 'held' });
  await node.deliver();
  assert.deepEqual(seen, ['create held']);
  await bench.found(bench.workspace, suspension);
  bench.clock.advance(1001);
  const { data } = await node.runtime.create(await node.call('order'), { title: 'new' });
  await node.runtime.update(await node.call('order'), { id: data.id, body: { title: 'changed' } });
  isWell = true;
  for (let passed = 0; passed < 48 * hour; passed += hour) {
    await node.deliver();
    bench.clock.advance(hour);
  }
  assert.deepEqual([seen, stage.dead], [['create held'], []]);
  await bench.found(bench.workspace);
  bench.clock.advance(61_000);
  await stage.drain(node);
  assert.deepEqual(seen.slice(1).toSorted(), ['create held', 'create new']);
  assert.deepEqual([await stage.left(), stage.dead], [[], []]);
});

test('only the suspended workspace rests, in its org and environment alone, and each node knows it within a second', async (t) => {
  const bench = await openBench(t, 'memory');
  const { store } = bench.opened;
  const empty = await openBench(t, 'memory');
  const stores = { test: store, prod: empty.opened.store };
  const one = createSuspensions({ stores, clock: bench.clock });
  const main = { env: 'test', orgCode: 'acme', tenantCode: 'main' } as const;
  await bench.found(bench.workspace);
  assert.equal(await one.restsUntil(main), undefined);
  await bench.found(bench.workspace, suspension);
  bench.clock.advance(1001);
  assert.equal(await one.restsUntil(main), bench.clock.now() + 60_000);
  for (const place of [{ tenantCode: 'other' }, { orgCode: 'other' }, { env: 'prod' as const }])
    assert.equal(await one.restsUntil({ ...main, ...place }), undefined);
  await bench.found(bench.workspace);
  bench.clock.advance(1001);
  assert.equal(await one.restsUntil(main), undefined);
});

test('a change that is heard of is seen before the second is over', async (t) => {
  const bench = await openBench(t, 'memory');
  const { store } = bench.opened;
  let changes = 0;
  const changesOf = { test: () => changes, prod: () => changes };
  const known = createSuspensions({ stores: { test: store, prod: store }, clock: bench.clock, changesOf });
  const main = { env: 'test', orgCode: 'acme', tenantCode: 'main' } as const;
  assert.equal(await known.restsUntil(main), undefined);
  await bench.found(bench.workspace, suspension);
  assert.equal(await known.restsUntil(main), undefined);
  changes += 1;
  assert.notEqual(await known.restsUntil(main), undefined);
});

test('a run that is due in a suspended workspace waits, and is done once when it is resumed', async (t) => {
  const bench = await (await openOrg(t, 'memory'))();
  const { records } = bench;
  await startRun(bench.deps(), { ...(await bench.ask('payment')), id: records.newId() });
  await records.found(records.workspace, suspension);
  await bench.workOff();
  assert.deepEqual(await accounts(bench), []);
  await records.found(records.workspace);
  await bench.workOff();
  assert.deepEqual([await states(bench), await accounts(bench)], [['done'], paid]);
});

test('a run that is under way stops at its next step that reaches out, and does each step once', async (t) => {
  const bench = await (await openOrg(t, 'memory'))();
  const { records } = bench;
  await startRun(bench.deps(), { ...(await bench.ask('payment')), id: records.newId() });
  const deps = bench.deps();
  let writes = 0;
  const runtime: typeof deps.runtime = {
    ...deps.runtime,
    write: async (...args) => {
      writes += 1;
      const done = await deps.runtime.write(...args);
      await records.found(records.workspace, suspension);
      records.clock.advance(1001);
      return done;
    },
  };
  await bench.pass({ ...deps, runtime });
  assert.deepEqual([writes, await states(bench)], [1, ['waiting']]);
  await bench.workOff();
  assert.deepEqual([await states(bench), await accounts(bench)], [['waiting'], [['new', 5]]]);
  await records.found(records.workspace);
  await bench.workOff();
  assert.deepEqual([await states(bench), await accounts(bench)], [['done'], paid]);
});

test('a call that was let in before goes on to its end', async (t) => {
  const bench = await (await openOrg(t, 'memory'))();
  const { records } = bench;
  await records.found(records.workspace, suspension);
  await bench.call(bench.deps(), 'together');
  assert.deepEqual(await accounts(bench), both);
});

test('due times of schedules pass in a suspended workspace, and begin runs in the others', async (t) => {
  const bench = await openScheduleBench(t);
  const { bench: records, report } = bench;
  await bench.define('main', every());
  await bench.define('each', every({ workspaces: 'all' }));
  const other = records.workspaceOf('other');
  await records.found(other);
  const node = bench.node();
  const tick = async (): Promise<void> => {
    records.clock.advance(hour - (records.clock.now() % hour));
    for (let turns = 0; (await node.pass()) > 0; turns++) assert.ok(turns < 100, 'it stays due');
  };
  for (let turns = 0; (await node.pass()) > 0; turns++) assert.ok(turns < 100, 'it stays due');
  await records.found(records.workspace, suspension);
  await tick();
  assert.deepEqual([await bench.started('main'), await bench.started('each')], [[], []]);
  assert.equal((await bench.started('each', 'other')).length, 1);
  const shown = await node.schedules.list(place);
  const lastOf = (name: string) => shown.find((schedule) => schedule.name === name)?.last;
  assert.deepEqual([lastOf('main')?.state, lastOf('main')?.code], ['refused', 'workspace_suspended']);
  assert.equal(lastOf('each')?.state, 'started');
  assert.deepEqual(report, []);
  await records.found(records.workspace);
  await tick();
  assert.deepEqual([(await bench.started('main')).length, (await bench.started('each')).length], [1, 1]);
});

test('a run of a suspended workspace is forgotten after its days, as any other', async (t) => {
  const bench = await (await openOrg(t, 'memory'))();
  const { records } = bench;
  await bench.call(bench.deps(), 'payment');
  assert.deepEqual(await states(bench), ['done']);
  await records.found(records.workspace, suspension);
  records.clock.advance(7 * 24 * hour - 1000);
  assert.deepEqual(await states(bench), ['done']);
  records.clock.advance(2000);
  assert.deepEqual(await states(bench), []);
});
