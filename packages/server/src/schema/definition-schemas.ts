import { arrayOf, closedObjectOf, type JsonSchema, type ObjectSchema, text } from '../lib/json-schema.ts';
import { definitionLimits, type OnDelete, ownerDefaults } from './definition.ts';
import { formulaTypes } from './field-types/formula.ts';
import { colTypeOf, fieldTypes } from './field-types/registry.ts';

const flag: JsonSchema = { type: 'boolean' };
const number: JsonSchema = { type: 'number' };
const length: JsonSchema = { type: 'integer', minimum: 0 };
const fieldName: JsonSchema = { ...text, pattern: '^[A-Za-z][A-Za-z0-9_]{0,62}$' };
const lowerCaseName: JsonSchema = { ...text, pattern: '^[a-z][a-z0-9_]{0,62}$' };
const template: JsonSchema = { ...text, minLength: 1, maxLength: 256 };
const colType: JsonSchema = { ...text, enum: [...fieldTypes.keys()], default: colTypeOf({}) };
const expression: JsonSchema = { ...text, maxLength: 1000, description: 'An expression in CEL over the fields.' };
const enumValues: JsonSchema = {
  ...listOf({ ...text, minLength: 1, maxLength: 256 }, definitionLimits.enumValuesMax),
  uniqueItems: true,
};

/** The common part of a field and the elements of an array. */
const valueHints = {
  colType,
  minlength: length,
  maxlength: length,
  min: number,
  max: number,
  enumValues,
  pattern: { ...text, maxLength: 512, description: 'A regular expression of the syntax that RE2 has.' },
};

/**
 * The shapes of an entity definition. Which hints go with which `colType`, and what members say about each other, is
 * more than a schema holds: a definition that fits may still be refused, with a pointer to each mistake.
 * @param referTo how a schema refers to another of them, by its name.
 */
export function definitionSchemas(referTo: (name: string) => JsonSchema) {
  return {
    EntityDefinition: entityDefinition(referTo),
    FieldDefinition: fieldDefinition(),
    Views: {
      type: 'object',
      maxProperties: 20,
      propertyNames: lowerCaseName,
      additionalProperties: closedObjectOf({ fields: listOf(referTo('ViewField'), 200) }),
    },
    ViewField: closedObjectOf(
      {
        name: fieldName,
        as: fieldName,
        cast: { ...text, enum: ['string', 'number', 'integer', 'boolean'] },
        lookup: closedObjectOf({ view: lowerCaseName, as: fieldName }),
      },
      ['as', 'cast', 'lookup'],
    ),
  } satisfies Readonly<Record<string, JsonSchema>>;
}

function entityDefinition(referTo: (name: string) => JsonSchema): ObjectSchema {
  const templates = { gpkTemplate: template, gskTemplate: template };
  const ownerIndex = closedObjectOf(
    { ownerFieldName: fieldName, ...templates, scopeList: flag, default: { ...text, enum: ownerDefaults } },
    ['scopeList', 'default'],
  );
  const uniqueIndex = closedObjectOf(
    {
      indexName: { ...text, pattern: '^[A-Za-z][A-Za-z0-9_-]{0,62}$' },
      fields: listOf(fieldName, 5),
      ignoreCase: flag,
    },
    ['ignoreCase'],
  );
  const compoundIndex = closedObjectOf({
    fields: {
      ...listOf({ ...text, pattern: '^-?[A-Za-z][A-Za-z0-9_]{0,62}$' }, definitionLimits.compoundFieldsMax),
      minItems: 2,
      description: 'Names of fields; `-` before a name is a descending order.',
      examples: [['status', '-minutes']],
    },
  });
  const aggregate = closedObjectOf({
    name: { ...text, pattern: '^[A-Za-z][A-Za-z0-9_-]{0,62}$' },
    group: { ...listOf(fieldName, definitionLimits.aggregateFieldsMax), description: 'Names of fields.' },
    measures: {
      ...listOf(
        { ...text, pattern: '^(count|(sum|avg):[A-Za-z][A-Za-z0-9_]{0,62})$' },
        definitionLimits.aggregateMeasuresMax,
      ),
      description: '`count`, and `sum:<field>` and `avg:<field>` of `integer` fields.',
      examples: [['count', 'sum:minutes']],
    },
  });
  const members = {
    apiname: {
      ...text,
      pattern: '^[A-Za-z0-9._~-]{1,512}$',
      description: 'The name under which the entity was created, where it is not `create-` and the name of the entity.',
    },
    baseKeys: closedObjectOf({ pkTemplate: template, skTemplate: template }),
    UpdateParams: { ...arrayOf(referTo('FieldDefinition')), maxItems: definitionLimits.fieldsMax },
    ownerIndexes: { ...arrayOf(ownerIndex), maxItems: 5 },
    parentIndex: closedObjectOf({ parentFieldName: fieldName, ...templates }),
    UniqueIndexes: { ...arrayOf(uniqueIndex), maxItems: 10 },
    indexes: {
      ...arrayOf(compoundIndex),
      maxItems: definitionLimits.compoundIndexesMax,
      description: 'Indexes in the order of several fields. Each serves lists in that order and in its reverse.',
    },
    aggregates: {
      ...arrayOf(aggregate),
      maxItems: definitionLimits.aggregatesMax,
      description: 'Figures of groups that are kept as records are written, so that questions for them read no record.',
    },
    Views: referTo('Views'),
    checks: {
      ...listOf(closedObjectOf({ cel: expression, message: { ...text, minLength: 1, maxLength: 500 } }), 20),
      minItems: 0,
      description:
        'Conditions over the fields, in CEL. A write that leaves a record without one is refused with its message.',
    },
  };
  return closedObjectOf({ entityName: lowerCaseName, ...members }, Object.keys(members));
}

function fieldDefinition(): JsonSchema {
  const hints = {
    ...valueHints,
    validate: {
      ...flag,
      description: 'Switches on the checks: whether a value is required, lengths, bounds, pattern.',
    },
    required: { ...flag, default: true },
    default: { not: { type: 'null' }, description: 'The value of a new record that comes without one.' },
    backfill: {
      ...expression,
      description:
        'In CEL over the other fields: gives a value to records that stand without one when the field comes.',
    },
    index: { ...flag, description: 'Lists can be sorted by the field, and filtered without reading other records.' },
    search: { ...flag, description: 'The words of the field are found by `q`.' },
    aliases: {
      ...arrayOf(fieldName),
      maxItems: definitionLimits.aliasesMax,
      description: 'Other names by which callers read and write the field, as after a rename.',
    },
    formerNames: {
      ...arrayOf(fieldName),
      description: 'Names that the field had. The platform keeps them: policies that use one are about the field.',
    },
    storedAs: {
      ...text,
      description: 'The name under which records have the value, where it is another one. The platform keeps it.',
    },
    convert: {
      anyOf: [{ ...expression, description: 'In CEL over the field as it is: its value of another type.' }, conversion],
      description: 'Sent as an expression in a change. The platform keeps what the values are converted from.',
    },
    description: { ...text, maxLength: 2000 },
    formula: {
      anyOf: [
        { ...text, maxLength: 1000, description: 'A text, in which each field in braces is replaced by its value.' },
        closedObjectOf({ cel: expression, type: { ...text, enum: formulaTypes } }),
      ],
      examples: ['{title}-{score}', { cel: 'minutes * rate / 60', type: 'number' }],
    },
    items: closedObjectOf({ ...valueHints, lookup: lookupTo(['restrict', 'setnull']) }, [
      ...Object.keys(valueHints),
      'lookup',
    ]),
    lookup: lookupTo(['restrict', 'cascade', 'setnull']),
  };
  return closedObjectOf({ name: fieldName, ...hints }, Object.keys(hints));
}

const conversion = closedObjectOf({
  cel: expression,
  from: closedObjectOf(
    {
      name: fieldName,
      storedAs: text,
      colType,
      items: { type: 'object', additionalProperties: true },
      lookup: { type: 'object', additionalProperties: true },
      convert: { type: 'object', additionalProperties: true },
    },
    ['colType', 'items', 'lookup', 'convert'],
  ),
});

function lookupTo(onDelete: readonly OnDelete[]): JsonSchema {
  return closedObjectOf({ entity: text, onDelete: { ...text, enum: onDelete } }, ['onDelete']);
}

function listOf(items: JsonSchema, maxItems: number): JsonSchema {
  return { ...arrayOf(items), minItems: 1, maxItems };
}
