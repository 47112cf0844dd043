/** Which entries of an index are of the records that a filter lets through. */
import { type CompiledEntity, type IndexState, indexPrefix, keyOrder } from '../../../schema/port.ts';
import type { Range } from '../../../store/port.ts';
import type { CompiledCompound, CompiledIndex } from '../../indexes/derive.ts';
import type { Filter } from '../filter.ts';

interface EntriesOfIndex {
  readonly pk: string;
  readonly isIndex: true;
  readonly index: IndexName;
}

export function entriesOf({ pk, name, kind }: CompiledIndex): EntriesOfIndex {
  return { pk, isIndex: true, index: { name, kind: kind === 'elements' ? 'field' : kind } };
}

export /** The part of an index that holds every record a filter lets through, and perhaps a few more. */
function rangeOf(filter: Filter): Pick<Range, 'prefix' | 'after' | 'before'> | undefined {
  switch (filter.operator) {
    case 'eq':
      return { prefix: indexPrefix(encodedValue(filter, 0)) };
    case 'startswith':
      return { prefix: keyOrder.indexStart(encodedValue(filter, 0)) };
    case 'gt':
    case 'gte':
      return { after: keyOrder.indexStart(encodedValue(filter, 0)) };
    case 'lt':
    case 'lte':
      return {
        after: keyOrder.presentPrefix,
        before: keyOrder.indexStart(encodedValue(filter, 0)) + keyOrder.afterAll,
      };
    case 'between':
      return {
        after: keyOrder.indexStart(encodedValue(filter, 0)),
        before: keyOrder.indexStart(encodedValue(filter, 1)) + keyOrder.afterAll,
      };
    default:
      return undefined;
  }
}

export function encodedValue(filter: Filter, index: number): string {
  return filter.encoded[index] ?? '';
}

/** The index that entries are of, as the state of an entity names it. */
export interface IndexName {
  readonly name: string;
  readonly kind: IndexState['kind'];
}

/** The records of another entity by which records are found whose lookups point to them. */
export interface IndexRange {
  readonly entity: string;
  readonly index: IndexName;
  readonly records: number;
}

// Which compound index has the records of a list in its order, and where in it they lie.

/** A field that records are in the order of. */
export type OrderedField = Pick<CompiledCompound['fields'][number], 'field' | 'descending'>;

/** The query: records that meet the filters, in the order of the keys. */
interface CompoundQuery {
  readonly filters: readonly Filter[];
  /** None are the creation order. */
  readonly sortKeys: readonly OrderedField[];
  /** Of the first key, or of the creation order. */
  readonly descending: boolean;
}

interface CompoundPlan {
  readonly pk: string;
  readonly isIndex: true;
  readonly index: { readonly name: string; readonly kind: 'compound' };
  readonly range: Range;
  readonly residual: readonly Filter[];
}

/** @param inAnyOrder whether a part of the records may be read in any order, as for a count. */
export function compoundPlan(
  entity: Pick<CompiledEntity, 'compounds'>,
  query: CompoundQuery,
  inAnyOrder = false,
): CompoundPlan | undefined {
  if (entity.compounds.length === 0) return undefined;
  const served = servingCompound(
    entity.compounds.filter(({ isReady }) => isReady),
    query,
    inAnyOrder,
  );
  return served && planBy(served, query.filters);
}

interface Served {
  readonly index: CompiledCompound;
  /** The filters that fix the first fields of the index to one value each. */
  readonly fixed: readonly Filter[];
  readonly isReverse: boolean;
}

/** That of the indexes which serves a query by the most filters, if one does. */
export function servingCompound(
  indexes: readonly CompiledCompound[],
  { filters, sortKeys, descending }: CompoundQuery,
  inAnyOrder = false,
): Served | undefined {
  const equal = new Map(filters.filter(isEquality).map((filter) => [filter.field, filter]));
  // A field of which all records of the answer have one value orders none of them.
  const isOrdering = ({ field }: OrderedField): boolean => !equal.has(field);
  const keys = sortKeys.filter(isOrdering);
  const served = indexes.flatMap((index): readonly Served[] => {
    const fixed = fixedBy(index, equal);
    const rest = index.fields.filter(isOrdering);
    if (rest.length === 0 && keys.length === 0) return [{ index, fixed, isReverse: descending }];
    const isReverse = keys.length === 0 ? undefined : isReverseOf(rest, keys);
    if (isReverse !== undefined) return [{ index, fixed, isReverse }];
    return inAnyOrder && fixed.length > 0 ? [{ index, fixed, isReverse: false }] : [];
  });
  return served.toSorted((left, right) => right.fixed.length - left.fixed.length)[0];
}

function isEquality({ operator, encoded }: Filter): boolean {
  return operator === 'eq' && encoded[0] !== undefined;
}

function fixedBy({ fields }: CompiledCompound, equal: ReadonlyMap<string, Filter>): readonly Filter[] {
  const filters = fields.map(({ field }) => equal.get(field));
  const free = filters.indexOf(undefined);
  return filters.slice(0, free === -1 ? filters.length : free).filter((filter) => filter !== undefined);
}

/** Undefined where it is neither the order of the keys nor its reverse. */
function isReverseOf(fields: readonly OrderedField[], keys: readonly OrderedField[]): boolean | undefined {
  if (fields.length !== keys.length || fields.some(({ field }, at) => field !== keys[at]?.field)) return undefined;
  const turned = new Set(fields.map(({ descending }, at) => descending !== keys[at]?.descending));
  return turned.size === 1 ? turned.has(true) : undefined;
}

function planBy({ index, fixed, isReverse }: Served, filters: readonly Filter[]): CompoundPlan {
  const prefix = fixed.map((filter, at) => keyOrder.tuplePart(filter.encoded[0], partOf(index, at))).join('');
  const next = index.fields[fixed.length];
  const narrowing = next && filters.find(({ field, operator }) => field === next.field && operator in bounds);
  const range = next && narrowing ? narrowedRange(prefix, narrowing, next) : {};
  const isExact = (filter: Filter): boolean =>
    fixed.includes(filter) && keyOrder.isAloneInTuple(filter.encoded[0] ?? '');
  return {
    pk: index.pk,
    isIndex: true,
    index: { name: index.name, kind: 'compound' },
    range: { ...(prefix === '' ? {} : { prefix }), ...range, reverse: isReverse },
    residual: filters.filter((filter) => !isExact(filter)),
  };
}

function partOf({ fields }: CompiledCompound, at: number): OrderedField {
  const part = fields[at];
  if (part === undefined) throw new TypeError('a filter is on no field of the index');
  return part;
}

/** By operator: which of the values of a filter are the least and the greatest that a record may have. */
const bounds: Readonly<Record<string, { readonly from?: number; readonly to?: number }>> = {
  gt: { from: 0 },
  gte: { from: 0 },
  lt: { to: 0 },
  lte: { to: 0 },
  between: { from: 0, to: 1 },
};

function narrowedRange(prefix: string, { operator, encoded }: Filter, part: OrderedField): Range {
  const { from = -1, to = -1 } = bounds[operator] ?? {};
  const { after, through } = keyOrder.tupleRange({ from: encoded[from], to: encoded[to] }, part);
  return { after: prefix + after, ...(through === undefined ? {} : { before: prefix + through + keyOrder.afterAll }) };
}
