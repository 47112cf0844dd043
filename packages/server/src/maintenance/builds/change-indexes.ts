import { type ChangeConfigDeps, changeConfig, entityStates, referencesChange } from '../../config/port.ts';
import {
  afterErasing,
  compileEntity,
  type EntityState,
  type FillState,
  type IndexState,
  isLeaving,
  isSameIndex,
  withFills,
} from '../../schema/port.ts';
import type { Put } from '../../store/port.ts';

export interface IndexChange {
  readonly indexes?: readonly IndexState[];
  readonly fills?: readonly FillState[];
  /** Fields, as they are stored, that no record has a value of any more. */
  readonly erased?: readonly string[];
  /** What is to be done about them later. */
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
    const generation = hasNewLeaving(state.indexes, indexes) ? next : state.generation;
    const changed = withFills(afterErasing({ ...state, indexes, generation }, erased), fills);
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

/**
 * Whether some index is kept until now and is to be erased: a job that fills it must not write any more. An index that
 * has become ready is kept, and a completely erased one needs nothing.
 */
function hasNewLeaving(before: readonly IndexState[], after: readonly IndexState[]): boolean {
  const left = before.filter(isLeaving);
  return after.some((index) => isLeaving(index) && !left.some((other) => isSameIndex(other, index)));
}
