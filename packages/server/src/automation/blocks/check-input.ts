import { checkSchema } from '../../lib/check-schema.ts';
import { invalidBody } from '../../lib/problem.ts';
import type { CompiledBlock } from './effects.ts';

/** @throws Problem `validation_failed`, `unknown_field`, with everything that is wrong. */
export function checkInput({ input }: CompiledBlock, value: unknown): void {
  const errors = checkSchema(input, value);
  if (errors.length > 0) throw invalidBody(errors);
}
