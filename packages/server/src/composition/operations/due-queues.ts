import type { platformHealthApi } from '@freehold/contract/management/operator/health';
import type { ReplyOf } from '@freehold/contract/route';
import { sweepJob } from '../../jobs/expiry-sweep.ts';
import { works } from '../../jobs/job-runner.ts';
import { timestamp } from '../../lib/clock.ts';
import type { DueItem, Store } from '../../store/port.ts';
import type { Spaces } from '../open-spaces.ts';

type ShownQueue = ReplyOf<typeof platformHealthApi.readPlatformHealth>['queues'][number];

/** A queue of a data space, with the number of pieces by job among those that were counted. */
export interface DueQueue extends ShownQueue {
  readonly jobs: ReadonlyMap<string, number>;
}

/** What expires may be large. */
const countedMax = { work: 100, automation: 100, expire: 20 } as const;
const spaceNames = ['platform', 'test', 'prod'] as const;
const queueNames = ['work', 'automation', 'expire'] as const;

/** What is due now and not taken; a queue that cannot be read is left out. */
export async function readQueues(spaces: Spaces, now: number): Promise<readonly DueQueue[]> {
  const pairs = spaceNames.flatMap((space) => queueNames.map((queue) => ({ space, queue })));
  const read = await Promise.all(
    pairs.map(async ({ space, queue }): Promise<readonly DueQueue[]> => {
      const max = countedMax[queue];
      const found = await spaces[space].maintenance.due(queue, now, max + 1).catch(() => undefined);
      if (found === undefined) return [];
      const items = found.slice(0, max);
      const oldest = items[0]?.item.due?.at;
      const { store } = spaces[space];
      return [
        {
          ...{ space, queue, due: items.length, more: found.length > max },
          oldest_due_at: oldest === undefined ? null : timestamp(oldest),
          jobs: countBy(items, queue === 'expire' ? () => sweepJob : (entry) => jobOf(store, entry)),
        },
      ];
    }),
  );
  return read.flat();
}

function countBy(items: readonly DueItem[], nameOf: (entry: DueItem) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(nameOf(item), (counts.get(nameOf(item)) ?? 0) + 1);
  return counts;
}

/** Rows of both queues name their job alike. A damaged one is of none; what takes it says so. */
function jobOf(store: Store, { scope, item }: DueItem): string {
  try {
    return works.row(store.scope(scope), item).value.job;
  } catch {
    return '';
  }
}
