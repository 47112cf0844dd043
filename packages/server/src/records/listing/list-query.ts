import type { InputError } from '@freehold/contract/problem';
import { invalidInput, Problem } from '../../lib/problem.ts';
import {
  type CompiledEntity,
  fieldName,
  isSharedParameter,
  isValueProblem,
  namedBehaviour,
} from '../../schema/port.ts';
import type { FilterExpression } from '../filtering/filter-language.ts';
import { readSearch, type SearchTest, wordsOf } from '../search/words.ts';
import { type Filter, type FilterOperator, operators, readFilter } from './filter.ts';
import { isParameter, type ListRoute, nameIn, parameter, parameterMistake, withPlainNames } from './list-parameters.ts';
import { type AddSortError, type LookupSort, orderText, readSort, type Sort } from './planning/read-sort.ts';

/** A list or count request, read and checked against the entity. */
export interface ListQuery extends Sort {
  readonly filters: readonly Filter[];
  /** Whose records are asked for; the filters hold it too. */
  readonly owner: string | undefined;
  /** Whether the records of all owners are asked for, where a list would show the caller's own. */
  readonly all: boolean;
  readonly search: SearchTest | undefined;
  readonly filter?: string | undefined;
  /** The same, made ready for a request. */
  readonly expression?: FilterExpression;
  /** The order over a lookup, made ready for a request. */
  readonly lookupSort?: LookupSort;
  readonly view: string | undefined;
  /** The members that a reply is to have of the view, with commas between them. */
  readonly fields: string | undefined;
  readonly wantsTotal: boolean;
  readonly wantsExplanation: boolean;
  /** The members shown beside each record, as they were sent. */
  readonly expand: string | undefined;
  readonly pageSize: number;
  readonly nexttoken: string | undefined;
  /** The aliases that the request uses, by the fields that they mean. */
  readonly sentAs: ReadonlyMap<string, string>;
  /** The filters and the order in one spelling: what a cursor of this query is bound to. */
  readonly canonical: string;
}

const pageSizeMax = 200;
const pageSizeDefault = 20;
const filtersMax = 20;

/** The meaning of parameters, cached as long as their reader keeps them. */
const readBefore = new WeakMap<
  ReadonlyMap<string, string>,
  { readonly entity: CompiledEntity; readonly route: ListRoute; readonly query: ListQuery }
>();

/** @param sent the query string's parameters, each at most once. @throws Problem naming every wrong one. */
export function readListQuery(
  entity: CompiledEntity,
  sent: ReadonlyMap<string, string>,
  route: ListRoute = 'list',
): ListQuery {
  const before = readBefore.get(sent);
  if (before?.entity === entity && before.route === route) return before.query;
  const query = checkListQuery(entity, withPlainNames(sent, entity), route);
  readBefore.set(sent, { entity, route, query });
  return query;
}

function checkListQuery(entity: CompiledEntity, parameters: ReadonlyMap<string, string>, route: ListRoute): ListQuery {
  const errors: InputError[] = [];
  const add = (name: string, code: string, message: string): void => {
    errors.push({ pointer: `/${name}`, code, message });
  };
  const search = readSearchTest(entity, parameters.get('q'), add);
  const filters = readFilters({ entity, parameters, route }, add);
  const isField = (name: string): boolean => namedBehaviour(entity, name) !== undefined;
  const sort = readSort({ entity, filters, isField, isWhole: route === 'export' }, parameters, add);
  const pageSize = readPageSize(parameters.get('pagesize'), add);
  const all = readAll(entity, parameters, add);
  const wantsTotal = readFlag('total', { entity, parameters }, add);
  const wantsExplanation = readFlag('explain', { entity, parameters }, add);
  const fields = parameter({ parameters, entity }, 'fields');
  const owner = parameters.get('owner');
  const view = parameters.get('view');
  const expand = parameter({ parameters, entity }, 'expand');
  const filter = parameter({ parameters, entity }, 'filter');
  if (errors.length > 0) throw invalidInput('invalid_request', errors);
  const canonical = JSON.stringify([
    filters.map(({ field, operator, values }) => [field, operator, values]).sort(),
    orderText(sort),
    sort.descending,
    all,
    search?.query ?? null,
    ...(filter === undefined ? [] : [filter]),
  ]);
  const nexttoken = parameters.get('nexttoken');
  return {
    filters,
    owner,
    all,
    search,
    filter,
    view,
    fields,
    expand,
    wantsTotal,
    wantsExplanation,
    ...sort,
    pageSize,
    nexttoken,
    sentAs: aliasesIn(entity, [...parameters.keys(), ...sortedBy(parameters)]),
    canonical,
  };
}

/** The fields of the entity itself by which a list is sorted, as they are named. */
function sortedBy(parameters: ReadonlyMap<string, string>): readonly string[] {
  const names = parameters.get('sortby')?.split(',') ?? [];
  return names.map((name) => name.split('.', 1).join());
}

const noAliases: ListQuery['sentAs'] = new Map();

function aliasesIn({ aliases }: CompiledEntity, names: readonly string[]): ListQuery['sentAs'] {
  if (aliases.size === 0) return noAliases;
  const used = new Map<string, string>();
  for (const name of names) {
    const field = aliases.get(name);
    if (field !== undefined) used.set(field, name);
  }
  return used;
}

interface SentQuery {
  readonly entity: CompiledEntity;
  readonly parameters: ReadonlyMap<string, string>;
  readonly route: ListRoute;
}

function readFilters({ entity, parameters, route }: SentQuery, add: AddSortError): readonly Filter[] {
  const filters: Filter[] = [];
  for (const [name, text] of parameters) {
    const filter = parameterMistake(entity, route, name) ?? parameterFilter(entity, parameters, { name, text });
    if (filter === undefined) continue;
    if ('message' in filter) add(name, filter.code, filter.message);
    else filters.push(filter);
  }
  if (filters.length > filtersMax) add('', 'too_many', `at most ${filtersMax} filters are taken at once`);
  return filters;
}

/** The filter that a parameter sets, or what is wrong with it; undefined for a parameter that sets none by itself. */
export function parameterFilter(
  entity: CompiledEntity,
  parameters: ReadonlyMap<string, string>,
  parameter: { readonly name: string; readonly text: string },
): Filter | QueryRefusal | undefined {
  if (parameter.name === 'owner') return readOwner(entity, parameter.text);
  return isParameter(entity, parameter.name) ? undefined : filterOf(entity, parameters, parameter);
}

/** `owner` is of the index that scopes lists, or of the first. */
function readOwner(entity: CompiledEntity, owner: string): Filter | QueryRefusal {
  const field = entity.scopedBy ?? entity.definition.ownerIndexes?.[0]?.ownerFieldName;
  if (field === undefined)
    return {
      code: 'no_owner_index',
      message: `\`owner\` needs an owner index, and entity \`${entity.name}\` has none`,
    };
  return namedFilter(entity, field, { operator: 'eq', text: owner });
}

/** The records whose field has a text, as far as the field can be looked for by it. */
export function equalityFilter(entity: CompiledEntity, field: string, text: string): Filter | undefined {
  const isAlike = (name: string): boolean => name.toLowerCase() === field.toLowerCase();
  // If several names are alike, a record may be the caller's by either.
  if (!entity.fields.has(field) || [...entity.fields.keys()].filter(isAlike).length > 1) return undefined;
  if (namedBehaviour(entity, field)?.encode === undefined) return undefined;
  const filter = namedFilter(entity, field, { operator: 'eq', text });
  return 'message' in filter ? undefined : filter;
}

/** The records of one owner, by an owner field that the definition names. */
export function ownerFilter(entity: CompiledEntity, field: string, userId: string): Filter {
  const filter = namedFilter(entity, field, { operator: 'eq', text: userId });
  if ('message' in filter) throw new TypeError(`${field} takes no user id`);
  return filter;
}

function readAll(entity: CompiledEntity, parameters: ReadonlyMap<string, string>, add: AddSortError): boolean {
  const text = parameters.get('all');
  if (text === undefined || text === 'false') return false;
  if (text !== 'true') add('all', 'wrong_type', '`all` must be `true` or `false`');
  else if (parameters.has('owner')) add('all', 'contradiction', '`all` and `owner` contradict each other');
  else if (entity.scopedBy === undefined)
    add('all', 'no_owner_index', `lists of entity \`${entity.name}\` show the records of all owners anyway`);
  return true;
}

function readFlag(name: 'total' | 'explain', sent: Omit<SentQuery, 'route'>, add: AddSortError): boolean {
  const text = parameter(sent, name);
  if (text === undefined || text === 'false') return false;
  if (text !== 'true') add(nameIn(sent.entity, name), 'wrong_type', `\`${name}\` must be \`true\` or \`false\``);
  return true;
}

/** @throws Problem `search_unavailable`. */
function readSearchTest(entity: CompiledEntity, q: string | undefined, add: AddSortError): SearchTest | undefined {
  if (q === undefined) return undefined;
  const fields = [...entity.fields.values()].filter(({ definition }) => definition.search === true);
  if (fields.length === 0)
    throw new Problem('search_unavailable', `entity \`${entity.name}\` has no field with \`search: true\``);
  const query = readSearch(q);
  if (typeof query !== 'string') return { query, fields: fields.map(({ name }) => name) };
  add('q', 'invalid_search', `\`q\` ${query}`);
  return undefined;
}

type QueryRefusal = { readonly code: string; readonly message: string };

/** `<field>=<value>` with `<field>_op=<operator>`, `eq` where it is left out. */
function filterOf(
  entity: CompiledEntity,
  parameters: ReadonlyMap<string, string>,
  parameter: { readonly name: string; readonly text: string },
): Filter | QueryRefusal | undefined {
  const { name, text } = parameter;
  if (name.endsWith('_op')) {
    const of = name.slice(0, -3);
    const isOfField = parameters.has(of) && !(isSharedParameter(of) && isParameter(entity, of));
    return isOfField ? undefined : { code: 'missing', message: `\`${name}\` is sent without its field` };
  }
  if (namedBehaviour(entity, name) === undefined)
    return {
      code: 'unknown_parameter',
      message: `\`${name.slice(0, 100)}\` is neither a parameter nor a field of \`${entity.name}\``,
    };
  const operator = parameters.get(`${name}_op`) ?? 'eq';
  if (!isOperator(operator))
    return { code: 'unknown_operator', message: `\`${name}_op\` must be one of ${operators.join(', ')}` };
  return namedFilter(entity, name, { operator, text });
}

/** A filter by a field as a parameter of a list would name it. */
export function namedFilter(
  entity: CompiledEntity,
  name: string,
  { operator, text }: { readonly operator: FilterOperator; readonly text: string },
): Filter | QueryRefusal {
  const behaviour = namedBehaviour(entity, name);
  if (behaviour === undefined) return { code: 'unknown_parameter', message: `there is no field \`${name}\`` };
  const filter = readFilter({ name: fieldName(entity, name), behaviour }, operator, text);
  return isValueProblem(filter) ? { code: filter.code, message: `field \`${name}\` ${filter.message}` } : filter;
}

/** The value of a parameter that sets no filter: words are folded, and a page size is a number. */
export function plainParameter({ name, text }: { readonly name: string; readonly text: string }): string | number {
  if (name === 'q') return wordsOf(text).join(' ');
  return name === 'pagesize' ? (pageSizeOf(text) ?? text) : text;
}

function pageSizeOf(text: string): number | undefined {
  const size = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  return size >= 1 && size <= pageSizeMax ? size : undefined;
}

function readPageSize(input: string | undefined, add: AddSortError): number {
  const size = input === undefined ? pageSizeDefault : pageSizeOf(input);
  if (size !== undefined) return size;
  add('pagesize', 'wrong_type', `\`pagesize\` must be a whole number from 1 to ${pageSizeMax}`);
  return pageSizeDefault;
}

function isOperator(text: string): text is FilterOperator {
  return (operators as readonly string[]).includes(text);
}
