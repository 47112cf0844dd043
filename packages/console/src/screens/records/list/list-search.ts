/** The state of a list as it stands in the address, and what the API is asked for by it. */
import type { Column } from './columns.ts';

export interface ListSearch {
  /** Conditions on fields, `status:eq:open`; at most one for a field. */
  readonly f?: readonly string[] | undefined;
  /** A condition in CEL. */
  readonly filter?: string | undefined;
  /** As `-created_at`, or `status,-number`. Left out, the newest are first. */
  readonly sort?: string | undefined;
  /** Words to search for. */
  readonly q?: string | undefined;
  /** The columns with commas between them. */
  readonly c?: string | undefined;
  /** The totals below the list, as the API is asked for them: `count,sum:amount`. */
  readonly t?: string | undefined;
  /** What the records are grouped by in a chart, `status` or `month(due)`. Left out, they are a list. */
  readonly g?: string | undefined;
  /** The figure of each group, `sum:amount`. Left out, the number of records. */
  readonly m?: string | undefined;
  /** The id of the record that is open. */
  readonly r?: string | undefined;
  /** The field of it that alone is edited. */
  readonly e?: string | undefined;
}

const conditionsMax = 20;

/** Takes from an address what can be the state of a list. */
export function readListSearch({ f, filter, sort, q, c, t, g, m, r, e }: Record<string, unknown>): ListSearch {
  const texts = Object.entries({ filter, sort, q, c, t, g, m, r, e }).filter(
    ([, value]) => (typeof value === 'string' && value !== '') || typeof value === 'number',
  );
  const conditions = Array.isArray(f) ? f.filter((one) => typeof one === 'string' && readCondition(one)) : [];
  return {
    ...(conditions.length > 0 ? { f: conditions.slice(0, conditionsMax) } : {}),
    ...Object.fromEntries(texts.map(([name, value]) => [name, String(value)])),
  };
}

export interface Condition {
  readonly field: string;
  readonly operator: string;
  readonly value: string;
}

function readCondition(text: string): Condition | undefined {
  const [, field, operator, value] = /^([^:]+):([a-z]+):(.*)$/s.exec(text) ?? [];
  if (field === undefined || operator === undefined || value === undefined) return undefined;
  return { field, operator, value };
}

export function conditionText({ field, operator, value }: Condition): string {
  return `${field}:${operator}:${value}`;
}

export function conditionsOf({ f = [] }: ListSearch): readonly Condition[] {
  return f.flatMap((text) => readCondition(text) ?? []);
}

export interface SortKey {
  readonly field: string;
  readonly descending: boolean;
}

/** The fields that a list is sorted by; none is the newest first. */
export function sortOf({ sort }: Pick<ListSearch, 'sort'>): readonly SortKey[] {
  const names = sort?.split(',').filter((name) => name !== '' && name !== '-') ?? [];
  return names.map((name) => ({ field: name.replace(/^-/, ''), descending: name.startsWith('-') }));
}

/** Filters and words as parameters, in the spelling that no field can take. */
export function choosingParameters(search: ListSearch): Readonly<Record<string, string>> {
  const { filter, q } = search;
  return {
    ...Object.fromEntries(conditionsOf(search).flatMap(parametersOf)),
    ...(filter === undefined ? {} : { $filter: filter }),
    ...(q === undefined ? {} : { $q: q }),
  };
}

/** Filters, words and order as parameters of lists and exports. */
export function queryParameters(search: ListSearch): Readonly<Record<string, string>> {
  const keys = sortOf(search);
  return {
    ...choosingParameters(search),
    ...(keys.length === 0
      ? {}
      : {
          $sortby: keys.map(({ field }) => field).join(','),
          $sortdir: keys.map(({ descending }) => (descending ? 'desc' : 'asc')).join(','),
        }),
  };
}

function parametersOf({ field, operator, value }: Condition): readonly (readonly [string, string])[] {
  return operator === 'eq'
    ? [[field, value]]
    : [
        [field, value],
        [`${field}_op`, operator],
      ];
}

const expandMax = 10;
/** A longer address may be refused on its way. */
const fieldsCharactersMax = 4_000;
const alwaysShown: ReadonlySet<string> = new Set(['id', 'version', 'created_at', 'updated_at']);

/** What of the records a list shows: the columns alone, and the names of those that lookups refer to. */
export function shownParameters(columns: readonly Column[]): Readonly<Record<string, string>> {
  const fields = columns.filter(({ kind }) => kind !== 'secret').map(({ name }) => name);
  const expand = columns.filter(({ entity }) => entity !== undefined).map(({ field }) => field);
  const named = fields.filter((name) => !alwaysShown.has(name));
  const text = named.length === 0 ? 'id' : named.join(',');
  return {
    ...(text.length > fieldsCharactersMax ? {} : { $fields: text }),
    ...(expand.length === 0 ? {} : { $expand: expand.slice(0, expandMax).join(',') }),
  };
}
