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

/** A limit that is spent for now, or for all of the run, would refuse the next step too. */
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

/** The limits of a run, together with the blocks that it calls. */
export const runLimits = {
  steps: 1000,
  entitySteps: 100,
  effort: 2_000_000,
  characters: 4 * 1024 * 1024,
  scriptMilliseconds: 2000,
  httpCalls: 50,
  httpMilliseconds: 60_000,
  mails: 20,
};

export type Spent = Record<keyof typeof runLimits, number>;

export const nothingSpent = Object.fromEntries(Object.keys(runLimits).map((what) => [what, 0])) as Spent;

export const bounds: Readonly<Record<keyof Spent, string>> = {
  steps: `does at most ${runLimits.steps} steps`,
  entitySteps: `does at most ${runLimits.entitySteps} steps on records`,
  effort: `takes at most ${runLimits.effort} steps of expressions`,
  scriptMilliseconds: `has scripts work for at most ${runLimits.scriptMilliseconds} ms`,
  httpCalls: `makes at most ${runLimits.httpCalls} calls to other systems`,
  httpMilliseconds: `waits for other systems for at most ${runLimits.httpMilliseconds} ms`,
  mails: `sends at most ${runLimits.mails} mails`,
  characters: `makes values of at most ${runLimits.characters} characters`,
};

export function boundOfRun(message: string): Uncaught {
  return new Uncaught(blockFailure(message), 'run');
}

/** As deep as the body of a call may be. Steps that each wrap the value before them would make any depth. */
export const levelsMax = 32;

/**
 * About how many characters a value has as JSON, and a character for each node. It stops to count above `max`.
 * @throws Problem `block_failed` for a value with too many levels.
 */
export function charactersOf(value: unknown, max: number, levels = levelsMax): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  if (levels === 0) throw blockFailure(`a run makes values of at most ${levelsMax} levels of objects and lists`);
  let sum = 2;
  for (const [name, member] of Object.entries(value)) {
    sum += name.length + 1 + charactersOf(member, max - sum, levels - 1);
    if (sum > max) break;
  }
  return sum;
}
