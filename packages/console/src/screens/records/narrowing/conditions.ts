/** By which operators a list is filtered on a column, and how their values are typed. */
import type { Column, Kind } from '../list/columns.ts';
import type { Condition } from '../list/list-search.ts';

export type InputKind = 'text' | 'number' | 'date' | 'datetime' | 'choice' | 'truth';

export interface Operator {
  readonly name: string;
  readonly words: string;
  /** The way its value is typed, where not as the column's values are. */
  readonly input?: InputKind | 'two' | 'many';
}

const equal: Operator = { name: 'eq', words: 'is' };
const different: Operator = { name: 'ne', words: 'is not' };
const oneOf: Operator = { name: 'in', words: 'is one of', input: 'many' };
const present: Operator = { name: 'exists', words: 'has a value', input: 'truth' };
const contains: Operator = { name: 'contains', words: 'contains', input: 'text' };
const ordered: readonly Operator[] = [
  { name: 'gte', words: 'is at least' },
  { name: 'gt', words: 'is more than' },
  { name: 'lte', words: 'is at most' },
  { name: 'lt', words: 'is less than' },
  { name: 'between', words: 'is between', input: 'two' },
];
const inTime: readonly Operator[] = [
  { name: 'gte', words: 'is at or after' },
  { name: 'gt', words: 'is after' },
  { name: 'lte', words: 'is at or before' },
  { name: 'lt', words: 'is before' },
  { name: 'between', words: 'is between', input: 'two' },
];
const ofTexts: readonly Operator[] = [
  equal,
  { name: 'startswith', words: 'begins with' },
  contains,
  oneOf,
  different,
  present,
];

interface Typed {
  readonly operators: readonly Operator[];
  readonly input: InputKind;
}

const byKind: Readonly<Record<Kind, Typed | undefined>> = {
  id: { operators: [equal, oneOf, different, present], input: 'text' },
  lookup: { operators: [equal, oneOf, different, present], input: 'text' },
  text: { operators: ofTexts, input: 'text' },
  choice: { operators: [equal, different, oneOf, present], input: 'choice' },
  number: { operators: [equal, ...ordered, oneOf, different, present], input: 'number' },
  boolean: { operators: [equal, present], input: 'truth' },
  date: { operators: [equal, ...inTime, present], input: 'date' },
  datetime: { operators: [...inTime, equal, present], input: 'datetime' },
  lookups: { operators: [contains, present], input: 'text' },
  list: { operators: [contains, present], input: 'text' },
  json: undefined,
  secret: undefined,
};

/** Undefined for columns that no list is filtered on. */
export function filtersOn({ kind, field }: Column): Typed | undefined {
  return field === 'version' ? undefined : byKind[kind];
}

export function operatorNamed(column: Column, name: string): Operator | undefined {
  return filtersOn(column)?.operators.find((operator) => operator.name === name);
}

/** A time as it is typed, `2026-11-20T09:30`, as the API takes it. All times are in UTC. */
export function instantOf(typed: string): string {
  return /T\d\d:\d\d$/.test(typed) ? `${typed}:00Z` : /T\d\d:\d\d:\d\d(\.\d+)?$/.test(typed) ? `${typed}Z` : typed;
}

/** The condition in words: `status is open`. */
export function conditionWords(column: Column, { operator: name, value }: Condition): string {
  if (name === 'exists') return `${column.name} has ${value === 'false' ? 'no' : 'a'} value`;
  const times = value.replaceAll(/T(\d\d:\d\d)(:00(\.0+)?)?Z/g, ' $1 UTC');
  const joints: Readonly<Record<string, string>> = { between: ' and ', in: ', ' };
  return `${column.name} ${operatorNamed(column, name)?.words ?? name} ${times.replaceAll(',', joints[name] ?? ',')}`;
}
