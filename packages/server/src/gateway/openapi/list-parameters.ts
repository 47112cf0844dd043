import type { CompiledEntity, CompiledField } from '../../entities/compile-entity.ts';
import { operators } from '../../entities/filter.ts';
import { type JsonSchema, schemaReference, text } from './json-schema.ts';
import type { Parameter } from './operation.ts';
import { queryParameter } from './parameters.ts';

/** What the filters of all entities share. */
export const filterSchemas: Readonly<Record<string, JsonSchema>> = {
  Filter: {
    ...text,
    description:
      'A value of the field; with `in` and `between` several, with commas between them; with `exists` `true` or `false`.',
  },
  FilterOperator: { ...text, enum: operators, default: 'eq' },
};

/** `<field>` and `<field>_op` of every field that records can be chosen by. */
export function filterParameters(entity: CompiledEntity): readonly Parameter[] {
  const own = [...entity.fields.values()].filter(isFilterable).map(({ name }) => name);
  return [...own, ...platformFilters].flatMap((name) => [
    queryParameter(name, schemaReference('Filter')),
    queryParameter(`${name}_op`, schemaReference('FilterOperator')),
  ]);
}

const platformFilters = ['id', 'created_at', 'updated_at', 'created_by', 'updated_by'];

function isFilterable({ behaviour }: CompiledField): boolean {
  return behaviour.parseQuery !== undefined;
}

export const nexttoken = queryParameter('nexttoken', text, 'From the page before.');

/** The order of a list and the part of it that is wanted. */
export function pageParameters(entity: CompiledEntity): readonly Parameter[] {
  return [
    queryParameter('sortby', { ...text, enum: sortFields(entity) }),
    queryParameter('sortdir', { ...text, enum: ['asc', 'desc'] }, 'Ascending with `sortby`, else newest first.'),
    queryParameter('pagesize', { type: 'integer', minimum: 1, maximum: 200, default: 20 }),
    nexttoken,
  ];
}

function sortFields(entity: CompiledEntity): readonly string[] {
  return [...new Set(['created_at', 'id', ...entity.indexes.map(({ field }) => field)])];
}
