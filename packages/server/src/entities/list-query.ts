import type { InputError } from '@freehold/contract/problem';
import { invalidInput, Problem } from '../lib/problem.ts';
import type { CompiledEntity } from './compile-entity.ts';
import { type FieldBehaviour, isValueProblem } from './field-types/field-type.ts';
import { guidType } from './field-types/guid.ts';
import { stringType } from './field-types/string.ts';
import { type Filter, type Operator, operators } from './filter.ts';
import { readFilter } from './read-filter.ts';

/** A list or count request, read and checked against the entity. */
export interface ListQuery {
  readonly filters: readonly Filter[];
  /** Undefined is the creation order, which is the order of the records' keys. */
  readonly sortField: string | undefined;
  readonly descending: boolean;
  readonly pageSize: number;
  readonly nexttoken: string | undefined;
  /** The filters and the order in one spelling: what a cursor of this query is bound to. */
  readonly canonical: string;
}

const pageSizeMax = 200;
const pageSizeDefault = 20;
const filtersMax = 20;

/** What parameters meant the last time, as long as whoever read them keeps them. */
const readBefore = new WeakMap<
  ReadonlyMap<string, string>,
  { readonly entity: CompiledEntity; readonly query: ListQuery }
>();

/** @param parameters the query string's parameters, each at most once. @throws Problem naming every wrong one. */
export function readListQuery(entity: CompiledEntity, parameters: ReadonlyMap<string, string>): ListQuery {
  const before = readBefore.get(parameters);
  if (before?.entity === entity) return before.query;
  const query = checkListQuery(entity, parameters);
  readBefore.set(parameters, { entity, query });
  return query;
}

function checkListQuery(entity: CompiledEntity, parameters: ReadonlyMap<string, string>): ListQuery {
  refuseUnbuilt(entity, parameters);
  const errors: InputError[] = [];
  const add = (name: string, code: string, message: string): void => {
    errors.push({ pointer: `/${name}`, code, message });
  };
  const filters: Filter[] = [];
  for (const [name, text] of parameters) {
    if (listParameters.includes(name)) continue;
    const filter = filterOf(entity, parameters, { name, text });
    if (filter === undefined) continue;
    if ('message' in filter) add(name, filter.code, filter.message);
    else filters.push(filter);
  }
  if (filters.length > filtersMax) add('', 'too_many', `a list takes at most ${filtersMax} filters`);
  const sort = readSort(entity, parameters, add);
  const pageSize = readPageSize(parameters.get('pagesize'), add);
  if (errors.length > 0) throw invalidInput('invalid_request', errors);
  const canonical = JSON.stringify([
    filters.map(({ field, operator, values }) => [field, operator, values]).sort(),
    sort.sortField ?? null,
    sort.descending,
  ]);
  return { filters, ...sort, pageSize, nexttoken: parameters.get('nexttoken'), canonical };
}

const listParameters = ['pagesize', 'nexttoken', 'sortby', 'sortdir', 'view'];

function refuseUnbuilt(entity: CompiledEntity, parameters: ReadonlyMap<string, string>): void {
  const name = entity.name;
  if (parameters.has('q'))
    throw new Problem('search_unavailable', `entity \`${name}\` has no field with \`search: true\``);
  for (const parameter of ['owner', 'all'])
    if (parameters.has(parameter))
      throw new Problem('invalid_request', `\`${parameter}\` needs an owner index, and entity \`${name}\` has none`);
  const view = parameters.get('view');
  if (view !== undefined && view !== 'default')
    throw new Problem('invalid_request', `entity \`${name}\` has no view \`${view.slice(0, 100)}\``);
}

type Refusal = { readonly code: string; readonly message: string };

/** `<field>=<value>` with `<field>_op=<operator>`, `eq` where it is left out. */
function filterOf(
  entity: CompiledEntity,
  parameters: ReadonlyMap<string, string>,
  parameter: { readonly name: string; readonly text: string },
): Filter | Refusal | undefined {
  const { name, text } = parameter;
  if (name.endsWith('_op')) {
    const isOfField = parameters.has(name.slice(0, -3));
    return isOfField ? undefined : { code: 'missing', message: `\`${name}\` stands without its field` };
  }
  const behaviour = behaviourOf(entity, name);
  if (behaviour === undefined)
    return {
      code: 'unknown_parameter',
      message: `\`${name.slice(0, 100)}\` is no parameter and no field of \`${entity.name}\``,
    };
  const operator = parameters.get(`${name}_op`) ?? 'eq';
  if (!isOperator(operator))
    return { code: 'unknown_operator', message: `\`${name}_op\` must be one of ${operators.join(', ')}` };
  const filter = readFilter({ name, behaviour }, operator, text);
  return isValueProblem(filter) ? { code: filter.code, message: `field \`${name}\` ${filter.message}` } : filter;
}

const text = { name: 'text' };
const platformBehaviours: ReadonlyMap<string, FieldBehaviour | string> = new Map([
  ['created_at', stringType.behave(text)],
  ['updated_at', stringType.behave(text)],
  ['id', guidType.behave(text)],
  ['created_by', guidType.behave(text)],
  ['updated_by', guidType.behave(text)],
]);

/** How a field's values are read and compared; the platform's own fields are texts and ids. */
function behaviourOf(entity: CompiledEntity, name: string): FieldBehaviour | undefined {
  const behaviour = entity.fields.get(name)?.behaviour ?? platformBehaviours.get(name);
  return typeof behaviour === 'string' ? undefined : behaviour;
}

type AddError = (name: string, code: string, message: string) => void;

function readSort(
  entity: CompiledEntity,
  parameters: ReadonlyMap<string, string>,
  add: AddError,
): { readonly sortField: string | undefined; readonly descending: boolean } {
  const sortby = parameters.get('sortby');
  const sortdir = parameters.get('sortdir');
  if (sortdir !== undefined && sortdir !== 'asc' && sortdir !== 'desc')
    add('sortdir', 'wrong_type', '`sortdir` must be `asc` or `desc`');
  if (sortby === undefined) return { sortField: undefined, descending: sortdir !== 'asc' };
  const descending = sortdir === 'desc';
  if (sortby === 'created_at' || sortby === 'id') return { sortField: undefined, descending };
  if (entity.indexes.some((index) => index.field === sortby)) return { sortField: sortby, descending };
  if (behaviourOf(entity, sortby) === undefined)
    add('sortby', 'unknown_field', `entity \`${entity.name}\` has no field \`${sortby.slice(0, 100)}\``);
  else
    throw new Problem('unindexed_sort', `field \`${sortby}\` has no index: give it \`index: true\` to sort by it`, {
      errors: [{ pointer: '/sortby', code: 'unindexed_sort', message: `field \`${sortby}\` has no index` }],
    });
  return { sortField: undefined, descending };
}

function readPageSize(input: string | undefined, add: AddError): number {
  if (input === undefined) return pageSizeDefault;
  const size = /^\d{1,3}$/.test(input) ? Number(input) : 0;
  if (size >= 1 && size <= pageSizeMax) return size;
  add('pagesize', 'wrong_type', `\`pagesize\` must be a whole number from 1 to ${pageSizeMax}`);
  return pageSizeDefault;
}

function isOperator(text: string): text is Operator {
  return (operators as readonly string[]).includes(text);
}
