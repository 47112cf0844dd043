/**
 * Entities whose records refer to one another in every way, a naive model of them, and the work on a large removal, which
 * may die. Only tests may use it.
 */
import assert from 'node:assert/strict';
import type { OnDelete } from '../../../schema/definition.ts';
import { interceptStore } from '../../../store/intercepted-store.ts';
import type { Store } from '../../../store/port.ts';
import type { Workspace } from '../../../tenancy/workspace.ts';
import { derived, listAll, type Node, type RecordBench } from '../../../testing/record-bench.ts';
import { doOnce } from '../../../work/testing/do-once.ts';
import type { RemovalJob } from '../removal-row.ts';
import { removalJob } from '../run-removal.ts';

/** By entity: its lookups, with the entity that each refers to and what becomes of the holder. Some are arrays. */
const lookups = {
  team: { above: ['team', 'cascade'], friend: ['task', 'setnull'], allies: ['team', 'setnull', 'array'] },
  task: {
    team: ['team', 'cascade'],
    note: ['team', 'setnull'],
    guard: ['team', 'restrict'],
    after: ['task', 'setnull', 'array'],
    needs: ['team', 'restrict', 'array'],
  },
  entry: { task: ['task', 'cascade'], other: ['task', 'cascade'] },
} as const;

export type EntityName = keyof typeof lookups;
export const entityNames = Object.keys(lookups) as readonly EntityName[];

interface Lookup {
  readonly field: string;
  readonly target: EntityName;
  readonly onDelete: OnDelete;
  readonly isArray: boolean;
}

export function lookupsOf(entity: EntityName): readonly Lookup[] {
  return Object.entries(lookups[entity]).map(([field, [target, onDelete, kind]]) => {
    return { field, target, onDelete, isArray: kind === 'array' };
  });
}

/** Records of tasks lie under keys that move. */
const taskKeys = { pkTemplate: 'org#{org};by#{key}', skTemplate: 'task#{id}' };

export async function defineAll(bench: RecordBench): Promise<void> {
  const { admin } = bench.node();
  for (const entityName of ['team', 'task', 'entry'] as const) {
    const plain = [{ name: 'title', search: true }, { name: 'code' }, { name: 'key' }];
    await admin.define('acme', {
      entityName,
      ...(entityName === 'task' ? { baseKeys: taskKeys } : {}),
      UpdateParams: plain,
      UniqueIndexes: [{ indexName: 'one', fields: ['code'] }],
    });
  }
  for (const entityName of entityNames) {
    const UpdateParams = lookupsOf(entityName).map(({ field: name, target, onDelete, isArray }) => {
      const id = { colType: 'guid', lookup: { entity: target, onDelete } };
      return isArray ? { name, colType: 'array', items: id } : { name, ...id };
    });
    await admin.change('acme', { api: `create-${entityName}`, body: { UpdateParams } });
  }
  await bench.workOff();
  bench.clock.advance(5000);
  await bench.workOff();
}

/** A record as the model has it: its entity, and what its lookups hold. */
interface ModelRecord {
  readonly entity: EntityName;
  readonly holds: Readonly<Record<string, readonly string[]>>;
}

export type Model = Map<string, ModelRecord>;

/** The records that go with a record, and whether something that stays forbids it. */
export function reachOf(model: Model, root: string): { readonly gone: ReadonlySet<string>; readonly isHeld: boolean } {
  const gone = new Set([root]);
  for (const id of gone) for (const holder of holdersOf(model, id, 'cascade')) gone.add(holder);
  const isHeld = [...gone].some((id) => holdersOf(model, id, 'restrict').some((holder) => !gone.has(holder)));
  return { gone, isHeld };
}

function holdersOf(model: Model, id: string, wanted: string): readonly string[] {
  return [...model].flatMap(([holder, { entity, holds }]) =>
    lookupsOf(entity).some(({ field, onDelete }) => onDelete === wanted && holds[field]?.includes(id) === true)
      ? [holder]
      : [],
  );
}

/** The model once these are gone. */
export function without(model: Model, gone: ReadonlySet<string>): Model {
  const left: Model = new Map();
  for (const [id, { entity, holds }] of model) {
    if (gone.has(id)) continue;
    const kept = lookupsOf(entity).flatMap(({ field, isArray }) => {
      const ids = holds[field]?.filter((held) => !gone.has(held));
      // An array that loses all its elements is still there.
      return ids === undefined || (ids.length === 0 && !isArray) ? [] : [[field, ids]];
    });
    left.set(id, { entity, holds: Object.fromEntries(kept) });
  }
  return left;
}

/** All that is stored, as a model. */
export async function stored(node: Node, workspace: Workspace): Promise<Model> {
  const model: Model = new Map();
  for (const entity of entityNames) {
    const fields = lookupsOf(entity).map(({ field }) => field);
    for (const record of await listAll(node, await node.call(entity, { workspace }))) {
      const held = fields.flatMap((field) =>
        record[field] === undefined ? [] : [[field, [record[field]].flat().map(String)]],
      );
      model.set(record.id, { entity, holds: Object.fromEntries(held) });
    }
  }
  return model;
}

export function sorted(model: Model): readonly unknown[] {
  return [...model].map(([id, { entity, holds }]) => [id, entity, Object.entries(holds).sort()]).sort();
}

/** That nothing has drifted and no record refers to a removed one, at any point of the work. */
export async function assertSound(bench: RecordBench, workspace: Workspace): Promise<void> {
  const { actual, expected } = await derived(bench, await bench.node().call('team', { workspace }));
  assert.deepEqual(actual, expected);
}

class Killed extends Error {}

/** A process with this store dies at a call of it: before the call takes effect, or after. */
export function dyingStore(store: Store, at: number, when: 'before' | 'after'): { store: Store; isDead(): boolean } {
  let calls = 0;
  const isDead = (): boolean => calls > at;
  const dying = interceptStore(store, async (_operation, call) => {
    calls += 1;
    if (calls <= at) return call();
    if (calls === at + 1 && when === 'after') await call();
    throw new Killed();
  });
  return { store: dying, isDead };
}

/** Does what is due of removals, as a process with this store would. */
export async function workOff(bench: RecordBench, store: Store, recordsPerStep: number): Promise<void> {
  const { configs } = bench.node(store);
  const deps = { store, configs: { test: configs, prod: configs }, clock: bench.clock, recordsPerStep };
  for (const due of await bench.opened.maintenance.due('work', bench.clock.now(), 100)) {
    if (JSON.parse(due.item.value).job !== removalJob.name) continue;
    try {
      await doOnce([removalJob], deps, due);
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
  }
  bench.clock.advance(2000);
}

/** The job once nothing is left to do. */
export async function toItsEnd(
  bench: RecordBench,
  workspace: Workspace,
  { id, recordsPerStep }: { readonly id: string; readonly recordsPerStep: number },
): Promise<RemovalJob> {
  for (let rounds = 0; rounds < 10; rounds++) await workOff(bench, bench.opened.store, recordsPerStep);
  const found = await bench.node().removals.find(workspace, id);
  assert.ok(found !== undefined);
  return found.job;
}
