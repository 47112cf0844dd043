import { type ConfigSet, itemBodies, itemsOfKind } from '../../config/port.ts';
import type { BlockSchedule, LogicBlockContent } from '../../promotion/port.ts';
import type { Scope } from '../../store/port.ts';
import { liveVersion } from '../runs/pinned-blocks.ts';

/** A body has at most 256 KB. */
const bodiesPerRead = 10;

/** The schedules of the live blocks of an org, by block. @param scope that of the org. */
export async function liveSchedules(scope: Scope, config: ConfigSet): Promise<ReadonlyMap<string, BlockSchedule>> {
  const found = new Map<string, BlockSchedule>();
  const items = itemsOfKind(config, 'logicblock');
  for (let start = 0; start < items.length; start += bodiesPerRead)
    for (const [name, schedule] of await read(scope, items.slice(start, start + bodiesPerRead)))
      found.set(name, schedule);
  return found;
}

/** Undefined where no such block is live, or it has no schedule. */
export async function liveSchedule(scope: Scope, config: ConfigSet, name: string): Promise<BlockSchedule | undefined> {
  const version = liveVersion(config, name);
  return version === undefined ? undefined : (await read(scope, [{ name, version }]))[0]?.[1];
}

async function read(scope: Scope, blocks: readonly { readonly name: string; readonly version: number }[]) {
  const bodies = await itemBodies.readMany(
    scope,
    blocks.map(({ name, version }) => ({ kind: 'logicblock', name, version })),
  );
  return blocks.flatMap(({ name }, index): readonly (readonly [string, BlockSchedule])[] => {
    const { schedule, run_as } = (bodies[index]?.value ?? {}) as Partial<LogicBlockContent>;
    // The steps of another block are decided by its caller's policies, and no caller is there.
    return schedule === undefined || run_as !== 'app' ? [] : [[name, schedule]];
  });
}
