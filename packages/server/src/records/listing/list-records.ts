import { createYielder } from '../../lib/scheduling/event-loop.ts';
import type { Scope } from '../../store/port.ts';
import { laneOf } from '../../tenancy/port.ts';
import { recordCounter } from '../indexes/derive.ts';
import type { ReadableText } from '../record-policy.ts';
import type { RecordCall } from '../writing/write-loop.ts';
import type { Cursors } from './cursor.ts';
import { isExact, isExactButForRows, readable, stepsOf } from './judge-records.ts';
import type { ListQuery } from './list-query.ts';
import { countedWithoutRecords, type Explanation, explain } from './planning/explanation.ts';
import { type ListPlan, planList, type UnionPlan } from './planning/list-plan.ts';
import { openWalk } from './walking/list-walk.ts';
import type { ScanLeft } from './walking/scan-budget.ts';

/** Records as they are stored, with what the caller may read of them, and a cursor where there may be more. */
export interface Page {
  readonly items: readonly ReadableText[];
  readonly nexttoken: string | null;
  /** Whether the scan budget ended the page before it was full. */
  readonly isPartial: boolean;
  /** Where it is asked for. */
  readonly explain?: Explanation;
}

/** @param left what the page may look at, where pages share it. */
export async function listRecords(cursors: Cursors, call: RecordCall, query: ListQuery, left: ScanLeft): Promise<Page> {
  const plan = planList(call, query);
  const binding = cursorBinding(call, query, plan);
  const start = query.nexttoken === undefined ? undefined : cursors.open(query.nexttoken, binding);
  const items: ReadableText[] = [];
  const pause = createYielder(laneOf(call.workspace), () => stepsOf(plan));
  const walk = await openWalk(call.workspace.scope, plan, start, left);
  let judged = 0;
  let step = firstStep(plan);
  const page = (rest: Pick<Page, 'nexttoken' | 'isPartial'>): Page => {
    return { items, ...rest, ...(query.wantsExplanation ? { explain: explain(plan, walk, judged) } : {}) };
  };
  while (!walk.isAtEnd() && !walk.isSpent()) {
    const wanted = query.pageSize - items.length + 1;
    const entries = await walk.next(Math.max(wanted, step));
    if (!isExact(plan)) step = Math.min(Math.max(2 * step, residualSteps.first), residualSteps.last);
    for (const entry of entries) {
      // One more than a page holds was found: so there is a next page, and this one is full.
      const isFull = items.length === query.pageSize;
      if (isFull || walk.isWorkSpent())
        return page({ nexttoken: cursors.seal(walk.position(), binding), isPartial: !isFull });
      judged += 1;
      const item = readable(plan, call.entity, entry);
      if (item !== undefined) items.push(item);
      walk.passed(entry.sk);
      if (!isExact(plan)) await pause();
    }
    await pause();
  }
  if (walk.isAtEnd()) return page({ nexttoken: null, isPartial: false });
  return page({ nexttoken: cursors.seal(walk.position(), binding), isPartial: items.length < query.pageSize });
}

/**
 * How many records a walk reads first, where some of them may not be of the answer. Where the range is of one owner,
 * and a policy lets a caller have the records of that owner, it is likely that all of them are.
 */
function firstStep(plan: ListPlan): number {
  const isOfOwner = plan.isOfRows && isExactButForRows(plan);
  return isExact(plan) || isOfOwner ? 0 : residualSteps.first;
}

/** The fewer of the records are of the answer, the more are read at once. */
const residualSteps = { first: 32, last: 200 } as const;

/** Everything that a cursor is good for. Another caller, workspace, entity, query or way of reading is another list. */
function cursorBinding(call: RecordCall, query: ListQuery, plan: ListPlan): readonly string[] {
  const { workspace, entity, actor } = call;
  const others = plan.order === undefined ? [] : [plan.order.others.pk];
  const list = [entity.name, plan.pk, ...others, query.canonical];
  return [workspace.env, workspace.orgCode, workspace.tenantId, actor.userId, ...list];
}

/**
 * Where the budget ends before the records do, `count` is that of the records which this call has read, and `nexttoken`
 * goes on behind them. Each such part, also the last one, is marked: their sum is the count.
 */
export interface Count {
  readonly count: number;
  readonly partial?: true;
  readonly nexttoken?: string;
  /** Where it is asked for. */
  readonly explain?: Explanation;
}

const indexedCountMax = 50_000;

/**
 * Everything is counted by its counter, one value of an indexed field by its index, anything else by reading; so is all
 * of which some records are not the caller's.
 */
export async function countRecords(
  cursors: Cursors,
  call: RecordCall,
  listed: ListQuery,
  left: ScanLeft,
): Promise<Count> {
  const query = inOwnOrder(listed);
  const { filters, search, filter, wantsExplanation } = query;
  const explained = (explanation: Explanation) => (wantsExplanation ? { explain: explanation } : {});
  const isWhole = filters.length === 0 && search === undefined && filter === undefined && call.rows === undefined;
  if (isWhole && query.nexttoken === undefined) {
    const [counter] = await call.workspace.scope.get([recordCounter(call.entity.name)]);
    const count = counter === undefined ? 0 : Number(counter.value);
    return { count, ...explained(countedWithoutRecords(undefined, 0)) };
  }
  // Each part of a count is known to the caller, so no field orders the records that he may be unable to read.
  const plan = planList(call, query, { inAnyOrder: call.rows === undefined, isWhole: true });
  const indexed = query.nexttoken === undefined ? await indexedCount(call, plan) : undefined;
  if (indexed === undefined) return countByReading(cursors, call, { query, plan, left });
  return { count: indexed, ...explained(countedWithoutRecords(plan.union?.own.index ?? plan.index, indexed)) };
}

/** A count is the same in any order, and records are not sought by other records without a need. */
function inOwnOrder({ lookupSort, askedSort, ...query }: ListQuery): ListQuery {
  return query;
}

/** How many records a list has on all its pages; past the budget of a count, how many there are at least. */
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
  readonly page: Page;
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

/** Looks at one record after the other, until the budget ends. */
async function countByReading(
  cursors: Cursors,
  call: RecordCall,
  { query, plan, left }: { readonly query: ListQuery; readonly plan: ListPlan; readonly left: ScanLeft },
): Promise<Count> {
  const binding = ['count', ...cursorBinding(call, query, plan)];
  const start = query.nexttoken === undefined ? undefined : cursors.open(query.nexttoken, binding);
  const walk = await openWalk(call.workspace.scope, plan, start, left);
  const pause = createYielder(laneOf(call.workspace), () => stepsOf(plan));
  let count = 0;
  let judged = 0;
  const counted = (rest: Pick<Count, 'partial' | 'nexttoken'>): Count => {
    return { count, ...rest, ...(query.wantsExplanation ? { explain: explain(plan, walk, judged) } : {}) };
  };
  const soFar = () => counted({ partial: true, nexttoken: cursors.seal(walk.position(), binding) });
  for (;;) {
    for (const entry of await walk.next(200)) {
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
