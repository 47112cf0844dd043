import { guid, type JsonSchema, time } from '../../lib/json-schema.ts';
import type { CompiledField } from '../../schema/port.ts';

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
