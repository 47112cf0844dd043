/** The plainest reading of what a list is asked for: test every record, sort them all. */
import type { FieldValue } from '../../schema/definition.ts';
import type { FilterOperator } from '../listing/filter.ts';
import type { RecordData } from '../record.ts';

export interface PlainQuery {
  readonly filters: readonly PlainFilter[];
  readonly owner: string | undefined;
  readonly all: boolean;
  readonly q: string | undefined;
  readonly sortby: string | undefined;
  readonly sortdir: string | undefined;
}

export interface PlainFilter {
  readonly field: string;
  readonly operator: FilterOperator;
  readonly values: readonly FieldValue[];
}

/** The way the entity is listed, and who asks. */
export interface PlainListContext {
  readonly caller: string;
  /** The field that says whose a record is. */
  readonly ownerField: string;
  readonly isScoped: boolean;
  readonly searched: readonly string[];
}

/** The ids of the answer, in its order. */
export function plainList(
  records: readonly RecordData[],
  query: PlainQuery,
  place: PlainListContext,
): readonly string[] {
  const { sortby, sortdir } = query;
  const found = records.filter((data) => matchesQuery(data, query, place));
  const direction = (sortby === undefined ? sortdir !== 'asc' : sortdir === 'desc') ? -1 : 1;
  const field = sortby === 'created_at' ? undefined : sortby;
  const order = (a: RecordData, b: RecordData): number =>
    (field === undefined ? 0 : compareOptional(a[field], b[field])) || compare(a.id, b.id);
  return found.sort((a, b) => direction * order(a, b)).map(({ id }) => id);
}

function matchesQuery(data: RecordData, { filters, owner, all, q }: PlainQuery, place: PlainListContext): boolean {
  const { caller, ownerField, isScoped, searched } = place;
  const wantedOwner = owner ?? (isScoped && !all ? caller : undefined);
  if (wantedOwner !== undefined && data[ownerField] !== wantedOwner) return false;
  if (
    q !== undefined &&
    !hasWords(
      searched.map((name) => data[name]),
      q,
    )
  )
    return false;
  return filters.every((one) => meets(data[one.field], one));
}

/** All words of the question, the last one perhaps unfinished. */
function hasWords(values: readonly (FieldValue | undefined)[], q: string): boolean {
  const words = values.flatMap((value) =>
    value === undefined ? [] : [value].flat().flatMap((text) => plainWords(String(text))),
  );
  const requested = plainWords(q);
  const last = requested.pop() ?? '';
  return requested.every((word) => words.includes(word)) && words.some((word) => word.startsWith(last));
}

/** For texts of the letters that the tests use. */
function plainWords(text: string): string[] {
  const folded = text.toLowerCase().replaceAll('é', 'e');
  return folded.split(/[^a-z0-9]+/).filter((word) => word !== '');
}

function meets(value: FieldValue | undefined, { operator, values }: PlainFilter): boolean {
  const [first = '', second = ''] = values;
  if (operator === 'exists') return (value !== undefined) === first;
  if (value === undefined) return operator === 'ne';
  switch (operator) {
    case 'eq':
      return value === first;
    case 'ne':
      return value !== first;
    case 'gt':
      return compare(value, first) > 0;
    case 'gte':
      return compare(value, first) >= 0;
    case 'lt':
      return compare(value, first) < 0;
    case 'lte':
      return compare(value, first) <= 0;
    case 'in':
      return values.includes(value);
    case 'between':
      return compare(value, first) >= 0 && compare(value, second) <= 0;
    case 'startswith':
      return String(value).startsWith(String(first));
    case 'contains':
      return Array.isArray(value) ? value.includes(first) : String(value).includes(String(first));
  }
}

function compareOptional(left: FieldValue | undefined, right: FieldValue | undefined): number {
  if (left === undefined || right === undefined) return Number(left !== undefined) - Number(right !== undefined);
  return compare(left, right);
}

function compare(left: FieldValue, right: FieldValue): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  return Buffer.compare(Buffer.from(String(left)), Buffer.from(String(right)));
}
