/** The query texts of lists and counts. Parameters go under their `$` names, which no field of an entity can take. */
import type { Sort, Where } from './schema-types.ts';

export interface CountQuery<S, E> {
  /** A condition in CEL. Put values into it by `cel`, which quotes them. */
  readonly filter?: string | undefined;
  /** Conditions on fields, all of which hold. */
  readonly where?: Where<S, E> | undefined;
  /** Words, in entities with a search index. */
  readonly q?: string | undefined;
  /** The id of the user who owns the records; one that is not known yet is refused, not left out. */
  readonly owner?: string;
  /** Also the records of others, where lists show the caller's own. */
  readonly all?: boolean | undefined;
}

export interface ShowQuery<V, F, X> {
  readonly view?: V | undefined;
  /** Only these members of the view, with `id`, `version`, `created_at` and `updated_at`. */
  readonly fields?: readonly F[] | undefined;
  /** Related records to show: lookups and `{entity}_via_{field}`, at most two levels. */
  readonly expand?: readonly X[] | undefined;
}

export interface ListQuery<S, E, V, F, X, C = never> extends CountQuery<S, E>, ShowQuery<V, F, X> {
  readonly sort?: Sort<S, E> | readonly Sort<S, E>[] | undefined;
  /** From 1 to 200. */
  readonly pageSize?: number | undefined;
  /** The `nextToken` of the page before. */
  readonly cursor?: string | null | undefined;
  /** Whether pages say how many records there are on all of them. */
  readonly total?: boolean | undefined;
  /** Up to 5 fields, of whose values the first page says how many records of the list have each. */
  readonly facets?: readonly C[] | undefined;
}

export type QueryValues = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** The query parameters of every entity. */
export interface AnyQuery {
  readonly filter?: string | undefined;
  readonly where?: object | undefined;
  readonly q?: string | undefined;
  readonly owner?: string | undefined;
  readonly all?: boolean | undefined;
  readonly view?: string | undefined;
  readonly fields?: readonly string[] | undefined;
  readonly expand?: readonly string[] | undefined;
  readonly sort?: string | readonly string[] | undefined;
  readonly pageSize?: number | undefined;
  readonly cursor?: string | null | undefined;
  readonly total?: boolean | undefined;
  readonly facets?: readonly string[] | undefined;
}

/** @throws TypeError for conditions that no parameter can say, or without a value: all records would match. */
export function queryOf(query: AnyQuery): QueryValues {
  const { where = {}, fields, expand, sort, pageSize, cursor, ...rest } = query;
  if ('owner' in rest && typeof rest.owner !== 'string') throw new TypeError('`owner` has no value: leave it out');
  const order = sort === undefined ? [] : [sort].flat();
  const names = order.map((name) => name.replace(/^-/, ''));
  const directions = order.map((name) => (name.startsWith('-') ? 'desc' : 'asc'));
  return {
    ...conditionsOf(where),
    $filter: rest.filter,
    $q: rest.q,
    $owner: rest.owner,
    $all: rest.all,
    $view: rest.view,
    $total: rest.total,
    $facets: joined(rest.facets),
    $fields: fields?.join(),
    $expand: joined(expand),
    $sortby: joined(names),
    $sortdir: joined(directions),
    $pagesize: pageSize,
    $nexttoken: cursor ?? undefined,
  };
}

/** Appends a query to an address; parameters without a value are left out. */
export function withQuery(address: string, query: QueryValues = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null) search.append(name, String(value));
  const text = search.toString();
  return text === '' ? address : `${address}?${text}`;
}

/**
 * An expression in CEL with values in it, which are quoted: cel`status == ${status} && amount > ${amount}`. A `Date` is a
 * timestamp, an array a list.
 */
export function cel(texts: TemplateStringsArray, ...values: readonly CelValue[]): string {
  return texts.map((text, index) => (index === 0 ? text : `${literal(values[index - 1])}${text}`)).join('');
}

export type CelValue = string | number | boolean | Date | null | readonly CelValue[];

function literal(value: CelValue | undefined): string {
  if (value === undefined) throw new TypeError('a value of the expression is missing: `null` is no value');
  if (value instanceof Date) return `timestamp(${JSON.stringify(value.toISOString())})`;
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`${value} is no value of CEL`);
  return JSON.stringify(value);
}

const operators: ReadonlySet<string> = new Set('eq ne gt gte lt lte in between startswith contains exists'.split(' '));

function conditionsOf(where: object): QueryValues {
  const parameters: Record<string, string> = {};
  for (const [field, condition] of Object.entries(where)) {
    const [[operator, operand], ...others] = isComparison(condition) ? Object.entries(condition) : [['eq', condition]];
    if (operator === undefined || others.length > 0 || !operators.has(operator))
      throw new TypeError(`the condition on \`${field}\` must have one operator`);
    parameters[field] = operandText(field, operator, operand);
    if (operator !== 'eq') parameters[`${field}_op`] = operator;
  }
  return parameters;
}

function isComparison(condition: unknown): condition is Readonly<Record<string, unknown>> {
  return typeof condition === 'object' && condition !== null && !(condition instanceof Date);
}

function operandText(field: string, operator: string, operand: unknown): string {
  if (operator !== 'in' && operator !== 'between') return valueText(field, operand);
  const texts = Array.isArray(operand) ? operand.map((value) => valueText(field, value)) : [];
  if (texts.length === 0) throw new TypeError(`\`${operator}\` on \`${field}\` needs values`);
  // Commas stand between the values, and there is no way to quote one.
  if (texts.some((text) => text.includes(',')))
    throw new TypeError(`\`${operator}\` on \`${field}\` takes no values with commas: use \`filter\``);
  return texts.join();
}

function valueText(field: string, value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new TypeError(`the condition on \`${field}\` has no value: leave it out, or use \`exists\``);
}

function joined(names: readonly string[] | undefined): string | undefined {
  return names === undefined || names.length === 0 ? undefined : names.join();
}
