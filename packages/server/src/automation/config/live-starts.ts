/** What starts the live blocks of an org without a caller. */
import { type ConfigSet, itemBodies, itemsOfKind } from '../../config/port.ts';
import type { Scope } from '../../store/port.ts';
import type { LogicBlockContent } from '../kinds/logicblock.ts';
import type { BlockStarts } from '../kinds/logicblock-starts.ts';
import { liveVersion } from '../runs/pinned-blocks.ts';

/** A body has at most 256 KB. */
const bodiesPerRead = 10;

/** Those that start in this way, by block. @param scope that of the org. */
export async function liveStarts<Way extends keyof BlockStarts>(
  scope: Scope,
  config: ConfigSet,
  way: Way,
): Promise<ReadonlyMap<string, NonNullable<BlockStarts[Way]>>> {
  const found = new Map<string, NonNullable<BlockStarts[Way]>>();
  const items = itemsOfKind(config, 'logicblock');
  for (let start = 0; start < items.length; start += bodiesPerRead)
    for (const { name, starts } of await read(scope, items.slice(start, start + bodiesPerRead))) {
      const one = starts[way];
      if (one !== undefined) found.set(name, one);
    }
  return found;
}

/** Undefined where no such block is live, or it does not start in this way. */
export async function liveStart<Way extends keyof BlockStarts>(
  scope: Scope,
  config: ConfigSet,
  { name, way }: { readonly name: string; readonly way: Way },
): Promise<BlockStarts[Way] | undefined> {
  const version = liveVersion(config, name);
  // What is not there takes a read too, so that no caller learns from the time what there is.
  const one = version === undefined ? { name: 'none', version: 0 } : { name, version };
  return (await read(scope, [one]))[0]?.starts[way];
}

async function read(scope: Scope, blocks: readonly { readonly name: string; readonly version: number }[]) {
  const bodies = await itemBodies.readMany(
    scope,
    blocks.map(({ name, version }) => ({ kind: 'logicblock', name, version })),
  );
  return blocks.map(({ name }, index): { readonly name: string; readonly starts: BlockStarts } => {
    const { schedule, hook, run_as } = (bodies[index]?.value ?? {}) as Partial<LogicBlockContent>;
    // The steps of another block are decided by its caller's policies, and no caller is there.
    if (run_as !== 'app') return { name, starts: {} };
    return { name, starts: { ...(schedule && { schedule }), ...(hook && { hook }) } };
  });
}
