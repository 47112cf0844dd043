/** Goes through the records whose lookups point to one of some others, or that have one of some values, in creation order. */
import { indexPrefix, keyOrder } from '../../../schema/port.ts';
import type { Item, RangeRead, Scope } from '../../../store/port.ts';
import { mayBeId } from '../find-record.ts';
import type { IndexRange } from '../planning/index-range.ts';
import { type ListPlan, recordsPerSearch } from '../planning/list-plan.ts';
import { idAtEnd, idLength, type LookupOrder, type MergedPlan } from '../planning/lookup-plan.ts';
import { isSpent, type RecordWalk, type ScanLeft, scanBudget, type WalkedRecord } from './record-walk.ts';

/** The number of the others that are asked for their records at a time, and of the records that are read. */
const readAtOnce = 10;

interface Sought {
  readonly lookup: MergedPlan;
  /** The ids of the others; what the entries of each value begin with. */
  readonly others: readonly string[];
  /** The way the others were found, which are entries that were read. */
  readonly through?: () => IndexRange;
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
      let bytes = Math.min(left.bytes, scanBudget.bytes);
      while (found.length < limit && left.items > 0 && bytes > 0) {
        const ids = await merged.next(Math.min(readAtOnce, limit - found.length, left.items));
        isAtEnd = ids.length === 0;
        if (isAtEnd) break;
        left.items -= ids.length;
        const records = new Map<string, Item>();
        for (const item of await lookup.read(ids)) {
          await pause();
          bytes -= 3 * item.value.length;
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
    isSpent: () => isSpent(left),
  };
}

interface MergeWalk extends Pick<Sought, 'lookup' | 'others' | 'pause'> {
  readonly isReverse: boolean;
  /** The id behind which they begin. */
  readonly from: string | undefined;
}

/** The entries of the records that point to one of the others. */
interface LookupSource {
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
  readonly #merging: MergeWalk;
  readonly #sources: readonly LookupSource[];
  #last: string | undefined;

  constructor(scope: Scope, merging: MergeWalk) {
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

  #first(): LookupSource | undefined {
    let first: LookupSource | undefined;
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

  async #readMore(source: LookupSource, limit: number): Promise<void> {
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

// Goes through records in the order of the records to which a lookup points.

/** The number of the others that are looked at in one step. */
export const othersAtOnce = 10;
/** The number of entries that are read to find the ids that lookups hold. */
const entriesAtOnce = 50;

/**
 * The records that point to nothing because their lookup is empty, those that point to one of the others, and those whose
 * lookup holds the id of none. Only a definition that was accepted by force leaves such. To find them takes a look at every
 * id that lookups hold, so they come last in either direction.
 */
const partsInOrder = {
  ascending: ['empty', 'others', 'missing'],
  descending: ['others', 'empty', 'missing'],
} as const;
type WalkPart = (typeof partsInOrder)['ascending'][number];

/** Behind a record of those that have one lookup, or without an id behind all of them. */
interface WalkPosition {
  readonly part: WalkPart;
  /** The other record's entry or the prefix of its entries, by which the part is known. */
  readonly of: string;
  readonly id: string;
}

/** The entries of the records that have one lookup. */
interface OrderGroup {
  readonly of: string;
  readonly prefix: string;
}

interface OrderedWalk {
  readonly order: LookupOrder;
  readonly left: ScanLeft;
}

/** Each step is bounded, and may find nothing. */
export function orderedWalk(scope: Scope, { order, left }: OrderedWalk, start: string | undefined): RecordWalk {
  const steps = new OrderedSteps(scope, { order, left }, start);
  let position = start ?? '';
  let last = '';
  return {
    index: order.own.index,
    through: () => ({ entity: order.others.entity, index: order.others.index, records: steps.others }),
    entries: () => steps.entries,
    next: async (limit) => {
      left.hasTime();
      const found = await steps.next(limit);
      last = found.at(-1)?.sk ?? '';
      if (last === '') position = steps.position();
      return found;
    },
    passed: (sk) => {
      position = sk === last ? steps.position() : sk;
    },
    position: () => position,
    isAtEnd: () => steps.isAtEnd,
    isSpent: () => isSpent(left),
  };
}

class OrderedSteps {
  isAtEnd = false;
  /** Entries that were read, and how many of the others. */
  entries = 0;
  others = 0;
  readonly #scope: Scope;
  readonly #order: LookupOrder;
  readonly #left: ScanLeft;
  readonly #parts: readonly WalkPart[];
  /** Of records that a step may still read. */
  #bytes = 0;
  #place: WalkPosition;

  constructor(scope: Scope, { order, left }: OrderedWalk, start: string | undefined) {
    this.#scope = scope;
    this.#order = order;
    this.#left = left;
    this.#parts = partsInOrder[order.isDescending ? 'descending' : 'ascending'];
    this.#place = start === undefined || start === '' ? this.#beginning(0) : readPlace(start);
  }

  position(): string {
    return placeText(this.#place);
  }

  async next(limit: number): Promise<readonly WalkedRecord[]> {
    const groups = await this.#groups();
    if (groups === 'none') {
      this.#place = this.#beginning(this.#parts.indexOf(this.#place.part) + 1);
      return [];
    }
    const found: WalkedRecord[] = [];
    this.#bytes = Math.min(this.#left.bytes, scanBudget.bytes);
    const isFilled = await Promise.all(groups.map((group) => this.#hasMore(group)));
    for (const [at, group] of groups.entries()) {
      if (found.length >= limit || this.#left.items <= 0 || this.#bytes <= 0) break;
      if (isFilled[at] === true) found.push(...(await this.#follow(group, limit - found.length)));
      else this.#pass(group);
    }
    return found;
  }

  #beginning(at: number): WalkPosition {
    const part = this.#parts[at];
    this.isAtEnd = part === undefined;
    return { part: part ?? 'missing', of: '', id: '' };
  }

  #pass({ of }: OrderGroup): void {
    this.#place = { ...this.#place, of, id: '' };
  }

  async #follow(group: OrderGroup, limit: number): Promise<readonly WalkedRecord[]> {
    const read = { ...this.#behind(group), limit: Math.min(limit, this.#left.items), bytesMax: this.#bytes };
    const records = await this.#scope.follow(this.#order.own.pk, read);
    let bytes = 0;
    for (const { value } of records) bytes += 3 * value.length;
    this.#bytes -= bytes;
    this.#charge(records.length);
    this.entries += records.length;
    const { part } = this.#place;
    const places = records.map(({ sk }): WalkPosition => ({ part, of: group.of, id: sk.slice(group.prefix.length) }));
    const last = places.at(-1);
    const isWhole = records.length < read.limit && bytes < read.bytesMax;
    if (isWhole || last === undefined) this.#pass(group);
    else this.#place = last;
    return records.map((record, at) => ({ ...record, sk: placeText(places[at] ?? this.#place) }));
  }

  /** The rest of a group. */
  #behind({ of, prefix }: OrderGroup): Omit<RangeRead, 'limit'> {
    const { isReverse: reverse } = this.#order;
    const { of: started, id } = this.#place;
    if (of !== started || id === '') return { prefix, reverse };
    return { prefix, reverse, [reverse ? 'before' : 'after']: prefix + id };
  }

  async #hasMore(group: OrderGroup): Promise<boolean> {
    const entries = await this.#scope.range(this.#order.own.pk, { ...this.#behind(group), limit: 1 });
    return entries.length > 0;
  }

  /** The next ones of the part, as far as one step goes. */
  async #groups(): Promise<readonly OrderGroup[] | 'none'> {
    const { part, of, id } = this.#place;
    if (part !== 'others' && !this.#order.isWhole) return 'none';
    const count = Math.max(1, Math.min(othersAtOnce, Math.floor(this.#left.items / recordsPerSearch)));
    const { prefixOf } = this.#order.own;
    const groupOf: Readonly<Record<WalkPart, (of: string) => OrderGroup>> = {
      empty: (of) => ({ of, prefix: emptyPrefix }),
      others: (of) => ({ of, prefix: prefixOf(idAtEnd(of)) }),
      missing: (of) => ({ of, prefix: of }),
    };
    // One of which there may be more is gone through to its end before others are sought.
    if (id !== '') return [groupOf[part](of)];
    switch (part) {
      case 'empty':
        return of === '' ? this.#sought([groupOf.empty(emptyPrefix)]) : 'none';
      case 'others':
        return this.#nextOthers(count);
      case 'missing':
        return this.#nextMissing(count);
    }
  }

  async #nextOthers(count: number): Promise<readonly OrderGroup[] | 'none'> {
    const { others, own, isReverse } = this.#order;
    const { of } = this.#place;
    const behind = of === '' ? {} : { [isReverse ? 'before' : 'after']: of };
    const entries = await this.#scope.range(others.pk, { ...others.range, ...behind, limit: count });
    this.entries += entries.length;
    this.others += entries.length;
    return this.#sought(entries.map(({ sk }) => ({ of: sk, prefix: own.prefixOf(idAtEnd(sk)) })));
  }

  #sought(groups: readonly OrderGroup[]): readonly OrderGroup[] | 'none' {
    this.#charge(recordsPerSearch * groups.length);
    return groups.length === 0 ? 'none' : groups;
  }

  /** Passes the ids that are there. */
  async #nextMissing(count: number): Promise<readonly OrderGroup[] | 'none'> {
    const { own, isReverse: reverse } = this.#order;
    const { of } = this.#place;
    const behind = of === '' ? {} : reverse ? { before: of } : { after: of + keyOrder.afterAll };
    const read = { prefix: keyOrder.presentPrefix, ...behind, reverse, limit: entriesAtOnce };
    const entries = await this.#scope.range(own.pk, read);
    this.entries += entries.length;
    const prefixes = [...new Set(entries.map(({ sk }) => sk.slice(0, -idLength)))].slice(0, count);
    const last = prefixes.at(-1);
    this.#charge(recordsPerSearch + prefixes.length);
    if (last === undefined) return 'none';
    const there = await this.#there(prefixes);
    const missing = prefixes.filter((prefix) => !there.has(prefix));
    if (missing.length === 0) this.#pass({ of: last, prefix: last });
    return missing.map((prefix) => ({ of: prefix, prefix }));
  }

  /** Those of the prefixes that are of records which are there. */
  async #there(prefixes: readonly string[]): Promise<ReadonlySet<string>> {
    const { own, read, idOf } = this.#order;
    const idIn = (prefix: string): string =>
      prefix.slice(keyOrder.presentPrefix.length, keyOrder.presentPrefix.length + idLength);
    const ids = prefixes.map(idIn).filter((id, at) => mayBeId(id) && own.prefixOf(id) === prefixes[at]);
    const items = await read(ids);
    for (const { value } of items) this.#left.bytes -= 3 * value.length;
    return new Set(items.map((item) => own.prefixOf(idOf(item))));
  }

  #charge(items: number): void {
    this.#left.items -= Math.min(items, this.#left.items);
  }
}

const emptyPrefix = indexPrefix(undefined);

/** The entries of others may hold any character but come last. */
function placeText({ part, of, id }: WalkPosition): string {
  return [part, id, of].join('\n');
}

function readPlace(text: string): WalkPosition {
  const [part = '', id = '', ...of] = text.split('\n');
  return { part: isPart(part) ? part : 'empty', id, of: of.join('\n') };
}

function isPart(text: string): text is WalkPart {
  return partsInOrder.ascending.some((part) => part === text);
}
