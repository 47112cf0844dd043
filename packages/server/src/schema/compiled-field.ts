import type { FieldDefinition } from './definition.ts';
import type { ReadableFields } from './field-types/computed/readable-fields.ts';
import { type FieldBehaviour, isPlatformMade } from './field-types/field-type.ts';
import { behaviourOf } from './field-types/registry.ts';

/** A field of a definition, with what its type does. */
export interface CompiledField {
  readonly name: string;
  readonly required: boolean;
  readonly definition: FieldDefinition;
  readonly behaviour: FieldBehaviour;
}

/** @param definition one that `parseDefinition` accepted; anything else is a fault of ours. */
export function compileField(definition: FieldDefinition, fields: ReadableFields): CompiledField {
  const behaviour = behaviourOf(definition, fields);
  if (typeof behaviour === 'string') throw new TypeError(`field ${definition.name} does not compile`);
  const mayBeRequired = !isPlatformMade(behaviour);
  const required = mayBeRequired && definition.validate === true && definition.required !== false;
  return { name: definition.name, required, definition, behaviour };
}
