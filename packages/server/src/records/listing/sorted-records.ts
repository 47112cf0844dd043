/** Pages of a list in an order that no index has: each looks at all records of the answer, and holds its own. */
import { compareBytes } from '../../lib/byte-order.ts';
import type { Problem } from '../../lib/problem.ts';
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import { shareKeyOf } from '../../tenancy/port.ts';
import { dataOf, type RecordData } from '../record.ts';
import type { ReadableText } from '../record-policy.ts';
import type { RecordCall } from '../writing/write-loop.ts';
import type { Cursors } from './cursor.ts';
import { explain } from './explanation.ts';
import type { ListQuery } from './list-query.ts';
import type { ListPlan } from './planning/list-plan.ts';
import { unindexedSort } from './planning/read-sort.ts';
import type { SortedOrder } from './planning/sorted-order.ts';
import type { RecordPage } from './record-page.ts';
import { openWalk } from './walking/list-walk.ts';
import { countBudget, readable, recordBytes, recordsAtOnce, type ScanLeft, stepsOf } from './walking/record-walk.ts';

/** The records of the answer that a list may have where it begins. It goes on also where there are more by then. */
const sortedMax = 100_000;

interface SortedList {
  readonly query: ListQuery;
  readonly plan: ListPlan;
  readonly sorting: SortedOrder;
  readonly binding: readonly string[];
  readonly matchesMax?: number | undefined;
}

/** @throws Problem `unindexed_sort` where a list that begins is of too many records. */
export async function sortedRecords(
  cursors: Cursors,
  call: RecordCall,
  { query, plan, sorting, binding, matchesMax = sortedMax }: SortedList,
  left: ScanLeft,
): Promise<RecordPage> {
  const start = query.nexttoken === undefined ? undefined : cursors.open(query.nexttoken, binding);
  const scan = scanOf(left, start);
  const walk = await openWalk(call.workspace.scope, plan, undefined, scan);
  const pause = createYielder(shareKeyOf(call.workspace), () => stepsOf(plan));
  const first = new FirstRecords(sorting, { start, limit: query.pageSize, bytesMax: left.bytes });
  let judged = 0;
  let matches = 0;
  while (!walk.isAtEnd() && !walk.isSpent()) {
    const found: Match[] = [];
    for (const entry of await walk.next(recordsAtOnce)) {
      if (walk.isWorkSpent()) break;
      judged += 1;
      const item = readable(plan, call.entity, entry);
      if (item !== undefined) found.push({ data: dataOf(call.entity, entry), item });
      walk.passed(entry.sk);
      await pause();
    }
    matches += found.length;
    await first.addAll(found, scan);
    if (matches > matchesMax && start === undefined) throw tooMany(query, `more than ${matchesMax} records`);
  }
  left.items -= Math.min(left.items, walk.taken().items);
  const explained = query.wantsExplanation ? { explain: explain(plan, walk, judged) } : {};
  if (!walk.isAtEnd()) {
    // A list that has begun was within the budget then: the same page is asked for again.
    if (start === undefined) throw tooMany(query, 'more records than one call looks at');
    const nexttoken = cursors.seal(start, binding);
    return { items: [], nexttoken, isPartial: true, partialReason: walk.spentBy(), ...explained };
  }
  left.bytes -= first.bytes;
  const { items, last } = first;
  if (last === undefined) return { items, nexttoken: null, isPartial: false, ...explained };
  const isPartial = items.length < query.pageSize;
  const reason = isPartial ? { partialReason: 'records' as const } : {};
  return { items, nexttoken: cursors.seal(last, binding), isPartial, ...reason, ...explained };
}

/** The records of a page are held apart from those that are loaded for lookups. */
function scanOf({ items, steps, hasTime }: ScanLeft, start: string | undefined): ScanLeft {
  const { bytes } = countBudget;
  if (start === undefined) return { items, bytes, steps, hasTime };
  const unbounded = Number.MAX_SAFE_INTEGER;
  return { items: unbounded, bytes: unbounded, steps: unbounded, hasTime };
}

function tooMany({ sortKeys, lookupSort }: ListQuery, what: string): Problem {
  const order = { sortKeys: lookupSort?.sortKeys ?? sortKeys, other: lookupSort?.entity.name };
  return unindexedSort({ ...order, reason: `, and the list is of ${what}` });
}

interface Match {
  readonly data: RecordData;
  readonly item: ReadableText;
}

interface PageBounds {
  /** The key behind which the page begins. */
  readonly start: string | undefined;
  readonly limit: number;
  readonly bytesMax: number;
}

/** The first ones behind a key, as many as a page holds, in their order. */
class FirstRecords {
  bytes = 0;
  readonly #found: { readonly key: string; readonly item: ReadableText }[] = [];
  readonly #sorting: SortedOrder;
  readonly #bounds: PageBounds;
  /** The first of those that the page does not hold. */
  #cutAt: string | undefined;

  constructor(sorting: SortedOrder, bounds: PageBounds) {
    this.#sorting = sorting;
    this.#bounds = bounds;
  }

  get items(): readonly ReadableText[] {
    return this.#found.map(({ item }) => item);
  }

  /** The last key where there are others behind it. */
  get last(): string | undefined {
    return this.#cutAt === undefined ? undefined : this.#found.at(-1)?.key;
  }

  /** @param left what reading other records for the order is taken from. */
  async addAll(found: readonly Match[], left: ScanLeft): Promise<void> {
    const others = await this.#sorting.prepare?.(found.map(({ data }) => data));
    left.items -= Math.min(left.items, others ?? 0);
    for (const { data, item } of found) this.#add(this.#sorting.keyOf(data), item);
  }

  #add(key: string, item: ReadableText): void {
    const { start, limit, bytesMax } = this.#bounds;
    if (start !== undefined && !this.#isBefore(start, key)) return;
    if (this.#cutAt !== undefined && !this.#isBefore(key, this.#cutAt)) return;
    this.#found.splice(this.#placeOf(key), 0, { key, item });
    this.bytes += recordBytes(item);
    while (this.#found.length > limit || (this.bytes > bytesMax && this.#found.length > 1)) {
      const cut = this.#found.pop();
      if (cut === undefined) return;
      this.bytes -= recordBytes(cut.item);
      this.#cutAt = cut.key;
    }
  }

  #placeOf(key: string): number {
    let low = 0;
    for (let high = this.#found.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (this.#isBefore(this.#found[middle]?.key ?? '', key)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #isBefore(key: string, other: string): boolean {
    const order = compareBytes(key, other);
    return this.#sorting.isReverse ? order > 0 : order < 0;
  }
}
