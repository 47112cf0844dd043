/** How the records of a list or a count were found, for those who may know of records that they are not shown. */
import { Problem } from '../../../lib/problem.ts';
import type { AuthorizedCall } from '../../caller-access.ts';
import { isExact } from '../judge-records.ts';
import type { ListQuery } from '../list-query.ts';
import type { Walk } from '../walking/list-walk.ts';
import type { FoundThrough, IndexName } from './index-range.ts';
import type { ListPlan } from './list-plan.ts';

export interface Explanation {
  /** Null where the records themselves were gone through. */
  readonly index: IndexName | null;
  /** Where the entries are of records whose lookups point to some of others: how these were found. */
  readonly through?: FoundThrough;
  /** Entries of the indexes that were read, or records where there is none. */
  readonly entriesWalked: number;
  /** Records that were tested by what the range of the walk does not say: conditions, words, the filter, policies. */
  readonly recordsTested: number;
  /** What was used of the scan budget: records, bytes, milliseconds, and steps of about 2 ns. */
  readonly budget: {
    readonly items: number;
    readonly bytes: number;
    readonly milliseconds: number;
    readonly steps: number;
  };
}

/** Of what was counted without going through records. @param entriesWalked those of the index that were counted. */
export function countedWithoutRecords(index: IndexName | undefined, entriesWalked: number): Explanation {
  return {
    index: index ?? null,
    entriesWalked,
    recordsTested: 0,
    budget: { items: 0, bytes: 0, milliseconds: 0, steps: 0 },
  };
}

/** @param judged records of which it was asked whether they are of the answer. */
export function explain(plan: ListPlan, walk: Walk, judged: number): Explanation {
  const { index, through, entries, items, bytes, milliseconds, steps } = walk.taken();
  return {
    index: index ?? null,
    ...(through === undefined ? {} : { through }),
    entriesWalked: entries,
    recordsTested: isExact(plan) ? 0 : judged,
    budget: { items, bytes, milliseconds, steps },
  };
}

/**
 * The entries that were walked tell of records that the caller is not shown, and what was used of the budget tells of
 * those to which lookups of the filter point.
 * @throws Problem `access_denied`.
 */
export function assertMayExplain(
  { explains, rows, entity, access }: AuthorizedCall,
  { expression }: Pick<ListQuery, 'expression'>,
): void {
  if (explains === 'every_list') return;
  if (
    explains === undefined ||
    rows !== undefined ||
    expression?.lookups?.followed.every((one) => one.mayListAll()) === false
  )
    throw new Problem(
      'access_denied',
      '`explain` is for builders, and for service keys that may read all of each record',
    );
  if (entity.definition.ownerIndexes?.some(({ scopeList }) => scopeList === true) === true)
    access.assertAllowed('browse');
}
