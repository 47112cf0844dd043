import { guid, type JsonSchema, time } from '../../lib/json-schema.ts';
import { apiNamesOf, type CompiledField } from '../../schema/port.ts';

/** What the platform sets on every record. */
export const platformFieldSchemas: Readonly<Record<string, JsonSchema>> = {
  id: guid,
  created_at: time,
  updated_at: time,
  created_by: guid,
  updated_by: guid,
  version: { type: 'integer', description: 'Increases with every write of the record.' },
};

/** What a field of the entity's own holds, with what its builder says of it. */
export function fieldSchema({ behaviour, definition }: CompiledField): JsonSchema {
  const { description } = definition;
  return description === undefined ? behaviour.schema : { ...behaviour.schema, description };
}

/** The same under each name of the field: its own, and those by which older clients know it. */
export function underEachName(
  { definition }: CompiledField,
  schema: JsonSchema,
): readonly (readonly [name: string, schema: JsonSchema])[] {
  const { name } = definition;
  return apiNamesOf(definition).map((one) => [one, one === name ? schema : asAlias(schema, name)]);
}

export function asAlias(schema: JsonSchema, name: string): JsonSchema {
  return { ...schema, deprecated: true, description: `Another name of \`${name}\`.` };
}
