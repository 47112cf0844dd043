/** A large removal against a naive model: on graphs of every shape, with deaths at every call, and writers meanwhile. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { raceKinds, storeKinds } from '../../store/testing/open-test-store.ts';
import { isQuick, thinned } from '../../store/testing/quick.ts';
import type { Workspace } from '../../tenancy/workspace.ts';
import { type Node, openBench, outcomeOf, type RecordBench } from '../../testing/record-bench.ts';
import {
  assertSound,
  defineAll,
  dyingStore,
  type EntityName,
  entityNames,
  lookupsOf,
  type Model,
  reachOf,
  sorted,
  stored,
  toItsEnd,
  without,
  workOff,
} from './testing/removal-stage.ts';

const recordsPerStep = 3;

/** A record to be made, and which of those before or behind it its lookups hold: none for what is out of range. */
interface Drawn {
  readonly entity: EntityName;
  readonly holds: readonly number[];
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  entity: fc.constantFrom(...entityNames),
  holds: fc.array(fc.nat({ max: 25 }), { minLength: 7, maxLength: 7 }),
});

interface Write {
  readonly kind: 'create' | 'update' | 'remove' | 'cancel';
  readonly which: number;
  readonly drawn: Drawn;
}

const write: fc.Arbitrary<Write> = fc.record({
  kind: fc.constantFrom('create', 'create', 'update', 'update', 'update', 'remove', 'cancel'),
  which: fc.nat({ max: 30 }),
  drawn,
});

interface ModelRun {
  readonly records: readonly Drawn[];
  readonly root: number;
  /** At which call of each process the removal dies, and what another node writes then. */
  readonly deaths: readonly { readonly at: number; readonly isAfter: boolean; readonly write: Write }[];
}

const runs: fc.Arbitrary<ModelRun> = fc.record({
  records: fc.array(drawn, { minLength: 2, maxLength: 16 }),
  root: fc.nat({ max: 20 }),
  deaths: fc.array(fc.record({ at: fc.nat({ max: 60 }), isAfter: fc.boolean(), write }), { maxLength: 12 }),
});

for (const kind of storeKinds)
  test(`a large removal is that of the model, with deaths and writers in its way (${kind})`, async (context) => {
    const bench = await openBench(context, kind);
    await defineAll(bench);
    let workspaces = 0;
    const property = fc.asyncProperty(runs, (run) => play(bench, bench.workspaceOf(`w${++workspaces}`), run));
    await fc.assert(property, { numRuns: thinned(kind === 'memory' ? 200 : 12) });
  });

/** The lookups of a record, as the numbers choose them among the ids there are. */
function holdsOf({ entity, holds }: Drawn, model: Model): Record<string, readonly string[]> {
  const held: Record<string, readonly string[]> = {};
  for (const [index, { field, target, isArray }] of lookupsOf(entity).entries()) {
    const all = [...model].filter(([, one]) => one.entity === target).map(([id]) => id);
    const ids = holds.slice(index, index + (isArray ? 3 : 1)).flatMap((at) => all[at] ?? []);
    if (ids.length > 0) held[field] = ids;
  }
  return held;
}

function bodyOf(entity: EntityName, holds: Readonly<Record<string, readonly string[]>>): Record<string, unknown> {
  const arrays = lookupsOf(entity).filter(({ isArray }) => isArray);
  const isArray = (name: string): boolean => arrays.some(({ field }) => field === name);
  return Object.fromEntries(Object.entries(holds).map(([name, ids]) => [name, isArray(name) ? ids : ids[0]]));
}

async function create(node: Node, workspace: Workspace, { model, one }: { model: Model; one: Drawn }): Promise<string> {
  const { entity } = one;
  const holds = holdsOf(one, model);
  const call = await node.call(entity, { workspace });
  const more = { title: 'red green', key: `k${one.holds[0]}`, code: `c${model.size} ${one.holds.join()}` };
  const { id } = (await node.runtime.create(call, { ...more, ...bodyOf(entity, holds) })).data;
  model.set(id, { entity, holds });
  return id;
}

async function update(
  node: Node,
  workspace: Workspace,
  { model, one, id }: { model: Model; one: Drawn; id: string },
): Promise<void> {
  const before = model.get(id);
  if (before === undefined) return;
  const holds = holdsOf({ ...one, entity: before.entity }, model);
  const cleared = Object.fromEntries(lookupsOf(before.entity).map(({ field }) => [field, null]));
  const body = { ...cleared, ...bodyOf(before.entity, holds), key: `k${one.holds[1]}` };
  await node.runtime.update(await node.call(before.entity, { workspace }), { id, body });
  model.set(id, { entity: before.entity, holds });
}

async function fill(bench: RecordBench, workspace: Workspace, records: readonly Drawn[]): Promise<Model> {
  const node = bench.node();
  const model: Model = new Map();
  const made: (readonly [string, Drawn])[] = [];
  for (const one of records) made.push([await create(node, workspace, { model, one }), one]);
  // By now all are there, so that rings come to be.
  for (const [id, one] of made) await update(node, workspace, { model, one, id });
  return model;
}

async function play(bench: RecordBench, workspace: Workspace, run: ModelRun): Promise<void> {
  const model = await fill(bench, workspace, run.records);
  const root = [...model.keys()][run.root % model.size] ?? '';
  const node = bench.node();
  const { entity = 'team' } = model.get(root) ?? {};
  const call = await node.call(entity, { workspace });
  const started = await node.removals.start(call, { id: root }).catch((error: unknown) => error);
  if (started instanceof Error) {
    assert.equal(await outcomeOf(Promise.reject(started)), 'dangling_reference');
    assert.ok(reachOf(model, root).isHeld);
    return;
  }
  const { id } = await node.removals.start(call, { id: root });
  let isCancelled = false;
  for (const { at, isAfter, write: other } of run.deaths) {
    const { store } = dyingStore(bench.opened.store, at, isAfter ? 'after' : 'before');
    await workOff(bench, store, recordsPerStep);
    await assertSound(bench, workspace);
    const outcome = await meanwhile(node, workspace, { model, write: other, job: id });
    isCancelled ||= outcome === 'cancelled';
  }
  const job = await toItsEnd(bench, workspace, { id, recordsPerStep });
  await assertSound(bench, workspace);
  const { gone, isHeld } = reachOf(model, root);
  const left = await stored(node, workspace);
  if (isCancelled) assert.equal(job.state, 'cancelled');
  else if (isHeld || job.state === 'failed') {
    assert.equal(job.state, 'failed');
    assert.equal(job.failed[0]?.code, 'dangling_reference');
    assert.deepEqual(sorted(left), sorted(model));
  } else {
    assert.equal(job.state, 'done');
    assert.equal(job.done, job.total);
    assert.deepEqual(sorted(left), sorted(without(model, gone)));
  }
  await assertForgotten(bench, workspace, id);
}

/** Nothing is left of a job but its row. */
async function assertForgotten(bench: RecordBench, workspace: Workspace, id: string): Promise<void> {
  const left = (await bench.contents(workspace)).filter(({ pk, value }) => {
    if (['removing', 'job-live', `removal#${id}`, 'work'].includes(pk)) return true;
    return pk === 'fence' && value.includes('hasMarks');
  });
  assert.deepEqual(left, []);
}

/** Another node writes. What it is refused leaves the model as it is. */
async function meanwhile(
  node: Node,
  workspace: Workspace,
  { model, write: one, job }: { model: Model; write: Write; job: string },
): Promise<string> {
  const id = [...model.keys()][one.which % model.size] ?? '';
  // Records that the removal has taken by now are not in the way of those that are chosen.
  const alive = new Map([...model].filter(([held]) => held !== ''));
  switch (one.kind) {
    case 'create':
      return refusable(
        create(node, workspace, { model: alive, one: one.drawn }).then((made) => keep(model, alive, made)),
      );
    case 'update':
      return refusable(
        update(node, workspace, { model: alive, one: one.drawn, id }).then(() => keep(model, alive, id)),
      );
    case 'remove': {
      const { entity = 'team' } = model.get(id) ?? {};
      const removed = node.runtime.remove(await node.call(entity, { workspace }), { id });
      return refusable(
        removed.then(() => {
          const left = without(model, reachOf(model, id).gone);
          model.clear();
          for (const [key, value] of left) model.set(key, value);
        }),
      );
    }
    case 'cancel': {
      // Rarely: a job that is cancelled proves little of what follows.
      if (one.which % 5 > 0) return 'nothing';
      const outcome = await outcomeOf(node.removals.cancel(workspace, job));
      return outcome === 'done' ? 'cancelled' : outcome;
    }
  }
}

function keep(model: Model, changed: Model, id: string): void {
  const record = changed.get(id);
  if (record !== undefined) model.set(id, record);
}

async function refusable(work: Promise<unknown>): Promise<string> {
  const outcome = await outcomeOf(work);
  assert.ok(['done', 'conflict', 'validation_failed', 'not_found', 'dangling_reference'].includes(outcome), outcome);
  return outcome;
}

/** A tree, a ring larger than a step, records referred to in two ways, some that stay, and one alone. */
const hard: readonly Drawn[] = [
  { entity: 'team', holds: [4, 99, 99] },
  { entity: 'team', holds: [0, 99, 99] },
  { entity: 'team', holds: [1, 0, 99] },
  { entity: 'team', holds: [2, 99, 99] },
  { entity: 'team', holds: [3, 99, 5, 0, 1] },
  { entity: 'team', holds: [99, 1, 99] },
  { entity: 'task', holds: [0, 1, 1] },
  { entity: 'task', holds: [99, 2, 99, 0] },
  { entity: 'task', holds: [4, 99, 99, 0, 1, 2] },
  { entity: 'entry', holds: [0, 2, 99] },
  { entity: 'entry', holds: [2, 2, 99] },
  { entity: 'entry', holds: [1, 99, 99] },
];

for (const kind of raceKinds)
  for (const when of ['before', 'after'] as const)
    test(`a large removal that dies ${when} any call of the store goes on to its end (${kind})`, async (context) => {
      const bench = await openBench(context, kind);
      await defineAll(bench);
      const stride = kind === 'memory' ? (isQuick ? 23 : 1) : 37;
      for (let at = 0; ; at += stride) {
        const workspace = bench.workspaceOf(`d${at}`);
        const model = await fill(bench, workspace, hard);
        const [root = ''] = model.keys();
        const node = bench.node();
        const { id } = await node.removals.start(await node.call('team', { workspace }), { id: root });
        const { store, isDead } = dyingStore(bench.opened.store, at, when);
        await workOff(bench, store, recordsPerStep);
        await assertSound(bench, workspace);
        const job = await toItsEnd(bench, workspace, { id, recordsPerStep });
        assert.equal(job.state, 'done', `death at call ${at}`);
        await assertSound(bench, workspace);
        assert.deepEqual(sorted(await stored(node, workspace)), sorted(without(model, reachOf(model, root).gone)));
        await assertForgotten(bench, workspace, id);
        if (!isDead()) break;
      }
    });
