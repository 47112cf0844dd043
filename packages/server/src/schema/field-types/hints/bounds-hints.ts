import type { JsonSchema } from '../../../lib/json-schema.ts';
import type { FieldDefinition, FieldValue } from '../../definition.ts';
import type { ValueProblem } from '../field-type.ts';

/** `min` and `max`: their check, and a number's schema within what doubles hold exactly; or a sentence about hints that contradict each other. */
export function boundsHints(field: FieldDefinition): Hints | string {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = field;
  if (min > max) return 'has a `min` above its `max`';
  const check = (value: FieldValue): ValueProblem | undefined => {
    if (typeof value !== 'number') return undefined;
    if (value < min) return { code: 'too_small', message: `must be at least ${min}` };
    if (value > max) return { code: 'too_large', message: `must be at most ${max}` };
    return undefined;
  };
  const isChecked = field.validate === true;
  const minimum = isChecked ? min : Number.MIN_SAFE_INTEGER;
  const maximum = isChecked ? max : Number.MAX_SAFE_INTEGER;
  return { check, schema: { minimum, maximum } };
}

interface Hints {
  readonly check: (value: FieldValue) => ValueProblem | undefined;
  readonly schema: JsonSchema;
}

type LengthField = Pick<FieldDefinition, 'minlength' | 'maxlength' | 'validate'>;

export interface BoundMeasure {
  readonly unit: string;
  /** Undefined for a value that has no such length. */
  readonly count: (value: FieldValue) => number | undefined;
  /** The members of a JSON Schema that say the same. */
  readonly minimum: string;
  readonly maximum: string;
}

/** `minlength` and `maxlength`: their check and schema, or a sentence about hints that contradict each other. */
export function lengthHints(field: LengthField, measure: BoundMeasure = characters): Hints | string {
  const { minlength = 0, maxlength = Number.POSITIVE_INFINITY } = field;
  if (minlength > maxlength) return 'has a `minlength` above its `maxlength`';
  const { unit, count, minimum, maximum } = measure;
  const check = (value: FieldValue): ValueProblem | undefined => {
    const length = count(value);
    if (length === undefined) return undefined;
    if (length < minlength) return { code: 'too_short', message: `must have at least ${minlength} ${unit}` };
    if (length > maxlength) return { code: 'too_long', message: `must have at most ${maxlength} ${unit}` };
    return undefined;
  };
  if (field.validate !== true) return { check, schema: {} };
  const schema = {
    ...(minlength === 0 ? {} : { [minimum]: minlength }),
    ...(Number.isFinite(maxlength) ? { [maximum]: maxlength } : {}),
  };
  return { check, schema };
}

const characters: BoundMeasure = {
  unit: 'characters',
  count: (value) => (typeof value === 'string' ? characterCount(value) : undefined),
  minimum: 'minLength',
  maximum: 'maxLength',
};

/** Lengths are counted in characters (code points), as JSON Schema counts them: an emoji is one. */
export function characterCount(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}

/** A field that needs a longer text gets an example that is too short rather than an unreadable one. */
const exampleLengthMax = 80;

export function exampleText({ minlength = 0, maxlength }: FieldDefinition): string {
  return 'text'.padEnd(Math.min(minlength, exampleLengthMax), '.').slice(0, maxlength);
}
