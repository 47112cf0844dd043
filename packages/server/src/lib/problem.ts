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

/** A refusal must not outgrow what it refuses: of very many mistakes it lists the first. Who looks for them stops at one more. */
export const errorsMax = 100;
const sentencesMax = 5;

/** A 400 that lists every mistake found, not only the first; of very many the first hundred. */
export function invalidInput(code: ProblemCode, errors: readonly InputError[]): Problem {
  const sentences = errors.slice(0, sentencesMax).map((error) => error.message);
  if (errors.length > errorsMax) sentences.push(`and more than ${errorsMax - sentencesMax} more`);
  else if (errors.length > sentencesMax) sentences.push(`and ${errors.length - sentencesMax} more`);
  return new Problem(code, sentences.join('; '), { errors: errors.slice(0, errorsMax) });
}

/** As they are shown: a name that was cut may end in half of a character. */
export function reportedErrors(errors: readonly InputError[]): readonly InputError[] {
  return errors.slice(0, errorsMax).map((error) => ({ ...error, message: error.message.toWellFormed() }));
}

/** The faults of a body: `unknown_field` where nothing else is, else `validation_failed`. */
export function invalidBody(errors: readonly InputError[]): Problem {
  const isUnknownOnly = errors.every((error) => error.code === 'unknown_field');
  return invalidInput(isUnknownOnly ? 'unknown_field' : 'validation_failed', errors);
}

/** The one answer for what does not exist and for what the caller may not know to exist. */
export function notFound(): Problem {
  return new Problem('not_found', 'there is nothing here');
}
