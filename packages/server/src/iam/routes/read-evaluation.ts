import { type authzenApi, Evaluation as evaluationSchema } from '@freehold/contract/app/authzen';
import type { InputError } from '@freehold/contract/problem';
import type { BodyOf } from '@freehold/contract/route';
import type { Verb } from '../../access/port.ts';
import { checkSchema } from '../../lib/check-schema.ts';
import { invalidBody } from '../../lib/problem.ts';
import { actionParts } from '../decisions/action-parts.ts';

/** One question of the AuthZEN Authorization API 1.0 (section 6). */
export interface Evaluation {
  readonly subject: { readonly type: string; readonly id: string };
  /** `run` is asked about logic blocks; undefined where the action is none of these. */
  readonly verb: Verb | 'run' | undefined;
  readonly entityName: string;
  readonly id: string | undefined;
  /** What is to be written. */
  readonly properties: Readonly<Record<string, unknown>> | undefined;
}

/** A question, or what is wrong with it. */
export type ReadEvaluation = Evaluation | { readonly errors: readonly InputError[] };

export interface Evaluations {
  readonly semantic: string;
  readonly evaluations: readonly ReadEvaluation[];
}

type SentEvaluation = BodyOf<typeof authzenApi.evaluateAccess>;

/**
 * Several questions; what is beside them is what each of them says by default. A body that lists none asks a single
 * one. What is wrong with a question is that question's alone.
 * @throws Problem `validation_failed`, `unknown_field`, of a single question.
 */
export function readEvaluations(body: BodyOf<typeof authzenApi.evaluateAccesses>): Evaluations | Evaluation {
  const { evaluations = [], options, ...byDefault } = body;
  if (evaluations.length > 0)
    return {
      semantic: options?.evaluations_semantic ?? 'execute_all',
      evaluations: evaluations.map((one) => readQuestion(isObject(one) ? { ...byDefault, ...one } : one)),
    };
  const read = readQuestion(byDefault);
  if ('errors' in read) throw invalidBody(read.errors);
  return read;
}

function readQuestion(input: unknown): ReadEvaluation {
  const errors = checkSchema(evaluationSchema, input);
  return errors.length > 0 ? { errors } : readEvaluation(input as SentEvaluation);
}

export function readEvaluation({ subject, action, resource }: SentEvaluation): Evaluation {
  const { type: entityName, id, properties } = resource;
  const name = action.name.toLowerCase();
  // An action may be named as policies name it, or by its verb alone.
  const run = { subject: { type: subject.type, id: subject.id }, verb: 'run', entityName, id, properties } as const;
  // No verb of records is called so, whatever an entity is called.
  if (entityName === 'logicblock' && (name === 'run' || name === `run${id?.toLowerCase()}`)) return run;
  const asked = actionParts(name)?.entityName === entityName ? actionParts(name) : actionParts(name + entityName);
  const verb = asked?.entityName === entityName ? asked.verb : undefined;
  return { subject: { type: subject.type, id: subject.id }, verb, entityName, id, properties };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
