import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TemplateValues } from '../../expressions/port.ts';
import { interceptStore } from '../../store/intercepted-store.ts';
import { Unavailable } from '../../store/port.ts';
import { crashing, type Moment } from '../../store/testing/failing-store.ts';
import { raceKinds } from '../../store/testing/open-test-store.ts';
import { openBench } from '../../testing/record-bench.ts';
import type { StepRun } from '../blocks/block-run.ts';
import { cancelRun, retryRun } from './control-run.ts';
import { startRun } from './runs.ts';
import { accounts, both, dies, due, openOrg, paid, settle, states } from './testing/account-runs.ts';
import { runRows } from './testing/opened-runs.ts';
import { openRunBench } from './testing/run-bench.ts';

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

  for (const block of ['payment', 'paidTogether'])
    test(`K13 a run that is due is done once, at whichever call of the store the process dies that takes it up (${block}, ${kind})`, async (context) => {
      const openAccounts = await openOrg(context, kind);
      let calls = 0;
      for (const when of ['before', 'after'] satisfies Moment[])
        for (let left = 0; ; left++) {
          const bench = await openAccounts();
          const { opened, newId } = bench.records;
          const id = newId();
          await startRun(bench.deps(), { ...(await bench.ask(block)), id });
          const hasDied = await dies(bench.pass(bench.deps(crashing(opened.store, left, when))));
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
      const store = interceptStore(bench.records.opened.store, async (_operation, call) => {
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
    const request = { ...(await bench.ask('payment')), id };
    const note = { kind: 'put', pk: 'note', sk: id, value: '1', if: 'absent' } as const;
    assert.deepEqual(await startRun(bench.deps(), request, [note]), { id, isNew: true });
    assert.deepEqual(await startRun(bench.deps(), request, [note]), { id, isNew: false });
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

  test(`a transaction is done as a whole or not at all, and once (${kind})`, async (context) => {
    const openAccounts = await openOrg(context, kind);
    let calls = 0;
    for (const [block, whole] of [
      ['together', both],
      ['paidTogether', paid],
    ] as const)
      for (const when of ['before', 'after'] satisfies Moment[])
        for (let left = 0; ; left++) {
          const bench = await openAccounts();
          const store = crashing(bench.records.opened.store, left, when);
          const hasDied = await dies(bench.call(bench.deps(store), block));
          await settle(bench);
          const ended = await states(bench);
          assert.deepEqual(await accounts(bench), ended.length === 0 ? [] : whole, `${block}, ${when} call ${left}`);
          calls += 1;
          if (!hasDied) break;
        }
    assert.ok(calls > 40, `${calls} calls`);
    const bench = await openAccounts();
    const { refusal, isStored } = await bench.call(bench.deps(), 'refused');
    assert.deepEqual([refusal?.code, refusal?.details.step, isStored], ['validation_failed', 'wrong', false]);
    assert.deepEqual([await accounts(bench), await states(bench)], [[], []]);
  });

  test(`a run that an event begins reads the event, and the record after and before the write (${kind})`, async (context) => {
    const records = await openBench(context, kind);
    const seen: unknown[] = [];
    const evaluate = ({ event, record, before, user, tenant, env }: TemplateValues) =>
      seen.push({ event, record, before, user, tenant, env });
    const note: StepRun = (run) => ({ value: run.evaluate({ expressions: 1, isOfNode: false, evaluate }) });
    const bench = await openRunBench(records, { blocks: { note: { note } } });
    const all = [
      { event: { op: 'create' }, record: { name: 'a' }, before: undefined },
      { event: { op: 'update' }, record: { name: 'b' }, before: { name: 'a' } },
    ];
    for (const given of all) await startRun(bench.deps(), { ...(await bench.ask('note')), id: records.newId(), given });
    await settle(bench);
    const { tenantId: id, tenantCode: code } = records.workspace;
    const others = { user: { id: 'u1', email: 'u1@example.com' }, tenant: { id, code }, env: 'test' };
    assert.deepEqual(
      seen,
      all.map((given) => ({ ...given, ...others })),
    );
  });

  test(`a call that the store lets down leaves its run for the next process, which need not wait (${kind})`, async (context) => {
    const openAccounts = await openOrg(context, kind);
    const bench = await openAccounts();
    let commits = 0;
    const store = interceptStore(bench.records.opened.store, async ({ name }, call) => {
      if (name === 'commit' && ++commits === 4) throw new Unavailable('off');
      return call();
    });
    await assert.rejects(bench.call(bench.deps(store), 'payment'), Unavailable);
    assert.deepEqual(await accounts(bench), [['new', 5]]);
    await bench.pass();
    assert.deepEqual([await accounts(bench), await states(bench), await due(bench)], [paid, ['done'], []]);
  });

  test(`K11 a run that too many writes led to ends as failed, with what led to it (${kind})`, async (context) => {
    const openAccounts = await openOrg(context, kind);
    const bench = await openAccounts();
    const { newId, workspace } = bench.records;
    const chain = Array.from({ length: 9 }, (_, index) => `event-${index}`);
    const requested = await bench.ask('payment');
    await startRun(bench.deps(), { ...requested, id: newId(), origin: { depth: 8, chain: chain.slice(1) } });
    const id = newId();
    await startRun(bench.deps(), { ...requested, id, origin: { depth: 9, chain } });
    await settle(bench);
    assert.deepEqual([await accounts(bench), await states(bench)], [paid, ['done', 'failed']]);
    assert.match(
      (await runRows(workspace.scope).read(id))?.value.error?.message ?? '',
      /event-0 → .*event-8 → payment/,
    );
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
}
