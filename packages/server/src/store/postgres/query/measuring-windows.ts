import { compareBytes } from '../../../lib/byte-order.ts';
import { type MemberValue, meetsWhere } from '../../../lib/where.ts';
import type { BoundedMeasure } from '../../engine.ts';
import { Measuring } from '../../measuring.ts';
import type { FollowedEntry, LookedAt, Measure, Measured, MeasuredGroup, MeasureResult } from '../../port.ts';
import type { Progress, Send, WindowedRead } from './window.ts';
import {
  type GroupRow,
  groupColumns,
  measureStatement,
  valuesOf,
  type WindowStatement,
  type WindowValues,
} from './window-sql.ts';

export class MeasuringWindows implements WindowedRead<Measured> {
  readonly #read: BoundedMeasure;
  readonly #statement: WindowStatement;
  #measuring: Measuring;

  constructor(schema: string, read: BoundedMeasure) {
    this.#read = read;
    this.#statement = measureStatement({ ...read, schema }, read);
    this.#measuring = new Measuring(read);
  }

  async window(send: Send, window: WindowValues): Promise<Progress | undefined> {
    const rows = await send<GroupRow>(this.#statement, valuesOf(this.#statement, window));
    const groups = rows.filter(([isMatch]) => isMatch === true).map((row) => this.#groupOf(row));
    const odd = rows.flatMap(([isMatch, , , , , value]) => (isMatch === null && value !== null ? [value] : []));
    const next = this.#mayOverflow(groups, odd.length) ? this.#copy() : this.#measuring;
    for (const group of groups) next.merge(group);
    for (const value of odd) this.#add(next, value);
    // Which item was one too many is seen item by item.
    if (next.size > this.#read.groupsMax) return undefined;
    this.#measuring = next;
    return progressOf(rows, window, this.#read.isReverse);
  }

  item({ value }: FollowedEntry): 'more' | 'groups' {
    this.#add(this.#measuring, value);
    return this.#measuring.size <= this.#read.groupsMax ? 'more' : 'groups';
  }

  answer(looked: LookedAt): Measured {
    return { groups: this.#measuring.groups(), ...looked };
  }

  #add(measuring: Measuring, value: string): void {
    const record: unknown = JSON.parse(value);
    if (meetsWhere(this.#read.where, record)) measuring.add(record);
  }

  #mayOverflow(groups: readonly MeasuredGroup[], odd: number): boolean {
    const sizes = groups.map(
      ({ results }) => 1 + results.reduce((sum, one) => sum + (one.kind === 'distinct' ? one.values.size : 0), 0),
    );
    const most = sizes.reduce((sum, size) => sum + size, odd * (1 + this.#read.measures.length));
    return this.#measuring.size + most > this.#read.groupsMax;
  }

  #copy(): Measuring {
    const copy = new Measuring(this.#read);
    for (const group of this.#measuring.groups()) copy.merge(group);
    return copy;
  }

  #groupOf(row: GroupRow): MeasuredGroup {
    const [, , count] = row;
    const end = groupColumns + this.#read.group.length;
    const columns = row.slice(end).values();
    return {
      key: row.slice(groupColumns, end) as MeasuredGroup['key'],
      results: this.#read.measures.map((measure) => resultOf(measure, count, columns)),
    };
  }
}

function resultOf(measure: Measure, count: number, columns: Iterator<unknown>): MeasureResult {
  switch (measure.kind) {
    case 'count':
      return { kind: 'count', count };
    case 'sum': {
      const counted = Number(columns.next().value);
      const sum = columns.next().value ?? 0;
      return { kind: 'sum', count: counted, sum: measure.type === 'integer' ? BigInt(String(sum)) : Number(sum) };
    }
    case 'min':
    case 'max':
      return { kind: measure.kind, value: (columns.next().value ?? undefined) as MemberValue | undefined };
    case 'distinct':
      return { kind: 'distinct', values: new Set((columns.next().value ?? []) as readonly MemberValue[]) };
  }
}

function progressOf(groups: readonly GroupRow[], window: WindowValues, isReverse: boolean): Progress {
  const [first] = groups;
  if (first === undefined) return { rows: 0, last: undefined, outcome: 'end' };
  let [, , , last] = first;
  let [rows, bytes] = [0, 0];
  for (const [, , count, sk, bytesUpTo] of groups) {
    rows += count;
    bytes = Math.max(bytes, bytesUpTo);
    if (compareBytes(sk, last) > 0 !== isReverse) last = sk;
  }
  return { rows, last, outcome: rows < window.rows && bytes <= window.bytes ? 'end' : 'more' };
}
