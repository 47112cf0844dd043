import { ExpressionLanguage } from '../../expressions/port.ts';
import type { FieldDefinition } from '../definition.ts';
import { apiNamesOf, namesByAlias } from '../field-names.ts';
import { arrayType } from './array.ts';
import { autoincrementType } from './autoincrement.ts';
import { type ExpressionValue, textInExpressions } from './computed/expression-value.ts';
import type { ReadableFields } from './computed/readable-fields.ts';
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

/** The type whose values the field holds. */
export function storedTypeOf(field: FieldDefinition): FieldType {
  const type = fieldTypeOf(field);
  const colType = type.storedAs?.(field);
  return colType === undefined ? type : fieldTypeOf({ colType });
}

/** The `id` and the fields of a catalog that expressions may read: none that is computed, and none without a place in CEL. */
export function readableFields(
  catalog: readonly FieldDefinition[],
  isReadable: (type: FieldType) => boolean = () => true,
): ReadableFields {
  const values = new Map([['id', textInExpressions]]);
  for (const field of catalog) {
    const type = fieldTypeOf(field);
    const value = type.inExpressions?.(field);
    if (value === undefined || !isReadable(type)) continue;
    for (const name of apiNamesOf(field)) values.set(name, value);
  }
  const language = new ExpressionLanguage(new Map([...values].map(([name, { type }]) => [name, type])));
  return { values, language, aliases: namesByAlias(catalog) };
}

/** How the stored values of a field stand in expressions, also computed ones; undefined where they have no place in CEL. */
export function storedInExpressions(field: FieldDefinition): ExpressionValue | undefined {
  const type = storedTypeOf(field);
  return type === formulaType ? textInExpressions : type.inExpressions?.(field);
}

/**
 * What a field does with values, or what is wrong with its hints, after "field `x` ".
 * @param fields what its expression may read; a formula in CEL computes nothing without them.
 */
export function behaviourOf(field: FieldDefinition, fields?: ReadableFields): FieldBehaviour | string {
  const { isComputed, isNumbered, isSecret, behave } = fieldTypeOf(field);
  const { encode } = storedTypeOf(field);
  const behaviour = behave(field, fields);
  return typeof behaviour === 'string' ? behaviour : { ...behaviour, encode, isComputed, isNumbered, isSecret };
}
