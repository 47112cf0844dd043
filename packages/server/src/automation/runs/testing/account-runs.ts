/** Runs that count accounts: what their tests begin, and what they look at. Only tests may use it. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { Problem } from '../../../lib/problem.ts';
import { Crash } from '../../../store/testing/failing-store.ts';
import type { StoreKind } from '../../../store/testing/open-test-store.ts';
import { listAll, openBench, RecordBench } from '../../../testing/record-bench.ts';
import type { EntityStep, StepRun } from '../../blocks/block-run.ts';
import { runSummaries, storedRuns } from '../run-rows.ts';
import { openRunBench, type RunBench } from './run-bench.ts';

export type Steps = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A step on records by the values of the steps before it. */
export function onRecords(step: (steps: Steps) => EntityStep): StepRun {
  return async (run, path) => {
    const requests: EntityStep[] = [];
    const evaluate = ({ steps }: { readonly steps: unknown }) => requests.push(step(steps as Steps));
    run.evaluate({ expressions: 1, isOfNode: false, evaluate });
    const [one = assert.fail('nothing was asked')] = requests;
    return { value: await run.entity(path, one) };
  };
}

export const waitMilliseconds = 3_600_000;

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
      isOfNode: false,
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
    const name = run.evaluate({ expressions: 1, isOfNode: false, evaluate });
    return { value: await run.entity(path, { id: 'copy', type: 'create', entity: 'account', values: { name } }) };
  },
  fail: (run) => {
    const evaluate = ({ input }: { readonly input?: unknown }) => JSON.stringify(input);
    throw new Problem('conflict', `not with ${String(run.evaluate({ expressions: 1, isOfNode: false, evaluate }))}`);
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

const blocks = { payment, paidTogether: payment, waitingPayment, together, refused, secret, laterSecret, loud };
export const paid = [['of 1', 30]];
export const both = [
  ['one', 1],
  ['two', 2],
];

/** Each time another workspace of one org, on one store. */
export async function openOrg(context: TestContext, kind: StoreKind): Promise<() => Promise<RunBench>> {
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
    return openRunBench(records, { blocks, transactions: ['together', 'refused', 'paidTogether'] });
  };
}

export async function accounts({ records }: RunBench): Promise<readonly unknown[]> {
  const node = records.node();
  const found = await listAll(node, await node.call('account'));
  return found.map(({ name, amount }) => [name, amount]).sort();
}

export async function states({ records }: RunBench): Promise<readonly string[]> {
  const { scope } = records.workspace;
  const own = await storedRuns.range(scope, 'run', { limit: 10 });
  const org = records.opened.store.scope('org#acme');
  const ofOrg = await runSummaries.range(org, 'run-of', { limit: 1000 });
  const summaries = ofOrg.filter(({ value }) => value.tenant_code === records.workspace.tenantCode);
  assert.deepEqual(
    summaries.map(({ value }) => [value.id, value.state]),
    own.map(({ value }) => [value.id, value.state]),
  );
  return own.map(({ value }) => value.state);
}

export function due({ records }: RunBench): Promise<readonly unknown[]> {
  return records.opened.maintenance.due('automation', Number.MAX_SAFE_INTEGER, 10);
}

/** Whether the process died at the planted call. */
export async function dies(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => false,
    (error: unknown) => {
      assert.ok(error instanceof Crash, String(error));
      return true;
    },
  );
}

/** Another process does what is left, also what waits. */
export async function settle(bench: RunBench): Promise<void> {
  await bench.workOff();
  bench.records.clock.advance(waitMilliseconds);
  await bench.workOff();
}
