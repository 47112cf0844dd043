/** Goes through records in the order of the records to which a lookup points. */
import { afterAll, indexPrefix, presentPrefix } from '../../../schema/port.ts';
import type { RangeRead, Scope } from '../../../store/port.ts';
import { mayBeId } from '../find-record.ts';
import type { WalkedRecord } from '../judge-records.ts';
import { recordsPerSearch } from '../planning/choose-lookup.ts';
import { idAtEnd, idLength, type LookupOrder } from '../planning/lookup-plan.ts';
import type { RecordWalk } from './record-walk.ts';
import type { ScanLeft } from './scan-budget.ts';

/** How many of the others are looked at in one step. */
export const othersAtOnce = 10;
/** How many entries are read to find the ids that lookups hold. */
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
type Part = (typeof partsInOrder)['ascending'][number];

/** Behind a record of those that have one lookup, or without an id behind all of them. */
interface Place {
  readonly part: Part;
  /** What the part has them by: the entry of the other record, or what their entries begin with. */
  readonly of: string;
  readonly id: string;
}

/** The entries of the records that have one lookup. */
interface Group {
  readonly of: string;
  readonly prefix: string;
}

interface Ordered {
  readonly order: LookupOrder;
  readonly left: ScanLeft;
}

/** Each step is bounded, and may find nothing. */
export function orderedWalk(scope: Scope, { order, left }: Ordered, start: string | undefined): RecordWalk {
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
    isSpent: () => left.items <= 0 || left.bytes <= 0 || !left.hasTime(),
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
  readonly #parts: readonly Part[];
  #place: Place;

  constructor(scope: Scope, { order, left }: Ordered, start: string | undefined) {
    this.#scope = scope;
    this.#order = order;
    this.#left = left;
    this.#parts = partsInOrder[order.isReverse ? 'descending' : 'ascending'];
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
    const isFilled = await Promise.all(groups.map((group) => this.#hasMore(group)));
    for (const [at, group] of groups.entries()) {
      if (found.length >= limit || this.#left.items <= 0 || this.#left.bytes <= 0) break;
      if (isFilled[at] === true) found.push(...(await this.#follow(group, limit - found.length)));
      else this.#pass(group);
    }
    return found;
  }

  #beginning(at: number): Place {
    const part = this.#parts[at];
    this.isAtEnd = part === undefined;
    return { part: part ?? 'missing', of: '', id: '' };
  }

  #pass({ of }: Group): void {
    this.#place = { ...this.#place, of, id: '' };
  }

  async #follow(group: Group, limit: number): Promise<readonly WalkedRecord[]> {
    const read = { ...this.#behind(group), limit: Math.min(limit, this.#left.items), bytesMax: this.#left.bytes };
    const records = await this.#scope.follow(this.#order.own.pk, read);
    let bytes = 0;
    // A UTF-16 unit takes at most 3 bytes of UTF-8, so this is never less than what the store counted.
    for (const { value } of records) bytes += 3 * value.length;
    this.#left.bytes -= bytes;
    this.#charge(records.length);
    this.entries += records.length;
    const { part } = this.#place;
    const places = records.map(({ sk }): Place => ({ part, of: group.of, id: sk.slice(group.prefix.length) }));
    const last = places.at(-1);
    const isWhole = records.length < read.limit && bytes < read.bytesMax;
    if (isWhole || last === undefined) this.#pass(group);
    else this.#place = last;
    return records.map((record, at) => ({ ...record, sk: placeText(places[at] ?? this.#place) }));
  }

  /** What is left of a group. */
  #behind({ of, prefix }: Group): Omit<RangeRead, 'limit'> {
    const { isReverse: reverse } = this.#order;
    const { of: begun, id } = this.#place;
    if (of !== begun || id === '') return { prefix, reverse };
    return { prefix, reverse, [reverse ? 'before' : 'after']: prefix + id };
  }

  async #hasMore(group: Group): Promise<boolean> {
    const entries = await this.#scope.range(this.#order.own.pk, { ...this.#behind(group), limit: 1 });
    return entries.length > 0;
  }

  /** The next ones of the part, as far as one step goes. */
  async #groups(): Promise<readonly Group[] | 'none'> {
    const { part, of, id } = this.#place;
    if (part !== 'others' && !this.#order.isWhole) return 'none';
    const count = Math.max(1, Math.min(othersAtOnce, Math.floor(this.#left.items / recordsPerSearch)));
    const { prefixOf } = this.#order.own;
    const groupOf: Readonly<Record<Part, (of: string) => Group>> = {
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

  async #nextOthers(count: number): Promise<readonly Group[] | 'none'> {
    const { others, own, isReverse } = this.#order;
    const { of } = this.#place;
    const behind = of === '' ? {} : { [isReverse ? 'before' : 'after']: of };
    const entries = await this.#scope.range(others.pk, { ...others.range, ...behind, limit: count });
    this.entries += entries.length;
    this.others += entries.length;
    return this.#sought(entries.map(({ sk }) => ({ of: sk, prefix: own.prefixOf(idAtEnd(sk)) })));
  }

  #sought(groups: readonly Group[]): readonly Group[] | 'none' {
    this.#charge(recordsPerSearch * groups.length);
    return groups.length === 0 ? 'none' : groups;
  }

  /** Passes the ids that are there. */
  async #nextMissing(count: number): Promise<readonly Group[] | 'none'> {
    const { own, isReverse: reverse } = this.#order;
    const { of } = this.#place;
    const behind = of === '' ? {} : reverse ? { before: of } : { after: of + afterAll };
    const read = { prefix: presentPrefix, ...behind, reverse, limit: entriesAtOnce };
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
    const idIn = (prefix: string): string => prefix.slice(presentPrefix.length, presentPrefix.length + idLength);
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
function placeText({ part, of, id }: Place): string {
  return [part, id, of].join('\n');
}

function readPlace(text: string): Place {
  const [part = '', id = '', ...of] = text.split('\n');
  return { part: isPart(part) ? part : 'empty', id, of: of.join('\n') };
}

function isPart(text: string): text is Part {
  return partsInOrder.ascending.some((part) => part === text);
}
