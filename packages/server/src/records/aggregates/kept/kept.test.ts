import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { Problem } from '../../../lib/problem.ts';
import type { EntityDefinition } from '../../../schema/definition.ts';
import { Conflict } from '../../../store/port.ts';
import { openMemory } from '../../../store/testing/open-memory.ts';
import { raceKinds, type StoreKind } from '../../../store/testing/open-test-store.ts';
import { thinned } from '../../../store/testing/quick.ts';
import { Overtaken } from '../../../store/transaction/read-set.ts';
import { listAll, type Node, openBench, RecordBench, verifyParts } from '../../../testing/record-bench.ts';
import type { AuthorizedCall } from '../../caller-access.ts';
import { jsonl, mayAll, resultOf } from '../../import-export/testing/import.ts';
import { createCursors } from '../../listing/cursor.ts';
import type { RecordData } from '../../record.ts';
import { partitionOfRecords } from '../../records-of-org.ts';
import { recountRecords, repairGroups } from '../../recount-records.ts';
import { rowsWhere } from '../../testing/rows.ts';
import { verifyStore } from '../../verify-store.ts';
import type { RecordOperation } from '../../writing/write-records.ts';
import { aggregateBounds } from '../aggregate-run.ts';
import { aggregate } from '../routes.ts';
import { AggregateStep } from './fill-kept.ts';
import { keptGroupsMax } from './kept-rows.ts';

const plain: Omit<EntityDefinition, 'entityName'> = {
  UpdateParams: [
    { name: 'status', colType: 'enum', enumValues: ['open', 'paid', 'sent'] },
    { name: 'region', index: true },
    { name: 'n', colType: 'integer' },
    { name: 'day', colType: 'date' },
    { name: 'code' },
  ],
  UniqueIndexes: [{ indexName: 'code', fields: ['code'] }],
};
const aggregates: NonNullable<EntityDefinition['aggregates']> = [
  { name: 'by_status', group: ['status', 'region'], measures: ['count', 'sum:n', 'avg:n'] },
  { name: 'by_day', group: ['day'], measures: ['count'] },
];

interface Opened {
  readonly bench: RecordBench;
  readonly node: Node;
  readonly call: AuthorizedCall;
}

async function opened(
  context: TestContext,
  kind: StoreKind = 'memory',
  definition: typeof plain = { ...plain, aggregates },
): Promise<Opened> {
  const bench = await openBench(context, kind);
  await bench.found(bench.workspace);
  return onNode(bench, async (node) => void (await node.admin.define('acme', { entityName: 'order', ...definition })));
}

async function onNode(
  bench: RecordBench,
  first: (node: Node) => Promise<void> = async () => undefined,
): Promise<Opened> {
  const node = bench.node();
  await first(node);
  await node.configs.refresh('acme');
  return { bench, node, call: { ...(await node.call('order')), access: mayAll } };
}

const cursors = createCursors(new Uint8Array(32));
type Sent = Readonly<Record<string, string>>;

async function ask({ node, call }: Pick<Opened, 'node' | 'call'>, sent: Sent): Promise<string> {
  const deps = { runtime: node.runtime, cursors, bounds: aggregateBounds, elapsed: () => 0 };
  return (await aggregate(deps, { query: new Map(Object.entries({ pagesize: '1000', ...sent })) }, call)).body ?? '';
}

/** The same question to records that no aggregate is kept of. */
function askRecords({ node, call }: Opened, sent: Sent): Promise<string> {
  return ask({ node, call: { ...call, entity: { ...call.entity, aggregates: [] } } }, sent);
}

/** Sets each figure to 77: an answer with it was given by the rows. */
async function falsify({ call }: Opened): Promise<void> {
  const { scope } = call.workspace;
  for (const { pk } of call.entity.aggregates)
    for (const { sk, value } of await scope.range(pk, { limit: 100 })) {
      const { label, figures } = JSON.parse(value) as { readonly label: string; readonly figures: readonly string[] };
      const text = JSON.stringify({ label, figures: figures.map(() => '77') });
      await scope.commit([{ kind: 'put', pk, sk, value: text, if: 'present' }]);
    }
}

function wantedRows({ call }: Opened, records: readonly RecordData[]): readonly string[] {
  return call.entity.aggregates
    .flatMap(({ pk, group, sums }) =>
      [...Map.groupBy(records, (record) => JSON.stringify(group.map((field) => record[field] ?? null)))].map(
        ([label, some]) => {
          const figures = sums.flatMap((field) => {
            const values = some.map((record) => record[field]).filter((value) => typeof value === 'number');
            return [values.reduce((sum, value) => sum + BigInt(value), 0n), values.length];
          });
          return `${pk} ${JSON.stringify({ label, figures: [some.length, ...figures].map(String) })}`;
        },
      ),
    )
    .toSorted();
}

async function storedRows({ call }: Opened): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { pk } of call.entity.aggregates)
    for (const { value } of await call.workspace.scope.range(pk, { limit: 1000 })) found.push(`${pk} ${value}`);
  return found.toSorted();
}

const bodyArbitrary = fc.record(
  {
    status: fc.constantFrom('open', 'paid', 'sent', null),
    region: fc.constantFrom('', 'north', 'ß😀', null),
    n: fc.oneof(
      fc.integer({ min: -5, max: 5 }),
      fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, null),
    ),
    day: fc.constantFrom('2026-01-01', '2026-03-31', null),
  },
  { requiredKeys: [] },
);
type Body = typeof bodyArbitrary extends fc.Arbitrary<infer T> ? T : never;

const which = fc.nat({ max: 9 });
const actArbitrary = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('create' as const), body: bodyArbitrary }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('update' as const), which, body: bodyArbitrary }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), which }) },
  ...(['batch', 'transaction'] as const).map((kind) => ({
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant(kind),
      bodies: fc.array(bodyArbitrary, { minLength: 1, maxLength: 4 }),
      which,
      body: bodyArbitrary,
    }),
  })),
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('import' as const),
      rows: fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), bodyArbitrary), { minLength: 1, maxLength: 6 }),
    }),
  },
);
type Act = typeof actArbitrary extends fc.Arbitrary<infer T> ? T : never;

async function transact(
  { node, call }: Pick<Opened, 'node' | 'call'>,
  { bodies, body }: { readonly bodies: readonly Body[]; readonly body: Body },
  ids: string[],
): Promise<void> {
  const transaction = node.runtime.transaction(call.workspace);
  const inside = transaction.at(call);
  const updated = (id = ''): RecordOperation => ({ action: 'update', call: inside, input: { id, body } });
  const made: string[] = [];
  for (const one of bodies) {
    const record = await transaction.write({ action: 'create', call: inside, body: one });
    if (record !== undefined) made.push(record.data.id);
  }
  // Of a group that it has made, it counts what it leaves.
  await transaction.write(updated(made[0]));
  if (made.length > 1) await transaction.write({ action: 'delete', call: inside, input: { id: made.pop() ?? '' } });
  if (ids.length > 0) await transaction.write(updated(ids[0]));
  await transaction.commit(async () => []);
  ids.push(...made);
}

async function act({ node, call }: Opened, one: Act, ids: string[]): Promise<void> {
  const { runtime } = node;
  const id = 'which' in one ? (ids[one.which % Math.max(1, ids.length)] ?? '') : '';
  const updated = (body: Body): RecordOperation => ({ action: 'update', call, input: { id, body } });
  switch (one.kind) {
    case 'create':
      ids.push((await runtime.create(call, one.body)).data.id);
      return;
    case 'update':
      await runtime.update(call, { id, body: one.body });
      return;
    case 'delete':
      return runtime.remove(call, { id });
    case 'batch': {
      const made = one.bodies.map((body): RecordOperation => ({ action: 'create', call, body }));
      const { records } = await runtime.write(ids.length === 0 ? made : [...made, updated(one.body)]);
      for (const record of records.slice(0, made.length)) if (record !== undefined) ids.push(record.data.id);
      return;
    }
    case 'transaction':
      return transact({ node, call }, one, ids);
    case 'import':
      await resultOf(node, call, jsonl(one.rows.map(([code, body]) => ({ ...body, code }))), { upsert: 'code' });
  }
}

for (const kind of raceKinds)
  test(`rows of groups are those of the records, whatever is written beside each other (${kind})`, async (context) => {
    const { bench, node, call: first } = await opened(context, kind);
    let runs = 0;
    const property = fc.asyncProperty(
      fc.array(fc.array(actArbitrary, { maxLength: 8 }), { minLength: 1, maxLength: 4 }),
      async (writers) => {
        const workspace = bench.workspaceOf(`run${++runs}`);
        await bench.found(workspace);
        const stage: Opened = { bench, node, call: { ...first, workspace } };
        const ids: string[] = [];
        const writing = writers.map(async (acts) => {
          for (const one of acts)
            await act(stage, one, ids).catch((error: unknown) => {
              const isFair = error instanceof Problem && ['not_found', 'conflict'].includes(error.code);
              if (!isFair && !(error instanceof Overtaken)) throw error;
            });
        });
        await Promise.all(writing);
        const records = await listAll(node, stage.call);
        assert.deepEqual(await storedRows(stage), wantedRows(stage, records));
        for (const sent of [{ group: 'status,region', measure: 'count,sum:n,avg:n' }, { group: 'region' }, {}])
          assert.equal(await ask(stage, sent), await askRecords(stage, sent));
      },
    );
    await fc.assert(property, { numRuns: thinned(kind === 'memory' ? 60 : 8) });
    assert.deepEqual((await verifyStore(verifyParts(bench))).drift, []);
  });

test('many who write records of one group at once are not refused', async (context) => {
  const stage = await opened(context);
  const { node, call } = stage;
  const made = Array.from({ length: 60 }, () => node.runtime.create(call, { status: 'open', region: 'north', n: 2 }));
  await Promise.all(made);
  const moved = (await listAll(node, call)).map(({ id }) =>
    node.runtime.update(call, { id, body: { status: 'paid' } }),
  );
  await Promise.all(moved);
  assert.deepEqual(await storedRows(stage), wantedRows(stage, await listAll(node, call)));
});

const orders: readonly object[] = [
  { status: 'open', region: 'north', n: 4, day: '2026-01-01' },
  { status: 'open', region: 'south', n: 6 },
  { status: 'paid', region: 'south', day: '2026-03-31' },
  { region: 'north', n: -1 },
];

const answered: readonly (readonly [Sent, aggregate: 'by_status' | 'by_day' | null])[] = [
  [{ group: 'status,region' }, 'by_status'],
  [{ group: 'region,status', measure: 'avg:n,count' }, 'by_status'],
  [{ group: 'region', measure: 'sum:n' }, 'by_status'],
  [{}, 'by_day'],
  [{ group: 'day', day_op: 'exists', day: 'true' }, 'by_day'],
  [{ group: 'region', status: 'open' }, 'by_status'],
  [{ group: 'status', region: 'north,south', region_op: 'in' }, 'by_status'],
  [{ group: 'status', filter: 'region != "north" && status == "open"' }, 'by_status'],
  [{ group: 'region', having: 'count > 1', sortby: 'count', sortdir: 'desc' }, 'by_status'],
  [{ group: 'status,day' }, null],
  [{ group: 'month(day)' }, null],
  [{ group: 'day', measure: 'sum:n' }, null],
  [{ group: 'region', measure: 'max:n' }, null],
  [{ group: 'region', measure: 'distinct:status' }, null],
  [{ group: 'region', n: '4' }, null],
  [{ group: 'region', filter: 'n > 0' }, null],
  [{ group: 'region', code_op: 'exists', code: 'false' }, null],
];

for (const [sent, aggregate] of answered)
  test(`the question ${JSON.stringify(sent)} is answered by ${aggregate ?? 'the records'}`, async (context) => {
    const stage = await opened(context);
    for (const body of orders) await stage.node.runtime.create(stage.call, body);
    const wanted = await askRecords(stage, sent);
    assert.equal(await ask(stage, sent), wanted);
    await falsify(stage);
    const found = await ask(stage, sent);
    assert.equal(found !== wanted, aggregate !== null, found);
    const builder: AuthorizedCall = { ...stage.call, explains: 'every_list' };
    const explained = JSON.parse(await ask({ ...stage, call: builder }, { ...sent, explain: 'true' }));
    assert.deepEqual(explained.explain, { aggregate });
  });

test('who may list some records is answered by rows only where the rule is one about the group', async (context) => {
  const stage = await opened(context);
  for (const body of orders) await stage.node.runtime.create(stage.call, body);
  const isNorth = ({ region }: RecordData): boolean => region === 'north';
  const where = { kind: 'compare', operator: 'eq', path: ['region'], type: 'text', value: 'north' } as const;
  const exact = { ...rowsWhere(isNorth), bounds: () => ({ above: where, below: where }) };
  const other = { kind: 'compare', operator: 'gt', path: ['n'], type: 'integer', value: 0 } as const;
  const ofOther = { ...rowsWhere(({ n }) => Number(n ?? 0) > 0), bounds: () => ({ above: other, below: other }) };
  const loose = { ...rowsWhere(isNorth), bounds: () => ({ above: where, below: { kind: 'or', parts: [] } as const }) };
  const sent = { group: 'status', measure: 'count,sum:n' };
  const as = (rows: AuthorizedCall['rows']): Opened => ({ ...stage, call: { ...stage.call, rows } });
  for (const rows of [exact, ofOther, loose, rowsWhere(isNorth)])
    assert.equal(await ask(as(rows), sent), await askRecords(as(rows), sent));
  assert.match(await ask(as(exact), sent), /"values":\{"count":1,"sum_n":-1\}.*"values":\{"count":1,"sum_n":4\}/);
  await falsify(stage);
  const isFalse = async (rows: AuthorizedCall['rows']): Promise<boolean> => (await ask(as(rows), sent)).includes('77');
  assert.equal(await isFalse(exact), true);
  for (const rows of [ofOther, loose, rowsWhere(isNorth)]) assert.equal(await isFalse(rows), false);
  const sole = { kind: 'sole', path: ['region'], type: 'text', values: ['north'] } as const;
  const ofLists = { ...rowsWhere(isNorth), bounds: () => ({ above: sole, below: sole }) };
  assert.equal(await isFalse(ofLists), true);
  // It might have a list of one region that an older definition left.
  await stage.node.runtime.create(stage.call, { status: 'paid' });
  assert.deepEqual([await isFalse(exact), await isFalse(ofLists)], [true, false]);
});

test('a row that is damaged, or says what cannot be, leaves the answer to the records', async (context) => {
  const stage = await opened(context);
  const { node, call } = stage;
  for (const body of orders) await node.runtime.create(call, body);
  const wanted = await ask(stage, { group: 'day' });
  const { scope } = call.workspace;
  const pk = call.entity.aggregates.find(({ name }) => name === 'by_day')?.pk ?? '';
  const [row] = await scope.range(pk, { limit: 1 });
  for (const value of ['', '{"label":"[]","figures":["1"]}', '{"label":"[null]","figures":["-1"]}']) {
    await scope.commit([{ kind: 'put', pk, sk: row?.sk ?? '', value, if: 'present' }]);
    assert.equal(await ask(stage, { group: 'day' }), wanted);
  }
});

test('what is removed leaves no value of a group in the store', async (context) => {
  const { bench, node, call } = await opened(context);
  const one = await node.runtime.create(call, { status: 'open', region: 'Zoe Secret' });
  const two = await node.runtime.create(call, { status: 'open', region: 'Zoe Secret' });
  const has = async (): Promise<boolean> => JSON.stringify(await bench.contents()).includes('Zoe Secret');
  await node.runtime.remove(call, { id: one.data.id });
  assert.equal(await has(), true);
  await node.runtime.update(call, { id: two.data.id, body: { region: 'erased' } });
  assert.equal(await has(), false);
});

async function change(bench: RecordBench, body: object): Promise<void> {
  await bench.node().admin.change('acme', { api: 'create-order', body, force: true });
}

test('an aggregate that is built answers once it is, goes with its rows, and its entity too', async (context) => {
  const before = await opened(context, 'memory', plain);
  const { bench, node, call } = before;
  for (const body of [...orders, ...orders]) await node.runtime.create(call, body);
  await change(bench, { aggregates });
  const building = await onNode(bench);
  assert.deepEqual(
    building.call.entity.aggregates.map(({ isBuilding, isReady }) => [isBuilding, isReady]),
    [
      [true, false],
      [true, false],
    ],
  );
  await node.runtime.create(call, { status: 'paid', region: 'west', n: 8 });
  await falsify(building);
  assert.equal(await ask(building, { group: 'day' }), await askRecords(building, { group: 'day' }));
  await bench.workOff();
  const ready = await onNode(bench);
  assert.deepEqual(await storedRows(ready), wantedRows(ready, await listAll(node, ready.call)));
  assert.deepEqual((await verifyStore(verifyParts(bench))).drift, []);
  const isOfRows = ({ pk }: { readonly pk: string }): boolean => pk.startsWith('kept');
  assert.equal((await bench.contents()).some(isOfRows), true);
  await change(bench, { aggregates: null });
  await bench.workOff();
  bench.clock.advance(10_000);
  await bench.workOff();
  assert.deepEqual((await bench.contents()).filter(isOfRows), []);
  await change(bench, { aggregates });
  await bench.workOff();
  await bench.node().admin.remove('acme', 'order');
  await bench.workOff();
  assert.deepEqual((await bench.contents()).filter(isOfRows), []);
});

test('of several aggregates that answer, the one with the fewest groups does', async (context) => {
  const both: typeof aggregates = [
    { name: 'by_code', group: ['status', 'code'], measures: ['count'] },
    { name: 'by_region', group: ['status', 'region', 'n'], measures: ['count'] },
    { name: 'by_day', group: ['status', 'day'], measures: ['count'] },
  ];
  const sender = await opened(context, 'memory', { ...plain, aggregates: both });
  const { node, call } = sender;
  for (const code of ['a', 'b', 'c']) await node.runtime.create(call, { status: 'open', region: 'north', code });
  const read: string[] = [];
  const { scope } = call.workspace;
  const range: typeof scope.range = (pk, part) => {
    read.push(call.entity.aggregates.find((one) => one.pk === pk)?.name ?? pk);
    return scope.range(pk, part);
  };
  const watched = { node, call: { ...call, workspace: { ...call.workspace, scope: { ...scope, range } } } };
  const answer = { items: [{ group: { status: 'open' }, values: { count: 3 } }], nexttoken: null };
  assert.deepEqual(JSON.parse(await ask(watched, { group: 'status' })), answer);
  await node.runtime.create(call, { status: 'open', region: 'north', day: '2026-01-01', code: 'd' });
  await ask(watched, { group: 'status' });
  assert.deepEqual(read, ['by_day', 'by_region']);
});

for (const at of ['between those that it counts', 'behind the last one'])
  test(`a step is refused where a record comes to lie ${at}`, async (context) => {
    const before = await opened(context, 'memory', plain);
    const { bench, node } = before;
    const idOf = (n: number): string => `018bcfe5-0000-7000-8000-00000000000${n}`;
    const create = (call: AuthorizedCall, n: number) =>
      node.runtime.write([{ action: 'create', call, id: idOf(n), body: { region: 'north' } }]);
    for (const n of [1, 3]) await create(before.call, n);
    await change(bench, { aggregates });
    const { call } = await onNode(bench);
    const { scope } = call.workspace;
    const pk = partitionOfRecords(call.entity, call.workspace).pk;
    const step = await AggregateStep.open(scope, call.entity);
    const records = (await listAll(node, call)).toSorted((left, right) => (left.id < right.id ? -1 : 1));
    for (const record of records) step.add(`${call.entity.directSortPrefix}${record.id}`, record);
    const counting = step.changes(pk);
    if (at === 'behind the last one') await scope.commit(counting);
    const ending = (await AggregateStep.open(scope, call.entity)).ending(pk) ?? [];
    await node.configs.refresh('acme');
    await create(call, at === 'behind the last one' ? 5 : 2);
    await assert.rejects(scope.commit(at === 'behind the last one' ? ending : counting), Conflict);
  });

test('a copy that is made while an aggregate is built goes on with it', async (context) => {
  const before = await opened(context, 'memory', plain);
  const { bench, node, call } = before;
  for (let at = 0; at < 12; at++) await node.runtime.create(call, { region: `r${at % 5}`, n: at });
  await change(bench, { aggregates });
  const [due] = await bench.opened.maintenance.due('work', bench.clock.now(), 1);
  assert.ok(due !== undefined);
  let steps = 0;
  const stop = async (): Promise<void> => {
    if (++steps > 5) throw new Error('killed');
  };
  const parts = { store: bench.opened.store, configs: bench.node().configs, recordsPerStep: 3 };
  await bench.work(parts, due, stop).catch(() => undefined);
  const part = await storedRows(await onNode(bench));
  assert.ok(part.length > 0, 'some are counted');
  const other = openMemory({ clock: bench.clock });
  const { maintenance } = bench.opened;
  for (const head of await maintenance.scopes(undefined, 100)) {
    const items = await maintenance.scan(head.name, undefined, 10_000);
    const [entries, others] = [items.filter(({ target }) => target), items.filter(({ target }) => !target)];
    await other.maintenance.load(head, [...others, ...entries]);
  }
  const copy = await onNode(new RecordBench(other, bench.clock));
  await copy.node.runtime.create(copy.call, { region: 'r1', n: 100 });
  copy.bench.clock.advance(60_000);
  await copy.bench.workOff();
  const ready = await onNode(copy.bench);
  assert.ok(ready.call.entity.aggregates.every(({ isReady }) => isReady));
  assert.deepEqual(await storedRows(ready), wantedRows(ready, await listAll(ready.node, ready.call)));
});

async function makeGroups({ node, call }: Opened, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at += 100) {
    const length = Math.min(100, to - at);
    await node.runtime.write(
      Array.from(
        { length },
        (_, next): RecordOperation => ({ action: 'create', call, body: { region: `r${at + next}` } }),
      ),
    );
  }
}

const shownOf = async ({ bench }: Opened): Promise<readonly string[]> =>
  (await bench.node().admin.show('acme', 'order')).indexes
    .filter(({ kind }) => kind === 'aggregate')
    .map(({ name, state, crowded_in }) => [name, state, crowded_in].join(' ').trim());

test('an aggregate with too many groups fails, and its question is answered by the records', async (context) => {
  const stage = await opened(context, 'memory', plain);
  const { bench } = stage;
  await makeGroups(stage, 0, keptGroupsMax);
  await change(bench, { aggregates: [{ name: 'by_region', group: ['region'], measures: ['count'] }] });
  await bench.workOff();
  assert.deepEqual(await shownOf(stage), ['by_region ready']);
  const ready = await onNode(bench);
  assert.equal((await ask(ready, {})).includes(`"count":${keptGroupsMax}`), true);
  await makeGroups(ready, keptGroupsMax, keptGroupsMax + 200);
  assert.equal((await ask(ready, {})).includes(`"count":${keptGroupsMax + 200}`), true);
  // It is noticed by a writer, is not read any more, and then goes.
  for (let look = 0; look < 3; look++) {
    await bench.workOff();
    bench.clock.advance(10_000);
  }
  assert.deepEqual(await shownOf(stage), ['by_region failed main']);
  assert.deepEqual(
    (await bench.contents()).filter(({ pk }) => pk.startsWith('kept')),
    [],
  );
  assert.equal((await ask(await onNode(bench), {})).includes(`"count":${keptGroupsMax + 200}`), true);
  // It is tried again with the next change of the definition, and fails while it is built.
  await change(bench, { aggregates: [{ name: 'by_region', group: ['region'], measures: ['count', 'sum:n'] }] });
  await bench.workOff();
  assert.deepEqual(await shownOf(stage), ['by_region failed main']);
  await bench.workOff();
  assert.deepEqual(
    (await bench.contents()).filter(({ pk }) => pk.startsWith('kept')),
    [],
  );
  assert.deepEqual((await verifyStore(verifyParts(bench))).drift, []);
});

test('rows that are not those of the records are found, and are set right', async (context) => {
  const stage = await opened(context);
  const { bench, node, call } = stage;
  for (const body of orders) await node.runtime.create(call, body);
  const { scope } = call.workspace;
  const right = await storedRows(stage);
  const [first, second] = await scope.range(call.entity.aggregates[0]?.pk ?? '', { limit: 2 });
  assert.ok(first !== undefined && second !== undefined);
  const label = JSON.stringify(['sent', 'nowhere']);
  const { pk } = first;
  await scope.commit([
    { kind: 'remove', pk, sk: first.sk, if: 'present' },
    { kind: 'tally', pk, sk: second.sk, label: (JSON.parse(second.value) as { label: string }).label, by: [0n, 1n] },
    { kind: 'tally', pk, sk: 'none', label, by: [3n] },
    { kind: 'tally', pk: 'kept#order;gone@9', sk: 'none', label, by: [3n] },
  ]);
  const { drift } = await verifyStore(verifyParts(bench));
  assert.deepEqual(drift.map(({ kind, problem }) => `${kind} ${problem}`).toSorted(), [
    'aggregate belongs to no entity',
    'aggregate has sums that are not those of its records',
    'aggregate is missing: there are 1 records',
    'aggregate is there, and no record is of it',
  ]);
  const auditContext = { at: '', actor: { kind: 'operator', id: 'operator' }, request_id: '' } as const;
  for await (const one of recountRecords({ opened: bench.opened, clock: bench.clock }))
    if (one.kind === 'workspace') {
      assert.equal(one.groups.length, 3);
      await repairGroups(one, { env: 'test', auditContext });
    }
  assert.deepEqual(await storedRows(stage), right);
});

test('entities without aggregates have no rows of them', async (context) => {
  const one = await opened(context, 'memory', plain);
  await one.node.runtime.create(one.call, orders[0] ?? {});
  assert.ok((await one.bench.contents()).every(({ pk }) => !pk.startsWith('kept')));
});
