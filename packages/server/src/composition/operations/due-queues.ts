import type { platformHealthApi } from '@freehold/contract/management/operator/health';
import type { ReplyOf } from '@freehold/contract/route';
import { leaseOfDue } from '../../automation/port.ts';
import { timestamp } from '../../lib/clock.ts';
import type { DueItem, Store } from '../../store/port.ts';
import { sweepJob } from '../../work/expiry.ts';
import { works } from '../../work/job.ts';
import { immediately } from '../../work/work-queue.ts';
import type { Spaces } from '../open-spaces.ts';
import { within } from './within.ts';

type Health = ReplyOf<typeof platformHealthApi.readPlatformHealth>;
type ShownQueue = Health['queues'][number];
type ShownLease = Health['leases'][number];

/** A queue of a data space, with the number of pieces by job among those that were counted. */
export interface DueQueue extends ShownQueue {
  readonly jobs: ReadonlyMap<string, number>;
}

/** Limits of the items that are counted: those that expire may be large. */
const countedMax = { work: 100, automation: 100, expire: 20 } as const;
const spaceNames = ['platform', 'test', 'prod'] as const;
const queueNames = ['work', 'automation', 'expire'] as const;

/** The longest of them. */
const leaseMilliseconds = 60_000;
const leasesMax = 50;

type HolderOf = (name: string) => string;

export interface QueueState {
  readonly queues: readonly DueQueue[];
  readonly leases: readonly ShownLease[];
}

interface DueEntries {
  readonly space: keyof Spaces;
  readonly queue: (typeof queueNames)[number];
  readonly due: readonly DueItem[];
  readonly later: readonly DueItem[];
}

/**
 * The items that are due now and not taken, and those that are taken. A queue that is not read in time is left out.
 * @param holderOf the node that a lease of an outbox names.
 */
export async function readQueues(spaces: Spaces, now: number, holderOf: HolderOf): Promise<QueueState> {
  const pairs = spaceNames.flatMap((space) => queueNames.map((queue) => ({ space, queue })));
  const read = await Promise.all(
    pairs.map(async (pair) => {
      const { store } = spaces[pair.space];
      const one = async () => {
        const found = await readQueue(spaces, pair, now);
        return { shown: shownQueue(store, found), leases: await leasesOf(store, found, { now, holderOf }) };
      };
      return within(one(), undefined);
    }),
  );
  const known = read.filter((one) => one !== undefined);
  return { queues: known.map(({ shown }) => shown), leases: known.flatMap(({ leases }) => leases) };
}

async function readQueue(
  spaces: Spaces,
  { space, queue }: Pick<DueEntries, 'space' | 'queue'>,
  now: number,
): Promise<DueEntries> {
  // A taken item is due when its lease ends, behind the items that are due now.
  const [ahead, more] = queue === 'expire' ? [0, 1] : [leaseMilliseconds, leasesMax];
  const found = await spaces[space].maintenance.due(queue, now + ahead, countedMax[queue] + more);
  const later = found.findIndex(({ item }) => (item.due?.at ?? now) > now);
  const end = later === -1 ? found.length : later;
  return { space, queue, due: found.slice(0, end), later: found.slice(end) };
}

function shownQueue(store: Store, { space, queue, due }: DueEntries): DueQueue {
  const items = due.slice(0, countedMax[queue]);
  const oldest = items.find(({ item }) => item.due?.at !== immediately)?.item.due?.at;
  return {
    ...{ space, queue, due: items.length, more: due.length > items.length },
    oldest_due_at: oldest === undefined ? null : timestamp(oldest),
    jobs: countBy(items, queue === 'expire' ? () => sweepJob : (entry) => jobOf(store, entry)),
  };
}

/** An outbox stays due while it is delivered, and has its lease beside it. An outbox that cannot be read is left out. */
async function leasesOf(
  store: Store,
  { space, queue, due, later }: DueEntries,
  { now, holderOf }: { readonly now: number; readonly holderOf: HolderOf },
): Promise<readonly ShownLease[]> {
  if (queue === 'expire') return [];
  const leases = due.slice(0, leasesMax).map(async ({ scope: name, item }): Promise<readonly ShownLease[]> => {
    const scope = store.scope(name);
    const lease = queue === 'automation' ? await leaseOfDue(scope, item).catch(() => undefined) : undefined;
    if (lease === undefined || lease.until <= now) return [];
    const job = jobOf(store, { scope: name, item });
    return [{ space, queue, job, node: holderOf(lease.node), until: timestamp(lease.until) }];
  });
  const others = later.flatMap((entry) => leaseOf(store, { space, queue, entry }));
  return [...(await Promise.all(leases)).flat(), ...others].slice(0, leasesMax);
}

interface LeasedEntry extends Pick<ShownLease, 'space' | 'queue'> {
  readonly entry: DueItem;
}

/** None for what is not taken, and only has a time in the future. */
function leaseOf(store: Store, { space, queue, entry: { scope, item } }: LeasedEntry): readonly ShownLease[] {
  try {
    const { job, leased } = works.row(store.scope(scope), item).value;
    if (leased === undefined || leased.until !== item.due?.at) return [];
    return [{ space, queue, job, node: leased.by, until: timestamp(leased.until) }];
  } catch {
    return [];
  }
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
