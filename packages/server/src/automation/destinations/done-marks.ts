import type { Change } from '../../store/port.ts';
import { json, table } from '../../store/table.ts';

/** What deliveries have done, by their ids: in the commit of what they do, so that none does it twice. */
export const doneMarks = table(
  (id: string) => ({ pk: 'event-done', sk: id }),
  json<{ readonly at: number }>('mark of a delivery', { at: 'number' }),
);

/** Longer than a delivery can be sent again. */
const keptMilliseconds = 32 * 24 * 3600 * 1000;

export function markDone(id: string, now: number): Change {
  return doneMarks.put(id, { at: now }, { if: 'absent', due: { at: now + keptMilliseconds, queue: 'expire' } });
}
