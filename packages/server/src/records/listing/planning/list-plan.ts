import { compareBytes } from '../../../lib/byte-order.ts';
import { type CompiledEntity, elementIndex, fieldIndex, indexPrefix, keyOrder } from '../../../schema/port.ts';
import type { Key, Range, Scope } from '../../../store/port.ts';
import type { Workspace } from '../../../tenancy/port.ts';
import type { FilterExpression } from '../../filtering/filter-language.ts';
import { type CompiledIndex, type CompiledSearch, groupPartition, recordCounter } from '../../indexes/derive.ts';
import { askableQuestion, type Conditions, type Question } from '../../query/question.ts';
import { dataOf } from '../../record.ts';
import { directPartition } from '../../record-keys.ts';
import type { RecordPolicy } from '../../record-policy.ts';
import type { SearchTest } from '../../search/words.ts';
import { type TextFilters, type TextGrants, textFilters, textGrants } from '../../texts/text-grants.ts';
import type { RecordCall } from '../../writing/write-loop.ts';
import type { Filter } from '../filter.ts';
import { findItems } from '../find-record.ts';
import { equalityFilter, type ListQuery } from '../list-query.ts';
import { compoundPlan, encodedValue, entriesOf, type IndexName, rangeOf } from './index-range.ts';
import { idAtEnd, type LookupOrder, type LookupPlan, lookupOrder, lookupPlan, type MergedPlan } from './lookup-plan.ts';
import { orderOverLookup, type SortedOrder, sortedOrder } from './sorted-order.ts';

/** One key range that holds every record of the answer in the answer's order, and what remains to be tested. */
export interface ListPlan {
  readonly pk: string;
  /** Whether the range holds index items, to be followed to the records. */
  readonly isIndex: boolean;
  /** Undefined where the range is of all records. */
  readonly index: IndexName | undefined;
  readonly range: Range;
  readonly residual: readonly Filter[];
  readonly search: SearchTest | undefined;
  /** The condition beside the residual. */
  readonly expression: FilterExpression | undefined;
  /** Which records of the answer are the caller's. */
  readonly rows: RecordPolicy | undefined;
  /** The residual and all that follows it, as far as an engine may be asked it. */
  readonly question: Question;
  /** Those of the residual that all of them meet. */
  readonly rowFilters: readonly Filter[];
  /** Whether something is known that all of them have. */
  readonly isOfRows: boolean;
  /** The same, as far as their texts tell. */
  readonly textGrants: TextGrants | undefined;
  /** The residual, as far as their texts tell. */
  readonly textFilters: TextFilters | undefined;
  /** For a range of all records: entries by which those that may be of the answer are found sooner. */
  readonly gather?: WordEntries | undefined;
  /** For a range in creation order: indexes by which the records that may be of the answer are found sooner. */
  readonly lookup?: LookupPlan | undefined;
  /** For a range in creation order: parts of an index by which records that may be of the answer are found sooner. */
  readonly union?: UnionPlan | undefined;
  /** The prefixes of entries that may be of the answer, in ascending order; undefined where all of the range may be. */
  readonly parts?: readonly string[] | undefined;
  /** Given where no index has the order: the range is in another one, and all of it is sorted. */
  readonly sorting?: SortedOrder | undefined;
  /** For an order of other records: the order of the parts of the index that have one lookup each. */
  readonly order?: LookupOrder | undefined;
}

/** The entries of all words with one beginning. */
export interface WordEntries {
  readonly index: IndexName;
  readonly pk: string;
  readonly prefix: string;
  /** The place in the plan's range of the record behind an entry. */
  readonly placeOf: (sk: string) => string;
}

/**
 * Chooses the range. The order decides first: each index has one, and only an index in the answer's order can serve. Of
 * those, an index that picks the records of an owner or parent, of some values or with a word is better than an index
 * that only sorts; where there is none, the records themselves are read and tested.
 */
export function planList(call: ListCall, listQuery: ListQuery, options: PlanOptions = {}): ListPlan {
  const { entity, rows } = call;
  const { sortKeys, lookupSort } = listQuery;
  const narrowed = narrowedQuery(call, listQuery);
  const { query } = narrowed;
  const isServed =
    lookupSort === undefined
      ? sortKeys.length === 0 || inOrder(entity, query, options.inAnyOrder) !== undefined
      : lookupOrder(call, lookupSort) !== undefined;
  if (isServed) return planInOrder(call, narrowed, options);
  const inAnyOrder = rows === undefined;
  const unsorted = { ...inOwnOrder(query), sortKeys: [] };
  const plan = planInOrder(call, { ...narrowed, query: unsorted }, { inAnyOrder, isWhole: true });
  const sorting = lookupSort === undefined ? sortedOrder(entity, listQuery) : orderOverLookup(call, lookupSort);
  return { ...plan, sorting };
}

/** Not in that of the records to which a lookup points. */
export function inOwnOrder({ lookupSort, requestedSort, ...query }: ListQuery): ListQuery {
  return query;
}

/** With the conditions that are known to hold of the records of the answer. */
function narrowedQuery({ entity, rows }: ListCall, query: ListQuery): NarrowedQuery {
  const ofRows = rowFilters(entity, rows);
  const filters = [...query.filters, ...(query.expression?.implied ?? []), ...ofRows];
  return { query: { ...query, filters }, ofRows };
}

interface NarrowedQuery {
  readonly query: ListQuery;
  /** Those of its filters that hold of all records of the caller. */
  readonly ofRows: readonly Filter[];
}

function planInOrder(
  call: ListCall,
  { query, ofRows }: NarrowedQuery,
  { inAnyOrder = false, isWhole = false }: PlanOptions,
): ListPlan {
  const { entity, workspace, rows } = call;
  const { expression, requestedSort, lookupSort } = query;
  if (requestedSort !== undefined && lookupSort === undefined && query.sortKeys.length === 0)
    throw new TypeError('the other entity of the order is not read');
  if (query.filter !== undefined && expression === undefined) throw new TypeError('the filter is not compiled');
  const lookup = rows === undefined ? lookupPlan({ entity, workspace }, query) : undefined;
  const order = lookupSort && lookupOrder({ entity, workspace }, lookupSort);
  const plan: Chosen | undefined =
    (order && { ...order.own, isIndex: true, range: { reverse: order.isReverse }, residual: query.filters }) ??
    inOrder(entity, query, inAnyOrder && lookup === undefined) ??
    valuePlan(entity, query) ??
    wordPlan(entity, query);
  const { pk, isIndex, index, range, residual, parts } = plan ?? everything(entity, workspace, query);
  const left = residual.filter((filter) => ofRows.includes(filter));
  const gather = plan === undefined ? wordEntries(entity, query) : undefined;
  const isUnion = plan === undefined && lookup === undefined && query.search === undefined;
  const union = isUnion ? unionPlan({ entity, workspace }, query.filters) : undefined;
  const conditions: Conditions = {
    // A condition that the other record meets is in no part of the range.
    filters: lookup === undefined ? residual : query.filters,
    search: query.search,
    expression: expression?.isImplied === true ? undefined : expression,
    rows,
  };
  // Made where an engine is asked: most pages are filled without.
  let question: Question | undefined;
  return {
    pk,
    isIndex,
    index,
    range: { reverse: query.descending, ...range },
    residual: conditions.filters,
    search: conditions.search,
    expression: conditions.expression,
    rows,
    get question(): Question {
      question ??= askableQuestion(entity, conditions, left);
      return question;
    },
    rowFilters: left,
    isOfRows: ofRows.length > 0,
    textGrants: rows && textGrants(entity, rows, left),
    textFilters: textFilters(entity, conditions.filters),
    gather,
    order,
    union: union && { ...union, isWhole },
    parts,
    lookup: lookup && { ...lookup, wanted: isWhole ? Number.POSITIVE_INFINITY : query.pageSize },
  };
}

interface PlanOptions {
  /** Whether a part of the records may be read in any order. */
  readonly inAnyOrder?: boolean;
  /** Whether all records of the answer are read, and not those of a page. */
  readonly isWhole?: boolean;
}

type ListCall = Pick<RecordCall, 'entity' | 'workspace' | 'rows'>;

/**
 * Conditions that every record of the caller meets, as far as an index can find records by them. Whether they are the
 * caller's is judged all the same.
 */
function rowFilters(entity: CompiledEntity, rows: RecordPolicy | undefined): readonly Filter[] {
  return (rows?.equalities ?? []).flatMap(({ field, value }) => equalityFilter(entity, field, value) ?? []);
}

function wordEntries(entity: CompiledEntity, { search }: ListQuery): WordEntries | undefined {
  const index = readySearch(entity);
  if (search === undefined || index === undefined) return undefined;
  const start = entity.directSortPrefix ?? '';
  return {
    index: wordIndex(index),
    pk: index.pk,
    prefix: keyOrder.indexStart(search.query.prefix),
    placeOf: (sk) => start + keyOrder.idOf(sk),
  };
}

type Chosen = Pick<ListPlan, 'pk' | 'isIndex' | 'index' | 'range' | 'residual' | 'parts'>;

/** By an index that has the order of the answer. */
function inOrder(entity: CompiledEntity, query: ListQuery, inAnyOrder?: boolean): Chosen | undefined {
  return groupPlan(entity, query) ?? compoundPlan(entity, query, inAnyOrder) ?? sortPlan(entity, query);
}

/** The records of one owner or parent, in the order that the index has them. */
function groupPlan(entity: CompiledEntity, { filters, sortKeys }: ListQuery): Chosen | undefined {
  if (sortKeys.length > 1) return undefined;
  const sortField = sortKeys[0]?.field;
  for (const index of entity.indexes) {
    if (!index.isReady || index.group === undefined || index.order?.field !== sortField) continue;
    const group = filters.find(({ field, operator }) => field === index.group?.field && operator === 'eq');
    const pk = group === undefined ? undefined : groupPartition(index, group.values[0]);
    if (pk === undefined) continue;
    return ranged(
      { ...index, pk },
      filters.filter((filter) => filter !== group),
      sortField,
    );
  }
  return undefined;
}

function sortPlan(entity: CompiledEntity, { filters, sortKeys }: ListQuery): Chosen | undefined {
  const [key, ...others] = sortKeys;
  const index = key && others.length === 0 ? readyIndex(entity, key.field) : undefined;
  return key && index && ranged(index, filters, key.field);
}

/** Equal values follow one another by id, so they are in creation order. */
function valuePlan(entity: CompiledEntity, { filters }: ListQuery): Chosen | undefined {
  for (const filter of filters) {
    const index = valueIndex(entity, filter);
    if (index?.isReady !== true) continue;
    const range = { prefix: indexPrefix(encodedValue(filter, 0)) };
    return { ...entriesOf(index), range, residual: without(filters, filter) };
  }
  return undefined;
}

function valueIndex(entity: CompiledEntity, { operator, field }: Filter): CompiledIndex | undefined {
  if (operator === 'eq') return fieldIndex(entity, field);
  return operator === 'contains' ? elementIndex(entity, field) : undefined;
}

/** Of several words the longest is likely to be the rarest. A word that may be unfinished has no place of its own. */
function wordPlan(entity: CompiledEntity, { filters, search }: ListQuery): Chosen | undefined {
  const index = readySearch(entity);
  const [word] = [...(search?.query.words ?? [])].sort((a, b) => b.length - a.length);
  if (index === undefined || word === undefined) return undefined;
  const range = { prefix: indexPrefix(word) };
  return { pk: index.pk, isIndex: true, index: wordIndex(index), range, residual: filters };
}

function everything(entity: CompiledEntity, workspace: Workspace, { filters }: ListQuery): Chosen {
  if (entity.directSortPrefix === undefined)
    return { pk: entity.idIndexPk, isIndex: true, index: undefined, range: {}, residual: filters };
  const range = { prefix: entity.directSortPrefix };
  return { pk: directPartition(entity, workspace), isIndex: false, index: undefined, range, residual: filters };
}

/** A range of an index in its own order, narrowed by a filter on the field that it is sorted by. */
function ranged(index: CompiledIndex, filters: readonly Filter[], sortField: string | undefined): Chosen {
  const filter = filters.find((candidate) => candidate.field === sortField && rangeOf(candidate) !== undefined);
  const range = filter === undefined ? {} : (rangeOf(filter) ?? {});
  const several = filters.find(({ field, operator }) => field === sortField && operator === 'in');
  const parts = filter === undefined && several !== undefined ? { parts: partsOf(several) } : {};
  return { ...entriesOf(index), range, ...parts, residual: without(filters, filter) };
}

function wordIndex({ name }: CompiledSearch): IndexName {
  return { name, kind: 'search' };
}

function readyIndex(entity: CompiledEntity, field: string): CompiledIndex | undefined {
  const index = fieldIndex(entity, field);
  return index?.isReady === true ? index : undefined;
}

function readySearch({ searches }: CompiledEntity): CompiledSearch | undefined {
  return searches.find(({ isReady }) => isReady);
}

/** A filter whose range is exact needs no second look; of a cut value the index holds only the beginning. */
function without(filters: readonly Filter[], used: Filter | undefined): readonly Filter[] {
  const isOneValue = used !== undefined && (used.operator === 'eq' || used.operator === 'contains');
  const isExact = isOneValue && keyOrder.isAloneInIndex(encodedValue(used, 0));
  return isExact ? filters.filter((filter) => filter !== used) : filters;
}

// Which parts of an index hold the records that have one of several values.

/** Parts of an index, each in creation order, that hold every record of the answer, and perhaps a few more. */
export interface UnionPlan extends MergedPlan {
  readonly prefixes: readonly string[];
  /** Whether all records in the parts meet all filters. */
  readonly isExact: boolean;
  /** Whether all records of the answer are read, and not those of a page. */
  readonly isWhole: boolean;
  /** Counts all records of the entity. */
  readonly counter: Key;
}

/** By the filter with the fewest values; undefined where there is none by an index. */
function unionPlan(
  call: Pick<RecordCall, 'entity' | 'workspace'>,
  filters: readonly Filter[],
): Omit<UnionPlan, 'isWhole'> | undefined {
  const { entity } = call;
  const [filter] = filters
    .filter(({ operator, field }) => operator === 'in' && fieldIndex(entity, field)?.isReady === true)
    .toSorted((left, right) => left.encoded.length - right.encoded.length);
  const index = filter && fieldIndex(entity, filter.field);
  if (filter === undefined || index === undefined) return undefined;
  return {
    own: { index: { name: index.name, kind: 'field' }, pk: index.pk, prefixOf: (prefix) => prefix },
    prefixes: partsOf(filter),
    counter: recordCounter(entity.name),
    isExact:
      filters.length === 1 &&
      filter.encoded.every((encoded) => encoded !== undefined && keyOrder.isAloneInIndex(encoded)),
    read: (ids) => findItems(call, ids),
    idOf: (item) => dataOf(entity, item).id,
  };
}

/** The prefixes of the entries of each value, in the order of the values. */
function partsOf({ encoded }: Filter): readonly string[] {
  const prefixes = encoded.flatMap((value) => (value === undefined ? [] : [indexPrefix(value)]));
  return [...new Set(prefixes)].toSorted(compareBytes);
}

/** Measured: to find a record by the parts takes as long as to go through so many. */
const recordsPerEntry = 8;
const countedMax = 10_000;

/** Whether the records of the parts are expected to be read sooner than all records. A page is soon full in either way. */
export async function isSooner(scope: Scope, { isWhole, own, prefixes, counter }: UnionPlan): Promise<boolean> {
  if (!isWhole) return true;
  const [all] = await scope.get([counter]);
  const most = Math.min(Math.floor(Number(all?.value ?? 0) / recordsPerEntry), countedMax);
  let count = 0;
  for (const prefix of prefixes) {
    count += await scope.count(own.pk, { prefix }, most + 1 - count);
    if (count > most) return false;
  }
  return true;
}

// Whether records are found sooner by what their lookups point to than by going through all of them.

/** The number of other records that are sought by at most: a page reads the index of the lookup for each of them. */
export const othersMax = 100;

/** Measured: to look for the records that point to one takes as long as to go through so many and their lookups. */
export const recordsPerSearch = 3;

/** Beyond it, records are gone through: there are nearly as many as would be found. */
const neededMax = 2000;

/**
 * The ids of the other records by which those of the answer are found; undefined where going through the range is
 * expected to be cheaper. A page of one list may be read in one way and the next in the other.
 * @param rest the range of the plan that the page has before it.
 */
export async function othersSought(
  scope: Scope,
  { pk, lookup }: Pick<ListPlan, 'pk' | 'lookup'>,
  rest: Range,
): Promise<readonly string[] | undefined> {
  if (lookup === undefined) return undefined;
  const { others } = lookup;
  const [found, [counter]] = await Promise.all([
    scope.range(others.pk, { ...others.range, limit: othersMax + 1 }),
    scope.get([others.counter]),
  ]);
  if (found.length > othersMax) return undefined;
  const needed = recordsNeeded(lookup, found.length, Number(counter?.value ?? 0));
  if (needed === undefined) return undefined;
  const isEnough = (await scope.count(pk, rest, needed + 1)) > needed;
  return isEnough ? found.map(({ sk }) => idAtEnd(sk)) : undefined;
}

/**
 * The least number of records in the range; undefined where it is expected to be cheaper to go through however many
 * there are. All others are taken to have as many records.
 */
function recordsNeeded({ wanted }: LookupPlan, sought: number, all: number): number | undefined {
  if (sought === 0) return 0;
  if (sought >= all) return undefined;
  const searches = recordsPerSearch * sought;
  // For each record of the answer so many others are gone through.
  const passedForEach = all / sought - 1;
  // Those of the answer are read in both ways.
  const needed = Math.ceil((searches * all) / (all - sought));
  return wanted * passedForEach > searches && needed <= neededMax ? needed : undefined;
}
