import { Problem } from '../../lib/problem.ts';
import type { ItemBody } from '../item-storage.ts';
import type { BlockStarts } from '../kinds/block-starts.ts';
import type { ItemTarget } from './plan-items.ts';

/** How many logic blocks of an org may be started in the same way. */
const startsMax = 50;

/** No other kind of content has members of these names. */
const bounded = { schedule: 'a schedule', hook: 'a hook' } as const satisfies Readonly<
  Record<keyof BlockStarts, string>
>;

/** An org above the bound may change everything else. @throws Problem `conflict`. */
export function refuseTooManyStarts(targets: readonly ItemTarget[], after: readonly ItemBody[]): void {
  for (const [member, what] of Object.entries(bounded)) {
    const has = (content: unknown): boolean => typeof content === 'object' && content !== null && member in content;
    const isAsked = targets.some(({ wanted }) => has(wanted?.content));
    if (isAsked && after.filter(({ content }) => has(content)).length > startsMax)
      throw new Problem('conflict', `an org may have at most ${startsMax} logic blocks with ${what}`);
  }
}
