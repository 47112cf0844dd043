import type { ConfigSet, FenceLevel } from '../../config/port.ts';
import type { Deriving } from '../../records/port.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import { compileIndexes, type Duplicate, type IndexState, isLeaving, isSameIndex } from '../../schema/port.ts';

/** What one pass over the records of an entity is to do. */
export interface IndexTask {
  readonly entity: CompiledEntity;
  /** The indexes that it is about, as they stood when it began. */
  readonly indexes: readonly IndexState[];
  readonly building: Deriving;
  readonly erasing: Deriving;
  /** Fields, as they are stored, whose values are taken out of the records: no index is left of them, which would be found by these values. */
  readonly erased: readonly string[];
  /** From here on writers keep what is built, and take out what is erased. */
  readonly level: FenceLevel;
}

/** Undefined where nothing is left to do. */
export async function findTask(set: ConfigSet, entityName: string): Promise<IndexTask | undefined> {
  const state = set.active(entityName)?.state;
  const entity = await set.entity(entityName);
  if (state === undefined || entity === undefined) return undefined;
  const building = state.indexes.filter((index) => index.state === 'building');
  const erasing = state.indexes.filter((index) => isLeaving(index) && index.isErased !== true);
  const erased = (state.erasing ?? []).filter((name) => !state.indexes.some((index) => isOn(index, name)));
  if (building.length + erasing.length + erased.length === 0) return undefined;
  return {
    entity,
    indexes: [...building, ...erasing],
    building: { name: entityName, ...compileIndexes(entity, building) },
    erasing: { name: entityName, ...compileIndexes(entity, erasing) },
    erased,
    level: { generation: set.generation(entityName), configVersion: set.version },
  };
}

function isOn({ on, order, isErased }: IndexState, name: string): boolean {
  return isErased !== true && [...on, order].some((one) => one?.field === name);
}

/** Records that have the same values, by the name of the unique index that they contradict. */
export type Duplicates = ReadonlyMap<string, readonly Duplicate[]>;

/** The states once the task is done; an index that has come into another state meanwhile is left as it is. */
export function settledIndexes(
  current: readonly IndexState[],
  task: Pick<IndexTask, 'indexes'>,
  duplicates: Duplicates,
): readonly IndexState[] {
  return current.flatMap((index) => {
    if (!task.indexes.some((one) => isSameIndex(one, index) && one.state === index.state)) return [index];
    if (index.state === 'erasing') return [];
    if (index.state === 'failed') return [{ ...index, isErased: true }];
    const found = index.kind === 'unique' ? duplicates.get(index.name) : undefined;
    return [found === undefined ? { ...index, state: 'ready' } : { ...index, state: 'failed', duplicates: found }];
  });
}

/** The same text, the same task: what was done of it need not be done again. */
export function taskText({ indexes, erased }: IndexTask): string {
  const states = indexes.map(({ id, kind, name, state }) => [id, kind, name, state]);
  return JSON.stringify(erased.length === 0 ? states : [...states, { erased }]);
}
