import { type JsonSchema, objectOf, schemaReference, text } from '../../lib/json-schema.ts';
import { operators } from '../../records/port.ts';
import {
  apiNamesOf,
  type CompiledEntity,
  type CompiledField,
  fieldIndex,
  fieldName,
  fieldNamed,
  type ParameterName,
} from '../../schema/port.ts';
import { type Parameter, queryParameter } from './operation.ts';

/** The schemas that the filters of all entities share. */
export const filterSchemas: Readonly<Record<string, JsonSchema>> = {
  Filter: {
    ...text,
    description:
      'A value of the field; with `in` and `between` several, with commas between them; with `exists` `true` or `false`. An array is only asked for an element by `contains`, and for being there.',
  },
  FilterOperator: { ...text, enum: operators, default: 'eq' },
};

/** The parameters by which a list and a count choose records. */
export function choiceParameters(entity: CompiledEntity): readonly Parameter[] {
  const { ownerIndexes = [] } = entity.definition;
  const isSearchable = [...entity.fields.values()].some(({ definition }) => definition.search === true);
  const isScoped = ownerIndexes.some(({ scopeList }) => scopeList === true);
  return [
    ...filterParameters(entity),
    queryParameter(
      nameOf('filter', entity),
      { ...text, maxLength: 1000 },
      'A condition in CEL over the fields of a record.',
    ),
    ...(ownerIndexes.length > 0 ? [queryParameter('owner', text, 'The id of a user: that user’s records.')] : []),
    ...(isScoped ? [queryParameter('all', flag, 'The records of all owners, for callers who may browse them.')] : []),
    ...(isSearchable ? [queryParameter('q', text, 'Words that must all occur; the last one may be incomplete.')] : []),
  ];
}

export const flag: JsonSchema = { type: 'boolean' };

export const filterOperator = schemaReference('FilterOperator');

/** `<field>` and `<field>_op` of every field that there are filters on. */
function filterParameters(entity: CompiledEntity): readonly Parameter[] {
  const own = [...entity.fields.values()].filter(isFilterable).flatMap(({ definition }) => apiNamesOf(definition));
  return [...own, ...platformFilters].flatMap((name) => {
    const deprecated = entity.aliases.has(name) ? { deprecated: true as const } : {};
    return [
      { ...queryParameter(name, schemaReference('Filter'), `Chooses by \`${name}\`.`), ...deprecated },
      { ...queryParameter(`${name}_op`, filterOperator, `How \`${name}\` is compared.`), ...deprecated },
    ];
  });
}

const platformFilters = ['id', 'created_at', 'updated_at', 'created_by', 'updated_by'];

function isFilterable({ behaviour }: CompiledField): boolean {
  return behaviour.parseQuery !== undefined || behaviour.contains !== undefined;
}

/** Of an answer that the scan budget ended before it was whole. */
export const partial: JsonSchema = {
  const: true,
  description: 'The result is partial: the call reached its scan limit.',
};

export const partialReason: JsonSchema = {
  ...text,
  enum: ['records', 'time'],
  description: 'Which limit ended it: of the records that one call looks at, or of the time and work that it takes.',
};

/** @param entity that of a list; of an item no field is in the query. */
export function fieldsParameter(entity?: CompiledEntity): Parameter {
  const sentence =
    'The members of the view that a record is shown with, with commas between them. Those that identify it are always shown.';
  return queryParameter(nameOf('fields', entity), text, sentence);
}

export function totalParameter(entity: CompiledEntity): Parameter {
  return queryParameter(
    nameOf('total', entity),
    { ...flag, default: false },
    'Whether the page tells how many records the list has. It costs what a count costs.',
  );
}

export function explainParameter(entity: CompiledEntity): Parameter {
  return queryParameter(
    nameOf('explain', entity),
    { ...flag, default: false },
    'Whether the reply tells how its records or figures were found. For builders, and service keys that may read all of each record.',
  );
}

export const facetsParameter = queryParameter(
  'facets',
  text,
  'Up to 5 fields with commas between them: the first page tells how many records of the list have each of their values.',
);

/** A field keeps its name, and the parameter of that name has `$` before it. */
export function nameOf(name: ParameterName, entity: CompiledEntity | undefined): string {
  return entity !== undefined && fieldNamed(entity, name) !== undefined ? `$${name}` : name;
}

export const facetsPartial: JsonSchema = {
  ...text,
  enum: ['records', 'time', 'values'],
  description: 'The facets are not whole: which limit ended them. Of a field with too many values none is shown.',
};

export const total: JsonSchema = {
  description: 'How many records the list has; past the scan limit, how many at least.',
  anyOf: [{ type: 'integer', minimum: 0 }, objectOf({ atLeast: { type: 'integer', minimum: 0 } })],
};

export const nexttoken = queryParameter('nexttoken', text, 'The cursor of the previous page.');

export const pageSize = queryParameter(
  'pagesize',
  { type: 'integer', minimum: 1, maximum: 200, default: 20 },
  'How many items a page has at most.',
);

/** @param isWhole of an export, whose order an index has. */
export function orderParameters(entity: CompiledEntity, { isWhole = false } = {}): readonly Parameter[] {
  const isOfOne = isWhole && entity.compounds.length === 0;
  return [
    queryParameter(
      'sortby',
      sortSchema(entity, isWhole),
      isWhole
        ? 'The field that orders the records, or several with commas between them, by an index.'
        : 'The field that orders the list, or up to 4 with commas between them. Without an index on them the list has up to 100,000 records.',
    ),
    queryParameter(
      'sortdir',
      isOfOne ? { ...text, enum: ['asc', 'desc'] } : severalDirections,
      'The default is ascending with `sortby`, else the newest first.',
    ),
  ];
}

/** The parameters of an aggregate beside those that choose the records. */
export function aggregateParameters(entity: CompiledEntity): readonly Parameter[] {
  return [
    queryParameter(
      nameOf('group', entity),
      text,
      'Up to 5 fields with commas between them, also over a lookup, such as `customer_id.tier`; a time by a part of it, such as `month(created_at)`.',
    ),
    queryParameter(
      nameOf('measure', entity),
      { ...text, default: 'count' },
      'Up to 10 with commas between them: `count`, `sum:<field>`, `avg:<field>`, `min:<field>`, `max:<field>`, `distinct:<field>`.',
    ),
    queryParameter(
      nameOf('having', entity),
      { ...text, maxLength: 1000 },
      'A condition in CEL over the members of a group, such as `count > 5`.',
    ),
    queryParameter(
      nameOf('time_zone', entity),
      { ...text, default: 'UTC' },
      'The time zone of hours, days and so on, such as `Europe/Berlin`.',
    ),
    queryParameter('sortby', text, 'Names of members of a group, with commas between them, such as `sum_amount`.'),
    queryParameter('sortdir', manyDirections, 'One for all names or one for each. The default is ascending.'),
    queryParameter(
      'pagesize',
      { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
      'How many groups a page has at most.',
    ),
  ];
}

const manyDirections: JsonSchema = { ...text, pattern: '^(asc|desc)(,(asc|desc)){0,14}$' };

const severalDirections: JsonSchema = { ...text, pattern: '^(asc|desc)(,(asc|desc)){0,3}$' };

/** Which fields of the record that a lookup points to have an index is said by the parameters of its own entity. */
function sortSchema(entity: CompiledEntity, isWhole: boolean): JsonSchema {
  const own = { ...text, enum: isWhole ? [...indexedFields(entity), ...compoundOrders(entity)] : sortedFields(entity) };
  const lookups = [...entity.fields.values()].filter(({ definition }) => definition.lookup !== undefined);
  const member = `(${lookups.flatMap(({ definition }) => apiNamesOf(definition)).join('|')})\\.\\w+`;
  const patterns = [
    ...(isWhole ? [] : ['^\\w+(,\\w+){1,3}$']),
    ...(lookups.length === 0 ? [] : [`^${member}(,${member}){0,3}$`]),
  ];
  if (patterns.length === 0) return own;
  // Each has its type, without which generators take it for anything.
  return { ...text, anyOf: [own, ...patterns.map((pattern) => ({ ...text, pattern }))] };
}

/** Of each compound index the fields, and those that are left where filters fix the first to one value each. */
function compoundOrders(entity: CompiledEntity): readonly string[] {
  const single = indexedFields(entity);
  const orders = entity.compounds.flatMap(({ isReady, fields }) =>
    isReady
      ? fields.map((_, at) =>
          fields
            .slice(at)
            .map(({ field }) => field)
            .join(),
        )
      : [],
  );
  return [...new Set(orders)].filter((order) => !single.includes(order));
}

function indexedFields(entity: CompiledEntity): readonly string[] {
  return sortedFields(entity).filter(
    (name) => name === 'created_at' || name === 'id' || fieldIndex(entity, fieldName(entity, name))?.isReady === true,
  );
}

/** Those whose values have an order. */
function sortedFields(entity: CompiledEntity): readonly string[] {
  const own = [...entity.fields.values()].filter(({ behaviour }) => behaviour.encode !== undefined);
  const names = own.flatMap(({ definition }) => apiNamesOf(definition));
  return ['created_at', 'id', ...names, ...platformFilters.slice(2)];
}
