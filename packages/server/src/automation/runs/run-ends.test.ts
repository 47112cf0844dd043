import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../lib/problem.ts';
import { interceptStore } from '../../store/intercepted-store.ts';
import { Unavailable } from '../../store/port.ts';
import { raceKinds } from '../../store/testing/open-test-store.ts';
import { openBench, RecordBench } from '../../testing/record-bench.ts';
import { cancelRun, retryRun } from './control-run.ts';
import { openRunsMax } from './run-bounds.ts';
import { dueRun, dueRunKey, runSummaries, storedRuns } from './run-rows.ts';
import { startRun } from './runs.ts';
import { accounts, due, openOrg, states, waitMilliseconds } from './testing/account-runs.ts';
import { runRows } from './testing/opened-runs.ts';
import { openRunBench, type RunBench } from './testing/run-bench.ts';

const hour = 3_600_000;

for (const kind of raceKinds) {
  test(`a request whose run was cancelled or taken over is answered by that, as by an answer of the run (${kind})`, async (context) => {
    const openAccounts = await openOrg(context, kind);
    const by = { at: '', actor: { kind: 'org_user', id: 'b1' }, request_id: '' } as const;
    const ways = [
      (bench: RunBench, id: string) =>
        cancelRun({ ...bench.deps(), wake: () => undefined }, { env: 'test', orgCode: 'acme', id }, by),
      (bench: RunBench) => bench.workOff(),
    ];
    const answers: unknown[] = [];
    for (const take of ways) {
      const bench = await openAccounts();
      const { scope } = bench.records.workspace;
      let isTaken = false;
      const store = interceptStore(bench.records.opened.store, async ({ name }, call) => {
        const [run] = isTaken || name !== 'commit' ? [] : await storedRuns.range(scope, 'run', { limit: 1 });
        if (run === undefined) return call();
        isTaken = true;
        // Its org learns of a run as it is taken up.
        const summary = { ...run.value, tenant_code: bench.records.workspace.tenantCode };
        await bench.records.opened.store
          .scope('org#acme')
          .commit([runSummaries.put(run.value.id, summary, { if: 'any' })]);
        await take(bench, run.value.id);
        return call();
      });
      const { run, refusal, isStored } = await bench.call(bench.deps(store), 'payment');
      answers.push([run.state, refusal?.code, isStored]);
    }
    assert.deepEqual(answers, [
      ['running', 'conflict', true],
      ['running', undefined, true],
    ]);
  });

  test(`a run that is over is answered as it ended, also where another process closes it, or no process can (${kind})`, async (context) => {
    const openAccounts = await openOrg(context, kind);
    const ways = {
      'another process': (bench: RunBench) => bench.pass(),
      'no process': async () => {
        throw new Unavailable('the store is away');
      },
    };
    for (const block of ['payment', 'together'])
      for (const [closer, meet] of Object.entries(ways)) {
        const bench = await openAccounts();
        const { scope } = bench.records.workspace;
        let hasMet = false;
        const store = interceptStore(bench.records.opened.store, async ({ name }, call) => {
          const [run] = hasMet || name !== 'commit' ? [] : await storedRuns.range(scope, 'run', { limit: 1 });
          if (run?.value.state !== 'done') return call();
          hasMet = true;
          await meet(bench);
          return call();
        });
        const { run, refusal, isStored } = await bench.call(bench.deps(store), block);
        assert.deepEqual(
          [hasMet, run.state, refusal, isStored],
          [true, 'done', undefined, true],
          `${block}, ${closer}`,
        );
        await bench.pass();
        assert.deepEqual(await due(bench), [], `${block}, ${closer}`);
        const stored = (await bench.records.contents()).filter(({ pk }) => pk.startsWith('run'));
        assert.ok(
          stored.length > 1 && stored.every(({ due: expires }) => expires !== undefined),
          `${block}, ${closer}`,
        );
        assert.equal((await accounts(bench)).length, block === 'payment' ? 1 : 2, `${block}, ${closer}`);
      }
  });

  test(`no further run waits while very many of its workspace are open, and others are done (${kind})`, async (context) => {
    const openAccounts = await openOrg(context, kind);
    const bench = await openAccounts();
    const { scope } = bench.records.workspace;
    const ids = Array.from({ length: openRunsMax - 1 }, (_, index) => `open-${index}`);
    await scope.commit(ids.map((id) => dueRun(id, Number.MAX_SAFE_INTEGER)));
    const { refusal } = await bench.call(bench.deps(), 'waitingPayment');
    assert.deepEqual([refusal?.code, refusal?.details.step], ['rate_limited', 'pause']);
    assert.equal((await bench.call(bench.deps(), 'payment')).run.state, 'done');
    await scope.commit(ids.slice(0, 1).map((id) => ({ kind: 'remove', ...dueRunKey(id), if: 'any' })));
    assert.equal((await bench.call(bench.deps(), 'waitingPayment')).run.state, 'waiting');
  });

  test(`a run that is too large to be stored ends as failed, or does not begin (${kind})`, async (context) => {
    const openAccounts = await openOrg(context, kind);
    const ended: unknown[] = [];
    for (const [name, input] of [
      ['loud', {}],
      ['together', 'x'.repeat(600_000)],
      ['waitingPayment', 'x'.repeat(600_000)],
    ] as const) {
      const bench = await openAccounts();
      const code = await bench.call(bench.deps(), name, input).then(
        ({ refusal, isStored }) => [refusal?.code, isStored],
        (error: Problem) => error.code,
      );
      ended.push([name, code, await states(bench), (await accounts(bench)).length, await due(bench)]);
    }
    assert.deepEqual(ended, [
      ['loud', ['conflict', true], ['failed'], 1, []],
      ['together', ['block_failed', false], [], 0, []],
      ['waitingPayment', ['block_failed', false], [], 0, []],
    ]);
  });

  test(`K08 a value of an encrypted field is nowhere in a run that ends where the value is not known (${kind})`, async (context) => {
    const openAccounts = await openOrg(context, kind);
    const by = { at: '', actor: { kind: 'org_user', id: 'b1' }, request_id: '' } as const;
    const ways: Record<string, (bench: RunBench, id: string) => Promise<void>> = {
      cancelled: (bench, id) =>
        cancelRun({ ...bench.deps(), wake: () => undefined }, { env: 'test', orgCode: 'acme', id }, by),
      failed: async (bench) => {
        bench.records.clock.advance(waitMilliseconds);
        const gone = async () => Promise.reject(new Problem('access_denied', 'the user is gone'));
        await bench.pass({ ...bench.deps(), callers: { as: gone } });
      },
    };
    for (const [state, end] of Object.entries(ways)) {
      const bench = await openAccounts();
      const canary = 'canary-1234567890';
      const { run } = await bench.call(bench.deps(), 'laterSecret', { canary });
      assert.equal(run.state, 'waiting');
      await end(bench, run.id);
      assert.deepEqual(await states(bench), [state]);
      const stored = (await bench.records.contents()).filter(({ pk }) => pk.startsWith('run') || pk === 'due');
      assert.ok(stored.length > 2 && stored.every(({ due: expires }) => expires !== undefined));
      assert.ok(!JSON.stringify(stored).includes(canary), state);
      const name = { env: 'test', orgCode: 'acme', id: run.id } as const;
      const retried = retryRun({ ...bench.deps(), wake: () => undefined }, name, { by, from: 'hide' });
      await assert.rejects(retried, { code: 'conflict' });
    }
  });

  test(`a step that is refused because others of the org wait is tried again where no caller waits, for a day (${kind})`, async (context) => {
    const org = await openBench(context, kind);
    const records = new RecordBench(org.opened, org.clock, 'w1');
    let isBusy = true;
    let tries = 0;
    const bench = await openRunBench(records, {
      blocks: {
        queued: {
          one: async () => {
            tries += 1;
            if (isBusy) throw new Problem('rate_limited', 'others of the org wait');
            return { value: null };
          },
        },
      },
    });
    assert.equal((await bench.call(bench.deps(), 'queued')).refusal?.code, 'rate_limited');
    const begin = async () => {
      const id = records.newId();
      return startRun(bench.deps(), {
        ...(await bench.ask('queued')),
        id,
        trigger: { kind: 'schedule', id, name: 'queued' },
      });
    };
    const stateOf = async (id: string) => {
      const row = await runRows(records.workspace.scope).read(id);
      return [row?.value.state, row?.value.error?.code];
    };
    const first = await begin();
    for (let appointments = 0; appointments < 10; appointments++) {
      await bench.pass();
      assert.deepEqual(await stateOf(first.id), ['waiting', undefined]);
      const before = tries;
      await bench.pass();
      assert.equal(tries, before);
      records.clock.advance(5 * 60_000);
    }
    isBusy = false;
    await bench.pass();
    assert.deepEqual(await stateOf(first.id), ['done', undefined]);
    isBusy = true;
    const second = await begin();
    await bench.pass();
    records.clock.advance(24 * hour);
    await bench.pass();
    assert.deepEqual(await stateOf(second.id), ['failed', 'rate_limited']);
  });
}
