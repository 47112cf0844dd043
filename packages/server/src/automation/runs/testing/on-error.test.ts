/** Runs whose steps catch errors go the same way when another process takes them up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crashing, type Moment } from '../../../store/testing/failing-store.ts';
import { raceKinds } from '../../../store/testing/open-test-store.ts';
import { listAll, openBench, RecordBench } from '../../../testing/record-bench.ts';
import type { LogicBlockContent } from '../../kinds/logicblock.ts';
import { retryRun } from '../control-run.ts';
import { showRun } from '../run-log.ts';
import { runSummaries } from '../run-rows.ts';
import { dies, due, settle, states } from './account-runs.ts';
import { openedRuns, runRows } from './opened-runs.ts';
import { openRunBench, type RunBench } from './run-bench.ts';

/** Mails to each customer; of a mail that is refused an account is made, by its name. */
const reminders: LogicBlockContent = {
  name: 'reminders',
  steps: [
    {
      ...{ id: 'each', type: 'loop', over: '{{ input.customers }}', max: 10 },
      steps: [
        {
          ...{ id: 'mail', type: 'mail', to: '{{ steps.each.item }}', subject: 's', text: 't' },
          on_error: {
            steps: [
              { id: 'note', type: 'create', entity: 'account', values: { name: 'no mail to {{ steps.each.item }}' } },
            ],
          },
        },
        {
          id: 'again',
          type: 'create',
          entity: 'account',
          values: { name: '{{ steps.each.item }} {{ has(errors.mail.code) }}' },
        },
        { id: 'fails', type: 'transform', value: '{{ steps.each.index / 0 }}', on_error: 'continue' },
        { id: 'last', type: 'get', entity: 'account', record: '{{ steps.each.index == 1 ? "none" : steps.again.id }}' },
      ],
      on_error: 'continue',
    },
  ],
  returns: { failed: '{{ steps.each.failed }}' },
};

const after: LogicBlockContent = {
  name: 'after',
  steps: [
    ...reminders.steps,
    { id: 'stop', type: 'create', entity: 'account', values: { name: '{{ input.stop }}', amount: '{{ input.stop }}' } },
  ],
};

const customers = ['ann@a.example', 'none', 'bob@a.example'];

interface Stage {
  readonly bench: RunBench;
  /** To whom mails were sent, in order. */
  readonly sent: string[];
}

/** A mail server that refuses the first mail to an address that it does not know, and takes each further one. */
async function openStage(context: Parameters<typeof openBench>[0], kind: Parameters<typeof openBench>[1]) {
  const org = await openBench(context, kind);
  const UpdateParams = [{ name: 'name' }, { name: 'amount', colType: 'number' }];
  await org.node().admin.define('acme', { entityName: 'account', UpdateParams });
  let workspaces = 0;
  return async (): Promise<Stage> => {
    workspaces += 1;
    const records = new RecordBench(org.opened, org.clock, `w${workspaces}`);
    const sent: string[] = [];
    const mail = {
      deliver: async ({ to }: { readonly to: string }) => {
        const isFirst = !sent.includes(to);
        sent.push(to);
        return to.startsWith('bob') && isFirst ? { code: '450', permanent: false } : ('sent' as const);
      },
    };
    const bench = await openRunBench(records, { blocks: {}, contents: [reminders, after], outside: { mail } });
    return { bench, sent };
  };
}

async function names({ records }: RunBench): Promise<readonly unknown[]> {
  const node = records.node();
  return (await listAll(node, await node.call('account'))).map(({ name }) => name).sort();
}

/** The expected results of the run, by whether the mail to Bob was refused in the end. */
function expected(isRefused: boolean): readonly string[] {
  const notes = ['no mail to none', ...(isRefused ? ['no mail to bob@a.example'] : [])];
  return [`ann@a.example false`, `bob@a.example ${isRefused}`, 'none true', ...notes].sort();
}

for (const kind of raceKinds)
  test(`a run whose process dies at any call of the store goes on past the same errors (${kind})`, async (context) => {
    const open = await openStage(context, kind);
    const ways = new Set<boolean>();
    for (const when of ['before', 'after'] satisfies Moment[])
      for (let left = 0; ; left++) {
        const { bench, sent } = await open();
        const store = crashing(bench.records.opened.store, left, when);
        const hasDied = await dies(bench.call(bench.deps(store), 'reminders', { customers }));
        await settle(bench);
        const place = `${when} call ${left}`;
        const [run] = await openedRuns(bench.records.workspace.scope);
        if (run !== undefined) {
          const made = await names(bench);
          const isRefused = made.includes('no mail to bob@a.example');
          ways.add(isRefused);
          assert.deepEqual(made, expected(isRefused), place);
          // Once the run has gone on past the refusal, nothing is sent again.
          assert.equal(sent.filter((to) => to.startsWith('bob')).length >= 2, !isRefused, `${place}: ${sent.join()}`);
          const { state, returns, failed_passes } = run.value;
          assert.deepEqual([state, returns, failed_passes], ['done', { failed: 1 }, 1], place);
          const summary = await runSummaries.read(bench.records.opened.store.scope('org#acme'), run.sk);
          assert.equal(summary?.value.failed_passes, 1, place);
        }
        assert.deepEqual(await due(bench), [], place);
        if (!hasDied) break;
      }
    assert.deepEqual(ways, new Set([true, false]), 'each of both ways was gone');
  });

test('a run shows which steps were refused while it went on', async (context) => {
  const { bench } = await (await openStage(context, 'memory'))();
  const { run } = await bench.call(bench.deps(), 'reminders', { customers });
  const { opened } = bench.records;
  const shown = await showRun(
    { runRows, stores: { test: opened.store, prod: opened.store } },
    { env: 'test', orgCode: 'acme', id: run.id },
  );
  assert.equal(shown.failed_passes, 1);
  const failed = shown.steps.filter(({ state }) => state === 'failed');
  assert.deepEqual(
    failed.map(({ path, id, caught, error }) => [path, id, caught, error?.code, error?.status]),
    [
      ['0000.0000.0002', 'fails', true, 'block_failed', 422],
      ['0000.0001.0000', 'mail', true, 'block_failed', 422],
      ['0000.0001.0002', 'fails', true, 'block_failed', 422],
      ['0000.0001.0003', 'last', true, 'not_found', 404],
      ['0000.0002.0000', 'mail', true, 'block_failed', 422],
      ['0000.0002.0002', 'fails', true, 'block_failed', 422],
    ],
  );
  assert.equal(failed[1]?.error?.message, 'a mail is sent to one address, and `to` is none');
});

test('a retry goes on past the errors of the run that it repeats', async (context) => {
  const { bench, sent } = await (await openStage(context, 'memory'))();
  const { run, refusal } = await bench.call(bench.deps(), 'after', { customers, stop: 'much' });
  assert.deepEqual([run.state, run.failed_passes, refusal?.details.step], ['failed', 1, 'stop']);
  const before = sent.length;
  const control = { ...bench.deps(), wake: () => undefined };
  const by = { at: '', actor: { kind: 'org_user', id: 'b1' }, request_id: '' } as const;
  const name = { env: 'test', orgCode: 'acme', id: run.id } as const;
  await retryRun(control, name, { by });
  await settle(bench);
  assert.deepEqual(
    [await states(bench), sent.length - before, await names(bench)],
    [['failed', 'failed'], 0, expected(true)],
  );
});
