import type { ConfigSet, FenceLevel } from '../../config/port.ts';
import { type CompiledEntity, type FailedFill, type FillState, isSameFill } from '../../schema/port.ts';

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
  failed: ReadonlyMap<string, FailedFill>,
): readonly FillState[] {
  return current.flatMap((fill): readonly FillState[] => {
    if (fill.state !== 'filling' || !task.fills.some((one) => isSameFill(one, fill))) return [fill];
    const found = failed.get(fill.field);
    return found === undefined ? [] : [{ ...fill, state: 'failed', failed: found }];
  });
}

/** See `taskText` of indexes. */
export function fillText({ fills }: FillTask): string {
  return JSON.stringify({ fills: fills.map(({ id, field }) => [id, field]) });
}
