import {
  type ChangeConfigDeps,
  type ConfigSet,
  changeConfig,
  entityStates,
  referencesChange,
} from '../../config/port.ts';
import {
  type CompiledEntity,
  compileEntity,
  compileIndexes,
  type EntityState,
  type FillState,
  type IndexState,
  isLeaving,
  settledState,
} from '../../schema/port.ts';
import type { Put } from '../../store/port.ts';
import type { FilledEntity } from '../aggregates/kept/fill-kept.ts';
import type { Deriving } from '../indexes/derive.ts';
import type { FenceLevel } from '../writing/fence.ts';

export interface IndexTask {
  readonly entity: CompiledEntity;
  /** The indexes that it is about, as they stood when it began. */
  readonly indexes: readonly IndexState[];
  readonly building: Deriving;
  readonly erasing: Deriving;
  /** The aggregates that are built. */
  readonly kept: FilledEntity;
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
  const built = compileIndexes(entity, building);
  return {
    entity,
    indexes: [...building, ...erasing],
    building: { name: entityName, ...built },
    kept: { ...entity, aggregates: built.aggregates },
    erasing: { name: entityName, ...compileIndexes(entity, erasing) },
    erased,
    level: { generation: set.generation(entityName), configVersion: set.version },
  };
}

function isOn({ on, order, sums = [], isErased }: IndexState, name: string): boolean {
  return isErased !== true && [...on, order, ...sums].some((one) => one?.field === name);
}

/** Records that have the same values, by the name of the unique index that they contradict. */
export type Duplicates = ReadonlyMap<string, NonNullable<IndexState['duplicates']>>;

/** The states once the task is done; an index that has come into another state meanwhile is left as it is. */
export function settledIndexes(
  current: readonly IndexState[],
  task: Pick<IndexTask, 'indexes'>,
  duplicates: Duplicates,
): readonly IndexState[] {
  return current.flatMap((index) => {
    const isOfTask = ({ id, kind, name, state }: IndexState): boolean =>
      id === index.id && kind === index.kind && name === index.name && state === index.state;
    if (!task.indexes.some(isOfTask)) return [index];
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

/** One pass over the records of an entity that gives fields their values. Indexes are built after it, and hold these. */
export interface FillTask {
  readonly entity: CompiledEntity;
  /** As they stood when it began. */
  readonly fills: readonly FillState[];
  /** From here on writers fill what they write. */
  readonly level: FenceLevel;
}

/** Undefined where nothing is to be filled. */
export async function findFill(set: ConfigSet, entityName: string): Promise<FillTask | undefined> {
  const fills = set.active(entityName)?.state.fills?.filter(({ state }) => state === 'filling') ?? [];
  const entity = fills.length > 0 ? await set.entity(entityName) : undefined;
  if (entity === undefined) return undefined;
  return { entity, fills, level: { generation: set.generation(entityName), configVersion: set.version } };
}

/** The states once the task is done. A fill stays that began again in the meantime. */
export function settledFills(
  current: readonly FillState[],
  task: FillTask,
  failed: ReadonlyMap<string, NonNullable<FillState['failed']>>,
): readonly FillState[] {
  return current.flatMap((fill): readonly FillState[] => {
    if (fill.state !== 'filling' || !task.fills.some(({ field, id }) => field === fill.field && id === fill.id))
      return [fill];
    const found = failed.get(fill.field);
    return found === undefined ? [] : [{ ...fill, state: 'failed', failed: found }];
  });
}

export function fillText({ fills }: FillTask): string {
  return JSON.stringify({ fills: fills.map(({ id, field }) => [id, field]) });
}

export interface IndexChange {
  readonly indexes?: readonly IndexState[];
  readonly fills?: readonly FillState[];
  /** Fields, as they are stored, that no record has a value of any more. */
  readonly erased?: readonly string[];
  readonly work?: readonly Put[];
}

/** Brings indexes and fills of an entity into other states. Nothing happens where there is no such entity any more. */
export async function changeIndexes(
  deps: ChangeConfigDeps,
  { orgCode, entityName }: { readonly orgCode: string; readonly entityName: string },
  change: (state: EntityState) => IndexChange,
): Promise<void> {
  await changeConfig(deps, orgCode, async (set, next) => {
    const state = set.active(entityName)?.state;
    const entity = await set.entity(entityName);
    if (state === undefined || entity === undefined) return { changes: [] };
    const { indexes = state.indexes, fills = state.fills ?? [], erased = [], work = [] } = change(state);
    const changed = settledState(state, { indexes, fills, erased }, next);
    const compiled = compileEntity(entity.definition, state.version, changed);
    return {
      changes: [
        entityStates.put(entityName, changed, { if: 'present' }),
        ...referencesChange(set, { name: entityName, compiled }, next),
        ...work,
      ],
    };
  });
}
