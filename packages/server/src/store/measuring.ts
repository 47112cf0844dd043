/** Figures of records, put together in this process: what an engine works out is held to this, and merged by it. */
import { compareValues, type MemberValue, memberAt, typedValue } from '../lib/where.ts';
import type { GroupKey, GroupMember, Measure, MeasuredGroup, MeasureRead, MeasureResult } from './port.ts';

export class Measuring {
  readonly #group: readonly GroupMember[];
  readonly #measures: readonly Measure[];
  readonly #groups = new Map<string, { readonly key: GroupKey; readonly figures: readonly Figure[] }>();

  #distinctValues = 0;

  constructor({ group, measures }: Pick<MeasureRead, 'group' | 'measures'>) {
    this.#group = group;
    this.#measures = measures;
    if (group.length === 0) this.#figuresOf([]);
  }

  /** Groups, and distinct values of all groups. */
  get size(): number {
    return this.#groups.size + this.#distinctValues;
  }

  /** @param record parsed JSON. */
  add(record: unknown): void {
    const key = this.#group.map((member) => keyOf(member, typedValue(memberAt(record, member.path), member.type)));
    for (const [at, figure] of this.#figuresOf(key).entries()) {
      const measure = this.#measures[at];
      if (measure === undefined || measure.kind === 'count') figure.add(undefined);
      else {
        const value = typedValue(memberAt(record, measure.path), measure.type);
        if (value !== undefined) figure.add(value);
      }
    }
  }

  merge({ key, results }: MeasuredGroup): void {
    const figures = this.#figuresOf(key);
    for (const [at, result] of results.entries()) figures[at]?.merge(result);
  }

  groups(): readonly MeasuredGroup[] {
    return [...this.#groups.values()].map(({ key, figures }) => ({ key, results: figures.map((one) => one.result()) }));
  }

  #figuresOf(key: GroupKey): readonly Figure[] {
    // JSON has no infinity, and would name it as it names null.
    const name = JSON.stringify(key.map((value) => (typeof value === 'number' ? String(value) : value)));
    const before = this.#groups.get(name);
    if (before !== undefined) return before.figures;
    const countValue = (): void => {
      this.#distinctValues += 1;
    };
    const figures = this.#measures.map((measure) => newFigure(measure, countValue));
    this.#groups.set(name, { key, figures });
    return figures;
  }
}

function keyOf({ bounds }: GroupMember, value: MemberValue | undefined): MemberValue | null {
  if (value === undefined) return null;
  if (bounds === undefined) return value;
  let low = 0;
  for (let high = bounds.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if (compareValues(bounds[middle] as MemberValue, value) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Figure {
  add(value: MemberValue | undefined): void;
  merge(result: MeasureResult): void;
  result(): MeasureResult;
}

/** @param countValue called for each distinct value. */
function newFigure(measure: Measure, countValue: () => void): Figure {
  switch (measure.kind) {
    case 'count':
      return new Count();
    case 'sum':
      return measure.type === 'integer' ? new WholeSum() : new Sum();
    case 'min':
    case 'max':
      return new Extreme(measure.kind);
    case 'distinct':
      return new Distinct(countValue);
  }
}

class Count implements Figure {
  #count = 0;
  add(): void {
    this.#count += 1;
  }
  merge(result: MeasureResult): void {
    if (result.kind === 'count') this.#count += result.count;
  }
  result(): MeasureResult {
    return { kind: 'count', count: this.#count };
  }
}

class WholeSum implements Figure {
  #count = 0;
  #sum = 0n;
  add(value: MemberValue): void {
    this.#count += 1;
    this.#sum += BigInt(value);
  }
  merge(result: MeasureResult): void {
    if (result.kind !== 'sum') return;
    this.#count += result.count;
    this.#sum += BigInt(result.sum);
  }
  result(): MeasureResult {
    return { kind: 'sum', count: this.#count, sum: this.#sum };
  }
}

/** Neumaier's: what each addition loses is added up beside it. */
class Sum implements Figure {
  #count = 0;
  #sum = 0;
  #lost = 0;
  add(value: MemberValue): void {
    this.#count += 1;
    this.#add(Number(value));
  }
  merge(result: MeasureResult): void {
    if (result.kind !== 'sum') return;
    this.#count += result.count;
    this.#add(Number(result.sum));
  }
  result(): MeasureResult {
    // The lost part of an infinite sum is no number.
    return { kind: 'sum', count: this.#count, sum: Number.isFinite(this.#lost) ? this.#sum + this.#lost : this.#sum };
  }
  #add(value: number): void {
    const sum = this.#sum + value;
    this.#lost += Math.abs(this.#sum) >= Math.abs(value) ? this.#sum - sum + value : value - sum + this.#sum;
    this.#sum = sum;
  }
}

class Extreme implements Figure {
  readonly #kind: 'min' | 'max';
  #value: MemberValue | undefined;
  constructor(kind: 'min' | 'max') {
    this.#kind = kind;
  }
  add(value: MemberValue): void {
    const before = this.#value;
    const order = before === undefined ? -1 : compareValues(value, before) * (this.#kind === 'min' ? 1 : -1);
    if (order < 0) this.#value = value;
  }
  merge(result: MeasureResult): void {
    if (result.kind === this.#kind && result.value !== undefined) this.add(result.value);
  }
  result(): MeasureResult {
    return { kind: this.#kind, value: this.#value };
  }
}

class Distinct implements Figure {
  readonly #values = new Set<MemberValue>();
  readonly #countValue: () => void;
  constructor(countValue: () => void) {
    this.#countValue = countValue;
  }
  add(value: MemberValue): void {
    if (this.#values.has(value)) return;
    this.#values.add(value);
    this.#countValue();
  }
  merge(result: MeasureResult): void {
    if (result.kind === 'distinct') for (const value of result.values) this.add(value);
  }
  result(): MeasureResult {
    return { kind: 'distinct', values: this.#values };
  }
}
