/** How much a template may take. */

/** Why a template has no value: its expression cannot be evaluated, names what this node does not know, or takes too much. */
export class TemplateError extends Error {
  readonly code:
    | 'expression_failed'
    | 'unknown_time_zone'
    | 'unknown_locale'
    | 'unknown_pattern'
    | 'expression_too_costly';

  constructor(code: TemplateError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** What expressions have taken, in steps of at most about 250 ns. Expressions that share an effort share its bound. */
export interface Effort {
  steps: number;
}

/** About 50 ms at most. */
export const stepsMax = 200_000;

/** Whether expressions that share the effort have taken more than they may: none of them is evaluated any more. */
export function isSpent({ steps }: Effort): boolean {
  return steps > stepsMax;
}

/** UTF-16 units of a text that is built. */
const textMax = 256 * 1024;

/** How many characters of a text an operation goes through in a step. */
const charactersOfStep = 16;

/** @throws TemplateError where the steps are over. */
export function charge(effort: Effort, steps: number): void {
  effort.steps += steps;
  if (effort.steps > stepsMax) throw new TemplateError('expression_too_costly', `it takes more than ${stepsMax} steps`);
}

/** For an operation that goes through a text. @throws TemplateError where the steps are over. */
export function chargeText(effort: Effort, characters: number): void {
  charge(effort, 1 + Math.floor(characters / charactersOfStep));
}

/** For a text that is built. @throws TemplateError where it is too long, or the steps are over. */
export function chargeBuilt(effort: Effort, characters: number): void {
  if (characters > textMax)
    throw new TemplateError('expression_too_costly', `it makes a text of more than ${textMax} characters`);
  chargeText(effort, characters);
}
