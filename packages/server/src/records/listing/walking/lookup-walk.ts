/** Goes through the records whose lookups point to one of some others, or that have one of some values, in creation order. */
import type { Item, Scope } from '../../../store/port.ts';
import type { WalkedRecord } from '../judge-records.ts';
import type { FoundThrough } from '../planning/index-range.ts';
import type { ListPlan } from '../planning/list-plan.ts';
import type { MergedPlan } from '../planning/lookup-plan.ts';
import type { RecordWalk } from './record-walk.ts';
import type { ScanLeft } from './scan-budget.ts';

/** How many of the others are asked for their records at a time, and how many records are read. */
const readAtOnce = 10;

interface Sought {
  readonly lookup: MergedPlan;
  /** The ids of the others; what the entries of each value begin with. */
  readonly others: readonly string[];
  /** How the others were found, which are entries that were read. */
  readonly through?: () => FoundThrough;
  readonly left: ScanLeft;
  /** Lets calls of other workspaces go first where a slice is over. */
  readonly pause: () => Promise<void> | undefined;
}

/** Its positions are those of the plan's range: a list may go on in either way. */
export function lookupWalk(
  scope: Scope,
  plan: ListPlan,
  { lookup, others, through, left, pause }: Sought,
  start: string | undefined,
): RecordWalk {
  const before = plan.range.prefix ?? '';
  const isReverse = plan.range.reverse === true;
  const from = start === undefined || start === '' ? undefined : start.slice(before.length);
  const merged = new MergedEntries(scope, { lookup, others, isReverse, from, pause });
  let position = start;
  let isAtEnd = false;
  return {
    index: lookup.own.index,
    ...(through === undefined ? {} : { through }),
    entries: () => (through === undefined ? 0 : others.length) + merged.read,
    next: async (limit) => {
      left.hasTime();
      const found: WalkedRecord[] = [];
      while (found.length < limit && left.items > 0 && left.bytes > 0) {
        const ids = await merged.next(Math.min(readAtOnce, limit - found.length, left.items));
        isAtEnd = ids.length === 0;
        if (isAtEnd) break;
        left.items -= ids.length;
        const records = new Map<string, Item>();
        for (const item of await lookup.read(ids)) {
          await pause();
          left.bytes -= 3 * item.value.length;
          records.set(lookup.idOf(item), item);
        }
        for (const id of ids) {
          const item = records.get(id);
          if (item !== undefined) found.push({ sk: before + id, value: item.value, version: item.version });
        }
      }
      return found;
    },
    passed: (sk) => {
      position = sk;
    },
    position: () => position ?? '',
    isAtEnd: () => isAtEnd,
    isSpent: () => left.items <= 0 || left.bytes <= 0 || !left.hasTime(),
  };
}

interface Merging extends Pick<Sought, 'lookup' | 'others' | 'pause'> {
  readonly isReverse: boolean;
  /** The id behind which they begin. */
  readonly from: string | undefined;
}

/** The entries of the records that point to one of the others. */
interface Source {
  readonly prefix: string;
  /** Ids that were read, the next one last. */
  ids: string[];
  from: string | undefined;
  isRead: boolean;
}

/** The ids of records from several parts of an index, each in creation order or its reverse, in that order. */
class MergedEntries {
  read = 0;
  readonly #scope: Scope;
  readonly #merging: Merging;
  readonly #sources: readonly Source[];
  #last: string | undefined;

  constructor(scope: Scope, merging: Merging) {
    const { lookup, others, from } = merging;
    this.#scope = scope;
    this.#merging = merging;
    this.#last = from;
    this.#sources = others.map((id) => ({ prefix: lookup.own.prefixOf(id), ids: [], from, isRead: false }));
  }

  /** None where there are no more. */
  async next(limit: number): Promise<readonly string[]> {
    const found: string[] = [];
    const perSource = Math.max(2, Math.ceil((2 * limit) / Math.max(1, this.#sources.length)));
    while (found.length < limit) {
      await this.#fill(perSource);
      const first = this.#first();
      const id = first?.ids.pop();
      if (id === undefined) break;
      // A record that has come to point to another one meanwhile may be read in both places.
      if (this.#last === undefined || this.#isAhead(id, this.#last)) found.push(id);
      this.#last = id;
    }
    return found;
  }

  #isAhead(id: string, of: string): boolean {
    return this.#merging.isReverse ? id < of : id > of;
  }

  #first(): Source | undefined {
    let first: Source | undefined;
    for (const source of this.#sources) {
      const [id, least] = [source.ids.at(-1), first?.ids.at(-1)];
      if (id !== undefined && (least === undefined || this.#isAhead(least, id))) first = source;
    }
    return first;
  }

  async #fill(limit: number): Promise<void> {
    const empty = this.#sources.filter(({ ids, isRead }) => ids.length === 0 && !isRead);
    for (let start = 0; start < empty.length; start += readAtOnce) {
      await Promise.all(empty.slice(start, start + readAtOnce).map((source) => this.#readMore(source, limit)));
      await this.#merging.pause();
    }
  }

  async #readMore(source: Source, limit: number): Promise<void> {
    const { prefix, from } = source;
    const { lookup, isReverse: reverse } = this.#merging;
    const behind = from === undefined ? {} : { [reverse ? 'before' : 'after']: prefix + from };
    const entries = await this.#scope.range(lookup.own.pk, { prefix, ...behind, reverse, limit });
    this.read += entries.length;
    source.isRead = entries.length < limit;
    source.ids = entries.map(({ sk }) => sk.slice(prefix.length)).reverse();
    source.from = source.ids[0] ?? from;
  }
}
