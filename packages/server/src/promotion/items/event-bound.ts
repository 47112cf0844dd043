import { Problem } from '../../lib/problem.ts';
import type { ItemBody } from '../item-storage.ts';
import type { EventContent } from '../kinds/events/event-content.ts';

/** Each write of an entity asks all its events. */
const eventsOfEntityMax = 20;

/**
 * What is above the bound already may stay, and be changed.
 * @throws Problem `conflict` where an entity gets more events than it may have.
 */
export function refuseTooManyEvents(before: readonly ItemBody[], after: readonly ItemBody[]): void {
  const had = eventCounts(before);
  for (const [entity, count] of eventCounts(after))
    if (count > eventsOfEntityMax && count > (had.get(entity) ?? 0))
      throw new Problem('conflict', `entity \`${entity}\` may have at most ${eventsOfEntityMax} events`);
}

function eventCounts(bodies: readonly ItemBody[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { content } of bodies)
    if (isEvent(content)) counts.set(content.entity_name, (counts.get(content.entity_name) ?? 0) + 1);
  return counts;
}

/** No other kind of content has a member of this name. */
function isEvent(content: unknown): content is EventContent {
  return typeof content === 'object' && content !== null && 'event_optype' in content;
}
