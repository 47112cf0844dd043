import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openForTest } from '../store/testing/open-test-store.ts';
import { workspaceScopeName } from '../tenancy/workspace.ts';
import { type RecordBench, SteppedClock } from '../testing/record-bench.ts';
import { putQueue, putRetry, queueMark, retryMark } from './outbox/outbox.ts';
import { delivered, openOutboxBench } from './outbox/testing/outbox-bench.ts';
import { dueRun, dueRunKey } from './runs/run-rows.ts';
import { startRun } from './runs/runs.ts';
import { accounts, openOrg, paid, states, waitMilliseconds } from './runs/testing/account-runs.ts';
import { createWorkspaceResumed, type Suspensions } from './suspensions.ts';

const suspension = { at: '2026-11-01T00:00:00Z', by: 'b1', reason: 'a dispute' };
const errors: unknown[] = [];

function resumedOn({ opened: { store }, clock, workspace: { env, orgCode, tenantCode } }: RecordBench) {
  const deps = { clock, wake: () => undefined, onError: (error: unknown) => void errors.push(error) };
  const resumed = createWorkspaceResumed({ ...deps, stores: { test: store, prod: store } });
  return () => resumed({ env, orgCode, tenantCode });
}

test('deliveries that waited are sent at once after the resume, by a node that knew of the suspension too', async (t) => {
  const stage = await openOutboxBench(t);
  const { bench } = stage;
  await stage.define({ event_name: 'tell' });
  await bench.found(bench.workspace, suspension);
  const seen: unknown[] = [];
  const node = stage.node(async ({ record }) => {
    seen.push(record.title);
    return delivered;
  });
  for (const title of ['a', 'b']) await node.runtime.create(await node.call('order'), { title });
  for (let turn = 0; turn < 3; turn++) await node.deliver();
  assert.deepEqual(seen, []);
  await bench.found(bench.workspace);
  assert.equal(await node.deliver(), 0, 'nothing is due until it is brought forward');
  await resumedOn(bench)();
  await node.deliver();
  assert.deepEqual([seen.toSorted(), await stage.left(), errors], [['a', 'b'], [], []]);
});

test('runs that waited go on at once after the resume; a run that waits by its own step waits on', async (t) => {
  const bench = await (await openOrg(t, 'memory'))();
  const { records } = bench;
  const { scope } = records.workspace;
  const waiting = records.newId();
  await startRun(bench.deps(), { ...(await bench.ask('waitingPayment')), id: waiting });
  await bench.pass();
  const id = records.newId();
  await startRun(bench.deps(), { ...(await bench.ask('payment')), id });
  await records.found(records.workspace, suspension);
  const deps = bench.deps();
  await bench.pass(deps);
  const [put] = await scope.get([dueRunKey(id)]);
  assert.equal(put?.due?.at, records.clock.now() + 60_000);
  await records.found(records.workspace);
  await resumedOn(records)();
  await bench.pass(deps);
  assert.deepEqual(await states(bench), ['waiting', 'done']);
  const [mark] = await scope.get([dueRunKey(waiting)]);
  assert.equal(mark?.due?.at, records.clock.now() + waitMilliseconds);
});

test('a run that stops at a step while the workspace is resumed goes on at once', async (t) => {
  const bench = await (await openOrg(t, 'memory'))();
  const { records } = bench;
  await startRun(bench.deps(), { ...(await bench.ask('payment')), id: records.newId() });
  const deps = bench.deps();
  let requestCount = 0;
  const restsUntil = async () => {
    requestCount += 1;
    if (requestCount !== 3) return undefined;
    await records.found(records.workspace);
    await resumedOn(records)();
    return records.clock.now() + 60_000;
  };
  await bench.pass({ ...deps, suspensions: { restsUntil } });
  assert.deepEqual(await states(bench), ['waiting']);
  await bench.pass(deps);
  assert.deepEqual([await states(bench), await accounts(bench)], [['done'], paid]);
});

test('a visit that still knows of the suspension puts nothing off', async (t) => {
  const bench = await (await openOrg(t, 'memory'))();
  const { records } = bench;
  await startRun(bench.deps(), { ...(await bench.ask('payment')), id: records.newId() });
  const deps = bench.deps();
  const suspensions: Suspensions = {
    restsUntil: async () => {
      await resumedOn(records)();
      return records.clock.now() + 60_000;
    },
  };
  await bench.pass({ ...deps, suspensions });
  await bench.pass(deps);
  assert.deepEqual([await states(bench), await accounts(bench)], [['done'], paid]);
});

test('of what waits in a workspace 200 of each kind go on at once; what others are at, or what waits longer, stays', async (t) => {
  const clock = new SteppedClock();
  const { store, maintenance } = await openForTest(t, 'memory', clock);
  const scope = store.scope(workspaceScopeName('acme', 'main'));
  const soon = clock.now() + 60_000;
  const names = Array.from({ length: 300 }, (_, index) => `m${String(index).padStart(3, '0')}`);
  const marks = (name: string) => [putQueue(name, soon), putRetry('a', name, soon), dueRun(name, soon)];
  await scope.commit(names.flatMap(marks));
  const kept = [queueMark('later'), retryMark('a', 'later'), dueRunKey('leased')];
  const hour = clock.now() + 3_600_000;
  await scope.commit([putQueue('later', hour), putRetry('a', 'later', hour), dueRun('leased', soon, 'another')]);
  const before = await scope.get(kept);
  let woken = 0;
  const wake = (): void => {
    woken += 1;
  };
  const deps = { clock, wake, onError: assert.ifError };
  const place = { env: 'test', orgCode: 'acme', tenantCode: 'main' } as const;
  await createWorkspaceResumed({ ...deps, stores: { test: store, prod: store } })(place);
  const due = await maintenance.due('automation', clock.now(), 10_000);
  const of = (kind: string) => due.filter(({ item }) => item.sk.startsWith(kind)).length;
  assert.deepEqual([of('lane;'), of('retry;'), of('run;'), woken], [200, 200, 200, 1]);
  assert.deepEqual(await scope.get(kept), before);
  const failing = { ...store, scope: () => assert.fail('the store does not answer') };
  const notified: unknown[] = [];
  const onError = (error: unknown): void => void notified.push(error);
  await createWorkspaceResumed({ ...deps, onError, stores: { test: failing, prod: failing } })(place);
  assert.deepEqual([notified.length, woken], [1, 2]);
});
