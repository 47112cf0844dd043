import type { FieldDefinition } from '../definition.ts';
import { arrayType } from './array.ts';
import { autoincrementType } from './autoincrement.ts';
import { encryptedType } from './encrypted.ts';
import type { FieldBehaviour, FieldType } from './field-type.ts';
import { formulaType } from './formula.ts';
import { plainTypes } from './plain-types.ts';
import { stringType } from './string.ts';

/** Every `colType` there is. A new one is its file and its line here, or among the plain ones. */
export const fieldTypes: ReadonlyMap<string, FieldType> = new Map(
  [...plainTypes, arrayType, formulaType, autoincrementType, encryptedType].map((type) => [type.colType, type]),
);

/** Those that a definition may not have yet, and that are not simply unknown. */
export const plannedTypes: readonly unknown[] = ['file'];

interface Typed {
  readonly colType?: string;
}

/** The `colType` of a field whose definition may leave it out. */
export function colTypeOf({ colType = stringType.colType }: Typed): string {
  return colType;
}

/** @param field one of an accepted definition; anything else is a fault of ours. */
export function fieldTypeOf(field: Typed): FieldType {
  const type = fieldTypes.get(colTypeOf(field));
  if (type === undefined) throw new TypeError(`there is no colType ${field.colType}`);
  return type;
}

/** What a field does with values, or what is wrong with its hints, after "field `x` ". */
export function behaviourOf(field: FieldDefinition): FieldBehaviour | string {
  const { encode, isComputed, isNumbered, isSecret, behave } = fieldTypeOf(field);
  const behaviour = behave(field);
  return typeof behaviour === 'string' ? behaviour : { ...behaviour, encode, isComputed, isNumbered, isSecret };
}
