import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Problem } from '../../lib/problem.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { thinned } from '../../store/testing/quick.ts';
import { listAll, type Node, outcomeOf, RecordBench, SteppedClock } from '../../testing/record-bench.ts';
import { lookBudget } from '../stored-records/look-at-records.ts';

async function org() {
  const clock = new SteppedClock();
  const bench = new RecordBench(await openStore({ kind: 'memory', clock }), clock);
  await bench.found(bench.workspace);
  const scopes = ['org#acme', bench.workspace.scope.name];
  const stored = () => Promise.all(scopes.map((scope) => bench.opened.maintenance.scan(scope, undefined, 100_000)));
  return { bench, node: bench.node(), stored };
}

function preview({ admin }: Node, body: unknown, api = 'create-order', force = false) {
  return admin.preview('acme', { api, body, force });
}

function change({ admin }: Node, body: unknown, force = false) {
  return admin.change('acme', { api: 'create-order', body, force });
}

async function create(node: Node, body: unknown): Promise<string> {
  return (await node.runtime.create(await node.call('order'), body)).data.id;
}

const order = {
  entityName: 'order',
  UpdateParams: [{ name: 'title', index: true }, { name: 'amount', colType: 'number' }, { name: 'note' }],
};

test('a plan names each step, the records that it concerns and some that fail or lose a value', async () => {
  const { node, stored } = await org();
  await node.admin.define('acme', { ...order, Views: { old: { fields: [{ name: 'id' }] } } });
  const ids: string[] = [];
  for (const body of [{ title: 'abc', amount: 1, note: 'n' }, { title: 'a', amount: 2 }, { note: 'n' }])
    ids.push(await create(node, body));
  const before = await stored();
  const change = {
    UpdateParams: [
      { name: 'title', index: null, validate: true, maxlength: 2 },
      { name: 'note', colType: 'encrypted' },
      { name: 'colour', index: true },
    ],
    removeFields: ['amount'],
    checks: [{ cel: 'title != "a"', message: 'no a' }],
    UniqueIndexes: [{ indexName: 'one', fields: ['colour'] }],
    Views: { short: { fields: [{ name: 'title' }] } },
  };
  const { plan, would_fail, would_lose, warnings } = await preview(node, change);
  assert.deepEqual([would_fail, would_lose], [true, true]);
  assert.match(warnings?.join() ?? '', /`note`.*unsealed/);
  const named = plan.map(({ change, field, index, check, view }) => [change, field ?? index?.name ?? check ?? view]);
  assert.deepEqual(named, [
    ['field_changed', 'title'],
    ['field_changed', 'note'],
    ['field_added', 'colour'],
    ['field_removed', 'amount'],
    ['values_lost', 'note'],
    ['index_built', 'colour'],
    ['index_built', 'one'],
    ['index_dropped', 'title'],
    ['check_added', 'title != "a"'],
    ['view_removed', 'old'],
    ['view_added', 'short'],
  ]);
  const concerned = plan.map(({ records, examples }) => [records, examples.map(({ id }) => ids.indexOf(id))]);
  assert.deepEqual(concerned, [
    [2, [0, 2]],
    [0, []],
    [0, []],
    [2, [0, 1]],
    [2, [0, 2]],
    [3, []],
    [3, []],
    [0, []],
    // A record whose fields are wrong is not held to checks.
    [1, [1]],
    [0, []],
    [0, []],
  ]);
  assert.ok(plan.every(({ message }) => message !== ''));
  assert.deepEqual(await stored(), before);
});

test('a plan tells which records a unique index would refuse, in each workspace by itself', async () => {
  const { bench, node } = await org();
  await node.admin.define('acme', order);
  const second = bench.workspaceOf('second');
  await bench.found(second);
  const ids: string[] = [];
  for (const body of [{ title: 'a' }, { title: 'b' }, { title: 'A', amount: 1 }, {}, {}, { title: 'a', amount: 1 }])
    ids.push(await create(node, body));
  await node.runtime.create(await node.call('order', { workspace: second }), { title: 'b' });
  const UniqueIndexes = [
    { indexName: 'exact', fields: ['title'] },
    { indexName: 'folded', fields: ['title'], ignoreCase: true },
    { indexName: 'pairs', fields: ['amount', 'title'] },
  ];
  const planned = await preview(node, { UniqueIndexes });
  assert.deepEqual([planned.would_fail, planned.would_lose], [false, false]);
  const contradicted = planned.plan.filter((step) => step.change === 'unique_contradicted');
  assert.deepEqual(
    contradicted.map(({ index, records, examples }) => [
      index?.name,
      records,
      examples.map(({ id }) => ids.indexOf(id)),
    ]),
    [
      ['exact', 1, [5]],
      ['folded', 2, [2, 5]],
    ],
  );
  await change(node, { UniqueIndexes });
  await bench.workOff();
  const { indexes } = await bench.node().admin.show('acme', 'order');
  const failed = indexes.filter(({ state }) => state === 'failed').map(({ name }) => name);
  assert.deepEqual(failed, ['exact', 'folded']);
});

test('a plan names the fields that are filled, and a required field with a default or a backfill fails for no record', async () => {
  const { bench, node, stored } = await org();
  await node.admin.define('acme', order);
  for (const body of [{ amount: 1 }, {}]) await create(node, body);
  const before = await stored();
  const change = {
    UpdateParams: [
      { name: 'status', validate: true, default: 'open' },
      { name: 'double', colType: 'number', validate: true, backfill: 'amount * 2.0' },
      { name: 'label', colType: 'formula', formula: '{title}!' },
    ],
  };
  const { plan, would_fail } = await preview(node, change);
  assert.equal(would_fail, false);
  const filled = plan.filter((step) => step.change === 'field_filled');
  assert.deepEqual(
    filled.map(({ field, records }) => [field, records]),
    ['status', 'double', 'label'].map((field) => [field, 2]),
  );
  assert.deepEqual(await stored(), before);
  await node.admin.change('acme', { api: 'create-order', body: change });
  assert.deepEqual((await preview(node, change)).plan, []);
  await bench.workOff();
  await node.configs.refresh('acme');
  const again = (await preview(node, change)).plan.map((step) => [step.change, step.field]);
  assert.deepEqual(again, [['field_filled', 'double']], 'what has failed is tried again');
});

test('a plan of other views names them, and a change that changes nothing has an empty plan', async () => {
  const { node, stored } = await org();
  const Views = { short: { fields: [{ name: 'title' }] } };
  await node.admin.define('acme', { ...order, Views });
  const before = await stored();
  const steps = async (body: unknown, api: string) =>
    (await preview(node, body, api)).plan.map(({ change, view }) => [change, view]);
  const long = { fields: [{ name: 'title' }, { name: 'amount' }] };
  assert.deepEqual(await steps({ Views: { short: long, long } }, 'get-order'), [
    ['view_changed', 'short'],
    ['view_added', 'long'],
  ]);
  assert.deepEqual(await steps({ Views }, 'get-order'), [['definition_changed', undefined]]);
  assert.deepEqual(await steps({ Views: null }, 'get-order'), []);
  assert.deepEqual(await steps({ Views, UpdateParams: order.UpdateParams }, 'create-order'), []);
  assert.deepEqual(await steps({ UpdateParams: order.UpdateParams.toReversed() }, 'create-order'), [
    ['definition_changed', undefined],
  ]);
  assert.deepEqual(await stored(), before);
});

test('a look that ends before the last record says at least how many, and the change needs force', async () => {
  const { bench, node } = await org();
  await node.admin.define('acme', order);
  const text = 'x'.repeat(400_000);
  const count = Math.ceil(lookBudget.characters / text.length) + 2;
  for (let made = 0; made < count; made++) await create(node, { note: text });
  const body = { UpdateParams: [{ name: 'title', validate: true }], removeFields: ['note'] };
  const { plan, would_fail, would_lose } = await preview(node, body);
  assert.deepEqual([would_fail, would_lose], [true, true]);
  const atLeast = { atLeast: count - 2 };
  assert.deepEqual(
    plan.map(({ change, records, examples }) => [change, records, examples.length]),
    [
      ['field_changed', atLeast, 5],
      ['field_removed', atLeast, 5],
    ],
  );
  await bench.opened.store.close();
});

const v = { validate: true, required: false };
type Variant = Readonly<Record<string, unknown>> & { readonly colType?: string };
const variants: readonly Variant[] = [
  {},
  { index: true },
  { search: true },
  { validate: true },
  { ...v, maxlength: 1 },
  { ...v, pattern: '^a' },
  { colType: 'number' },
  { colType: 'number', ...v, max: 1 },
  { colType: 'json' },
  { colType: 'enum', enumValues: ['a', 'ab'] },
  { colType: 'enum', enumValues: ['a'] },
  { colType: 'encrypted' },
  { colType: 'encrypted', validate: true },
  { colType: 'autoincrement' },
  { colType: 'formula', formula: '<{id}>' },
  { colType: 'guid', lookup: { entity: 'order', onDelete: 'setnull' } },
  { description: 'about' },
];
const names = ['a', 'b', 'c'] as const;
const hints = fc.constantFrom(...variants);
const rarely = <T>(...some: readonly T[]) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, fc.constantFrom(...some));
const members = {
  checks: rarely([{ cel: 'id != ""', message: 'm' }], [{ cel: 'size(b) < 2', message: 'm' }]),
  UniqueIndexes: rarely([{ indexName: 'u', fields: ['a'] }]),
  Views: rarely({}, { own: { fields: [{ name: 'b' }] } }),
};
/** Which of the values that its field takes a record has, if any. */
const value = fc.option(fc.nat({ max: 2 }), { nil: undefined });

function recordOf(fields: readonly Variant[], values: readonly (number | undefined)[]): object {
  const chosen = fields.flatMap(({ colType = 'string' }, at): [string, unknown][] => {
    const choice = values[at];
    if (choice === undefined || ['autoincrement', 'formula', 'guid'].includes(colType)) return [];
    return [[names[at] ?? '', (colType === 'number' ? [0, 1, 2] : ['a', 'ab', 'a'])[choice]]];
  });
  return Object.fromEntries(chosen);
}
/** The outcome of a field: it stays, goes, or has other hints. */
const fate = fc.oneof(fc.constantFrom('stays', 'goes'), hints);
const run = fc.record({
  before: fc.record({ hints: fc.array(hints, { minLength: 2, maxLength: 3 }), ...members }),
  records: fc.array(fc.array(value, { minLength: 3, maxLength: 3 }), { maxLength: 4 }),
  after: fc.record({ fates: fc.array(fate, { minLength: 3, maxLength: 3 }), ...members }),
});

/** All hints are sent, those that are to go as `null`. */
const noHints = Object.fromEntries(variants.flatMap(Object.keys).map((hint) => [hint, null]));

function changeOf(count: number, { fates, ...members }: { readonly fates: readonly (string | object)[] }): object {
  const UpdateParams = fates.flatMap((hints, at) => {
    if (typeof hints === 'string') return [];
    return [{ name: names[at], ...(at < count ? { ...noHints, ...hints } : hints) }];
  });
  const removeFields = names.filter((_, at) => at < count && fates[at] === 'goes');
  return withoutUndefined({ UpdateParams, removeFields, ...members });
}

function withoutUndefined(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, one]) => one !== undefined));
}

/** The outcome of the change without force, as a client sees it. */
async function refusalOf(work: Promise<unknown>) {
  try {
    await work;
    return { code: 'done', details: {} };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { code: error.code, details: error.details };
  }
}

test('a change does what its plan said: it fails and loses exactly where that was said, else no value is lost', async () => {
  const counts = { done: 0, failing: 0, losing: 0 };
  await fc.assert(
    fc.asyncProperty(run, async ({ before: { hints, ...members }, records, after }) => {
      const { bench, node, stored } = await org();
      const UpdateParams = hints.map((one, at) => ({ name: names[at], ...one }));
      const definition = { entityName: 'order', UpdateParams, ...withoutUndefined(members) };
      if ((await outcomeOf(node.admin.define('acme', definition))) !== 'done') return;
      for (const values of records) await outcomeOf(create(node, recordOf(hints, values)));
      const body = changeOf(hints.length, after);
      const previous = await stored();
      const planned = await preview(node, body).catch((error: unknown) => error);
      assert.deepEqual(await stored(), previous);
      if (planned instanceof Problem) assert.equal((await refusalOf(change(node, body))).code, planned.code);
      else {
        await assertAsPlanned(node, { body, planned: planned as Planned, counts });
        await assertContradicted(bench, planned as Planned);
      }
    }),
    { numRuns: thinned(600) },
  );
  assert.ok(Math.min(...Object.values(counts)) > 10, JSON.stringify(counts));
});

type Planned = Awaited<ReturnType<typeof preview>>;

interface PreviewRun {
  readonly body: object;
  readonly planned: Planned;
  readonly counts: { done: number; failing: number; losing: number };
}

async function assertAsPlanned(node: Node, { body, planned, counts }: PreviewRun): Promise<void> {
  assert.deepEqual(await preview(node, body, 'create-order', true), planned);
  const { plan, would_fail, would_lose } = planned;
  const { entity: old } = await node.call('order');
  const shown = await listAll(node, await node.call('order'));
  const { code, details } = await refusalOf(change(node, body));
  assert.deepEqual([would_fail, would_lose], ['would_fail' in details, 'would_lose' in details]);
  assert.equal(code, would_fail || would_lose ? 'conflict' : 'done');
  if (would_fail) counts.failing += 1;
  if (would_lose) counts.losing += 1;
  const isNamed = (changes: readonly string[]): boolean =>
    plan.some((step) => changes.includes(step.change) && step.records !== 0);
  assert.equal(would_fail, isNamed(['field_added', 'field_changed', 'check_added']));
  assert.equal(would_lose, isNamed(['field_removed', 'values_lost']));
  if (code === 'done') {
    counts.done += 1;
    await assertKept(node, shown, old);
  } else await change(node, body, true);
  const { entity } = await node.call('order');
  assert.equal(plan.length === 0, entity.generation === old.generation);
  if (plan.length === 0) assert.deepEqual(entity.definition, old.definition);
}

/** The unique indexes that the plan said would fail have failed, and no others. */
async function assertContradicted(bench: RecordBench, { plan }: Planned): Promise<void> {
  await bench.workOff();
  const { indexes } = await bench.node().admin.show('acme', 'order');
  const failed = indexes.filter(({ state }) => state === 'failed').map(({ name }) => name);
  const reported = plan.flatMap(({ change, index }) => (change === 'unique_contradicted' ? [index?.name] : []));
  assert.deepEqual(failed, reported);
}

type Shown = Awaited<ReturnType<typeof listAll>>;

/** Each value that a client once sent is shown still, also after its record was written again. */
async function assertKept(node: Node, shown: Shown, old: Awaited<ReturnType<Node['call']>>['entity']): Promise<void> {
  const call = await node.call('order');
  for (const { id } of shown) await outcomeOf(node.runtime.update(call, { id, body: {} }));
  const now = new Map((await listAll(node, call)).map((record) => [record.id, record]));
  for (const record of shown)
    for (const [name, { behaviour }] of old.fields) {
      if (behaviour.compute !== undefined || record[name] === undefined) continue;
      assert.deepEqual(now.get(record.id)?.[name], record[name], name);
    }
}
