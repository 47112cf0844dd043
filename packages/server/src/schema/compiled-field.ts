import type { FieldDefinition } from './definition.ts';
import type { ReadableFields } from './field-types/computed/readable-fields.ts';
import { type FieldBehaviour, isPlatformMade } from './field-types/field-type.ts';
import { behaviourOf, fieldTypeOf } from './field-types/registry.ts';

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
  return { name: definition.name, required: isRequired(definition), definition, behaviour };
}

/** Whether each write that makes a record must give the field a value. */
export function isRequired(field: FieldDefinition): boolean {
  return !isPlatformMade(fieldTypeOf(field)) && field.validate === true && field.required !== false;
}
