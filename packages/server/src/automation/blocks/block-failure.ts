import { type ProblemCode, problemStatus } from '@freehold/contract/problem';
import { Problem } from '../../lib/problem.ts';

/** A block that cannot go on. The sentence is one of the platform's own: texts of a step's values are no part of it. */
export function blockFailure(message: string, details: { readonly step?: string } = {}, cause?: unknown): Problem {
  return new Problem('block_failed', message, details, cause);
}

/** A refusal that `on_error` does not catch: what a block raises within it, and a bound of the run anywhere. */
export class Uncaught extends Problem {
  readonly ends: 'block' | 'run';

  constructor({ code, message, details, cause }: Problem, ends: Uncaught['ends']) {
    super(code, message, details, cause);
    this.ends = ends;
  }
}

/** What is over for now, or for all of the run, would be refused to the next step too. */
export function mayBeCaught(problem: Problem): boolean {
  return !(problem instanceof Uncaught) && problem.status !== 429 && problem.status < 500;
}

/** A refusal, with the step that met it. A refusal of a called block already names the step within that block. */
export function atStep(step: string, problem: Problem): Problem {
  const { code, message, details, cause } = problem;
  if (details.step !== undefined) return problem;
  const named = new Problem(code, message, { ...details, step }, cause);
  return problem instanceof Uncaught ? new Uncaught(named, problem.ends) : named;
}

/** Why a step was refused, by the block's own code where it has one. */
export interface StepError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

export function stepErrorOf({ status, code, message, details }: Problem): StepError {
  return { status, code: details.errors?.[0]?.code ?? code, message };
}

/** The refusal of which a step error is kept. */
export function problemOf({ status, code, message }: StepError): Problem {
  const codes = Object.keys(problemStatus) as readonly ProblemCode[];
  const known = codes.find((one) => problemStatus[one] === status) ?? 'block_failed';
  return new Problem(known, message, { errors: [{ pointer: '', code, message }] });
}
