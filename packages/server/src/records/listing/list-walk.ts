import type { Followed, Item, RangeRead, Scope } from '../../store/port.ts';
import { stepsOf, type WalkedRecord } from './judge-records.ts';
import { loadingWalk } from './loading-walk.ts';
import type { IndexName, ListPlan, WordEntries } from './planning/list-plan.ts';

/**
 * What one page may look at before it ends short, with a cursor to go on from, and the steps that judging its records may
 * take. Of its time it may wait for its turns: an
 * index that is dropped meanwhile is taken apart two seconds later at the earliest.
 */
export const scanBudget = { items: 2000, bytes: 4 * 1024 * 1024, milliseconds: 500, steps: 40_000_000 } as const;

/** What is left of it to one page, or to pages that share it. */
export interface ScanLeft {
  items: number;
  bytes: number;
  steps: number;
  readonly hasTime: () => boolean;
}

export function newScan(hasTime = timeLeft()): ScanLeft {
  const { items, bytes, steps } = scanBudget;
  return { items, bytes, steps, hasTime };
}

/** Goes through the records of a plan in steps, keeping to the scan budget. */
export interface Walk {
  next(limit: number): Promise<readonly WalkedRecord[]>;
  passed(sk: string): void;
  position(): string;
  isAtEnd(): boolean;
  isSpent(): boolean;
  /** Whether no other record may be judged, also of those that are read already. */
  isWorkSpent(): boolean;
  /** What the walk has read and used so far. */
  taken(): Taken;
}

/** Of the scan budget, and the entries that were read, also those of which no record is gone through. */
export interface Taken {
  readonly index: IndexName | undefined;
  readonly entries: number;
  readonly items: number;
  /** As the budget counts them: never less than the store read. */
  readonly bytes: number;
  readonly milliseconds: number;
  readonly steps: number;
}

export interface RecordWalk extends Omit<Walk, 'isWorkSpent' | 'taken'> {
  readonly index: IndexName | undefined;
  /** Those of the range that were read. */
  entries(): number;
}

function rangeWalk(scope: Scope, plan: ListPlan, start: string | undefined, left: ScanLeft): RecordWalk {
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

/** Whether there is time left, which begins to run when this is asked first: some step is always made. */
function timeLeft(): () => boolean {
  let begun: number | undefined;
  return () => {
    const now = performance.now();
    begun ??= now;
    return now - begun < scanBudget.milliseconds;
  };
}

/** @param left what the walk may look at, which it takes from. */
export async function openWalk(
  scope: Scope,
  plan: ListPlan,
  start: string | undefined,
  left: ScanLeft = newScan(),
): Promise<Walk> {
  const takenSoFar = takenFrom(plan, left);
  const { gather } = plan;
  const words = gather === undefined ? [] : await readWords(scope, gather);
  const walk =
    gather !== undefined && words.length <= scanBudget.items
      ? gatheredWalk(scope, plan, { entries: gather, words, left }, start)
      : rangeWalk(scope, plan, start, left);
  const begunAt = stepsOf(plan);
  const { steps } = left;
  const isSpent = (share: number): boolean => stepsOf(plan) - begunAt >= share * steps;
  const loading = loadingWalk(plan, walk, { left, isSpent: () => isSpent(loadingShare) });
  let hasPassed = false;
  return {
    ...loading,
    passed: (sk) => {
      hasPassed = true;
      loading.passed(sk);
    },
    isSpent: () => loading.isSpent() || isSpent(1),
    // What loading has taken, it has taken for these records: one of them is passed at least.
    isWorkSpent: () => isSpent(1) && (hasPassed || loading === walk),
    taken: () => ({ ...takenSoFar(), index: loading.index, entries: words.length + loading.entries() }),
  };
}

/** Of the steps of a page: the others are for the filter, which is asked when the records of its lookups are loaded. */
const loadingShare = 0.5;

function takenFrom(plan: ListPlan, left: ScanLeft): () => Omit<Taken, 'index' | 'entries'> {
  const { items, bytes } = left;
  const begunAt = stepsOf(plan);
  const begun = performance.now();
  return () => ({
    items: items - left.items,
    bytes: bytes - left.bytes,
    milliseconds: Math.ceil(performance.now() - begun),
    steps: Math.ceil(stepsOf(plan) - begunAt),
  });
}

/** One more than are gathered, where there are too many. */
function readWords(scope: Scope, { pk, prefix }: WordEntries): Promise<readonly Item[]> {
  return scope.range(pk, { prefix, limit: scanBudget.items + 1 });
}

/** The rest of a plan's range behind a position, in the direction it is read. */
function continued(plan: ListPlan, position: string | undefined): Omit<RangeRead, 'limit'> {
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
function gatheredWalk(
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

/** The record at a place of a plan's range, as one moment has it: no record is taken for one that has moved. */
async function readPlace(scope: Scope, { pk, isIndex }: ListPlan, sk: string): Promise<Followed | undefined> {
  const [found] = isIndex ? await scope.follow(pk, { prefix: sk, limit: 1 }) : await scope.get([{ pk, sk }]);
  return found;
}
