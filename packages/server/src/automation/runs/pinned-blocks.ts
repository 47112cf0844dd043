import { type ConfigSet, itemKey } from '../../config/port.ts';
import { Problem } from '../../lib/problem.ts';
import type { Workspace } from '../../tenancy/port.ts';
import type { CompiledBlock } from '../blocks/effects.ts';
import type { StoredBlocks } from '../blocks/stored-blocks.ts';

export function liveVersion({ items }: ConfigSet, name: string): number | undefined {
  return items.get(itemKey({ kind: 'logicblock', name }));
}

/** The live versions of a block and of all that it calls, by name; what is not there is left out. */
export async function pinnedVersions(
  blocks: StoredBlocks,
  config: ConfigSet,
  { place: { env, orgCode }, name }: { readonly place: Workspace; readonly name: string },
): Promise<Readonly<Record<string, number>>> {
  const pinned = new Map<string, number>();
  for (const open = [name]; ; ) {
    const next = open.pop();
    if (next === undefined) return Object.fromEntries(pinned);
    const version = liveVersion(config, next);
    if (pinned.has(next) || version === undefined) continue;
    pinned.set(next, version);
    open.push(...(await calledBy(() => blocks.at({ env, orgCode, name: next, version }))));
  }
}

/** A block that cannot be run calls none: its caller learns of that where it is reached. */
async function calledBy(find: () => Promise<CompiledBlock | undefined>): Promise<readonly string[]> {
  try {
    return (await find())?.calls ?? [];
  } catch (error) {
    if (error instanceof Problem) return [];
    throw error;
  }
}
