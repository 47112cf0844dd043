import { createYielder } from '../../lib/scheduling/event-loop.ts';
import { laneOf } from '../../tenancy/port.ts';
import type { ReadableText } from '../record-policy.ts';
import type { RecordCall } from '../writing/write-loop.ts';
import type { Cursors } from './cursor.ts';
import { isExact, isExactButForRows, readable, stepsOf } from './judge-records.ts';
import type { ListQuery } from './list-query.ts';
import { type Explanation, explain } from './planning/explanation.ts';
import { type ListPlan, planList } from './planning/list-plan.ts';
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
export function cursorBinding(call: RecordCall, query: ListQuery, plan: ListPlan): readonly string[] {
  const { workspace, entity, actor } = call;
  const others = plan.order === undefined ? [] : [plan.order.others.pk];
  const list = [entity.name, plan.pk, ...others, query.canonical];
  return [workspace.env, workspace.orgCode, workspace.tenantId, actor.userId, ...list];
}
