import type { JsonSchema } from '../../../lib/json-schema.ts';
import type { FieldDefinition } from '../../definition.ts';
import type { FieldValue, ValueProblem } from '../field-type.ts';

/** `min` and `max`: their check, and a number's schema within what doubles hold exactly; or a sentence about hints that contradict each other. */
export function boundsHints(field: FieldDefinition): BoundsHints | string {
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

interface BoundsHints {
  readonly check: (value: FieldValue) => ValueProblem | undefined;
  readonly schema: JsonSchema;
}
