import { type InputError, type ProblemCode, problemStatus } from '@freehold/contract/problem';

/** Public extension members of a problem, such as `reason` or `decision_id`. */
export type ProblemDetails = Readonly<Record<string, unknown>> & { readonly errors?: readonly InputError[] };

/** A refusal that the caller may see. Anything else that is thrown is a fault of ours: a 500 with a request id. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly details: ProblemDetails;

  constructor(code: ProblemCode, message: string, details: ProblemDetails = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'Problem';
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return problemStatus[this.code];
  }
}

/** A 400 that lists every mistake found, not only the first. */
export function invalidInput(code: ProblemCode, errors: readonly InputError[]): Problem {
  return new Problem(code, errors.map((error) => error.message).join('; '), { errors });
}

/** The one answer for what does not exist and for what the caller may not know to exist. */
export function notFound(): Problem {
  return new Problem('not_found', 'there is nothing here');
}
