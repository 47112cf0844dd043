import type { InputError } from '@freehold/contract/problem';
import type { Verb } from '../../../access/port.ts';
import { actionParts } from '../../../iam/port.ts';
import { invalidBody } from '../../../lib/problem.ts';
import {
  anObject,
  aText,
  checkMembers,
  isObject,
  type MemberRule,
  type Members,
  needed,
} from '../../pipeline/check-members.ts';

/** One question of the AuthZEN Authorization API 1.0 (section 6). */
export interface Evaluation {
  readonly subject: { readonly type: string; readonly id: string };
  /** Undefined where the action is none of a record's. */
  readonly verb: Verb | undefined;
  readonly entityName: string;
  readonly id: string | undefined;
  /** What is to be written. */
  readonly properties: Members | undefined;
}

/** A question, or what is wrong with it. */
export type ReadEvaluation = Evaluation | { readonly errors: readonly InputError[] };

export interface Evaluations {
  readonly semantic: string;
  readonly evaluations: readonly ReadEvaluation[];
}

const evaluationsMax = 100;

const named = { subject: anObject, action: anObject, resource: anObject, context: anObject };
const membersOf = {
  subject: { type: needed(aText), id: needed(aText), properties: anObject },
  action: { name: needed(aText), properties: anObject },
  resource: { type: needed(aText), id: aText, properties: anObject },
};

const aListOfQuestions: MemberRule = {
  isRight: (value) => Array.isArray(value) && value.length <= evaluationsMax,
  demand: `must be an array of at most ${evaluationsMax} evaluations`,
};

/** @throws Problem `validation_failed`, `unknown_field`. */
export function readEvaluation(body: unknown): Evaluation {
  const read = readQuestion(body);
  if ('errors' in read) throw invalidBody(read.errors);
  return read;
}

/**
 * Several questions; what stands beside them is what each of them says by default. A body that
 * lists none asks a single one. What is wrong with a question is that question's alone.
 * @throws Problem `validation_failed`, `unknown_field`.
 */
export function readEvaluations(body: unknown): Evaluations | Evaluation {
  const errors = checkMembers(body, { ...named, evaluations: aListOfQuestions, options: anObject });
  const { evaluations, options, ...byDefault } = isObject(body) ? body : {};
  const semantic = isObject(options) ? (options.evaluations_semantic ?? executeAll) : executeAll;
  const isKnown = semantics.some((known) => known === semantic);
  const message = `\`evaluations_semantic\` must be ${semantics.map((known) => `\`${known}\``).join(', ')}`;
  const wrong = isKnown ? [] : [{ pointer: '/options/evaluations_semantic', code: 'not_in_enum', message }];
  if (errors.length + wrong.length > 0) throw invalidBody([...errors, ...wrong]);
  if (!Array.isArray(evaluations) || evaluations.length === 0) return readEvaluation(byDefault);
  const questions: readonly unknown[] = evaluations;
  return {
    semantic: String(semantic),
    evaluations: questions.map((one) => readQuestion(isObject(one) ? { ...byDefault, ...one } : one)),
  };
}

const executeAll = 'execute_all';
const semantics = [executeAll, 'deny_on_first_deny', 'permit_on_first_permit'] as const;

function readQuestion(input: unknown): ReadEvaluation {
  const { subject, action, resource } = named;
  const shape = { ...named, subject: needed(subject), action: needed(action), resource: needed(resource) };
  const errors = [...checkMembers(input, shape)];
  const parts = isObject(input) ? input : {};
  for (const [name, rules] of Object.entries(membersOf))
    if (isObject(parts[name])) errors.push(...checkMembers(parts[name], rules, `/${name}`));
  return errors.length > 0 ? { errors } : evaluationOf(parts);
}

/** Of one in which nothing is wrong. */
function evaluationOf(input: Members): Evaluation {
  const { subject, action, resource } = input as Readonly<Record<string, Members>>;
  const entityName = String(resource?.type);
  const name = String(action?.name).toLowerCase();
  // An action may be named as policies name it, or by its verb alone.
  const asked = actionParts(name)?.entityName === entityName ? actionParts(name) : actionParts(name + entityName);
  return {
    subject: { type: String(subject?.type), id: String(subject?.id) },
    verb: asked?.entityName === entityName ? asked.verb : undefined,
    entityName,
    id: resource?.id === undefined ? undefined : String(resource.id),
    properties: isObject(resource?.properties) ? resource.properties : undefined,
  };
}
