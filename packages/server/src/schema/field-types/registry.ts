import { ExpressionLanguage, type ValueType } from '../../expressions/port.ts';
import { apiNamesOf, type FieldDefinition, fieldNamed, type NamedFields, namesByAlias } from '../definition.ts';
import { arrayType } from './array.ts';
import { autoincrementType } from './autoincrement.ts';
import { encryptedType } from './encrypted.ts';
import {
  type ExpressionValue,
  momentInExpressions,
  type ReadableFields,
  textInExpressions,
  wholeNumberInExpressions,
} from './expression-value.ts';
import { type FieldBehaviour, type FieldType, isPlatformMade } from './field-type.ts';
import { formulaType } from './formula.ts';
import { guidType } from './guid.ts';
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

/** The stored values of a field in expressions, also computed ones; undefined where they have no place in CEL. */
export function storedInExpressions(field: FieldDefinition): ExpressionValue | undefined {
  const type = storedTypeOf(field);
  return type === formulaType ? textInExpressions : type.inExpressions?.(field);
}

/**
 * The behaviour of a field, or the mistake in its hints, after "field `x` ".
 * @param fields what its expression may read; a formula in CEL computes nothing without them.
 */
export function behaviourOf(field: FieldDefinition, fields?: ReadableFields): FieldBehaviour | string {
  const { isComputed, isNumbered, isSecret, behave } = fieldTypeOf(field);
  const { encode } = storedTypeOf(field);
  const behaviour = behave(field, fields);
  return typeof behaviour === 'string' ? behaviour : { ...behaviour, encode, isComputed, isNumbered, isSecret };
}

/** The types, in expressions, of the fields that the platform sets of each record. */
export const platformValues = {
  id: textInExpressions,
  created_at: momentInExpressions,
  updated_at: momentInExpressions,
  created_by: textInExpressions,
  updated_by: textInExpressions,
} as const satisfies Readonly<Record<string, ExpressionValue>>;

const platformTypes = [
  ...Object.entries(platformValues).map(([name, { type }]) => [name, type] as const),
  ['version', wholeNumberInExpressions.type] as const,
];

/** The type of a record in templates, by all names of its fields; a field without a place in CEL is any JSON. */
export function recordType(catalog: readonly FieldDefinition[]): ValueType {
  const own = catalog.flatMap((field) => {
    const type = storedInExpressions(field)?.type ?? 'dyn';
    return apiNamesOf(field).map((name) => [name, type] as const);
  });
  return { kind: 'fields', types: new Map([...own, ...platformTypes]) };
}

export interface CompiledField {
  readonly name: string;
  readonly required: boolean;
  readonly definition: FieldDefinition;
  readonly behaviour: FieldBehaviour;
}

/** @param definition accepted by `parseDefinition`; anything else is a fault of ours. */
export function compileField(definition: FieldDefinition, fields: ReadableFields): CompiledField {
  const behaviour = behaviourOf(definition, fields);
  if (typeof behaviour === 'string') throw new TypeError(`field ${definition.name} does not compile`);
  return { name: definition.name, required: isRequired(definition), definition, behaviour };
}

/** Whether each write that makes a record must give the field a value. */
export function isRequired(field: FieldDefinition): boolean {
  return !isPlatformMade(fieldTypeOf(field)) && field.validate === true && field.required !== false;
}

const text = behaviourOf({ name: 'text' });
const guid = behaviourOf({ name: 'guid', colType: guidType.colType });
const platformBehaviours: ReadonlyMap<string, FieldBehaviour | string> = new Map([
  ['created_at', text],
  ['updated_at', text],
  ['id', guid],
  ['created_by', guid],
  ['updated_by', guid],
]);

/** The reading and comparing of a field's values; the platform's own fields are texts and ids. */
export function namedBehaviour(entity: NamedFields<CompiledField>, name: string): FieldBehaviour | undefined {
  const behaviour = fieldNamed(entity, name)?.behaviour ?? platformBehaviours.get(name);
  return typeof behaviour === 'string' ? undefined : behaviour;
}
