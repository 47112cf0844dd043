import { Problem } from '../../lib/problem.ts';

/** A block that cannot go on. The sentence is one of the platform's own: texts of a step's values are no part of it. */
export function blockFailure(message: string, details: { readonly step?: string } = {}, cause?: unknown): Problem {
  return new Problem('block_failed', message, details, cause);
}

/** A refusal, with the step that met it. A refusal of a called block already names the step within that block. */
export function atStep(step: string, problem: Problem): Problem {
  const { code, message, details, cause } = problem;
  return details.step === undefined ? new Problem(code, message, { ...details, step }, cause) : problem;
}
