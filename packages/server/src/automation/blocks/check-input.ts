import { checkSchema } from '../../lib/check-schema.ts';
import { invalidBody } from '../../lib/problem.ts';
import type { CompiledBlock } from './effects.ts';

/** To look at each takes about a microsecond, and others wait meanwhile. */
const valuesMax = 20_000;

/**
 * @param at where the input stands in what was sent: a JSON pointer.
 * @throws Problem `validation_failed`, `unknown_field`, with everything that is wrong.
 */
export function checkInput({ input }: Pick<CompiledBlock, 'input'>, value: unknown, at = ''): void {
  if (valuesIn(value, valuesMax) > valuesMax)
    throw invalidBody([{ pointer: at, code: 'too_many', message: `an input may have at most ${valuesMax} values` }]);
  const errors = checkSchema(input, value).map((error) => ({ ...error, pointer: at + error.pointer }));
  if (errors.length > 0) throw invalidBody(errors);
}

/** It stops to count above `max`. */
function valuesIn(value: unknown, max: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const member of Object.values(value)) {
    count += valuesIn(member, max - count);
    if (count > max) break;
  }
  return count;
}
