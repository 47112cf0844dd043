/** The way runs are counted, capped, kept and reported. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../lib/problem.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { raceKinds } from '../../store/testing/open-test-store.ts';
import { cancelRun, retryRun } from './control-run.ts';
import { forgetRunsOf } from './execute-run.ts';
import { openRunsMax } from './run-bounds.ts';
import { dueRun, dueRunKey, type RunSummary, runSummaries } from './run-rows.ts';
import { startRun } from './runs.ts';
import { accounts, openOrg, paid, settle, states, waitMilliseconds } from './testing/account-runs.ts';
import type { RunBench } from './testing/run-bench.ts';

const by = { at: '', actor: { kind: 'org_user', id: 'b1' }, request_id: '' } as const;
const day = 86_400_000;

function control(bench: RunBench) {
  return { ...bench.deps(), wake: () => undefined };
}

function counted({ work }: RunBench): number {
  return work.counted.get('acme test runs') ?? 0;
}

async function started(bench: RunBench, name: string, id = bench.records.newId()) {
  return startRun(bench.deps(), { ...(await bench.ask(name)), id, trigger: { kind: 'event', id, name: 'tell' } });
}

for (const kind of raceKinds) {
  test(`a run counts once for its org, however often it is begun or taken up, and a retry counts as another (${kind})`, async (context) => {
    const openAccounts = await openOrg(context, kind);
    const bench = await openAccounts();
    const id = bench.records.newId();
    for (let times = 0; times < 3; times++) await started(bench, 'payment', id);
    assert.equal(counted(bench), 1);
    await bench.workOff();
    const { run } = await bench.call(bench.deps(), 'waitingPayment');
    await cancelRun(control(bench), { env: 'test', orgCode: 'acme', id: run.id }, by);
    await settle(bench);
    assert.equal(counted(bench), 2);
    await retryRun(control(bench), { env: 'test', orgCode: 'acme', id: run.id }, { by });
    await settle(bench);
    assert.deepEqual([counted(bench), [...bench.work.counted.keys()]], [3, ['acme test runs']]);
  });

  test(`beyond the plan no run begins, by whatever cause, and runs under way go on (${kind})`, async (context) => {
    const openAccounts = await openOrg(context, kind);
    const bench = await openAccounts();
    const name = (id: string) => ({ env: 'test', orgCode: 'acme', id }) as const;
    const under = await bench.call(bench.deps(), 'waitingPayment');
    const over = await bench.call(bench.deps(), 'waitingPayment');
    await cancelRun(control(bench), name(over.run.id), by);
    bench.work.full.add('runs');
    const before = await bench.records.contents();
    for (const begin of [
      () => bench.call(bench.deps(), 'payment'),
      () => started(bench, 'payment'),
      () => retryRun(control(bench), name(over.run.id), { by }),
    ])
      await assert.rejects(begin, { code: 'plan_limit_exceeded' });
    assert.deepEqual([await bench.records.contents(), counted(bench)], [before, 2]);
    await settle(bench);
    assert.deepEqual((await states(bench)).toSorted(), ['cancelled', 'done']);
    assert.equal(
      (await runSummaries.read(bench.records.opened.store.scope('org#acme'), under.run.id))?.value.state,
      'done',
    );
  });

  test(`no further run begins by itself while very many of its workspace are open, and one that is there is still found (${kind})`, async (context) => {
    const openAccounts = await openOrg(context, kind);
    const bench = await openAccounts();
    const { scope } = bench.records.workspace;
    const first = await started(bench, 'payment');
    const ids = Array.from({ length: openRunsMax - 1 }, (_, index) => `open-${index}`);
    await scope.commit(ids.map((id) => dueRun(id, Number.MAX_SAFE_INTEGER)));
    await assert.rejects(started(bench, 'payment'), { code: 'rate_limited' });
    assert.deepEqual(await started(bench, 'payment', first.id), { ...first, isNew: false });
    assert.equal(counted(bench), 1);
    await scope.commit(ids.slice(0, 1).map((id) => ({ kind: 'remove', ...dueRunKey(id), if: 'any' })));
    assert.equal((await started(bench, 'payment')).isNew, true);
  });

  test(`an alert names each failed run that has no waiting caller, by block and code alone (${kind})`, async (context) => {
    const openAccounts = await openOrg(context, kind);
    const bench = await openAccounts();
    const { alerts } = bench.work;
    assert.equal((await bench.call(bench.deps(), 'loud')).refusal?.code, 'conflict');
    await started(bench, 'payment');
    await settle(bench);
    assert.deepEqual(alerts, []);
    await started(bench, 'loud');
    await settle(bench);
    assert.deepEqual(alerts, [{ kind: 'run', name: 'loud', code: 'conflict' }]);
    const { run } = await bench.call(bench.deps(), 'waitingPayment');
    bench.records.clock.advance(waitMilliseconds);
    const gone = async () => Promise.reject(new Problem('access_denied', 'the user is gone'));
    await bench.pass({ ...bench.deps(), callers: { as: gone } });
    assert.equal(run.state, 'waiting');
    assert.deepEqual(alerts.slice(1), [{ kind: 'run', name: 'waitingPayment', code: 'access_denied' }]);
  });

  test(`a run that is over is kept as long as the plan says, and a summary of one that is not longer than any run waits (${kind})`, async (context) => {
    const openAccounts = await openOrg(context, kind);
    const bench = await openAccounts();
    const { clock, opened } = bench.records;
    const deps = { ...bench.deps(), retentionOf: async () => ({ runs: 3 * day, receipts: day }) };
    const { run } = await bench.call(deps, 'waitingPayment');
    const summary = () => runSummaries.read(opened.store.scope('org#acme'), run.id);
    const open = (await summary())?.due;
    assert.ok((open?.at ?? 0) > clock.now() + 30 * day);
    const expires = async () => [
      ...(await bench.records.contents()).filter(({ pk }) => pk.startsWith('run')).map(({ due }) => due),
      (await summary())?.due,
    ];
    assert.deepEqual(
      (await expires()).filter((due) => due !== undefined),
      [open],
    );
    clock.advance(waitMilliseconds);
    await bench.pass(deps);
    assert.deepEqual([await states(bench), await accounts(bench)], [['done'], paid]);
    const due = { at: clock.now() + 3 * day, queue: 'expire' };
    assert.deepEqual(new Set((await expires()).map((one) => JSON.stringify(one))), new Set([JSON.stringify(due)]));
  });
}

test('the runs of a removed workspace are in no list any more, and those of others stay', async () => {
  const { store } = await openStore({ kind: 'memory', clock: { now: () => 1_800_000_000_000 } });
  const scope = store.scope('org#acme');
  const codes = Array.from({ length: 450 }, (_, index) => (index % 3 === 0 ? 'main' : 'team'));
  const summaryOf = (id: string, tenant_code: string): RunSummary => ({
    ...{ id, tenant_code, block: 'b', state: 'done', started_at: '' },
    trigger: { kind: 'event', id, name: 'e' },
  });
  await scope.commit(
    codes.map((code, index) => {
      const id = String(index).padStart(4, '0');
      return runSummaries.insert(id, summaryOf(id, code));
    }),
  );
  let pages = 0;
  await forgetRunsOf(scope, 'team', async () => {
    pages += 1;
  });
  assert.equal(pages, 3);
  const left = await runSummaries.range(scope, runSummaries.key('').pk, { limit: 500 });
  assert.deepEqual(
    left.map(({ value }) => value.tenant_code),
    Array(150).fill('main'),
  );
});
