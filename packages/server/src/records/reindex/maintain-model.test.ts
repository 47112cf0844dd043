import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { configHeadKey } from '../../config/org-keys.ts';
import { Problem } from '../../lib/problem.ts';
import type { EntityDefinition, FieldDefinition, KeyTemplates } from '../../schema/definition.ts';
import { Conflict, type Store } from '../../store/port.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { orgScopeName, type Workspace } from '../../tenancy/workspace.ts';
import { type WorkspaceRow, workspaceTable } from '../../tenancy/workspace-directory.ts';
import { listAll, type Node, RecordBench, SteppedClock, sealer, user } from '../../testing/record-bench.ts';
import { dataOf, type RecordData } from '../record.ts';
import { Steps } from '../testing/stepped-store.ts';
import { Findings } from '../verification/look.ts';
import { verifyStore, verifyWorkspace } from '../verify-store.ts';
import { minConfigVersion } from '../writing/fence.ts';
import type { RecordCall } from '../writing/write-loop.ts';
import { droppedForMilliseconds } from './maintain-entity.ts';
import { workOff } from './testing/mortal-runner.ts';

/** Which indexes the entity has, and what its fields are, from one moment on. */
interface Shape {
  readonly a: boolean;
  readonly b: 'none' | 'integer' | 'string';
  readonly search: boolean;
  readonly unique: 'none' | 'u' | 'u,a' | 'u without case';
  readonly owner: 'none' | 'by creation' | 'by b';
  readonly parent: boolean;
  readonly compound: 'none' | 'a,-b' | '-b,u,a';
  /** The fields by which an aggregate has its groups; it has a sum of `b` where that is a number. */
  readonly aggregate: 'none' | 'a' | 'who,u' | 'b';
  /** The outcome of an array of lookups of the same entity; `plain` is an array of ids that refer to nothing. */
  readonly tags: 'plain' | 'restrict' | 'setnull';
}

const anyShape: fc.Arbitrary<Shape> = fc.record({
  a: fc.boolean(),
  b: fc.constantFrom('none', 'integer', 'string'),
  search: fc.boolean(),
  unique: fc.constantFrom('none', 'u', 'u,a', 'u without case'),
  owner: fc.constantFrom('none', 'by creation', 'by b'),
  parent: fc.boolean(),
  compound: fc.constantFrom('none', 'a,-b', '-b,u,a'),
  aggregate: fc.constantFrom('none', 'a', 'who,u', 'b'),
  tags: fc.constantFrom('plain', 'restrict', 'setnull'),
});
const plainShape: Shape = {
  a: false,
  b: 'none',
  search: false,
  unique: 'none',
  owner: 'none',
  parent: false,
  compound: 'none',
  aggregate: 'none',
  tags: 'plain',
};

function definitionOf(
  { a, b, search, unique, owner, parent, compound, aggregate, tags }: Shape,
  baseKeys?: KeyTemplates,
): EntityDefinition {
  const UpdateParams: FieldDefinition[] = [
    { name: 'a', index: a },
    { name: 'b', colType: b === 'string' ? 'string' : 'integer', index: b !== 'none' },
    { name: 'u' },
    { name: 'text', search },
    { name: 'who' },
    { name: 'up' },
    { name: 'k' },
    {
      name: 'tags',
      colType: 'array',
      items: { colType: 'guid', ...(tags === 'plain' ? {} : { lookup: { entity: 'order', onDelete: tags } }) },
    },
  ];
  const gskTemplate = owner === 'by b' ? '{b}' : '{id}';
  const uniqueFields = unique === 'u,a' ? ['u', 'a'] : ['u'];
  return {
    entityName: 'order',
    ...(baseKeys === undefined ? {} : { baseKeys }),
    UpdateParams,
    ...(unique === 'none'
      ? {}
      : { UniqueIndexes: [{ indexName: 'one', fields: uniqueFields, ignoreCase: unique === 'u without case' }] }),
    ...(owner === 'none'
      ? {}
      : { ownerIndexes: [{ ownerFieldName: 'who', gpkTemplate: 'org#{org};who#{who}', gskTemplate }] }),
    ...(parent
      ? { parentIndex: { parentFieldName: 'up', gpkTemplate: 'org#{org};up#{up}', gskTemplate: '{id}' } }
      : {}),
    ...(compound === 'none' ? {} : { indexes: [{ fields: compound.split(',') }] }),
    ...(aggregate === 'none'
      ? {}
      : {
          aggregates: [
            { name: 'one', group: aggregate.split(','), measures: ['count', ...(b === 'string' ? [] : ['sum:b'])] },
            { name: 'by_k', group: ['k'], measures: ['count'] },
          ],
        }),
  };
}

/** The optional members of a definition. */
const leftOut = { UniqueIndexes: null, ownerIndexes: null, parentIndex: null, indexes: null, aggregates: null };

const values = {
  a: fc.constantFrom('x', 'y', null),
  b: fc.constantFrom(1, 2, '1', '2', null),
  u: fc.constantFrom('p', 'P', 'q', 'r', null),
  text: fc.constantFrom('red green', 'green blue', null),
  who: fc.constantFrom(user, 'someone', null),
  up: fc.constantFrom('top', 'side', null),
  k: fc.constantFrom('m', 'n'),
  /** Places of records among those of the workspace. */
  tags: fc.option(fc.array(fc.nat({ max: 5 }), { maxLength: 3 }), { freq: 4 }),
};

type Body = Readonly<Record<string, unknown>>;

const kept = { ...plainShape, aggregate: 'a' } as const;

/** The subject of a test: all kinds of indexes at once, or a hard kind in depth. */
const subjects: Readonly<Record<string, { readonly shape: fc.Arbitrary<Shape>; readonly body: fc.Arbitrary<Body> }>> = {
  indexes: { shape: anyShape, body: fc.record(values, { requiredKeys: ['k'] }) },
  'unique values': {
    shape: fc.constantFrom<Shape>(
      plainShape,
      { ...plainShape, unique: 'u' },
      { ...plainShape, unique: 'u without case' },
    ),
    body: fc.record({ u: fc.constantFrom('p', 'P', 'q', 'r', 's', 't', null), k: values.k }),
  },
  aggregates: {
    shape: fc.constantFrom<Shape>(plainShape, kept, { ...kept, b: 'integer' }, { ...kept, aggregate: 'who,u' }),
    body: fc.record({ a: values.a, b: fc.constantFrom(1, 2, null), u: values.u, k: values.k }, { requiredKeys: ['k'] }),
  },
};

const which = fc.nat({ max: 5 });
/** How many turns of others a writer lets pass first. */
const pause = fc.nat({ max: 12 });
type Write = { readonly pause: number } & (
  | { readonly kind: 'create'; readonly body: Body }
  | { readonly kind: 'update'; readonly which: number; readonly body: Body }
  | { readonly kind: 'remove'; readonly which: number }
);

function writes(body: fc.Arbitrary<Body>): fc.Arbitrary<readonly Write[]> {
  const one: fc.Arbitrary<Write> = fc.oneof(
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('create' as const), pause, body }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('update' as const), pause, which, body }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), pause, which }) },
  );
  return fc.array(one, { maxLength: 15 });
}

interface ModelRun {
  readonly first: Shape;
  /** Written before anything changes. */
  readonly records: readonly Body[];
  readonly shapes: readonly Shape[];
  readonly writers: readonly (readonly Write[])[];
  readonly ticks: readonly number[];
  /** At which of its steps a job is killed. */
  readonly kills: readonly boolean[];
  readonly turns: readonly number[];
}

function runs({ shape, body }: { readonly shape: fc.Arbitrary<Shape>; readonly body: fc.Arbitrary<Body> }) {
  return fc.record<ModelRun>({
    first: shape,
    records: fc.array(body, { maxLength: 6 }),
    shapes: fc.array(shape, { minLength: 1, maxLength: 4 }),
    writers: fc.array(writes(body), { minLength: 2, maxLength: 3 }),
    ticks: fc.array(fc.constantFrom(100, 600, 1100, 2100), { maxLength: 10 }),
    kills: fc.array(fc.boolean(), { maxLength: 10 }),
    turns: fc.array(fc.nat({ max: 20 }), { minLength: 50, maxLength: 400 }),
  });
}

const keyings: Readonly<Record<string, KeyTemplates | undefined>> = {
  'found by their keys': undefined,
  'that move': { pkTemplate: 'org#{org};by#{k}', skTemplate: 'order#{id}' },
};

for (const [subject, drawn] of Object.entries(subjects))
  for (const [keying, baseKeys] of Object.entries(keyings))
    test(`D14: with concurrent writes, changes, crashes and stale nodes, the ${subject} of records ${keying} come to be right`, async () => {
      const property = fc.asyncProperty(runs(drawn), (run) => play(run, baseKeys));
      await fc.assert(property, { numRuns: 150 });
    });

interface Stage {
  readonly bench: RecordBench;
  readonly turns: Steps;
  /** The store, for those who take turns. */
  readonly store: Store;
  readonly workspaces: Workspace[];
  /** Records that there were at some time. */
  readonly records: { readonly id: string; readonly workspace: Workspace }[];
}

async function play(run: ModelRun, baseKeys: KeyTemplates | undefined): Promise<void> {
  const clock = new SteppedClock();
  const bench = new RecordBench(await openStore({ kind: 'memory', clock }), clock);
  const turns = new Steps();
  const workspaces = [bench.workspace, bench.workspaceOf('other')];
  const stage: Stage = { bench, turns, store: turns.store(bench.opened.store), workspaces, records: [] };
  for (const workspace of workspaces) await bench.found(workspace);
  const before = bench.node();
  await before.admin.define('acme', definitionOf(run.first, baseKeys));
  for (const body of run.records) await act(stage, before, { kind: 'create', pause: 0, body });
  const kills = [...run.kills];
  const actors = [
    ...run.writers.map((writes) => writeAll(stage, writes)),
    redefine(stage, run.shapes),
    foundAnother(stage),
    passTime(stage, run.ticks),
  ];
  await turns.play(run.turns, actors, (isBusy) => [
    ...[0, 1].map(() => workOff(stage, kills, isBusy)),
    look(stage, isBusy),
  ]);
  clock.advance(droppedForMilliseconds);
  await workOff({ ...stage, store: bench.opened.store }, [], () => false);
  await assertWhole(stage);
}

async function writeAll(stage: Stage, writes: readonly Write[]): Promise<void> {
  const node = stage.bench.node(stage.store);
  for (const one of writes) {
    for (let turn = 0; turn < one.pause; turn++) await stage.turns.take();
    await act(stage, node, one);
  }
}

const refusals = ['validation_failed', 'unique_violation', 'not_found', 'conflict', 'dangling_reference'];

async function act({ workspaces, records }: Stage, node: Node, one: Write): Promise<void> {
  const chosen = one.kind === 'create' ? undefined : records[one.which % records.length];
  const workspace = chosen?.workspace ?? workspaces[records.length % workspaces.length];
  if (workspace === undefined || (one.kind !== 'create' && chosen === undefined)) return;
  const call = await node.call('order', { workspace });
  const id = chosen?.id ?? '';
  const ids = records.filter((record) => record.workspace === workspace).map((record) => record.id);
  const withIds = ({ tags, ...others }: Body): Body =>
    Array.isArray(tags)
      ? { ...others, tags: tags.flatMap((at) => ids[at] ?? []) }
      : { ...others, ...(tags === undefined ? {} : { tags }) };
  const writing = async (): Promise<void> => {
    if (one.kind === 'remove') await node.runtime.remove(call, { id });
    else if (one.kind === 'update') await node.runtime.update(call, { id, body: withIds(one.body) });
    else records.push({ id: (await node.runtime.create(call, withIds(one.body))).data.id, workspace });
  };
  await writing().catch((error: unknown) => {
    if (!(error instanceof Problem) || !refusals.includes(error.code)) throw error;
  });
}

async function redefine({ bench, store }: Stage, shapes: readonly Shape[]): Promise<void> {
  const { admin } = bench.node(store);
  for (const one of shapes) {
    const { entityName, baseKeys, ...members } = definitionOf(one);
    await admin.change('acme', { api: `create-${entityName}`, body: { ...leftOut, ...members }, force: true });
  }
}

/** The org gets a workspace, in the steps in which the platform founds one. */
async function foundAnother({ bench, store, workspaces }: Stage): Promise<void> {
  const workspace = bench.workspaceOf('late');
  const orgScope = store.scope(orgScopeName(workspace.orgCode));
  for (;;) {
    const [head] = await orgScope.get([configHeadKey]);
    if (head === undefined) throw new Error('the org has a configuration');
    const { tenantId: id, tenantCode: code } = workspace;
    const row: WorkspaceRow = { id, code, name: code, state: 'ready', created_at: '' };
    try {
      await orgScope.commit([
        { kind: 'check', ...configHeadKey, if: { version: head.version } },
        workspaceTable.insert(code, row),
      ]);
    } catch (error) {
      if (error instanceof Conflict) continue;
      throw error;
    }
    await store.scope(workspace.scope.name).commit([minConfigVersion(head.version, workspace.tenantId)]);
    workspaces.push(workspace);
    return;
  }
}

async function passTime({ bench, turns }: Stage, ticks: readonly number[]): Promise<void> {
  for (const tick of ticks) {
    for (let wait = 0; wait < 6; wait++) await turns.take();
    bench.clock.advance(tick);
  }
}

/** At any moment, what a node may read by holds every record and nothing else. */
async function look({ bench, turns, workspaces }: Stage, isBusy: () => boolean): Promise<void> {
  const node = bench.node();
  while (isBusy()) {
    for (let wait = 0; wait < 10; wait++) await turns.take();
    for (const workspace of workspaces) {
      const call = await node.call('order', { workspace });
      const { config, entity } = call;
      await assertCountedNow(bench, call);
      const findings = new Findings();
      await verifyWorkspace(partsOf(bench), { workspace, config, findings });
      const ready = [...entity.indexes, ...entity.searches, ...entity.compounds].filter(({ isReady }) => isReady);
      const isOfReady = (pk: string): boolean => ready.some((index) => `${pk};`.startsWith(`${index.pk};`));
      assert.deepEqual(
        findings.drift.filter(({ key }) => isOfReady(key.pk)),
        [],
      );
    }
  }
}

function partsOf({ opened, clock }: RecordBench) {
  return { opened, clock, sealer, further: new Map() };
}

/** Nothing is left to do, nothing has drifted, and lists by the indexes are lists without them. */
async function assertWhole({ bench, workspaces }: Stage): Promise<void> {
  assert.deepEqual((await verifyStore(partsOf(bench))).drift, []);
  const node = bench.node();
  for (const workspace of workspaces) {
    const call = await node.call('order', { workspace });
    const states = call.config.active('order')?.state.indexes ?? [];
    assert.deepEqual(
      states.filter(({ state }) => state !== 'ready' && state !== 'failed'),
      [],
    );
    const everything = await listAll(node, call);
    await assertCounted(bench, call);
    for (const { name } of call.entity.compounds) await assertListed(node, call, name.split(','));
    await assertTagged(node, call, everything);
    for (const { name } of call.entity.indexes.filter(({ kind }) => kind === 'field'))
      for (const value of new Set(everything.map((record) => record[name]))) {
        if (typeof value !== (call.entity.fields.get(name)?.definition.colType === 'integer' ? 'number' : 'string'))
          continue;
        assert.deepEqual(
          await listAll(node, call, { [name]: String(value) }),
          everything.filter((record) => record[name] === value),
        );
      }
  }
}

/** The rows of aggregates that follow from records, each behind its partition. */
function rowsOf(aggregates: RecordCall['entity']['aggregates'], records: readonly RecordData[]): readonly string[] {
  const rows = aggregates.flatMap(({ pk, group, sums }) =>
    [...Map.groupBy(records, (record) => JSON.stringify(group.map((field) => record[field] ?? null)))].map(
      ([label, some]) => {
        const numbers = sums.map((field) => some.map((record) => record[field]).filter((n) => typeof n === 'number'));
        const added = numbers.flatMap((all) => [all.reduce((sum, n) => sum + n, 0), all.length]);
        return `${pk} ${JSON.stringify({ label, figures: [some.length, ...added].map(String) })}`;
      },
    ),
  );
  return rows.toSorted();
}

/** Of one moment: a node may read the rows of an aggregate that it knows as ready. */
async function assertCountedNow(bench: RecordBench, { entity, workspace }: RecordCall): Promise<void> {
  const items = await bench.contents(workspace);
  const ready = entity.aggregates.filter(({ isReady }) => isReady);
  const records = items.filter(({ pk }) => pk.startsWith('org#')).map((item) => dataOf(entity, item));
  const found = items.filter(({ pk }) => ready.some((one) => one.pk === pk)).map(({ pk, value }) => `${pk} ${value}`);
  assert.deepEqual(found.toSorted(), rowsOf(ready, records));
}

/** Each row is that of the records of its group, and none is left, also not of earlier aggregates. */
async function assertCounted(bench: RecordBench, call: RecordCall): Promise<void> {
  await assertCountedNow(bench, call);
  const left = (await bench.contents(call.workspace)).filter(({ pk }) => pk.startsWith('kept'));
  const isKnown = (partition: string): boolean => call.entity.aggregates.some(({ pk }) => pk === partition);
  assert.deepEqual(
    left.filter(({ pk, sk }) => !isKnown(pk === 'kept-fill' ? `kept#${sk}` : pk)),
    [],
  );
}

/** What an array of lookups refers to is found by each element. */
async function assertTagged(node: Node, call: RecordCall, everything: readonly RecordData[]): Promise<void> {
  if (!call.entity.indexes.some(({ kind }) => kind === 'elements')) return;
  for (const { id } of everything)
    assert.deepEqual(
      await listAll(node, call, { tags: id, tags_op: 'contains' }),
      everything.filter(({ tags }) => Array.isArray(tags) && tags.includes(id)),
    );
}

/** The records in the order of a compound index hold each of them once, and its reverse is the reverse. */
async function assertListed(node: Node, call: RecordCall, parts: readonly string[]): Promise<void> {
  const sortby = parts.map((part) => part.replace('-', '')).join();
  const listed = async (isReverse: boolean) => {
    const sortdir = parts.map((part) => (part.startsWith('-') !== isReverse ? 'desc' : 'asc')).join();
    return (await listAll(node, call, { sortby, sortdir, pagesize: '3' })).map(({ id }) => id);
  };
  const forward = await listed(false);
  assert.deepEqual(forward.toSorted(), (await listAll(node, call)).map(({ id }) => id).toSorted());
  assert.deepEqual(await listed(true), forward.toReversed());
}
