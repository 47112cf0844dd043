import { Problem } from '../../../lib/problem.ts';
import {
  type CompiledEntity,
  definitionLimits,
  fieldIndex,
  fieldName,
  isLookupList,
  lookupOf,
  namedBehaviour,
  orderedFieldText,
} from '../../../schema/port.ts';
import type { Filter } from '../filter.ts';
import { type OrderedField, servingCompound } from './index-range.ts';

export interface Sort {
  /** The sort keys of the records; none is the creation order, which is the order of the records' keys. */
  readonly sortKeys: readonly OrderedField[];
  /** The direction of the first key, or of the creation order. */
  readonly descending: boolean;
  /** Given where they are sorted by fields of the record that a lookup points to, and by no keys of their own. */
  readonly requestedSort?: LookupSortRequest;
}

export type AddSortError = (name: string, code: string, message: string) => void;

interface SortedList {
  readonly entity: CompiledEntity;
  readonly filters: readonly Filter[];
  readonly isField: (name: string) => boolean;
  /** If the list is of records to which a lookup points, the lookup. */
  readonly lookup?: string | undefined;
  /** Whether all records are read one after the other, so that an index has to have their order. */
  readonly isWhole?: boolean;
}

/**
 * Reads `sortby` and `sortdir`: fields with commas between them, and one direction for all or one for each.
 * @throws Problem `unindexed_sort` where no index has the order, and records are not sorted by it when they are listed.
 */
export function readSort(list: SortedList, parameters: ReadonlyMap<string, string>, add: AddSortError): Sort {
  const sortby = parameters.get('sortby');
  const names = sortby?.split(',') ?? [];
  const directions = parameters.get('sortdir')?.split(',') ?? [];
  const isFit = areDirections(directions, Math.max(names.length, 1), add);
  if (sortby === undefined) return { sortKeys: [], descending: directions[0] !== 'asc' };
  const descending = directions[0] === 'desc';
  if (sortby === 'created_at' || sortby === 'id') return { sortKeys: [], descending };
  const requestedSort = readLookupSort(list, names, parameters.get('sortdir'));
  if (requestedSort !== undefined) {
    if (!('message' in requestedSort)) return { sortKeys: [], descending, requestedSort };
    add('sortby', requestedSort.code, requestedSort.message);
    return { sortKeys: [], descending };
  }
  const fields = names.map((name) => fieldName(list.entity, name));
  const unfit = names.map((_, at) => unfitName(list, { names, fields }, at)).find((one) => one !== undefined);
  if (unfit !== undefined) add('sortby', unfit.code, unfit.message);
  if (unfit !== undefined || (names.length > 1 && !isFit)) return { sortKeys: [], descending };
  const sortKeys = fields.map((field, at) => ({ field, descending: (directions[at] ?? directions[0]) === 'desc' }));
  assertIndexed(list, { sortKeys, descending }, sortby);
  return { sortKeys, descending };
}

/** The query that a cursor is bound to. */
export function orderText({ sortKeys }: Sort): unknown {
  const [first, second] = sortKeys;
  return second === undefined ? (first?.field ?? null) : sortKeys.map(orderedFieldText);
}

/** @param count how many fields a list is sorted by. */
function areDirections(directions: readonly string[], count: number, add: AddSortError): boolean {
  const isFit = directions.every((one) => one === 'asc' || one === 'desc');
  if (isFit && (directions.length <= 1 || directions.length === count)) return true;
  const several = count > 1 ? ', one for all fields or one for each, with commas between them' : '';
  add('sortdir', 'wrong_type', `\`sortdir\` must be \`asc\` or \`desc\`${several}`);
  return false;
}

interface SortRefusal {
  readonly code: string;
  readonly message: string;
}

interface SortNames {
  readonly names: readonly string[];
  readonly fields: readonly string[];
}

function unfitName({ entity, isField }: SortedList, { names, fields }: SortNames, at: number): SortRefusal | undefined {
  const max = definitionLimits.compoundFieldsMax;
  const [name = '', field = ''] = [names[at], fields[at]];
  const shown = name.slice(0, 100);
  if (names.length > max) return { code: 'too_many', message: `a list is sorted by at most ${max} fields` };
  if (!isField(field) && fieldIndex(entity, field) === undefined)
    return {
      code: 'unknown_field',
      message: `entity \`${entity.name}\` has no field \`${shown}\``,
    };
  if (fields.indexOf(field) < at) return { code: 'duplicate', message: `\`sortby\` names field \`${shown}\` twice` };
  if (names.length > 1 && name === 'id') return { code: 'contradiction', message: '`id` sorts a list alone' };
  return undefined;
}

function assertIndexed({ entity, filters, lookup, isWhole = false }: SortedList, sort: Sort, sortby: string): void {
  const isOrdered = sort.sortKeys.every(({ field }) => namedBehaviour(entity, field)?.encode !== undefined);
  if (isOrdered && !isWhole) return;
  const of = lookup === undefined ? '' : ` of \`${entity.name}\``;
  const [only, ...others] = sort.sortKeys;
  const index = only === undefined || others.length > 0 ? undefined : fieldIndex(entity, only.field);
  const ready = entity.compounds.filter(({ isReady }) => isReady);
  if (index?.isReady === true || servingCompound(ready, { filters, ...sort }) !== undefined) return;
  const compound = servingCompound(entity.compounds, { filters, ...sort })?.index;
  if (index !== undefined) throw stillBuilding(`the index on field \`${sortby}\`${of}`);
  if (compound !== undefined) throw stillBuilding(`the index \`${compound.name}\`${of}`);
  throw unindexedSort({ sortKeys: sort.sortKeys, sortby, other: lookup && entity.name });
}

interface UnindexedSort extends Pick<Sort, 'sortKeys'> {
  readonly sortby?: string;
  /** If the list is of records that point to those of another entity, its name. */
  readonly other?: string | undefined;
  /** Beside that there is none. */
  readonly reason?: string;
}

/** A refusal that names the index to declare. */
export function unindexedSort({ sortKeys, sortby, other, reason = '' }: UnindexedSort): Problem {
  const [of, there] = other === undefined ? ['', ''] : [` of \`${other}\``, ' there'];
  const [only, ...others] = sortKeys;
  if (only !== undefined && others.length === 0) {
    const message = `field \`${sortby ?? only.field}\`${of} has no index${reason}`;
    return unindexed(message, `${message}: give it \`index: true\`${there} to sort by it`);
  }
  const fields = ascendingFirst(sortKeys).map(orderedFieldText).join('", "');
  const message = `no index${of} has this order${reason}: declare \`indexes: [{"fields": ["${fields}"]}]\`${there}`;
  return unindexed(message, message);
}

/** The fields of the index that has the order, in reverse if the first one was descending. */
export function ascendingFirst(sortKeys: readonly OrderedField[]): readonly OrderedField[] {
  return sortKeys.map(({ field, descending }) => ({ field, descending: descending !== sortKeys[0]?.descending }));
}

/** @param what the index. */
function stillBuilding(what: string): Problem {
  return new Problem('unindexed_sort', `${what} is still being built: try again in a moment`);
}

function unindexed(error: string, message: string): Problem {
  const errors = [{ pointer: '/sortby', code: 'unindexed_sort', message: error }];
  return new Problem('unindexed_sort', message, { errors });
}

// The request of `sortby=customer_id.tier`: an order by fields of the record that a lookup points to.

/** Before the definition of the other entity is read. */
interface LookupSortRequest {
  readonly field: string;
  /** `sortby` and `sortdir` as a list of the other records would take them. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly isWhole: boolean;
}

/** The same for one request. */
export interface LookupSort extends Pick<LookupSortRequest, 'field'> {
  readonly entity: CompiledEntity;
  readonly sortKeys: readonly OrderedField[];
  readonly descending: boolean;
  /** Conditions that each of them meets to which a record of the answer points. */
  readonly implied: readonly Filter[];
}

/** Undefined where all names are those of fields of the entity itself. */
function readLookupSort(
  { entity, isWhole = false }: SortedList,
  names: readonly string[],
  sortdir: string | undefined,
): LookupSortRequest | SortRefusal | undefined {
  const paths = names.map((name) => name.split('.'));
  const [lookup] = paths.find(({ length }) => length > 1) ?? [];
  if (lookup === undefined) return undefined;
  const field = fieldName(entity, lookup);
  const definition = entity.fields.get(field)?.definition;
  const shown = lookup.slice(0, 100);
  if (definition === undefined || lookupOf(definition) === undefined)
    return { code: 'unknown_field', message: `entity \`${entity.name}\` has no lookup \`${shown}\`` };
  if (isLookupList(definition))
    return { code: 'not_sortable', message: `\`${shown}\` holds several records, and none of them orders a list` };
  if (paths.some(([name = '', member]) => member === undefined || fieldName(entity, name) !== field)) {
    const message = `no index has the order of fields of the record that \`${shown}\` points to together with others: sort by those alone`;
    return { code: 'contradiction', message };
  }
  if (paths.some(({ length }) => length > 2))
    return { code: 'not_sortable', message: `\`sortby\` follows \`${shown}\` one step, to fields of the other record` };
  const parameters = new Map([['sortby', paths.map(([, member]) => member).join()]]);
  if (sortdir !== undefined) parameters.set('sortdir', sortdir);
  return { field, parameters, isWhole };
}
