import type { FieldDefinition } from '../definition.ts';
import type { FieldValue, ValueProblem } from './field-type.ts';

/** The check behind `min` and `max`, or a sentence about hints that contradict each other. */
export function boundsCheck(field: FieldDefinition): ((value: FieldValue) => ValueProblem | undefined) | string {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = field;
  if (min > max) return 'has a `min` above its `max`';
  return (value) => {
    if (typeof value !== 'number') return undefined;
    if (value < min) return { code: 'too_small', message: `must be at least ${min}` };
    if (value > max) return { code: 'too_large', message: `must be at most ${max}` };
    return undefined;
  };
}
