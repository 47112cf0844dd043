import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { Problem } from '../../lib/problem.ts';
import type { FieldDefinition } from '../../schema/definition.ts';
import type { Store } from '../../store/port.ts';
import { raceKinds, type StoreKind } from '../../store/testing/open-test-store.ts';
import { thinned } from '../../store/testing/quick.ts';
import type { Workspace } from '../../tenancy/workspace.ts';
import { listAll, type Node, openBench, type RecordBench, verifyParts } from '../../testing/record-bench.ts';
import { Steps } from '../testing/stepped-store.ts';
import { verifyStore } from '../verify-store.ts';
import { workOff } from './testing/mortal-runner.ts';

/** The fields that come and go: which of them there are, and what their values are made by. */
interface Shape {
  readonly required: boolean;
  /** By what the backfill multiplies; 0 is no such field. */
  readonly backfill: number;
  readonly unique: boolean;
  /** What the formula adds; 0 is no such field. */
  readonly formula: number;
  readonly isIndexed: boolean;
}

const anyShape: fc.Arbitrary<Shape> = fc.record({
  required: fc.boolean(),
  backfill: fc.constantFrom(0, 2, 3),
  unique: fc.boolean(),
  formula: fc.constantFrom(0, 1, 2),
  isIndexed: fc.boolean(),
});

/** A field is given up by being hidden no more than here: its values stay, as after a roll back. */
function fieldsOf({ required, backfill, unique, formula, isIndexed: index }: Shape): readonly FieldDefinition[] {
  return [
    { name: 'n', colType: 'integer', index: true },
    { name: 'title' },
    { name: 'status', index, validate: required, ...(required ? { default: 'open' } : {}) },
    { name: 'times', colType: 'integer', index, ...(backfill === 0 ? {} : { backfill: `n * ${backfill}` }) },
    { name: 'slug', ...(unique ? { backfill: 'title.lowerAscii()' } : {}) },
    ...(formula === 0
      ? []
      : [{ name: 'sum', colType: 'formula', formula: { cel: `n + ${formula}`, type: 'integer' }, index }]),
  ];
}

type Body = Readonly<Record<string, unknown>>;
const anyBody: fc.Arbitrary<Body> = fc.record(
  { n: fc.integer({ min: 1, max: 4 }), title: fc.constantFrom('A', 'a', 'B', 'c') },
  { requiredKeys: [] },
);
const pause = fc.nat({ max: 12 });

interface Write {
  readonly kind: 'create' | 'update' | 'remove';
  readonly which: number;
  readonly pause: number;
  readonly body: Body;
}

const anyWrite: fc.Arbitrary<Write> = fc.record({
  kind: fc.constantFrom('create', 'update', 'update', 'update', 'remove'),
  which: fc.nat({ max: 6 }),
  pause,
  body: anyBody,
});

const anyRun = fc.record({
  records: fc.array(anyBody, { maxLength: 8 }),
  first: anyShape,
  shapes: fc.array(anyShape, { minLength: 1, maxLength: 4 }),
  writers: fc.array(fc.array(anyWrite, { maxLength: 12 }), { minLength: 2, maxLength: 3 }),
  kills: fc.array(fc.boolean(), { maxLength: 10 }),
  turns: fc.array(fc.nat({ max: 20 }), { minLength: 50, maxLength: 400 }),
});

type ModelRun = typeof anyRun extends fc.Arbitrary<infer R> ? R : never;

for (const kind of raceKinds)
  test(`with concurrent writes, changes, crashes and stale nodes, every record comes to have the values that its fields are filled with (${kind})`, async (context) => {
    const property = fc.asyncProperty(anyRun, (run) => play(context, kind, run));
    await fc.assert(property, { numRuns: thinned(kind === 'memory' ? 100 : 12), endOnFailure: kind !== 'memory' });
  });

interface Stage {
  readonly bench: RecordBench;
  readonly turns: Steps;
  /** The store, for those who take turns. */
  readonly store: Store;
  readonly workspaces: readonly Workspace[];
  readonly records: ModelRecord[];
  /** The number of changes of the definition that have begun. */
  startedAt: number;
}

/** A record that there was. */
interface ModelRecord {
  readonly id: string;
  readonly workspace: Workspace;
  /** All values of `n` that it had. */
  readonly numbers: Set<unknown>;
  /** The number of changes that had begun when it was made. */
  readonly born: number;
}

async function play(context: TestContext, kind: StoreKind, run: ModelRun): Promise<void> {
  const bench = await openBench(context, kind);
  const { clock } = bench;
  const turns = new Steps();
  const workspaces = [bench.workspace, bench.workspaceOf('other')];
  const stage: Stage = { bench, turns, store: turns.store(bench.opened.store), workspaces, records: [], startedAt: 0 };
  for (const workspace of workspaces) await bench.found(workspace);
  const before = bench.node();
  await before.admin.define('acme', {
    entityName: 'order',
    UpdateParams: fieldsOf(run.first),
    UniqueIndexes: [{ indexName: 'slug', fields: ['slug'] }],
  });
  for (const body of run.records) await act(stage, before, { kind: 'create', which: 0, pause: 0, body });
  const kills = [...run.kills];
  // Names of fields that went are free once their values are erased, which takes its time.
  const runner = { ...stage, whileIdle: () => clock.advance(100) };
  const actors = [...run.writers.map((writes) => writeAll(stage, writes)), redefine(stage, run.shapes)];
  await turns.play(run.turns, actors, (isBusy) => [0, 1].map(() => workOff(runner, kills, isBusy)));
  clock.advance(10_000);
  await workOff({ ...stage, store: bench.opened.store }, [], () => false);
  await assertFilled(stage, [run.first, ...run.shapes]);
}

async function writeAll(stage: Stage, writes: readonly Write[]): Promise<void> {
  const node = stage.bench.node(stage.store);
  for (const one of writes) {
    for (let turn = 0; turn < one.pause; turn++) await stage.turns.take();
    await act(stage, node, one);
  }
}

const refusals = ['not_found', 'conflict'];

async function act(stage: Stage, node: Node, { kind, which, body }: Write): Promise<void> {
  const { workspaces, records } = stage;
  const chosen = kind === 'create' ? undefined : records[which % records.length];
  const workspace = chosen?.workspace ?? workspaces[records.length % workspaces.length];
  if (workspace === undefined || (kind !== 'create' && chosen === undefined)) return;
  const call = await node.call('order', { workspace });
  chosen?.numbers.add(body.n ?? [...chosen.numbers][0]);
  const writing = async (): Promise<void> => {
    if (chosen === undefined) {
      const { data } = await node.runtime.create(call, body);
      records.push({ id: data.id, workspace, numbers: new Set([data.n]), born: stage.startedAt });
    } else if (kind === 'remove') await node.runtime.remove(call, { id: chosen.id });
    else await node.runtime.update(call, { id: chosen.id, body });
  };
  // A write is never refused for a value that it does not send.
  await writing().catch((error: unknown) => {
    if (!(error instanceof Problem) || !refusals.includes(error.code)) throw error;
  });
}

async function redefine(stage: Stage, shapes: readonly Shape[]): Promise<void> {
  const { admin } = stage.bench.node(stage.store);
  for (const shape of shapes) {
    stage.startedAt += 1;
    const fields = fieldsOf(shape);
    const gone = { default: null, backfill: null };
    const UpdateParams = fields.map((field) => (field.name === 'sum' ? field : { ...gone, ...field }));
    const isGone = shape.formula === 0 && (await admin.compiled('acme', 'order'))?.fields.has('sum') === true;
    const removeFields = isGone ? ['sum'] : [];
    for (let isDone = false; !isDone; )
      isDone = await admin
        .change('acme', { api: 'create-order', body: { UpdateParams, removeFields }, force: true })
        .then(
          () => true,
          async (error: unknown) => {
            // The values of a formula that went are still being erased.
            if (!(error instanceof Problem) || error.code !== 'conflict') throw error;
            return false;
          },
        );
  }
}

async function assertFilled({ bench, workspaces, records }: Stage, shapes: readonly Shape[]): Promise<void> {
  const shape = shapes.at(-1) ?? assert.fail('there is no shape');
  // The change by which the backfill came that stands.
  const came = shapes.findLastIndex(({ backfill }) => backfill !== shape.backfill) + 1;
  assert.deepEqual((await verifyStore(verifyParts(bench))).drift, []);
  const node = bench.node();
  const { fills = [], indexes } = await node.admin.show('acme', 'order');
  assert.ok(fills.every(({ state }) => state === 'failed'));
  assert.ok(indexes.every(({ state }) => state === 'ready'));
  for (const workspace of workspaces)
    for (const record of await listAll(node, await node.call('order', { workspace }))) {
      const known = records.find(({ id }) => id === record.id);
      const text = JSON.stringify({ record, fills });
      if (shape.required) assert.equal(record.status, 'open', text);
      const sum = shape.formula === 0 || record.n === undefined ? undefined : Number(record.n) + shape.formula;
      assert.equal(record.sum, sum, text);
      const numbers = [...(known?.numbers ?? [])];
      const made = numbers.flatMap((number) => [Number(number) * 2, Number(number) * 3]);
      const previous = shape.backfill !== 0 && came > 0 && (known?.born ?? came) < came;
      if (record.times !== undefined) assert.ok(made.includes(Number(record.times)), text);
      else assert.ok(!previous || numbers.includes(undefined), text);
      assert.ok([undefined, 'a', 'b', 'c'].includes(record.slug as string | undefined), text);
    }
}
