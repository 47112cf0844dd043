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
import type { Parameter } from './operation.ts';
import { queryParameter } from './parameters.ts';

/** What the filters of all entities share. */
export const filterSchemas: Readonly<Record<string, JsonSchema>> = {
  Filter: {
    ...text,
    description:
      'A value of the field; with `in` and `between` several, with commas between them; with `exists` `true` or `false`. An array is only asked for an element by `contains`, and for being there.',
  },
  FilterOperator: { ...text, enum: operators, default: 'eq' },
};

/** What a list and a count choose records by. */
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

/** @param entity that of a list; of an item no field stands in the query. */
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
    'Whether the reply tells how the records were found. For builders, and service keys that may read all of each record.',
  );
}

/** A field keeps its name, and the parameter of that name has `$` before it. */
export function nameOf(name: ParameterName, entity: CompiledEntity | undefined): string {
  return entity !== undefined && fieldNamed(entity, name) !== undefined ? `$${name}` : name;
}

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

export function orderParameters(entity: CompiledEntity): readonly Parameter[] {
  return [
    queryParameter(
      'sortby',
      sortSchema(entity),
      'The field that orders the list, or several with commas between them, if an index has their order.',
    ),
    queryParameter(
      'sortdir',
      entity.compounds.length === 0 ? { ...text, enum: ['asc', 'desc'] } : severalDirections,
      'The default is ascending with `sortby`, else the newest first.',
    ),
  ];
}

const severalDirections: JsonSchema = { ...text, pattern: '^(asc|desc)(,(asc|desc)){0,3}$' };

/** Which fields of the record that a lookup points to have an index is said by the parameters of its own entity. */
function sortSchema(entity: CompiledEntity): JsonSchema {
  const own = [...sortFields(entity), ...compoundOrders(entity)];
  const lookups = [...entity.fields.values()].filter(({ definition }) => definition.lookup !== undefined);
  if (lookups.length === 0) return { ...text, enum: own };
  const member = `(${lookups.flatMap(({ definition }) => apiNamesOf(definition)).join('|')})\\.\\w+`;
  // Each has its type, without which generators take it for anything.
  return {
    ...text,
    anyOf: [
      { ...text, enum: own },
      { ...text, pattern: `^${member}(,${member}){0,3}$` },
    ],
  };
}

/** Of each compound index the fields, and those that are left where filters fix the first to one value each. */
function compoundOrders(entity: CompiledEntity): readonly string[] {
  const single = sortFields(entity);
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

function sortFields(entity: CompiledEntity): readonly string[] {
  const names = [...entity.fields.values()].flatMap(({ definition }) => apiNamesOf(definition));
  const indexed = [...names, 'updated_at'].filter(
    (name) => fieldIndex(entity, fieldName(entity, name))?.isReady === true,
  );
  return ['created_at', 'id', ...indexed];
}
