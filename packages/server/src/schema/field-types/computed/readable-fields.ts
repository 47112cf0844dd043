import type { Expression, ExpressionLanguage } from '../../../expressions/port.ts';
import type { FieldValue, FieldValues } from '../../definition.ts';
import { fieldName } from '../../field-names.ts';
import type { ExpressionValue } from './expression-value.ts';

/** The fields of a record that an expression may read. */
export interface ReadableFields {
  /** By each name that an expression may use. */
  readonly values: ReadonlyMap<string, ExpressionValue>;
  readonly language: ExpressionLanguage;
  /** The name of the field that each alias is one of. */
  readonly aliases: ReadonlyMap<string, string>;
}

/** Evaluates an expression on a record. */
export function evaluateOn(expression: Expression, fields: ReadableFields, record: FieldValues) {
  return expression.evaluate((name) => {
    const value = heldValue(record, fieldName(fields, name));
    return value === undefined ? undefined : fields.values.get(name)?.read(value);
  });
}

/** How many characters and elements an evaluation goes through at most: the values that it reads, each as often as it does. */
export function evaluationSteps({ readings }: Expression, fields: ReadableFields, record: FieldValues): number {
  return readings.reduce((sum, { name, forEach }) => {
    const list = forEach === undefined ? undefined : heldValue(record, fieldName(fields, forEach));
    return sum + (Array.isArray(list) ? list.length : 1) * valueSize(heldValue(record, fieldName(fields, name)));
  }, 0);
}

function heldValue(record: FieldValues, field: string): FieldValue | undefined {
  return Object.hasOwn(record, field) ? record[field] : undefined;
}

/** How many characters and elements a value has, and one more. */
export function valueSize(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length;
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, part) => sum + valueSize(part), 1);
}
