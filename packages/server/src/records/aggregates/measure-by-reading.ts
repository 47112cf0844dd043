/** Works out figures of groups by reading records, and judging them as lists do. */
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import { isWhere, type MemberType } from '../../lib/where.ts';
import { Measuring } from '../../store/measuring.ts';
import type { MeasuredGroup } from '../../store/port.ts';
import { shareKeyOf } from '../../tenancy/port.ts';
import { openWalk } from '../listing/walking/list-walk.ts';
import { newScan, readable, scanBudget, stepsOf } from '../listing/walking/record-walk.ts';
import { dataOf, type RecordData, type StoredText } from '../record.ts';
import {
  bucketsOf,
  type MeasuredGroups,
  measureOf,
  type PartialReason,
  partsOf,
  type Run,
  readParts,
  startIn,
  termsOf,
  tooManyBuckets,
  tooManyGroups,
} from './aggregate-run.ts';
import type { Buckets } from './time-buckets.ts';

export async function measureByReading(run: Run): Promise<MeasuredGroups> {
  const { query, call, plan } = run;
  const reading = new GroupReading(run);
  const needsWalk = plan.expression?.lookups !== undefined || plan.lookup !== undefined || plan.gather !== undefined;
  const isByWalk = needsWalk || !isWhere(plan.question.where);
  const pause = createYielder(shareKeyOf(call.workspace), () => stepsOf(plan));
  const partial = await (isByWalk ? readWalk : readSelected)(run, reading, pause);
  return { groups: reading.groups(), partial, buckets: query.groups.map((_, at) => reading.buckets[at]) };
}

/** Puts records into groups as a caller may read them. */
class GroupReading {
  looked = 0;
  readonly buckets: readonly (Buckets | undefined)[];
  readonly #run: Run;
  readonly #measuring: Measuring;
  readonly #fields: readonly string[];
  readonly #startSteps: number;

  constructor(run: Run) {
    const { query, plan } = run;
    this.#run = run;
    this.#startSteps = stepsOf(plan);
    this.buckets = query.groups.map((term) => bucketsOf(term, query));
    this.#fields = [...new Set(termsOf(query).map(({ field }) => field))];
    this.#measuring = new Measuring({
      group: query.groups.map((term, at) => {
        const type: MemberType = this.buckets[at] === undefined ? term.type : 'text';
        return { path: [this.#memberOf(at)], type };
      }),
      measures: query.measures.map((term) => measureOf(term, (field) => [field])),
    });
  }

  groups(): readonly MeasuredGroup[] {
    return this.#measuring.groups();
  }

  /** @param entry a record of the answer. */
  add(entry: StoredText): void {
    const { call, query, deps } = this.#run;
    const data: RecordData = dataOf(call.entity, entry);
    if (this.buckets.every((one) => one === undefined)) {
      this.#measuring.add(data);
      return;
    }
    const values: Record<string, unknown> = {};
    for (const field of this.#fields) if (Object.hasOwn(data, field)) values[field] = data[field];
    for (const [at, buckets] of this.buckets.entries()) {
      const term = query.groups[at];
      if (buckets === undefined || term === undefined) continue;
      values[this.#memberOf(at)] = startIn(buckets, term, data[term.field]);
      if (buckets.size > deps.bounds.bucketsMax) throw tooManyBuckets(term, deps.bounds);
    }
    this.#measuring.add(values);
  }

  /** The bound that is reached, if one is. @throws Problem `invalid_request` where there are too many groups. */
  spent(): PartialReason | undefined {
    const { deps, plan, startedAt } = this.#run;
    const { recordsMax, milliseconds, stepsMax } = deps.bounds;
    this.assertBounded();
    if (this.looked >= recordsMax) return 'records';
    // Some step is always made.
    if (this.looked === 0) return undefined;
    const isLate = deps.elapsed() - startedAt >= milliseconds;
    return isLate || stepsOf(plan) - this.#startSteps >= stepsMax ? 'time' : undefined;
  }

  /** @throws Problem `invalid_request` */
  assertBounded(): void {
    const { bounds } = this.#run.deps;
    if (this.#measuring.size > bounds.groupsMax) throw tooManyGroups(bounds);
  }

  /** No field has a name with a dot. */
  #memberOf(at: number): string {
    const term = this.#run.query.groups[at];
    return term === undefined || this.buckets[at] === undefined ? (term?.field ?? '') : `${at}.${term.field}`;
  }
}

type Pause = () => Promise<void> | undefined;

const readAtOnce = { limit: 500, bytesMax: scanBudget.bytes } as const;

/** The store leaves out most records that are not of the answer. */
async function readSelected(run: Run, reading: GroupReading, pause: Pause): Promise<PartialReason | undefined> {
  const { call, plan, deps } = run;
  const { scope } = call.workspace;
  const partial = await readParts(await partsOf(scope, plan), async ({ pk, range }) => {
    const spent = reading.spent();
    if (spent !== undefined) return { partial: spent };
    const rowsMax = Math.min(deps.bounds.recordsAtOnce, deps.bounds.recordsMax - reading.looked);
    const { entries, rows, next } = await scope.select(pk, {
      ...range,
      where: plan.question.where,
      rowsMax,
      ...readAtOnce,
    });
    reading.looked += rows;
    for (const entry of entries) {
      const item = readable(plan, call.entity, entry);
      if (item !== undefined) reading.add(item);
      await pause();
    }
    return { next };
  });
  reading.assertBounded();
  return partial;
}

/** As lists find records by the records that they point to, and by words. */
async function readWalk(run: Run, reading: GroupReading, pause: Pause): Promise<PartialReason | undefined> {
  const { call, plan, deps } = run;
  let position: string | undefined;
  for (;;) {
    const walk = await openWalk(call.workspace.scope, plan, position, newScan(deps.elapsed));
    while (!walk.isAtEnd() && !walk.isSpent()) {
      const entries = await walk.next(200);
      reading.looked += entries.length;
      for (const entry of entries) {
        const item = readable(plan, call.entity, entry);
        if (item !== undefined) reading.add(item);
        walk.passed(entry.sk);
        await pause();
      }
      const spent = reading.spent();
      if (spent !== undefined && !walk.isAtEnd()) return spent;
    }
    if (walk.isAtEnd()) {
      reading.assertBounded();
      return undefined;
    }
    position = walk.position();
  }
}
