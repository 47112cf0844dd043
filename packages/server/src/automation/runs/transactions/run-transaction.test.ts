import assert from 'node:assert/strict';
import { test } from 'node:test';
import { interceptStore, type StoreCall } from '../../../store/intercepted-store.ts';
import type { Store } from '../../../store/port.ts';
import { listAll, type Node, openBench, type RecordBench } from '../../../testing/record-bench.ts';
import { blockFailure } from '../../blocks/block-failure.ts';
import type { StepRun } from '../../blocks/block-run.ts';
import { retryRun } from '../control-run.ts';
import { storedRuns } from '../run-rows.ts';
import { startRun } from '../runs.ts';
import { onRecords, type Steps } from '../testing/account-runs.ts';
import { runRows } from '../testing/opened-runs.ts';
import { openRunBench, type RunBench } from '../testing/run-bench.ts';

type Block = Readonly<Record<string, StepRun>>;

interface Bench extends RunBench {
  /** The ids of two records, which begin with the same `n`. */
  readonly ids: readonly [string, string];
  set(id: string, n: number): Promise<unknown>;
  /** The `n` of all records, in order. */
  left(): Promise<readonly unknown[]>;
}

const list = (id: string, parameters: Readonly<Record<string, string>> = {}): StepRun =>
  onRecords(() => ({ id, type: 'list', entity: 'counter', parameters: new Map(Object.entries(parameters)) }));
const create = (id: string, n: number): StepRun =>
  onRecords(() => ({ id, type: 'create', entity: 'counter', values: { n } }));

async function openCounters(records: RecordBench, blocks: (ids: Bench['ids']) => Readonly<Record<string, Block>>) {
  const node = records.node();
  const UpdateParams = [
    { name: 'n', colType: 'integer' },
    { name: 'no', colType: 'autoincrement' },
  ];
  await node.admin.define('acme', { entityName: 'counter', UpdateParams });
  await node.configs.refresh('acme');
  const call = await node.call('counter');
  const made = [await node.runtime.create(call, { n: 1 }), await node.runtime.create(call, { n: 1 })];
  const ids = made.map(({ data }) => data.id) as unknown as Bench['ids'];
  const given = blocks(ids);
  const bench = await openRunBench(records, { blocks: given, transactions: Object.keys(given) });
  const set = async (id: string, n: number) => node.runtime.update(call, { id, body: { n } });
  const left = async () => (await listAll(node, call)).map(({ n }) => Number(n)).sort((one, other) => one - other);
  return { ...bench, ids, set, left };
}

function get(id: string, record: string): StepRun {
  return onRecords(() => ({ id, type: 'get', entity: 'counter', record }));
}

function update(id: string, record: string, values: (steps: Steps) => object): StepRun {
  return onRecords((steps) => ({ id, type: 'update', entity: 'counter', record, values: values(steps) }));
}

const increment = (id: string): Block => ({
  read: get('read', id),
  write: update('write', id, ({ read }) => ({ n: Number(read?.n) + 1 })),
});

/** A store under which something happens before some of its calls. */
function meddled(store: Store, meddle: (operation: StoreCall) => Promise<unknown>): Store {
  return interceptStore(store, async (operation, call) => {
    await meddle(operation);
    return call();
  });
}

/** Whether the call stores the end of a run. */
function endsRun({ changes = [] }: StoreCall): boolean {
  return changes.some(
    (change) => change.kind === 'put' && change.pk === 'run' && change.value.includes('"state":"done"'),
  );
}

test('what another write changed is read again, and what is made again has the same id and number', async (context) => {
  const bench = await openCounters(await openBench(context), ([id]) => ({
    block: { ...increment(id), made: create('made', 100) },
  }));
  const [id] = bench.ids;
  const made: string[] = [];
  let left = 2;
  const store = meddled(bench.records.opened.store, async (operation) => {
    if (!endsRun(operation)) return;
    for (const change of operation.changes ?? [])
      if (change.kind === 'put' && change.pk.startsWith('org#') && change.value.includes('"n":100'))
        made.push(change.sk);
    if (left-- > 0) await bench.set(id, 10 * (left + 1));
  });
  const { run } = await bench.call(bench.deps(store), 'block');
  assert.equal(run.state, 'done');
  assert.deepEqual(await bench.left(), [1, 11, 100]);
  assert.deepEqual([made.length, new Set(made).size], [3, 1]);
  const node = bench.records.node();
  const numbers = (await listAll(node, await node.call('counter'))).map(({ no }) => Number(no));
  assert.deepEqual(numbers.toSorted(), [1, 2, 3]);
});

test('what a transaction reads, or is refused for, stood at one moment', async (context) => {
  let torn = 0;
  const bench = await openCounters(await openBench(context), ([one, two]) => ({
    block: {
      one: get('one', one),
      two: get('two', two),
      compare: onRecords(({ one, two }) => {
        if (one?.n === two?.n) return { id: 'compare', type: 'list', entity: 'counter', parameters: new Map() };
        torn += 1;
        throw blockFailure('the two differ');
      }),
    },
  }));
  let reads = 0;
  const store = meddled(bench.records.opened.store, async ({ name, scope }) => {
    if (name !== 'get' || scope !== bench.records.workspace.scope.name) return;
    reads += 1;
    if (reads === 2) for (const id of bench.ids) await bench.set(id, 2);
  });
  const { refusal, isStored } = await bench.call(bench.deps(store), 'block');
  assert.deepEqual([refusal, isStored, torn], [undefined, false, 1]);
});

const sum = (id: string): StepRun =>
  onRecords(() => ({
    ...{ id, type: 'aggregate', entity: 'counter', values: {} },
    parameters: new Map([['$measure', 'sum:n']]),
  }));

/** The figures of an aggregate whose records are one group. */
function sumOf(value: Steps[string] | undefined): unknown {
  const { items } = value as unknown as { readonly items: readonly { readonly values: { readonly sum_n: unknown } }[] };
  return items[0]?.values.sum_n;
}

for (const [what, change, added] of [
  ['makes', async (node, call) => node.runtime.create(call, { n: 5 }), 5],
  ['changes', async (node, call, id) => node.runtime.update(call, { id, body: { n: 4 } }), 3],
  ['removes', async (node, call, id) => node.runtime.remove(call, { id }), -1],
] as const satisfies readonly (readonly [
  string,
  (node: Node, call: Awaited<ReturnType<Node['call']>>, id: string) => Promise<unknown>,
  number,
])[])
  test(`a sum that another write ${what} a record of is worked out again, with the own writes in it`, async (context) => {
    const bench = await openCounters(await openBench(context), () => ({
      block: {
        made: create('made', 10),
        sums: sum('sums'),
        kept: onRecords(({ sums }) => ({
          ...{ id: 'kept', type: 'create', entity: 'counter' },
          values: { n: 100 * Number(sumOf(sums)) },
        })),
      },
    }));
    const node = bench.records.node();
    const call = await node.call('counter');
    let left = 1;
    const store = meddled(bench.records.opened.store, async (operation) => {
      if (endsRun(operation) && left-- > 0) await change(node, call, bench.ids[0]);
    });
    const { run } = await bench.call(bench.deps(store), 'block');
    assert.deepEqual([run.state, left], ['done', -1]);
    assert.equal((await bench.left()).at(-1), 100 * (1 + 1 + 10 + added));
  });

test('a transaction that others overtake ten times is a conflict, and leaves nothing', async (context) => {
  const bench = await openCounters(await openBench(context), ([id]) => ({
    block: { ...increment(id), made: create('made', 100) },
  }));
  const [id] = bench.ids;
  let attempts = 0;
  const store = meddled(bench.records.opened.store, async (operation) => {
    if (!endsRun(operation)) return;
    attempts += 1;
    await bench.set(id, 50 + attempts);
  });
  const { refusal, isStored } = await bench.call(bench.deps(store), 'block');
  assert.deepEqual([refusal?.code, isStored, attempts], ['conflict', false, 10]);
  assert.deepEqual(await bench.left(), [1, 60]);
});

test('one that no caller waits for is done later, where others overtake it', async (context) => {
  const bench = await openCounters(await openBench(context), ([id]) => ({ block: increment(id) }));
  const [id] = bench.ids;
  let attempts = 0;
  const store = meddled(bench.records.opened.store, async (operation) => {
    if (endsRun(operation)) await bench.set(id, 50 + ++attempts);
  });
  const runId = bench.records.newId();
  await startRun(bench.deps(), { ...(await bench.ask('block')), id: runId });
  await bench.pass(bench.deps(store));
  const row = async () => (await storedRuns.read(bench.records.workspace.scope, runId))?.value;
  assert.deepEqual([(await row())?.state, attempts], ['waiting', 10]);
  await bench.workOff();
  assert.deepEqual([(await row())?.state, await bench.left()], ['done', [1, 61]]);
});

test('a transaction reads no more than its commit can check', async (context) => {
  const reading = Object.fromEntries(
    Array.from({ length: 90 }, (_, step) => [`read${step}`, list(`read${step}`, { pagesize: String(100 + step) })]),
  );
  const bench = await openCounters(await openBench(context), () => ({ block: reading }));
  const node = bench.records.node();
  const call = await node.call('counter');
  for (let made = 0; made < 200; made++) await node.runtime.create(call, { n: made });
  const { refusal, isStored } = await bench.call(bench.deps(), 'block');
  assert.deepEqual([refusal?.code, isStored], ['block_failed', false]);
  assert.match(refusal?.message ?? '', /reads at most 8000 records/);
  assert.match(String(refusal?.details.step), /^read/);
});

test('a transaction that failed shows what it read, and is retried from its beginning alone', async (context) => {
  const bench = await openCounters(await openBench(context), ([id]) => ({
    block: {
      ...increment(id),
      fail: update('fail', id, ({ read }) => ({ n: Number(read?.n) === 1 ? 'much' : 5 })),
    },
  }));
  const id = bench.records.newId();
  const { scope } = bench.records.workspace;
  await startRun(bench.deps(), { ...(await bench.ask('block')), id });
  await bench.workOff();
  const stepsOf = async (run: string) => {
    const found: unknown[] = [];
    for await (const rows of runRows(scope).steps(run)) found.push(...rows.map(({ value }) => [value.id, value.state]));
    return found;
  };
  assert.deepEqual([await bench.left(), (await storedRuns.read(scope, id))?.value.state], [[1, 1], 'failed']);
  assert.deepEqual(await stepsOf(id), [
    ['read', 'done'],
    ['fail', 'failed'],
  ]);
  const by = { at: '', actor: { kind: 'org_user', id: 'b1' }, request_id: '' } as const;
  const name = { env: 'test', orgCode: 'acme', id } as const;
  const control = { ...bench.deps(), wake: () => undefined };
  await assert.rejects(retryRun(control, name, { by, from: 'fail' }), { code: 'validation_failed' });
  await bench.set(bench.ids[0], 3);
  const again = await retryRun(control, name, { by });
  assert.deepEqual(await stepsOf(again.id), []);
  await bench.workOff();
  assert.deepEqual([await bench.left(), (await storedRuns.read(scope, again.id))?.value.state], [[1, 5], 'done']);
});
