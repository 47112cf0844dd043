/** What the ways of working out figures of groups share. */
import { invalidInput } from '../../lib/problem.ts';
import { isMemberPath, type MemberValue, typedValue } from '../../lib/where.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import { limits, type Measure, type MeasuredGroup, type Range, type Scope } from '../../store/port.ts';
import type { AuthorizedCall } from '../caller-access.ts';
import { isSooner, type ListPlan } from '../listing/planning/list-plan.ts';
import { scanBudget } from '../listing/walking/record-walk.ts';
import type { AggregateQuery, FieldTerm, GroupTerm, MeasureTerm } from './aggregate-query.ts';
import { Buckets } from './time-buckets.ts';

/** Where some records were not looked at: which bound was reached. */
export type PartialReason = 'records' | 'time';

/**
 * @param key of a group: the value of each term, of a bucket its start.
 * @param aggregate the kept one that answered, by its name; undefined where records were read.
 */
export interface MeasuredGroups {
  readonly groups: readonly MeasuredGroup[];
  readonly partial: PartialReason | undefined;
  /** Of the terms that are parts of time, in the order of the terms. */
  readonly buckets: readonly (Buckets | undefined)[];
  readonly aggregate?: string | undefined;
}

export interface AggregateBounds {
  /** Records that are looked at. */
  readonly recordsMax: number;
  /** Of these, the number that a store looks at for one read, before the time is looked at. */
  readonly recordsAtOnce: number;
  readonly milliseconds: number;
  /** What judging records may take, in steps of about 2 ns. */
  readonly stepsMax: number;
  /** Groups, and distinct values of all groups, together. */
  readonly groupsMax: number;
  readonly bucketsMax: number;
}

export const aggregateBounds: AggregateBounds = {
  recordsMax: 1_000_000,
  recordsAtOnce: 5_000,
  milliseconds: limits.longReadMilliseconds,
  stepsMax: 8 * scanBudget.steps,
  groupsMax: 100_000,
  bucketsMax: limits.boundsMax,
};

export interface MeasuringDeps {
  readonly bounds: AggregateBounds;
  /** Milliseconds that only grow. */
  readonly elapsed: () => number;
}

export interface Started {
  readonly deps: MeasuringDeps;
  readonly call: AuthorizedCall;
  readonly startedAt: number;
}

export interface Run extends Started {
  readonly plan: ListPlan;
  readonly query: AggregateQuery;
}

type FigureTerm = Exclude<MeasureTerm, { readonly kind: 'count' }>;

function isFigure(term: MeasureTerm): term is FigureTerm {
  return term.kind !== 'count';
}

export function termsOf({ groups, measures }: AggregateQuery): readonly FieldTerm[] {
  return [...groups, ...measures.filter(isFigure)];
}

/** Undefined where the stored record may not have the field's value: it is made of another one when it is read. */
export function storedPath({ stored }: CompiledEntity, field: string): readonly [string] | undefined {
  const path = [stored.inStore(field)] as const;
  return stored.conversions.some(({ name }) => name === field) || !isMemberPath(path) ? undefined : path;
}

export function measureOf(term: MeasureTerm, pathOf: (field: string) => readonly string[]): Measure {
  if (term.kind === 'count') return { kind: 'count' };
  const path = pathOf(term.field);
  if (term.kind === 'sum' || term.kind === 'avg')
    return { kind: 'sum', path, type: term.type === 'integer' ? 'integer' : 'number' };
  return { kind: term.kind, path, type: term.type };
}

export function bucketsOf({ unit, type }: GroupTerm, { offsetAt }: AggregateQuery): Buckets | undefined {
  if (unit === undefined || (type !== 'date' && type !== 'datetime')) return undefined;
  return new Buckets({ unit, type, offsetAt: type === 'date' ? () => 0 : offsetAt });
}

/** The start of the part of time that a stored value is in. */
export function startIn(buckets: Buckets, { type }: FieldTerm, value: unknown): MemberValue | undefined {
  if (typeof value !== 'string' || typedValue(value, type) === undefined) return undefined;
  return buckets.of(value).start;
}

// Parts of partitions, one after the other.

export interface RangePart {
  readonly pk: string;
  readonly range: Range;
}

/** The parts of partitions in which each record of the plan is once. The order of the records means nothing here. */
export async function partsOf(scope: Scope, { pk, range, parts, union }: ListPlan): Promise<readonly RangePart[]> {
  const { reverse, ...own } = range;
  if (union !== undefined && (await isSooner(scope, union)))
    return union.prefixes.map((prefix) => ({ pk: union.own.pk, range: { prefix } }));
  return parts === undefined ? [{ pk, range: own }] : parts.map((prefix) => ({ pk, range: { ...own, prefix } }));
}

/** What a read of a part has come to: where it goes on, or why it does not. */
interface PartRead {
  readonly next?: string | undefined;
  readonly partial?: PartialReason;
}

/** Reads each part to its end, as long as no read gives a reason to stop. */
export async function readParts(
  parts: readonly RangePart[],
  read: (part: RangePart) => Promise<PartRead>,
): Promise<PartialReason | undefined> {
  for (const { pk, range } of parts) {
    let next: string | undefined;
    do {
      const done = await read({ pk, range: next === undefined ? range : { ...range, after: next } });
      if (done.partial !== undefined) return done.partial;
      next = done.next;
    } while (next !== undefined);
  }
  return undefined;
}

export function tooManyGroups({ groupsMax }: AggregateBounds) {
  const message = `there are more than ${groupsMax.toLocaleString('en-US')} groups and distinct values: choose fewer records, or group by less`;
  return invalidInput('invalid_request', [{ pointer: '/group', code: 'too_many_groups', message }]);
}

export function tooManyBuckets({ name, unit }: GroupTerm, { bucketsMax }: AggregateBounds) {
  const longer = unit === 'year' ? '' : `, or a longer part than ${unit}`;
  const message = `\`${name}\` has more than ${bucketsMax.toLocaleString('en-US')} parts between the first time and the last: choose records of a shorter time${longer}`;
  return invalidInput('invalid_request', [{ pointer: '/group', code: 'too_many_groups', message }]);
}
