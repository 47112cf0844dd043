import type { FieldDefinition } from './definition.ts';
import type { FieldBehaviour } from './field-types/field-type.ts';
import { fieldTypes } from './field-types/registry.ts';

/** A field of a definition, with what its type does. */
export interface CompiledField {
  readonly name: string;
  readonly required: boolean;
  readonly definition: FieldDefinition;
  readonly behaviour: FieldBehaviour;
}

/** @param definition one that `parseDefinition` accepted; anything else is a fault of ours. */
export function compileField(definition: FieldDefinition): CompiledField {
  const behaviour = fieldTypes.get(definition.colType ?? 'string')?.behave(definition);
  if (behaviour === undefined || typeof behaviour === 'string')
    throw new TypeError(`field ${definition.name} does not compile`);
  const mayBeRequired = !isPlatformMade({ behaviour });
  const required = mayBeRequired && definition.validate === true && definition.required !== false;
  return { name: definition.name, required, definition, behaviour };
}

/** Whether the platform gives the field its value, so that no client sends one. */
export function isPlatformMade({ behaviour }: Pick<CompiledField, 'behaviour'>): boolean {
  return behaviour.compute !== undefined || behaviour.isNumbered === true;
}
