import type { IndexName, IndexRange } from './planning/index-range.ts';
import type { ListPlan } from './planning/list-plan.ts';
import type { Walk } from './walking/list-walk.ts';
import { isExact } from './walking/record-walk.ts';

/** The way in which the records of a list or a count were found, for callers who may know of hidden records. */
export interface ListExplanation {
  /** Null where the records themselves were gone through. */
  readonly index: IndexName | null;
  /** The index range of other records, where lookups of the entries' records point to some of them. */
  readonly through?: IndexRange;
  /** Entries of the indexes that were read, or records where there is none. */
  readonly entriesWalked: number;
  /** Records that were tested by what the range of the walk does not say: conditions, words, the filter, policies. */
  readonly recordsTested: number;
  /** The used part of the scan budget: records, bytes, milliseconds, and steps of about 2 ns. */
  readonly budget: {
    readonly items: number;
    readonly bytes: number;
    readonly milliseconds: number;
    readonly steps: number;
  };
}

/** Of what was counted without going through records. @param entriesWalked those of the index that were counted. */
export function countedWithoutRecords(index: IndexName | undefined, entriesWalked: number): ListExplanation {
  return {
    index: index ?? null,
    entriesWalked,
    recordsTested: 0,
    budget: { items: 0, bytes: 0, milliseconds: 0, steps: 0 },
  };
}

/** Of what the engine looked at. */
export function explainMeasured(plan: ListPlan, rows: number, startedAt: number): ListExplanation {
  const milliseconds = Math.ceil(performance.now() - startedAt);
  return {
    index: plan.index ?? null,
    entriesWalked: rows,
    recordsTested: isExact(plan) ? 0 : rows,
    budget: { items: rows, bytes: 0, milliseconds, steps: 0 },
  };
}

/** @param judged records of which it was asked whether they are of the answer. */
export function explain(plan: ListPlan, walk: Walk, judged: number): ListExplanation {
  const { index, through, entries, tested = judged, items, bytes, milliseconds, steps } = walk.taken();
  return {
    index: index ?? null,
    ...(through === undefined ? {} : { through }),
    entriesWalked: entries,
    recordsTested: isExact(plan) ? 0 : tested,
    budget: { items, bytes, milliseconds, steps },
  };
}
