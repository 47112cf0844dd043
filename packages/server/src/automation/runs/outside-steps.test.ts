/** Tests the requests of runs to other systems, whenever their processes die. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../lib/problem.ts';
import { crashing, type Moment } from '../../store/testing/failing-store.ts';
import { raceKinds } from '../../store/testing/open-test-store.ts';
import { openBench, RecordBench } from '../../testing/record-bench.ts';
import type { WorkKind } from '../automation-deps.ts';
import type { HttpStepRequest, StepRun } from '../blocks/block-run.ts';
import { noMeter } from '../testing/no-meter.ts';
import { retryRun } from './control-run.ts';
import { storedRuns } from './run-rows.ts';
import { dies, due, settle, states } from './testing/account-runs.ts';
import { openRunBench } from './testing/run-bench.ts';

function call(id: string, method: HttpStepRequest['method']): StepRun {
  return async (run, path) => {
    return { value: await run.http(path, { id, method, url: `https://a.example/${id}`, headers: {} }) };
  };
}

const write: StepRun = async (run, path) => {
  const values = { name: 'new' };
  return { value: await run.entity(path, { id: 'write', type: 'create', entity: 'account', values }) };
};

const mail: StepRun = async (run, path) => {
  return { value: await run.mail(path, { id: 'mail', to: 'ann@a.example', subject: 's', text: 't' }) };
};

const blocks = {
  order: {
    ...{ one: call('one', 'POST'), read: call('read', 'GET'), write },
    ...{ two: call('two', 'DELETE'), three: call('three', 'GET'), mail },
  },
  reads: { one: call('one', 'GET'), two: call('two', 'GET') },
  together: { write, one: call('one', 'POST') },
  mails: { write, mail },
};

/** Each time another workspace, and what its runs have sent. */
async function openOutside(
  context: Parameters<typeof openBench>[0],
  kind: Parameters<typeof openBench>[1],
  {
    answers = async () => undefined,
    isFull = false,
  }: { answers?: (step: string) => Promise<void>; isFull?: boolean } = {},
) {
  const org = await openBench(context, kind);
  await org.node().admin.define('acme', { entityName: 'account', UpdateParams: [{ name: 'name' }] });
  let workspaces = 0;
  return async () => {
    workspaces += 1;
    const records = new RecordBench(org.opened, org.clock, `w${workspaces}`);
    const sent: { readonly step: string; readonly key: string | undefined }[] = [];
    const counted: [string, WorkKind, number][] = [];
    const unstored: string[] = [];
    const note = async (step: string, key: string | undefined) => {
      const stored = await storedRuns.range(records.workspace.scope, 'run', { limit: 10 });
      // A request under the name of a run that a crash forgets would be sent by another run again.
      if (key !== undefined && !stored.some(({ value }) => key.startsWith(value.root ?? value.id))) unstored.push(step);
      sent.push({ step, key });
      await answers(step);
    };
    const bench = await openRunBench(records, {
      blocks,
      transactions: ['together'],
      outside: {
        http: {
          send: async ({ env, orgCode }, { id }, { depth, key }) => {
            assert.deepEqual([env, orgCode], ['test', 'acme']);
            assert.equal(depth, 1);
            await note(id, key);
            return { status: 200, headers: {}, body: id };
          },
        },
        mail: {
          deliver: async (_mail, { org: of, id }) => {
            assert.equal(of, 'acme');
            await note('mail', id);
            return 'sent';
          },
        },
        meter: {
          ...noMeter,
          add: ({ env, orgCode }, what, by) => {
            if (what === 'mails') counted.push([`${env} ${orgCode}`, what, by]);
          },
          check: async (_org, what) => {
            if (isFull && what === 'mails') throw new Problem('plan_limit_exceeded', 'no more mails');
          },
        },
      },
    });
    return { bench, sent, counted, unstored };
  };
}

for (const kind of raceKinds) {
  test(`a run whose process dies at any call of the store sends each step at least once, under one key (${kind})`, async (context) => {
    const open = await openOutside(context, kind);
    let calls = 0;
    let repeated = 0;
    for (const when of ['before', 'after'] satisfies Moment[])
      for (let left = 0; ; left++) {
        const { bench, sent, unstored } = await open();
        const store = crashing(bench.records.opened.store, left, when);
        const hasDied = await dies(bench.call(bench.deps(store), 'order'));
        await settle(bench);
        const ended = await states(bench);
        const place = `${when} call ${left}`;
        const [run] = await storedRuns.range(bench.records.workspace.scope, 'run', { limit: 1 });
        const expected = new Set(
          run === undefined ? [] : [`one ${run.sk}.0000`, `two ${run.sk}.0003`, `mail ${run.sk}.0005`],
        );
        const keyed = sent.flatMap(({ step, key }) => (key === undefined ? [] : [`${step} ${key}`]));
        assert.deepEqual(new Set(keyed), expected, place);
        assert.deepEqual([ended, unstored, await due(bench)], [run === undefined ? [] : ['done'], [], []], place);
        repeated += keyed.length - expected.size;
        calls += 1;
        if (!hasDied) break;
      }
    assert.ok(calls > 20 && repeated > 2, `${calls} calls, ${repeated} repeated`);
  });
}

test('a run that only read from other systems leaves nothing, and sends no key', async (context) => {
  const { bench, sent } = await (await openOutside(context, 'memory'))();
  const { returns, isStored } = await bench.call(bench.deps(), 'reads');
  assert.deepEqual([returns, isStored, await states(bench)], [null, false, []]);
  assert.deepEqual(sent, [
    { step: 'one', key: undefined },
    { step: 'two', key: undefined },
  ]);
});

test('a transaction sends nothing', async (context) => {
  const { bench, sent } = await (await openOutside(context, 'memory'))();
  const { refusal, isStored } = await bench.call(bench.deps(), 'together');
  assert.deepEqual([refusal?.code, refusal?.details.step, isStored, sent], ['block_failed', 'one', false, []]);
});

test('a retry of a retry sends what failed under the key of the first run, and nothing else again', async (context) => {
  let left = 2;
  const answers = async (step: string) => {
    if (step === 'two' && left-- > 0) throw new Problem('block_failed', 'there was no answer');
  };
  const { bench, sent } = await (await openOutside(context, 'memory', { answers }))();
  const first = await bench.call(bench.deps(), 'order');
  assert.equal(first.refusal?.message, 'there was no answer');
  const control = { ...bench.deps(), wake: () => undefined };
  const by = { at: '', actor: { kind: 'org_user', id: 'b1' }, request_id: '' } as const;
  const retry = (id: string) => retryRun(control, { env: 'test', orgCode: 'acme', id }, { by });
  const { id } = await retry(first.run.id);
  await settle(bench);
  await retry(id);
  await settle(bench);
  assert.deepEqual((await states(bench)).toSorted(), ['done', 'failed', 'failed']);
  const keyed = sent.filter(({ key }) => key !== undefined).map(({ step, key }) => `${step} ${key}`);
  const key = first.run.id;
  assert.deepEqual(keyed, [`one ${key}.0000`, ...Array(3).fill(`two ${key}.0003`), `mail ${key}.0005`]);
});

test('a retry from a step that was done sends it and what comes behind it under new keys, which its own retries keep', async (context) => {
  let left = 2;
  const answers = async (step: string) => {
    if (step === 'two' && left-- > 0) throw new Problem('block_failed', 'there was no answer');
  };
  const { bench, sent } = await (await openOutside(context, 'memory', { answers }))();
  const { run: first } = await bench.call(bench.deps(), 'order');
  const control = { ...bench.deps(), wake: () => undefined };
  const by = { at: '', actor: { kind: 'org_user', id: 'b1' }, request_id: '' } as const;
  const retry = async (id: string, from?: string) => {
    const retried = await retryRun(control, { env: 'test', orgCode: 'acme', id }, { by, from });
    await settle(bench);
    return retried.id;
  };
  const second = await retry(first.id, '0000');
  await retry(second, 'two');
  const keyed = sent.filter(({ key }) => key !== undefined).map(({ step, key }) => `${step} ${key}`);
  assert.deepEqual(keyed, [
    ...[`one ${first.id}.0000`, `two ${first.id}.0003`],
    ...[`one ${second}.0000`, `two ${second}.0003`],
    // The step that failed was not done, so it keeps its key.
    ...[`two ${second}.0003`, `mail ${second}.0005`],
  ]);
});

test('mails count to the org of the workspace, and stop where its plan has no more', async (context) => {
  const { bench, counted } = await (await openOutside(context, 'memory'))();
  await bench.call(bench.deps(), 'mails', { orgCode: 'other', env: 'prod' });
  assert.deepEqual(counted, [['test acme', 'mails', 1]]);
  const full = await (await openOutside(context, 'memory', { isFull: true }))();
  const { refusal } = await full.bench.call(full.bench.deps(), 'mails');
  assert.deepEqual([refusal?.code, full.sent, full.counted], ['plan_limit_exceeded', [], []]);
});
