/**
 * A field that was converted is stored under another name than before, so that the values of before stay as they are: an
 * earlier definition, as after a rollback, reads them again.
 */
import {
  compileExpression,
  type Expression,
  ExpressionLanguage,
  type ExpressionMistake,
  isMistake,
} from '../expressions/port.ts';
import {
  type ConversionDefinition,
  type ConvertedField,
  type FieldDefinition,
  type FieldValue,
  type FieldValues,
  storedNameOf,
} from './definition.ts';
import {
  type ExpressionValue,
  evaluateOn,
  evaluationSteps,
  type ReadableFields,
} from './field-types/expression-value.ts';
import { type CheckEffort, readValue } from './field-types/field-type.ts';
import { type CompiledField, fieldTypeOf } from './field-types/registry.ts';

/**
 * The name that the values of a field have once they are converted. It ends with the config version of the change, or with
 * the next number where that is not the highest, as in an org that got the definition with conversions of another one.
 * @param known other names under which there may be values, such as those of a definition before a rollback.
 */
export function convertedName(field: FieldDefinition, known: readonly string[], version: number): string {
  const root = identityOf(field);
  const own = [...storedNamesOf(field), ...known].filter((name) => rootOf(name) === root);
  return `${root}@${Math.max(version, ...own.map((name) => conversionOf(name) + 1))}`;
}

/** The first name under which the values of a field were stored. */
export function rootOf(stored: string): string {
  return stored.split('@', 1)[0] ?? stored;
}

/** The same for all definitions of a field, however it is renamed and converted. */
export function identityOf(field: Pick<FieldDefinition, 'name' | 'storedAs'>): string {
  return rootOf(storedNameOf(field));
}

/** The config version of the conversion that stored values so; 0 for values that were never converted. */
export function conversionOf(stored: string): number {
  return Number(stored.split('@', 2)[1] ?? 0);
}

/** The field before each of its conversions, the latest first. */
export function formerFields({ convert }: Pick<FieldDefinition, 'convert'>): readonly ConvertedField[] {
  return convert === undefined ? [] : [convert.from, ...formerFields(convert.from)];
}

/** Every name under which records may have values of the field. */
export function storedNamesOf(field: FieldDefinition): readonly string[] {
  return [storedNameOf(field), ...formerFields(field).map(({ storedAs }) => storedAs)];
}

/** The conversion of a field by an expression, from what the field is. */
export function conversionFrom(cel: string, field: FieldDefinition): ConversionDefinition {
  const { name, colType, items, lookup, convert } = field;
  const members = Object.entries({ name, colType, items, lookup, storedAs: storedNameOf(field), convert });
  const from = Object.fromEntries(members.filter(([, value]) => value !== undefined));
  return { cel, from: from as unknown as ConvertedField };
}

/** The way the value of a field is made of a stored record that has one from before a conversion. */
export interface CompiledConversion {
  readonly name: string;
  /** The name under which its own values are stored. */
  readonly stored: string;
  /** The names under which earlier values are, the latest first. */
  readonly former: readonly string[];
  /** @param values by stored names. Undefined where there is no earlier value that can be converted. */
  readonly value: (values: FieldValues, effort: CheckEffort) => FieldValue | undefined;
}

/** The most characters and elements that the conversions of one record may go through together: less than 0.1 ms. */
const conversionStepsMax = 32 * 1024;

export function newConversionEffort(): CheckEffort {
  return { stepsLeft: conversionStepsMax };
}

export function compileConversions(fields: readonly CompiledField[]): readonly CompiledConversion[] {
  return fields.flatMap(({ definition, behaviour }): readonly CompiledConversion[] => {
    const { name, convert } = definition;
    if (convert === undefined) return [];
    const convertedFrom = compileConversion(convert, definition);
    const value: CompiledConversion['value'] = (values, effort) => {
      const input = convertedFrom(values, effort);
      const read = input === undefined ? undefined : readValue(behaviour, false, input);
      return read !== undefined && 'value' in read ? read.value : undefined;
    };
    const former = formerFields(definition).map(({ storedAs }) => storedAs);
    return [{ name, stored: storedNameOf(definition), former, value }];
  });
}

function compileConversion(conversion: ConversionDefinition, to: FieldDefinition): CompiledConversion['value'] {
  const { from } = conversion;
  const fields = readableField(from);
  const expression = compileConversionOf(conversion, to);
  const output = expressionValueOf(to);
  if (isMistake(expression) || fields === undefined || output?.write === undefined)
    throw new TypeError(`the conversion of ${to.name} does not compile`);
  const { name, storedAs, convert } = from;
  const earlier = convert === undefined ? undefined : compileConversion(convert, from);
  return (values, effort) => {
    const value = Object.hasOwn(values, storedAs) ? values[storedAs] : earlier?.(values, effort);
    if (value === undefined) return undefined;
    const record = { [name]: value };
    effort.stepsLeft -= evaluationSteps(expression, fields, record);
    const evaluated = effort.stepsLeft < 0 ? undefined : evaluateOn(expression, fields, record);
    return evaluated?.kind === 'value' ? output.write?.(evaluated.value) : undefined;
  };
}

export function compileConversionOf(
  { cel, from }: ConversionDefinition,
  to: FieldDefinition,
): Expression | ExpressionMistake {
  const [fields, output] = [readableField(from), expressionValueOf(to)];
  if (fields === undefined) return { message: 'the type that the field had has no place in expressions', at: 0 };
  if (output?.write === undefined) return { message: 'no expression gives values of the type of the field', at: 0 };
  const { type } = output;
  // A whole number is a number as well.
  return compileExpression(cel, fields.language, type === 'double' ? [type, 'int'] : [type]);
}

function expressionValueOf(field: FieldDefinition): ExpressionValue | undefined {
  return fieldTypeOf(field).inExpressions?.(field);
}

function readableField(field: FieldDefinition): ReadableFields | undefined {
  const value = expressionValueOf(field);
  if (value === undefined) return undefined;
  const language = new ExpressionLanguage(new Map([[field.name, value.type]]));
  return { values: new Map([[field.name, value]]), language, aliases: new Map() };
}
