import type { CompiledEntity, CompiledField } from '../../entities/compile-entity.ts';
import {
  arrayOf,
  closedObjectOf,
  guid,
  type JsonSchema,
  objectOf,
  orNull,
  schemaReference,
  text,
  time,
} from './json-schema.ts';
import type { TypeNames } from './type-names.ts';

/** An entity as a document tells it. */
export interface DocumentedEntity {
  readonly entity: CompiledEntity;
  readonly names: TypeNames;
}

const version: JsonSchema = { type: 'integer', description: 'Grows with every write of the record.' };

/** What every record has. */
const platformFields: Readonly<Record<string, JsonSchema>> = {
  id: guid,
  created_at: time,
  updated_at: time,
  created_by: guid,
  updated_by: guid,
  version,
};

/** Schemas that the operations of all entities share. */
export const recordSchemas: Readonly<Record<string, JsonSchema>> = {
  RecordId: objectOf({ id: guid }),
  RecordCount: objectOf(
    { count: { type: 'integer' }, nexttoken: { ...text, description: 'Where the count goes on.' } },
    ['nexttoken'],
  ),
};

/** What an entity's operations take and give. */
export function entitySchemas({ entity, names }: DocumentedEntity): Readonly<Record<string, JsonSchema>> {
  return {
    [names.record]: recordSchema(entity),
    [names.create]: createSchema(entity),
    [names.update]: updateSchema(entity),
    [names.page]: objectOf({ items: arrayOf(schemaReference(names.record)), nexttoken: orNull(text) }),
  };
}

/** A record that was written under an earlier definition may lack any field, so none of the entity's own is required. */
function recordSchema(entity: CompiledEntity): JsonSchema {
  const shown = fieldsOf(entity, (field) => field.behaviour.isSecret !== true);
  const own = shown.map(
    (field) => [field.name, isMade(field) ? { ...told(field), readOnly: true } : told(field)] as const,
  );
  const platform = Object.entries(platformFields).map(
    ([name, schema]) => [name, { ...schema, readOnly: true }] as const,
  );
  return objectOf(
    Object.fromEntries([...own, ...platform]),
    own.map(([name]) => name),
  );
}

function createSchema(entity: CompiledEntity): JsonSchema {
  const sent = fieldsOf(entity, (field) => !isMade(field));
  const optional = sent.filter((field) => !field.required || field.definition.default !== undefined);
  const properties = sent.map((field) => [field.name, { ...sendable(field), ...byDefault(field) }]);
  return closedObjectOf(
    Object.fromEntries(properties),
    optional.map(({ name }) => name),
  );
}

/** The platform's fields may be sent as they stand, so that a record can be read, edited and put back. */
function updateSchema(entity: CompiledEntity): JsonSchema {
  const sent = fieldsOf(entity, (field) => !isMade(field));
  const properties = { ...Object.fromEntries(sent.map((field) => [field.name, sendable(field)])), ...platformFields };
  return closedObjectOf(properties, Object.keys(properties));
}

function fieldsOf(entity: CompiledEntity, holds: (field: CompiledField) => boolean): readonly CompiledField[] {
  return [...entity.fields.values()].filter(holds);
}

/** Whether the platform makes the value, so that a client never sends it. */
function isMade({ behaviour }: CompiledField): boolean {
  return behaviour.compute !== undefined || behaviour.isNumbered === true;
}

/** What may be sent: `null` is no value, and only a required field must have one. */
function sendable(field: CompiledField): JsonSchema {
  const schema = field.required ? told(field) : orNull(told(field));
  return field.behaviour.isSecret === true ? { ...schema, writeOnly: true } : schema;
}

function byDefault({ definition }: CompiledField): JsonSchema {
  return definition.default === undefined ? {} : { default: definition.default };
}

function told({ behaviour, definition }: CompiledField): JsonSchema {
  const { description } = definition;
  return description === undefined ? behaviour.schema : { ...behaviour.schema, description };
}
