/** Groups as a reply shows them: those that a condition holds of, in the order that is asked for, a page at a time. */
import { hash } from 'node:crypto';
import { type CompiledCondition, compileCondition, ExpressionLanguage, isMistake } from '../../expressions/port.ts';
import { compareBytes } from '../../lib/byte-order.ts';
import { invalidInput } from '../../lib/problem.ts';
import type { MemberValue } from '../../lib/where.ts';
import { type CompiledEntity, valueSize } from '../../schema/port.ts';
import type { MeasuredGroup, MeasureResult } from '../../store/port.ts';
import { nameIn } from '../listing/list-parameters.ts';
import type { AggregateQuery, GroupOrder, GroupTerm, MeasureTerm } from './aggregate-query.ts';
import type { MeasuredGroups } from './aggregate-run.ts';

/** Null where there is none. Whole numbers that no double holds exactly are `bigint`. */
export type ShownValue = MemberValue | bigint | null;

/** A group with the figures that the reply shows. */
export interface ShownGroup {
  /** As it is ordered: of a part of time its start. */
  readonly key: readonly (MemberValue | null)[];
  /** As it is shown: of a part of time its name. */
  readonly group: readonly (MemberValue | null)[];
  readonly values: readonly ShownValue[];
}

interface ShownGroups {
  readonly groups: readonly ShownGroup[];
  /** Sentences about figures that cannot be shown. */
  readonly notes: readonly string[];
}

export function shownGroups({ measures }: AggregateQuery, { groups, buckets }: MeasuredGroups): ShownGroups {
  const overflown = new Set<string>();
  const shown = groups.map(({ key, results }: MeasuredGroup): ShownGroup => {
    const values = measures.map((term, at) => {
      const value = shownValue(term, results[at]);
      if (value !== 'overflow') return value;
      overflown.add(term.name);
      return null;
    });
    return { key, group: key.map((value, at) => labelOf(buckets[at], value)), values };
  });
  return { groups: shown, notes: [...overflown].map((name) => `${name}: a sum is too large for a number`) };
}

function labelOf(buckets: MeasuredGroups['buckets'][number], value: MemberValue | null): MemberValue | null {
  if (buckets === undefined || typeof value !== 'string') return value;
  return buckets.starting(value)?.label ?? null;
}

function shownValue({ kind }: MeasureTerm, result: MeasureResult | undefined): ShownValue | 'overflow' {
  switch (result?.kind) {
    case undefined:
      return null;
    case 'count':
      return result.count;
    case 'distinct':
      return result.values.size;
    case 'min':
    case 'max':
      return result.value ?? null;
    case 'sum': {
      const { sum, count } = result;
      if (count === 0) return null;
      if (!Number.isFinite(Number(sum))) return 'overflow';
      if (kind === 'avg') return Number(sum) / count;
      return Number.isSafeInteger(Number(sum)) ? Number(sum) : sum;
    }
  }
}

// Conditions on groups.

/** About a second. */
const stepsMax = 500_000_000;

/** What a condition on groups reads beside their members, as JSON: by names that begin with `_`, as no member's does. */
export type BoundValues = Readonly<Record<string, unknown>>;

function havingRefusal(entity: CompiledEntity, code: string, message: string) {
  return invalidInput('invalid_request', [{ pointer: `/${nameIn(entity, 'having')}`, code, message }]);
}

/**
 * The condition of a query on its groups, over the names of their members. It has to read each of the bound values.
 * @throws Problem `invalid_request`.
 */
export function havingCondition(
  entity: CompiledEntity,
  query: AggregateQuery,
  bound: readonly string[],
): CompiledCondition | undefined {
  if (query.having === undefined) return undefined;
  const types = new Map(membersOf(query).map(({ name, type }) => [name, type]));
  for (const name of bound) types.set(name, 'dyn');
  const condition = compileCondition(query.having, new ExpressionLanguage(types));
  if (isMistake(condition))
    throw havingRefusal(entity, 'invalid_expression', `at character ${condition.at + 1}: ${condition.message}`);
  if (bound.every((name) => condition.readings.some((reading) => reading.name === name))) return condition;
  throw havingRefusal(entity, 'invalid_expression', 'values in braces stand in `having` without quotes around them');
}

interface GroupQuestion {
  readonly entity: CompiledEntity;
  readonly query: AggregateQuery;
  readonly bound?: BoundValues | undefined;
}

/** Those that the condition of a query holds of; a member without a value is absent. @throws Problem `invalid_request`. */
export async function havingGroups(
  { entity, query, bound = {} }: GroupQuestion,
  groups: readonly ShownGroup[],
  pause: () => Promise<void> | undefined,
): Promise<readonly ShownGroup[]> {
  const condition = havingCondition(entity, query, Object.keys(bound));
  if (condition === undefined) return groups;
  const named = new Set(condition.readings.map(({ name }) => name));
  const wanted = membersOf(query).filter(({ name }) => named.has(name));
  const given = Object.entries(bound).filter(([, value]) => value !== null);
  const kept: ShownGroup[] = [];
  let steps = 0;
  for (const group of groups) {
    const fields: Record<string, unknown> = Object.fromEntries(given);
    const sizes = new Map(given.map(([name, value]) => [name, valueSize(value)]));
    for (const { name, read } of wanted) {
      const value = read(group);
      if (value === undefined) continue;
      fields[name] = value;
      sizes.set(name, typeof value === 'string' ? value.length : 1);
    }
    const effort = { steps: 0 };
    const sizeOf = ({ name }: { readonly name: string }) => ({ characters: sizes.get(name) ?? 0, elements: 0 });
    if (condition.holds({ fields, lookups: {}, variables: {}, sizeOf }, effort)) kept.push(group);
    steps += effort.steps;
    if (steps > stepsMax) throw havingRefusal(entity, 'too_long', '`having` takes too long with so many groups');
    await pause();
  }
  return kept;
}

/** What a condition on groups may read. */
interface GroupMemberValue {
  readonly of: 'group' | 'values';
  readonly name: string;
  /** In CEL. */
  readonly type: string;
  /** As CEL has it; undefined where there is none. */
  readonly read: (group: ShownGroup) => unknown;
}

export function membersOf({ groups, measures }: AggregateQuery): readonly GroupMemberValue[] {
  return [
    ...groups.map((term: GroupTerm, at): GroupMemberValue => {
      const { name, unit } = term;
      const { value } = term.over?.field ?? term;
      if (unit !== undefined) return { of: 'group', name, type: 'string', read: ({ group }) => group[at] ?? undefined };
      return { of: 'group', name, type: value.type, read: ({ group }) => readAs(value.read, group[at]) };
    }),
    ...measures.map((term, at): GroupMemberValue => {
      const { type, read } = figureInExpressions(term);
      return { of: 'values', name: term.name, type, read: ({ values }) => readAs(read, values[at]) };
    }),
  ];
}

type ReadFigure = (value: never) => unknown;

function readAs(read: ReadFigure, value: ShownValue | undefined): unknown {
  return value === undefined || value === null ? undefined : read(value as never);
}

const wholeFigure = { type: 'int', read: (value: number | bigint) => BigInt(value) } as const;
const numberFigure = { type: 'double', read: (value: number | bigint) => Number(value) } as const;

function figureInExpressions(term: MeasureTerm): { readonly type: string; readonly read: ReadFigure } {
  switch (term.kind) {
    case 'count':
    case 'distinct':
      return wholeFigure;
    case 'avg':
      return numberFigure;
    case 'sum':
      return term.type === 'integer' ? wholeFigure : numberFigure;
    case 'min':
    case 'max':
      return term.value;
  }
}

// The order of groups, and pages of them.

/** What has no value comes before all others, as in lists. Groups that are alike so far are in the order of their keys. */
export function orderedGroups(order: readonly GroupOrder[], groups: readonly ShownGroup[]): readonly ShownGroup[] {
  return groups.toSorted((left, right) => {
    for (const { of, at, descending } of order) {
      const [one, other] = of === 'group' ? [left.key[at], right.key[at]] : [left.values[at], right.values[at]];
      const compared = compareShown(one, other, descending);
      if (compared !== 0) return compared;
    }
    for (const at of left.key.keys()) {
      const compared = compareShown(left.key[at], right.key[at], false);
      if (compared !== 0) return compared;
    }
    return 0;
  });
}

function compareShown(left: ShownValue | undefined, right: ShownValue | undefined, descending: boolean): number {
  const order = compareOptional(left ?? null, right ?? null);
  return descending ? -order : order;
}

function compareOptional(left: ShownValue, right: ShownValue): number {
  return left === null || right === null ? Number(left !== null) - Number(right !== null) : compareValues(left, right);
}

function compareValues(left: MemberValue | bigint, right: MemberValue | bigint): number {
  if (typeof left === 'string' && typeof right === 'string') return compareBytes(left, right);
  return left < right ? -1 : Number(left > right);
}

export interface GroupPage {
  readonly items: readonly ShownGroup[];
  /** Where the next page goes on; undefined on the last one. */
  readonly position: string | undefined;
}

/**
 * @param start the position of the page before: the last group that it showed, and how many there were up to it. Where
 * that group has gone, the next page begins at the same place in the order.
 */
export function pageOf(groups: readonly ShownGroup[], pageSize: number, start: string | undefined): GroupPage {
  const from = start === undefined ? 0 : placeBehind(groups, start);
  const items = groups.slice(from, from + pageSize);
  const [last, end] = [items.at(-1), from + items.length];
  return { items, position: last === undefined || end >= groups.length ? undefined : `${end} ${digestOf(last)}` };
}

function placeBehind(groups: readonly ShownGroup[], start: string): number {
  const [end = '', digest] = start.split(' ');
  const place = Number(end);
  const isLast = (group: ShownGroup | undefined): boolean => group !== undefined && digestOf(group) === digest;
  if (isLast(groups[place - 1])) return place;
  const found = groups.findIndex(isLast);
  return found >= 0 ? found + 1 : place;
}

function digestOf({ key }: ShownGroup): string {
  return hash('sha256', JSON.stringify(key), 'base64url');
}

/** The JSON of a group. A whole number has all its digits, however large it is. */
export function groupText({ groups, measures }: AggregateQuery, { group, values }: ShownGroup): string {
  const members = (names: readonly { readonly name: string }[], shown: readonly ShownValue[]): string =>
    names.map(({ name }, at) => `${JSON.stringify(name)}:${valueText(shown[at] ?? null)}`).join();
  return `{"group":{${members(groups, group)}},"values":{${members(measures, values)}}}`;
}

function valueText(value: ShownValue): string {
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}
