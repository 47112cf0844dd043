/** Ways to go through the records of a plan's range. */
import { compareBytes } from '../../../lib/byte-order.ts';
import type { Followed, Item, RangeRead, Scope } from '../../../store/port.ts';
import type { WalkedRecord } from '../judge-records.ts';
import type { FoundThrough, IndexName } from '../planning/index-range.ts';
import type { ListPlan, WordEntries } from '../planning/list-plan.ts';
import type { ScanLeft } from './scan-budget.ts';

/** Goes through records in steps, keeping to the scan budget. */
export interface RecordWalk {
  next(limit: number): Promise<readonly WalkedRecord[]>;
  passed(sk: string): void;
  position(): string;
  isAtEnd(): boolean;
  isSpent(): boolean;
  readonly index: IndexName | undefined;
  readonly through?: () => FoundThrough;
  /** Those of the range that were read. */
  entries(): number;
}

export function rangeWalk(scope: Scope, plan: ListPlan, start: string | undefined, left: ScanLeft): RecordWalk {
  let position = start;
  let isAtEnd = false;
  let read = 0;
  return {
    index: plan.index,
    entries: () => read,
    next: async (limit) => {
      left.hasTime();
      const range = { ...continued(plan, position), limit: Math.min(limit, left.items), bytesMax: left.bytes };
      const entries = plan.isIndex ? await scope.follow(plan.pk, range) : await scope.range(plan.pk, range);
      // A UTF-16 unit takes at most 3 bytes of UTF-8, so this is never less than what the store counted.
      let bytes = 0;
      for (const entry of entries) bytes += 3 * entry.value.length;
      isAtEnd = entries.length === 0 || (entries.length < range.limit && bytes < range.bytesMax);
      read += entries.length;
      left.items -= entries.length;
      left.bytes -= bytes;
      return entries;
    },
    passed: (sk) => {
      position = sk;
    },
    position: () => position ?? '',
    isAtEnd: () => isAtEnd,
    isSpent: () => left.items <= 0 || left.bytes <= 0 || !left.hasTime(),
  };
}

/** The same where the entries that may be of the answer lie in parts of the range: what is between them is not read. */
export function partsWalk(
  scope: Scope,
  plan: ListPlan & { readonly parts: readonly string[] },
  start: string | undefined,
  left: ScanLeft,
): RecordWalk {
  const isReverse = plan.range.reverse === true;
  const isBehind = (part: string): boolean =>
    start !== undefined && start !== '' && !start.startsWith(part) && compareBytes(part, start) < 0 !== isReverse;
  const parts = (isReverse ? plan.parts.toReversed() : plan.parts).filter((part) => !isBehind(part));
  let position = start;
  let read = 0;
  const walkOf = (prefix: string): RecordWalk => {
    const begun = position?.startsWith(prefix) === true ? position : undefined;
    return rangeWalk(scope, { ...plan, range: { ...plan.range, prefix } }, begun, left);
  };
  const isSpent = (): boolean => left.items <= 0 || left.bytes <= 0 || !left.hasTime();
  return {
    index: plan.index,
    entries: () => read,
    next: async (limit) => {
      for (let part = parts[0]; part !== undefined && !isSpent(); part = parts[0]) {
        const walk = walkOf(part);
        const entries = await walk.next(limit);
        read += entries.length;
        if (walk.isAtEnd()) parts.shift();
        if (entries.length > 0) return entries;
        left.items -= 1;
      }
      return [];
    },
    passed: (sk) => {
      position = sk;
    },
    position: () => position ?? '',
    isAtEnd: () => parts.length === 0,
    isSpent,
  };
}

/** The rest of a plan's range behind a position, in the direction it is read. */
export function continued(plan: ListPlan, position: string | undefined): Omit<RangeRead, 'limit'> {
  // A walk that made no step has come no further than to its beginning.
  if (position === undefined || position === '') return plan.range;
  return plan.range.reverse === true ? { ...plan.range, before: position } : { ...plan.range, after: position };
}

interface Gathered {
  readonly entries: WordEntries;
  /** All of them. */
  readonly words: readonly Item[];
  readonly left: ScanLeft;
}

/**
 * Records with a word that begins so are entered under many words, in no order of theirs: all entries are read, put in
 * the order of the plan's range and gone through. Where they are too many for that, so many records have such a word
 * that going through the range finds them.
 */
export function gatheredWalk(
  scope: Scope,
  plan: ListPlan,
  { entries, words, left }: Gathered,
  start: string | undefined,
): RecordWalk {
  const isReverse = plan.range.reverse === true;
  const isAhead = (place: string): boolean => start === undefined || (isReverse ? place < start : place > start);
  const places = [...new Set(words.map(({ sk }) => entries.placeOf(sk)))].filter(isAhead).sort();
  if (isReverse) places.reverse();
  let position = start;
  return {
    index: entries.index,
    entries: () => 0,
    next: async (limit) => {
      left.hasTime();
      const found: Followed[] = [];
      while (found.length < limit && left.bytes > 0) {
        const place = places.shift();
        if (place === undefined) break;
        const entry = await readPlace(scope, plan, place);
        if (entry === undefined) continue;
        left.bytes -= 3 * entry.value.length;
        found.push(entry);
      }
      return found;
    },
    passed: (sk) => {
      position = sk;
    },
    position: () => position ?? '',
    isAtEnd: () => places.length === 0,
    isSpent: () => left.bytes <= 0 || !left.hasTime(),
  };
}

/** The record at a place of a plan's range, as one moment has it: no record is taken for another that has moved. */
async function readPlace(scope: Scope, { pk, isIndex }: ListPlan, sk: string): Promise<Followed | undefined> {
  const [found] = isIndex ? await scope.follow(pk, { prefix: sk, limit: 1 }) : await scope.get([{ pk, sk }]);
  return found;
}
