import type { FieldDefinition } from '../definition.ts';
import type { FieldValue, JsonSchema, ValueProblem } from './field-type.ts';

/** `minlength` and `maxlength` of a text: their check and schema, or a sentence about hints that contradict each other. */
export function lengthHints(field: FieldDefinition): LengthHints | string {
  const { minlength = 0, maxlength = Number.POSITIVE_INFINITY } = field;
  if (minlength > maxlength) return 'has a `minlength` above its `maxlength`';
  const check = (value: FieldValue): ValueProblem | undefined => {
    if (typeof value !== 'string') return undefined;
    const length = characterCount(value);
    if (length < minlength) return { code: 'too_short', message: `must have at least ${minlength} characters` };
    if (length > maxlength) return { code: 'too_long', message: `must have at most ${maxlength} characters` };
    return undefined;
  };
  if (field.validate !== true) return { check, schema: {} };
  const schema = {
    ...(field.minlength === undefined ? {} : { minLength: minlength }),
    ...(field.maxlength === undefined ? {} : { maxLength: maxlength }),
  };
  return { check, schema };
}

interface LengthHints {
  readonly check: (value: FieldValue) => ValueProblem | undefined;
  readonly schema: JsonSchema;
}

/** Lengths are counted in characters (code points), as JSON Schema counts them: an emoji is one. */
export function characterCount(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}
