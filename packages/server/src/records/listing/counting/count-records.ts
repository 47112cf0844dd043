import { createYielder } from '../../../lib/scheduling/event-loop.ts';
import type { Scope } from '../../../store/port.ts';
import { shareKeyOf } from '../../../tenancy/port.ts';
import { recordCounter } from '../../indexes/derive.ts';
import type { RecordCall } from '../../writing/write-loop.ts';
import type { Cursors } from '../cursor.ts';
import { countedWithoutRecords, explain, explainMeasured, type ListExplanation } from '../explanation.ts';
import type { ListQuery } from '../list-query.ts';
import { cursorBinding } from '../list-records.ts';
import { inOwnOrder, isSooner, type ListPlan, planList, type UnionPlan } from '../planning/list-plan.ts';
import type { RecordPage } from '../record-page.ts';
import { openWalk } from '../walking/list-walk.ts';
import {
  continued,
  isExact,
  readable,
  recordsAtOnce,
  type ScanLeft,
  type SpentBy,
  stepsOf,
} from '../walking/record-walk.ts';

/**
 * If the budget ends before the records do, `count` is that of the records which this call has read, and `nexttoken`
 * goes on behind them. Each such part, also the last one, is marked: their sum is the count.
 */
export interface RecordCount {
  readonly count: number;
  readonly partial?: true;
  /** Which part of the budget ended it; left out of the last part. */
  readonly partial_reason?: SpentBy;
  readonly nexttoken?: string;
  /** Only on request. */
  readonly explain?: ListExplanation;
}

const indexedCountMax = 50_000;

/**
 * Everything is counted by its counter, one value of an indexed field by its index, anything else by the engine where it
 * can be asked for the records of the answer alone, and else by reading.
 */
export async function countRecords(
  cursors: Cursors,
  call: RecordCall,
  listed: ListQuery,
  left: ScanLeft,
): Promise<RecordCount> {
  // A count is the same in any order, and records are not sought by other records without a need.
  const query = inOwnOrder(listed);
  const { filters, search, filter, wantsExplanation } = query;
  const explained = (explanation: ListExplanation) => (wantsExplanation ? { explain: explanation } : {});
  const isWhole = filters.length === 0 && search === undefined && filter === undefined && call.rows === undefined;
  if (isWhole && query.nexttoken === undefined) {
    const [counter] = await call.workspace.scope.get([recordCounter(call.entity.name)]);
    const count = counter === undefined ? 0 : Number(counter.value);
    return { count, ...explained(countedWithoutRecords(undefined, 0)) };
  }
  // Each part of a count is known to the caller, so no field orders the records that he may be unable to read.
  const plan = planList(call, query, { inAnyOrder: call.rows === undefined, isWhole: true });
  const indexed = query.nexttoken === undefined ? await indexedCount(call, plan) : undefined;
  if (indexed === undefined) return countPlanned(cursors, call, { query, plan, left });
  return { count: indexed, ...explained(countedWithoutRecords(plan.union?.own.index ?? plan.index, indexed)) };
}

/** The number of records that a list has on all its pages; past the budget of a count, how many there are at least. */
export type Total = number | { readonly atLeast: number };

/** @param page one of the list, which may be all of it. */
export async function totalRecords(
  cursors: Cursors,
  call: RecordCall,
  { query, page }: ListedPage,
  left: ScanLeft,
): Promise<Total> {
  const found = page.items.length;
  if (query.nexttoken === undefined && page.nexttoken === null) return found;
  const { count, partial } = await countRecords(cursors, call, { ...query, nexttoken: undefined }, left);
  return partial === true ? { atLeast: Math.max(count, found) } : count;
}

interface ListedPage {
  readonly query: ListQuery;
  readonly page: RecordPage;
}

/** Undefined where records have to be read. */
async function indexedCount({ workspace }: RecordCall, plan: ListPlan): Promise<number | undefined> {
  if (plan.union !== undefined) return unionCount(workspace.scope, plan, plan.union);
  if (!plan.isIndex || !isExact(plan)) return undefined;
  const count = await workspace.scope.count(plan.pk, plan.range, indexedCountMax + 1);
  return count <= indexedCountMax ? count : undefined;
}

async function unionCount(
  scope: Scope,
  { rows, expression }: ListPlan,
  { own, prefixes, isExact: isAlone }: UnionPlan,
): Promise<number | undefined> {
  if (rows !== undefined || expression !== undefined || !isAlone) return undefined;
  let sum = 0;
  for (const prefix of prefixes) {
    sum += await scope.count(own.pk, { prefix }, indexedCountMax + 1);
    if (sum > indexedCountMax) return undefined;
  }
  return sum;
}

/** Counts those of the rest of a plan's range. */
export async function countPlanned(cursors: Cursors, call: RecordCall, counting: Counting): Promise<RecordCount> {
  const { plan } = counting;
  const isMeasured = plan.question.isExact && (await isWithoutDetours(call.workspace.scope, plan));
  return (isMeasured ? countByMeasuring : countByReading)(cursors, call, counting);
}

/** Whether no other index finds the records sooner than the range does. */
async function isWithoutDetours(scope: Scope, { gather, lookup, order, parts, union }: ListPlan): Promise<boolean> {
  if ([gather, lookup, order, parts].some((detour) => detour !== undefined)) return false;
  return union === undefined || !(await isSooner(scope, union));
}

interface Counting {
  readonly query: ListQuery;
  readonly plan: ListPlan;
  readonly left: ScanLeft;
}

/** One question to the engine: a count is of one snapshot, and so is each part of a count that the budget ends. */
async function countByMeasuring(
  cursors: Cursors,
  call: RecordCall,
  { query, plan, left }: Counting,
): Promise<RecordCount> {
  const { scope } = call.workspace;
  const binding = countBinding(call, query, plan);
  const start = query.nexttoken === undefined ? undefined : cursors.open(query.nexttoken, binding);
  const startedAt = performance.now();
  left.hasTime();
  const measured = await scope.measure(plan.pk, {
    ...{ ...continued(plan, start), where: plan.question.where, group: [], measures: [{ kind: 'count' }] },
    ...{ rowsMax: left.items, groupsMax: 1 },
  });
  const { groups, rows, next, endedBy } = measured;
  left.items -= rows;
  const [result] = groups[0]?.results ?? [];
  const count = result?.kind === 'count' ? result.count : 0;
  const explained = query.wantsExplanation ? { explain: explainMeasured(plan, rows, startedAt) } : {};
  if (endedBy === undefined) return { count, ...(start === undefined ? {} : { partial: true }), ...explained };
  const position = cursors.seal(next ?? start ?? '', binding);
  const reason = endedBy === 'time' ? 'time' : 'records';
  return { count, partial: true, partial_reason: reason, nexttoken: position, ...explained };
}

type CountEnd = Pick<RecordCount, 'partial' | 'partial_reason' | 'nexttoken'>;

/** A count goes on in either way. */
function countBinding(call: RecordCall, query: ListQuery, plan: ListPlan): readonly string[] {
  return ['count', ...cursorBinding(call, query, plan)];
}

/** Looks at one record after the other, until the budget ends. */
async function countByReading(
  cursors: Cursors,
  call: RecordCall,
  { query, plan, left }: Counting,
): Promise<RecordCount> {
  const binding = countBinding(call, query, plan);
  const start = query.nexttoken === undefined ? undefined : cursors.open(query.nexttoken, binding);
  const walk = await openWalk(call.workspace.scope, plan, start, left);
  const pause = createYielder(shareKeyOf(call.workspace), () => stepsOf(plan));
  let count = 0;
  let judged = 0;
  const counted = (rest: CountEnd): RecordCount => {
    return { count, ...rest, ...(query.wantsExplanation ? { explain: explain(plan, walk, judged) } : {}) };
  };
  const soFar = () =>
    counted({ partial: true, partial_reason: walk.spentBy(), nexttoken: cursors.seal(walk.position(), binding) });
  for (;;) {
    for (const entry of await walk.next(recordsAtOnce)) {
      if (walk.isWorkSpent()) return soFar();
      walk.passed(entry.sk);
      judged += 1;
      if (readable(plan, call.entity, entry) !== undefined) count += 1;
      await pause();
    }
    if (walk.isAtEnd()) return counted(start === undefined ? {} : { partial: true });
    if (walk.isSpent()) return soFar();
  }
}
