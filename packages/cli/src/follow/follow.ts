/**
 * Follows lists of a platform that have their latest items first: each round reads the first page of each list, and shows
 * the items that were not shown before, the oldest first.
 */

export interface FollowedItem {
  readonly kind: string;
  /** The same for the same state of the same thing. */
  readonly key: string;
  readonly at: string;
  /** As the platform answered it. */
  readonly item: unknown;
  /** For a person. */
  readonly line: string;
}

export interface FollowedList {
  /** In the plural, as a warning calls them. */
  readonly name: string;
  /** The first page, the latest item first. `limit` is how many items it may have. */
  read(limit: number): Promise<readonly FollowedItem[]>;
}

export interface Following {
  readonly lists: readonly FollowedList[];
  show(item: FollowedItem): void;
  warn(sentence: string): void;
  /** Resolves after so many milliseconds, or at once where the following is over. */
  wait(milliseconds: number): Promise<void>;
  /** Whether an error may pass: the platform is away, or wants fewer calls. */
  mayPass(error: unknown): boolean;
  isOver(): boolean;
}

/** A page of the management API has no more. */
export const pageMax = 200;
const roundMilliseconds = 2_000;
const pauseMillisecondsMax = 30_000;
/** The number of items of a list that are known to be shown: more than two pages of them. */
const rememberedMax = 1_000;

/**
 * @param count how many of the items that are there already are shown.
 * @throws what `mayPass` does not let pass.
 */
export async function showLatest({ lists, show }: Following, count: number): Promise<readonly Set<string>[]> {
  const pages = await Promise.all(lists.map((list) => list.read(pageMax)));
  const latest = sortedByTime(pages.flat()).slice(-count);
  for (const item of latest.slice(count === 0 ? latest.length : 0)) show(item);
  return pages.map((page) => new Set(page.map(({ key }) => key)));
}

/** Goes on until it is over. @throws what `mayPass` does not let pass. */
export async function follow(following: Following, shown: readonly Set<string>[]): Promise<void> {
  const { wait, warn, isOver, mayPass } = following;
  let failures = 0;
  while (!isOver()) {
    await wait(Math.min(roundMilliseconds * 2 ** failures, pauseMillisecondsMax));
    if (isOver()) return;
    try {
      await oneRound(following, shown);
      if (failures > 0) warn('connected again');
      failures = 0;
    } catch (error) {
      if (!mayPass(error)) throw error;
      if (failures === 0) warn(`${error instanceof Error ? error.message : String(error)}; trying again`);
      failures += 1;
    }
  }
}

async function oneRound({ lists, show, warn }: Following, shown: readonly Set<string>[]): Promise<void> {
  const pages = await Promise.all(lists.map((list) => list.read(pageMax)));
  const fresh: FollowedItem[] = [];
  for (const [index, page] of pages.entries()) {
    const known = shown[index] ?? new Set();
    const unseen = page.filter(({ key }) => !known.has(key));
    if (unseen.length === pageMax && known.size > 0)
      warn(`more than ${pageMax} ${lists[index]?.name ?? 'items'} since the last look: some of them are not shown`);
    for (const { key } of unseen.toReversed()) remember(known, key);
    fresh.push(...unseen);
  }
  for (const item of sortedByTime(fresh)) show(item);
}

function remember(known: Set<string>, key: string): void {
  known.add(key);
  if (known.size <= rememberedMax) return;
  const [oldest] = known;
  if (oldest !== undefined) known.delete(oldest);
}

/** Items of one time keep their order, which is the latest first. */
function sortedByTime(items: readonly FollowedItem[]): readonly FollowedItem[] {
  return items.toReversed().toSorted((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
}
