import { createYielder } from '../../lib/scheduling/event-loop.ts';
import { shareKeyOf } from '../../tenancy/port.ts';
import type { ReadableText } from '../record-policy.ts';
import type { RecordCall } from '../writing/write-loop.ts';
import type { Cursors } from './cursor.ts';
import { explain } from './explanation.ts';
import type { ListQuery } from './list-query.ts';
import { type ListPlan, planList } from './planning/list-plan.ts';
import type { RecordPage } from './record-page.ts';
import { sortedRecords } from './sorted-records.ts';
import { openWalk, type Walk } from './walking/list-walk.ts';
import {
  isExact,
  isLikelyWhole,
  readable,
  recordBytes,
  recordsAtOnce,
  type ScanLeft,
  stepsOf,
} from './walking/record-walk.ts';

/** @param left what the page may look at, where pages share it. */
export async function listRecords(
  cursors: Cursors,
  call: RecordCall,
  query: ListQuery,
  left: ScanLeft,
): Promise<RecordPage> {
  const plan = planList(call, query);
  const binding = cursorBinding(call, query, plan);
  const { sorting } = plan;
  if (sorting !== undefined) return sortedRecords(cursors, call, { query, plan, sorting, binding }, left);
  const start = query.nexttoken === undefined ? undefined : cursors.open(query.nexttoken, binding);
  const items: ReadableText[] = [];
  const pause = createYielder(shareKeyOf(call.workspace), () => stepsOf(plan));
  const walk = await openWalk(call.workspace.scope, plan, start, left);
  let judged = 0;
  let room = left.bytes;
  const add = (item: ReadableText): boolean => {
    if (items.length === query.pageSize) return false;
    items.push(item);
    room -= recordBytes(item);
    left.bytes -= recordBytes(item);
    return true;
  };
  /** A next page must not reveal a hidden record, which an index may have by its values. */
  const hidesSome = plan.rows !== undefined;
  const page = (nexttoken: string | null): RecordPage => pageOf(query, { items, nexttoken, plan, walk, judged });
  const goOn = (): RecordPage => page(cursors.seal(walk.position(), binding));
  for (let step = firstStep(plan); !walk.isAtEnd() && !walk.isSpent(); step = furtherStep(plan, step)) {
    const wanted = query.pageSize - items.length + 1;
    const entries = await walk.next(Math.max(wanted, step));
    for (const entry of entries) {
      const isFull = items.length === query.pageSize;
      // One more than a page holds was found: so there is a next page, and this one is full.
      if ((isFull && !hidesSome) || room <= 0 || walk.isWorkSpent()) return goOn();
      judged += 1;
      const item = readable(plan, call.entity, entry);
      if (item !== undefined && !add(item)) return goOn();
      walk.passed(entry.sk);
      if (!isExact(plan)) await pause();
    }
    await pause();
  }
  return walk.isAtEnd() ? page(null) : goOn();
}

interface Walked extends Pick<RecordPage, 'items' | 'nexttoken'> {
  readonly plan: ListPlan;
  readonly walk: Walk;
  readonly judged: number;
}

function pageOf({ pageSize, wantsExplanation }: ListQuery, walked: Walked): RecordPage {
  const { items, nexttoken, plan, walk, judged } = walked;
  const isPartial = nexttoken !== null && items.length < pageSize;
  const explained = wantsExplanation ? { explain: explain(plan, walk, judged) } : {};
  return { items, nexttoken, isPartial, ...(isPartial ? { partialReason: walk.spentBy() } : {}), ...explained };
}

/** The number of records that a walk reads first, where some of them may not be of the answer. */
function firstStep(plan: ListPlan): number {
  return isExact(plan) || isLikelyWhole(plan) ? 0 : residualSteps.first;
}

function furtherStep(plan: ListPlan, step: number): number {
  return isAnswered(plan) ? step : Math.min(Math.max(2 * step, residualSteps.first), residualSteps.last);
}

/** Whether records that are read are of the answer, by their range or by what the engine is asked. */
function isAnswered(plan: ListPlan): boolean {
  return isExact(plan) || plan.question.isExact;
}

/** The fewer of the records are of the answer, the more are read at once. */
const residualSteps = { first: 32, last: recordsAtOnce } as const;

/** Everything that a cursor is good for. Another caller, workspace, entity, query or way of reading is another list. */
export function cursorBinding(call: RecordCall, query: ListQuery, plan: ListPlan): readonly string[] {
  const { workspace, entity, actor } = call;
  const { pk, order, sorting } = plan;
  const isTurned = order !== undefined && order.isDescending !== order.isReverse;
  const others = order === undefined ? [] : [order.others.pk, ...(isTurned ? ['descending index'] : [])];
  const sorted = sorting === undefined ? [] : [sorting.isReverse ? 'sorted in reverse' : 'sorted'];
  const list = [entity.name, pk, ...others, ...sorted, query.canonical];
  return [workspace.env, workspace.orgCode, workspace.tenantId, actor.userId, ...list];
}
