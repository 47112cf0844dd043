import { type ChangeConfigDeps, changeConfig, entityStates, referencesChange } from '../../config/port.ts';
import { afterErasing, compileEntity, type IndexState, isLeaving, isSameIndex } from '../../schema/port.ts';
import type { Put } from '../../store/port.ts';

export interface IndexChange {
  readonly indexes: readonly IndexState[];
  /** Fields that no record has a value of any more. */
  readonly erased?: readonly string[];
  /** What is to be done about them later. */
  readonly work?: readonly Put[];
}

/** Brings the indexes of an entity into other states. Nothing happens where there is no such entity any more. */
export async function changeIndexes(
  deps: ChangeConfigDeps,
  { orgCode, entityName }: { readonly orgCode: string; readonly entityName: string },
  change: (indexes: readonly IndexState[]) => IndexChange,
): Promise<void> {
  await changeConfig(deps, orgCode, async (set, next) => {
    const state = set.active(entityName)?.state;
    const entity = await set.entity(entityName);
    if (state === undefined || entity === undefined) return { changes: [] };
    const { indexes, erased = [], work = [] } = change(state.indexes);
    const generation = hasNewLeaving(state.indexes, indexes) ? next : state.generation;
    const changed = afterErasing({ ...state, indexes, generation }, erased);
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
