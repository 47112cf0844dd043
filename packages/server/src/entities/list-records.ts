import type { Followed, RangeRead, Scope } from '../store/port.ts';
import type { Cursors } from './cursor.ts';
import { type ListPlan, meetsPlan, planList } from './list-plan.ts';
import type { ListQuery } from './list-query.ts';
import type { RecordData, StoredText } from './record.ts';
import type { RecordCall } from './write-loop.ts';

/** Records as they are stored, and a cursor where there may be more. */
export interface Page {
  readonly items: readonly StoredText[];
  readonly nexttoken: string | null;
}

/** What one page may look at before it ends short, with a cursor to go on from. */
export const scanBudget = { items: 2000, bytes: 4 * 1024 * 1024 } as const;

export async function listRecords(cursors: Cursors, call: RecordCall, query: ListQuery): Promise<Page> {
  const plan = planList(call.entity, call.workspace, query);
  const binding = cursorBinding(call, query, plan);
  const start = query.nexttoken === undefined ? undefined : cursors.open(query.nexttoken, binding);
  const items: StoredText[] = [];
  const walk = createWalk(call.workspace.scope, plan, start);
  while (!walk.isAtEnd() && !walk.isSpent()) {
    const wanted = query.pageSize - items.length + 1;
    const entries = await walk.next(isExact(plan) ? wanted : Math.max(wanted, residualStep));
    for (const entry of entries) {
      // One more than a page holds was found: so there is a next page, and this one is full.
      if (items.length === query.pageSize) return { items, nexttoken: cursors.seal(walk.position(), binding) };
      if (matches(plan, entry)) items.push(entry);
      walk.passed(entry.sk);
    }
  }
  return { items, nexttoken: walk.isAtEnd() ? null : cursors.seal(walk.position(), binding) };
}

const residualStep = 50;

/** Everything that a cursor is good for. Another caller, workspace, entity, query or way of reading is another list. */
export function cursorBinding(call: RecordCall, query: ListQuery, plan: ListPlan): readonly string[] {
  const { workspace, entity, actor } = call;
  return [workspace.env, workspace.orgCode, workspace.tenantId, actor.userId, entity.name, plan.pk, query.canonical];
}

/** Whether everything in the range is of the answer. */
function isExact({ residual, search }: ListPlan): boolean {
  return residual.length === 0 && search === undefined;
}

export function matches(plan: ListPlan, entry: Followed): boolean {
  return isExact(plan) || meetsPlan(plan, JSON.parse(entry.value) as RecordData);
}

/** Goes through a plan's range in steps, keeping to the scan budget. */
export interface Walk {
  next(limit: number): Promise<readonly Followed[]>;
  passed(sk: string): void;
  position(): string;
  isAtEnd(): boolean;
  isSpent(): boolean;
}

export function createWalk(scope: Scope, plan: ListPlan, start: string | undefined): Walk {
  let position = start;
  let isAtEnd = false;
  let itemsLeft: number = scanBudget.items;
  let bytesLeft: number = scanBudget.bytes;
  return {
    next: async (limit) => {
      const read = { ...continued(plan, position), limit: Math.min(limit, itemsLeft), bytesMax: bytesLeft };
      const entries = plan.isIndex ? await scope.follow(plan.pk, read) : await scope.range(plan.pk, read);
      // A UTF-16 unit takes at most 3 bytes of UTF-8, so this is never less than what the store counted.
      let bytes = 0;
      for (const entry of entries) bytes += 3 * entry.value.length;
      isAtEnd = entries.length === 0 || (entries.length < read.limit && bytes < read.bytesMax);
      itemsLeft -= entries.length;
      bytesLeft -= bytes;
      return entries;
    },
    passed: (sk) => {
      position = sk;
    },
    position: () => position ?? '',
    isAtEnd: () => isAtEnd,
    isSpent: () => itemsLeft <= 0 || bytesLeft <= 0,
  };
}

/** The rest of a plan's range behind a position, in the direction it is read. */
function continued(plan: ListPlan, position: string | undefined): Omit<RangeRead, 'limit'> {
  if (position === undefined) return plan.range;
  return plan.range.reverse === true ? { ...plan.range, before: position } : { ...plan.range, after: position };
}
