/** Figures of groups of records. */
import { type AnyQuery, type CountQuery, type QueryValues, queryOf } from './query.ts';
import type { Where } from './schema-types.ts';

type Unit = 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';
type Figure = 'sum' | 'avg' | 'min' | 'max' | 'distinct';

/** The fields that lists filter by. */
export type ValueField<S, E> = keyof Where<S, E> & string;

/** A field, or one of the record that a lookup points to: `customer_id.tier`. */
type GroupField<S, E> = ValueField<S, E> | `${ValueField<S, E>}.${string}`;

/** Or a part of the times of one: `month(created_at)`. */
export type GroupTerm<S, E> = GroupField<S, E> | `${Unit}(${GroupField<S, E>})`;

export type MeasureTerm<S, E> = 'count' | `${Figure}:${ValueField<S, E>}`;

/** `month(created_at)` is shown as `month_created_at`, `sum:amount` as `sum_amount`, `customer_id.tier` as `customer_id_tier`. */
export type TermName<T> = T extends `${infer U}(${infer F})`
  ? `${U}_${TermName<F>}`
  : T extends `${infer K}${':' | '.'}${infer F}`
    ? `${K}_${F}`
    : T & string;

type PlainValue = string | number | boolean;

type MeasureValue<T> = T extends 'count' | `distinct:${string}`
  ? number
  : T extends `${'sum' | 'avg'}:${string}`
    ? number | null
    : PlainValue | null;

export interface AggregateQuery<S, E, G, M> extends CountQuery<S, E> {
  /** Up to 5; without one all records are one group. */
  readonly group?: readonly G[] | undefined;
  /** Up to 10; `count` where it is left out. */
  readonly measure?: readonly M[] | undefined;
  /** A condition in CEL on the names of the reply, such as `sum_amount > 100`. */
  readonly having?: string | undefined;
  /** That of hours, days and so on, such as `Europe/Berlin`; UTC where it is left out. */
  readonly timeZone?: string | undefined;
  /** Names of the reply; `-` before one for descending order. */
  readonly sort?: GroupSort<G, M> | readonly GroupSort<G, M>[] | undefined;
  /** From 1 to 1,000. */
  readonly pageSize?: number | undefined;
  /** The `nextToken` of the page before. */
  readonly cursor?: string | null | undefined;
}

type GroupSort<G, M> = TermName<G | M> | `-${TermName<G | M>}`;

export interface Group<G, M> {
  /** `null` for the records without a value. */
  readonly group: { readonly [T in G as TermName<T>]: (T extends `${string}(${string})` ? string : PlainValue) | null };
  /** `null` where there are no values. */
  readonly values: { readonly [T in M as TermName<T>]: MeasureValue<T> };
}

export interface GroupPage<G, M> {
  readonly items: readonly Group<G, M>[];
  readonly nextToken: string | null;
  /** Not all records were looked at: there were too many, or the time was over. */
  readonly partial?: true;
  readonly partialReason?: 'records' | 'time';
  /** About values that could not be shown. */
  readonly notes?: readonly string[];
}

/** The query of every entity. */
export interface AnyAggregate extends AnyQuery {
  readonly group?: readonly string[] | undefined;
  readonly measure?: readonly string[] | undefined;
  readonly having?: string | undefined;
  readonly timeZone?: string | undefined;
}

/** @throws TypeError as {@link queryOf}. */
export function aggregateQueryOf({ group, measure, having, timeZone, ...rest }: AnyAggregate): QueryValues {
  return {
    ...queryOf(rest),
    $group: listOf(group),
    $measure: listOf(measure),
    $having: having,
    $time_zone: timeZone,
  };
}

function listOf(terms: readonly string[] | undefined): string | undefined {
  return terms === undefined || terms.length === 0 ? undefined : terms.join();
}
