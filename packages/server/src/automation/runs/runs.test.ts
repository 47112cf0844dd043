import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Problem } from '../../lib/problem.ts';
import { interceptStore } from '../../store/intercepted-store.ts';
import { Crash, crashing, type Moment } from '../../store/testing/failing-store.ts';
import { raceKinds, type StoreKind } from '../../store/testing/open-test-store.ts';
import { listAll, openBench, RecordBench } from '../../testing/record-bench.ts';
import type { EntityStep, StepRun } from '../blocks/effects.ts';
import { cancelRun, retryRun } from './control-run.ts';
import { openRunsMax } from './run-bounds.ts';
import { dueRun, dueRunKey, runSummaries, runs } from './run-rows.ts';
import { startRun } from './start-run.ts';
import { openRunBench, type RunBench } from './testing/run-bench.ts';

type Steps = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A step on records by the values of the steps before it. */
function onRecords(step: (steps: Steps) => EntityStep): StepRun {
  return async (run, path) => {
    const asked: EntityStep[] = [];
    const evaluate = ({ steps }: { readonly steps: unknown }) => asked.push(step(steps as Steps));
    run.evaluate({ expressions: 1, evaluate });
    const [one = assert.fail('nothing was asked')] = asked;
    return { value: await run.entity(path, one) };
  };
}

const waitMilliseconds = 3_600_000;

function waiting(id: string): StepRun {
  return async (run, path) => {
    await run.effects.wait(path, id, waitMilliseconds);
    return { value: null };
  };
}

/** Counts an account up by what it read, and pays it out: done twice or in half, the sums are others. */
const payment = {
  open: onRecords(() => ({ id: 'open', type: 'create', entity: 'account', values: { name: 'new', amount: 5 } })),
  read: onRecords(({ open }) => ({ id: 'read', type: 'get', entity: 'account', record: String(open?.id) })),
  raise: onRecords(({ read }) => ({
    id: 'raise',
    type: 'update',
    entity: 'account',
    record: String(read?.id),
    values: { amount: Number(read?.amount) + 10 },
    if_version: Number(read?.version),
  })),
  list: onRecords(() => ({ id: 'list', type: 'list', entity: 'account', parameters: new Map() })),
  copy: onRecords(({ raise, list }) => ({
    id: 'copy',
    type: 'create',
    entity: 'account',
    values: { name: `of ${String(list?.count)}`, amount: Number(raise?.amount) },
  })),
  drop: onRecords(({ open }) => ({ id: 'drop', type: 'delete', entity: 'account', record: String(open?.id) })),
  last: onRecords(({ copy }) => ({
    id: 'last',
    type: 'update',
    entity: 'account',
    record: String(copy?.id),
    values: { amount: Number(copy?.amount) * 2 },
  })),
};
const { open, read, raise, list, copy, drop, last } = payment;
const waitingPayment = { open, read, raise, pause: waiting('pause'), list, copy, drop, last };

function made(id: string, values: object): StepRun {
  return onRecords(() => ({ id, type: 'create', entity: 'account', values }));
}

const together = { one: made('one', { name: 'one', amount: 1 }), two: made('two', { name: 'two', amount: 2 }) };
const refused = { one: made('one', { name: 'one' }), wrong: made('wrong', { amount: 'much' }) };

/** Writes the canary of its input, copies it, and fails with it. */
const secret = {
  hide: async (run, path) => {
    const code = run.evaluate({
      expressions: 1,
      evaluate: ({ input }) => (input as { readonly canary: string }).canary,
    });
    const values = { name: 'a', code };
    return { value: await run.entity(path, { id: 'hide', type: 'create', entity: 'account', values }) };
  },
  copy: async (run, path) => {
    const evaluate = ({ input }: { readonly input?: unknown }) => {
      const { canary } = input as { readonly canary: string };
      return `${Buffer.from(canary).toString('base64')} ${encodeURIComponent(canary)} ${canary}`;
    };
    const name = run.evaluate({ expressions: 1, evaluate });
    return { value: await run.entity(path, { id: 'copy', type: 'create', entity: 'account', values: { name } }) };
  },
  fail: (run) => {
    const evaluate = ({ input }: { readonly input?: unknown }) => JSON.stringify(input);
    throw new Problem('conflict', `not with ${String(run.evaluate({ expressions: 1, evaluate }))}`);
  },
} satisfies Readonly<Record<string, StepRun>>;

/** Writes the canary of its input, waits and fails. */
const laterSecret = { hide: secret.hide, pause: waiting('pause'), fail: secret.fail };

/** Writes, and fails with more than a run keeps. */
const loud = {
  one: together.one,
  fail: () => {
    throw new Problem('conflict', 'x'.repeat(3_000_000));
  },
} satisfies Readonly<Record<string, StepRun>>;

const blocks = { payment, waitingPayment, together, refused, secret, laterSecret, loud };
const paid = [['of 1', 30]];
const both = [
  ['one', 1],
  ['two', 2],
];

/** Each time another workspace of one org, on one store. */
async function openOrg(context: TestContext, kind: StoreKind): Promise<() => Promise<RunBench>> {
  const org = await openBench(context, kind);
  const UpdateParams = [
    { name: 'name' },
    { name: 'amount', colType: 'number' },
    { name: 'code', colType: 'encrypted' },
  ];
  await org.node().admin.define('acme', { entityName: 'account', UpdateParams });
  let workspaces = 0;
  return () => {
    workspaces += 1;
    const records = new RecordBench(org.opened, org.clock, `w${workspaces}`);
    return openRunBench(records, { blocks, transactions: ['together', 'refused'] });
  };
}

async function accounts({ records }: RunBench): Promise<readonly unknown[]> {
  const node = records.node();
  const found = await listAll(node, await node.call('account'));
  return found.map(({ name, amount }) => [name, amount]).sort();
}

async function states({ records }: RunBench): Promise<readonly string[]> {
  const { scope } = records.workspace;
  const own = await runs.range(scope, 'run', { limit: 10 });
  const org = records.opened.store.scope('org#acme');
  const ofOrg = await runSummaries.range(org, 'run-of', { limit: 1000 });
  const summaries = ofOrg.filter(({ value }) => value.tenant_code === records.workspace.tenantCode);
  assert.deepEqual(
    summaries.map(({ value }) => [value.id, value.state]),
    own.map(({ value }) => [value.id, value.state]),
  );
  return own.map(({ value }) => value.state);
}

function due({ records }: RunBench): Promise<readonly unknown[]> {
  return records.opened.maintenance.due('automation', Number.MAX_SAFE_INTEGER, 10);
}

/** Whether the process died at the planted call. */
async function dies(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => false,
    (error: unknown) => {
      assert.ok(error instanceof Crash, String(error));
      return true;
    },
  );
}

/** Another process does what is left, also what waits. */
async function settle(bench: RunBench): Promise<void> {
  await bench.workOff();
  bench.records.clock.advance(waitMilliseconds);
  await bench.workOff();
}

for (const kind of raceKinds) {
  test(`a run does each step once, and its org sees how it ended (${kind})`, async (context) => {
    const openAccounts = await openOrg(context, kind);
    const bench = await openAccounts();
    const { run } = await bench.call(bench.deps(), 'payment');
    assert.equal(run.state, 'done');
    assert.deepEqual([await accounts(bench), await states(bench)], [paid, ['done']]);
    assert.deepEqual(await due(bench), []);
  });

  test(`K13 a run whose process dies at any call of the store, before or after it takes effect, does each step once (${kind})`, async (context) => {
    const openAccounts = await openOrg(context, kind);
    let calls = 0;
    for (const when of ['before', 'after'] satisfies Moment[])
      for (let left = 0; ; left++) {
        const bench = await openAccounts();
        const store = crashing(bench.records.opened.store, left, when);
        const hasDied = await dies(bench.call(bench.deps(store), 'waitingPayment'));
        await settle(bench);
        const ended = await states(bench);
        const place = `${when} call ${left}`;
        // A process that died before it stored the run has done nothing of it.
        assert.deepEqual(await accounts(bench), ended.length === 0 ? [] : paid, place);
        assert.ok(ended.every((state) => state === 'done') && ended.length <= 1, place);
        assert.deepEqual(await due(bench), [], place);
        calls += 1;
        if (!hasDied) break;
      }
    assert.ok(calls > 20, `${calls} calls`);
  });

  test(`K13 a run that is due is done once, at whichever call of the store the process dies that takes it up (${kind})`, async (context) => {
    const openAccounts = await openOrg(context, kind);
    let calls = 0;
    for (const when of ['before', 'after'] satisfies Moment[])
      for (let left = 0; ; left++) {
        const bench = await openAccounts();
        const { opened, newId } = bench.records;
        const id = newId();
        await startRun(bench.deps(), { ...(await bench.ask('payment')), id });
        const hasDied = await dies(bench.visit(bench.deps(crashing(opened.store, left, when))));
        await settle(bench);
        const place = `${when} call ${left}`;
        assert.deepEqual([await accounts(bench), await states(bench), await due(bench)], [paid, ['done'], []], place);
        calls += 1;
        if (!hasDied) break;
      }
    assert.ok(calls > 30, `${calls} calls`);
  });

  test(`K13 a process that takes a run over at any call of the store stops the one that held it (${kind})`, async (context) => {
    const openAccounts = await openOrg(context, kind);
    let lost = 0;
    for (let at = 0; ; at++) {
      const bench = await openAccounts();
      let calls = 0;
      const store = interceptStore(bench.records.opened.store, async (_asked, call) => {
        if (calls++ === at) await bench.workOff();
        return call();
      });
      const outcome = await bench.call(bench.deps(store), 'payment').then(
        ({ run }) => run.state,
        (error: Error) => error.message,
      );
      await bench.workOff();
      assert.deepEqual(await accounts(bench), paid, `at call ${at}: ${outcome}`);
      assert.deepEqual(await states(bench), ['done'], `at call ${at}`);
      if (outcome !== 'done') lost += 1;
      if (calls <= at) break;
    }
    assert.ok(lost > 5, `${lost} were lost`);
  });

  test(`a run of the same id is the same run, and of another block it is refused (${kind})`, async (context) => {
    const openAccounts = await openOrg(context, kind);
    const bench = await openAccounts();
    const id = bench.records.newId();
    const asked = { ...(await bench.ask('payment')), id };
    const note = { kind: 'put', pk: 'note', sk: id, value: '1', if: 'absent' } as const;
    assert.deepEqual(await startRun(bench.deps(), asked, [note]), { id, isNew: true });
    assert.deepEqual(await startRun(bench.deps(), asked, [note]), { id, isNew: false });
    const other = { ...(await bench.ask('waitingPayment')), id };
    await assert.rejects(startRun(bench.deps(), other), { code: 'conflict' });
    await settle(bench);
    assert.deepEqual([await accounts(bench), await states(bench)], [paid, ['done']]);
  });

  test(`a run that is cancelled does no further step, and goes on from there when it is retried (${kind})`, async (context) => {
    const openAccounts = await openOrg(context, kind);
    const bench = await openAccounts();
    const { run } = await bench.call(bench.deps(), 'waitingPayment');
    const name = { env: 'test', orgCode: 'acme', id: run.id } as const;
    const by = { at: '', actor: { kind: 'org_user', id: 'b1' }, request_id: '' } as const;
    const control = { ...bench.deps(), wake: () => undefined };
    await cancelRun(control, name, by);
    await assert.rejects(cancelRun(control, name, by), { code: 'conflict' });
    await settle(bench);
    assert.deepEqual([await accounts(bench), await states(bench)], [[['new', 15]], ['cancelled']]);
    await retryRun(control, name, { by });
    await assert.rejects(retryRun(control, name, { by }), { code: 'conflict' });
    await settle(bench);
    await settle(bench);
    assert.deepEqual([await accounts(bench), await states(bench)], [paid, ['cancelled', 'done']]);
  });

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
        const [run] = isTaken || name !== 'commit' ? [] : await runs.range(scope, 'run', { limit: 1 });
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

  test(`a transaction is done as a whole or not at all, and once (${kind})`, async (context) => {
    const openAccounts = await openOrg(context, kind);
    let calls = 0;
    for (const when of ['before', 'after'] satisfies Moment[])
      for (let left = 0; ; left++) {
        const bench = await openAccounts();
        const hasDied = await dies(
          bench.call(bench.deps(crashing(bench.records.opened.store, left, when)), 'together'),
        );
        await settle(bench);
        const ended = await states(bench);
        assert.deepEqual(await accounts(bench), ended.length === 0 ? [] : both, `${when} call ${left}`);
        calls += 1;
        if (!hasDied) break;
      }
    assert.ok(calls > 10, `${calls} calls`);
    const bench = await openAccounts();
    const { refusal, isStored } = await bench.call(bench.deps(), 'refused');
    assert.deepEqual([refusal?.code, refusal?.details.step, isStored], ['validation_failed', 'wrong', false]);
    assert.deepEqual([await accounts(bench), await states(bench)], [[], []]);
  });

  test(`K11 a run that too many writes led to ends as failed, with what led to it (${kind})`, async (context) => {
    const openAccounts = await openOrg(context, kind);
    const bench = await openAccounts();
    const { newId, workspace } = bench.records;
    const chain = Array.from({ length: 9 }, (_, index) => `event-${index}`);
    const asked = await bench.ask('payment');
    await startRun(bench.deps(), { ...asked, id: newId(), origin: { depth: 8, chain: chain.slice(1) } });
    const id = newId();
    await startRun(bench.deps(), { ...asked, id, origin: { depth: 9, chain } });
    await settle(bench);
    assert.deepEqual([await accounts(bench), await states(bench)], [paid, ['done', 'failed']]);
    assert.match((await runs.read(workspace.scope, id))?.value.error?.message ?? '', /event-0 → .*event-8 → payment/);
  });

  test(`K08 a value of an encrypted field is nowhere in a run that is over, in no encoding (${kind})`, async (context) => {
    const openAccounts = await openOrg(context, kind);
    const bench = await openAccounts();
    const canary = 'canary/+ü-1234567890';
    const { run, refusal } = await bench.call(bench.deps(), 'secret', { canary });
    assert.deepEqual([run.state, refusal?.code], ['failed', 'conflict']);
    const stored = (await bench.records.contents()).filter(({ pk }) => pk.startsWith('run') || pk === 'due');
    assert.ok(stored.length > 2);
    const forms = [canary, Buffer.from(canary).toString('base64'), encodeURIComponent(canary)];
    for (const form of forms) assert.ok(!JSON.stringify(stored).includes(form), form);
    const org = await bench.records.opened.maintenance.scan('org#acme', undefined, 10_000);
    for (const form of forms) assert.ok(!JSON.stringify(org).includes(form), form);
    const name = { env: 'test', orgCode: 'acme', id: run.id } as const;
    const by = { at: '', actor: { kind: 'org_user', id: 'b1' }, request_id: '' } as const;
    await assert.rejects(retryRun({ ...bench.deps(), wake: () => undefined }, name, { by }), { code: 'conflict' });
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
        await bench.visit({ ...bench.deps(), callers: { as: gone } });
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
}
