import type { Item, Scope } from '../../../store/port.ts';
import type { IndexRange } from '../planning/index-range.ts';
import { isSooner, type ListPlan, othersSought, type WordEntries } from '../planning/list-plan.ts';
import { lookupWalk, orderedWalk } from './lookup-walk.ts';
import {
  continued,
  gatheredWalk,
  judgeRecord,
  newScan,
  partsWalk,
  type RecordWalk,
  rangeWalk,
  type ScanLeft,
  type SpentBy,
  spentBy,
  stepsOf,
  type WalkedRecord,
} from './record-walk.ts';

/** Goes through the records of a plan in steps, keeping to the scan budget. */
export interface Walk extends Omit<RecordWalk, 'index' | 'through' | 'entries' | 'tested'> {
  /** Whether no other record may be judged, also of those that are read already. */
  isWorkSpent(): boolean;
  spentBy(): SpentBy;
  taken(): WalkedEntries;
}

/** Of the scan budget, and the entries that were read, also those of which no record is gone through. */
interface WalkedEntries extends Pick<RecordWalk, 'index'> {
  readonly through: IndexRange | undefined;
  readonly entries: number;
  /** Undefined where all that are tested are judged. */
  readonly tested: number | undefined;
  readonly items: number;
  /** As the budget counts them. */
  readonly bytes: number;
  readonly milliseconds: number;
  readonly steps: number;
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
    gather !== undefined && words.length <= gatheredMax
      ? gatheredWalk(scope, plan, { entries: gather, words, left }, start)
      : ((await soughtWalk(scope, plan, start, left)) ?? inRange(scope, plan, start, left));
  const startedAt = stepsOf(plan);
  const { steps } = left;
  const isSpent = (share: number): boolean => stepsOf(plan) - startedAt >= share * steps;
  const loading = loadingWalk(plan, walk, { left, isSpent: () => isSpent(loadingShare) });
  let hasPassed = false;
  return {
    ...loading,
    passed: (sk) => {
      hasPassed = true;
      loading.passed(sk);
    },
    isSpent: () => loading.isSpent() || isSpent(1),
    spentBy: () => spentBy(left),
    // The budget of loading was spent for these records: one of them is passed at least.
    isWorkSpent: () => isSpent(1) && (hasPassed || loading === walk),
    taken: () => {
      const { index, through, tested } = loading;
      const entries = words.length + loading.entries();
      return { ...takenSoFar(), index, through: through?.(), entries, tested: tested?.() };
    },
  };
}

function inRange(scope: Scope, plan: ListPlan, start: string | undefined, left: ScanLeft): RecordWalk {
  const { parts } = plan;
  return parts === undefined ? rangeWalk(scope, plan, start, left) : partsWalk(scope, { ...plan, parts }, start, left);
}

/** Of the steps of a page: the others are for the filter, which is asked when the records of its lookups are loaded. */
const loadingShare = 0.5;

/** Undefined where the records of the range are gone through one after the other. */
async function soughtWalk(
  scope: Scope,
  plan: ListPlan,
  start: string | undefined,
  left: ScanLeft,
): Promise<RecordWalk | undefined> {
  const { lookup, order, union, expression } = plan;
  left.hasTime();
  if (order !== undefined) return orderedWalk(scope, { order, left }, start);
  const pause = () => expression?.lookups?.pause();
  if (union !== undefined && (await isSooner(scope, union))) {
    const { prefixes: others } = union;
    left.items -= Math.min(left.items, others.length);
    return lookupWalk(scope, plan, { lookup: union, others, left, pause }, start);
  }
  const others = await othersSought(scope, plan, continued(plan, start));
  if (lookup === undefined || others === undefined) return undefined;
  const { entity, index } = lookup.others;
  const through = () => ({ entity, index, records: others.length });
  return lookupWalk(scope, plan, { lookup, others, through, left, pause }, start);
}

function takenFrom(
  plan: ListPlan,
  left: ScanLeft,
): () => Omit<WalkedEntries, 'index' | 'through' | 'entries' | 'tested'> {
  const { items, bytes } = left;
  const startedAt = stepsOf(plan);
  const started = performance.now();
  return () => ({
    items: items - left.items,
    bytes: bytes - left.bytes,
    milliseconds: Math.ceil(performance.now() - started),
    steps: Math.ceil(stepsOf(plan) - startedAt),
  });
}

/** If there are more, so many records have such a word that going through the range finds them. */
const gatheredMax = 2_000;

/** One more than are gathered, where there are too many. */
function readWords(scope: Scope, { pk, prefix }: WordEntries): Promise<readonly Item[]> {
  return scope.range(pk, { prefix, limit: gatheredMax + 1 });
}

const loadedAtOnce = 50;

/**
 * The same records with those loaded that a filter follows lookups to, as far as the budget has room for these too. They
 * are loaded for records alone that are the caller's, and of which the filter is asked.
 * @param budget what is left, and whether the share of the steps is spent that judging records before the filter may take.
 */
function loadingWalk(
  plan: ListPlan,
  walk: RecordWalk,
  { left, isSpent }: { readonly left: ScanLeft; readonly isSpent: () => boolean },
): RecordWalk {
  const { lookups } = plan.expression ?? {};
  if (lookups === undefined) return walk;
  const isLoadingSpent = () => left.bytes <= 0 || !left.hasTime() || isSpent();
  let isCut = false;
  return {
    ...walk,
    next: async (limit) => {
      const affordable = Math.floor(left.items / (1 + lookups.followed.length));
      const entries = await walk.next(Math.max(1, Math.min(limit, loadedAtOnce, affordable)));
      const judged: WalkedRecord[] = [];
      for (const entry of entries) {
        if (judged.length > 0 && isSpent()) break;
        judged.push({ ...entry, judged: judgeRecord(plan, lookups.entity, entry) });
        await lookups.pause();
      }
      const requested = judged.flatMap((one, at) =>
        typeof one.judged === 'object' ? [{ at, data: one.judged.data }] : [],
      );
      const loaded = await lookups.load(
        requested.map(({ data }) => data),
        left,
        isLoadingSpent,
      );
      const ready = judged.slice(0, requested[loaded]?.at);
      isCut = ready.length < entries.length;
      return ready;
    },
    isAtEnd: () => !isCut && walk.isAtEnd(),
    isSpent: () => isCut || left.items <= 0 || walk.isSpent(),
  };
}
