import type { FieldDefinition } from '../definition.ts';
import type { FieldValue, ValueProblem } from './field-type.ts';

/** Lengths are counted in characters (code points): an emoji is one. */
function characterCount(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}

/** The check behind `minlength` and `maxlength`, or a sentence about hints that contradict each other. */
export function lengthCheck(field: FieldDefinition): ((value: FieldValue) => ValueProblem | undefined) | string {
  const { minlength = 0, maxlength = Number.POSITIVE_INFINITY } = field;
  if (minlength > maxlength) return 'has a `minlength` above its `maxlength`';
  return (value) => {
    if (typeof value !== 'string') return undefined;
    const length = characterCount(value);
    if (length < minlength) return { code: 'too_short', message: `must have at least ${minlength} characters` };
    if (length > maxlength) return { code: 'too_long', message: `must have at most ${maxlength} characters` };
    return undefined;
  };
}
