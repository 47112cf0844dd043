import { authzenApi, Evaluation as evaluationSchema } from '@freehold/contract/app/authzen';
import type { InputError } from '@freehold/contract/problem';
import type { BodyOf } from '@freehold/contract/route';
import { actionParts, type Verb } from '../../access/port.ts';
import { json, type Reply } from '../../api/reply.ts';
import type { RequestEnvelope } from '../../api/request.ts';
import type { AnyRoute } from '../../api/route.ts';
import { type Received, serveReply } from '../../api/serve.ts';
import { checkSchema } from '../../lib/check-schema.ts';
import type { Clock } from '../../lib/clock.ts';
import { invalidBody, notFound, Problem } from '../../lib/problem.ts';
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import { isObject } from '../../lib/unknown-names.ts';
import {
  type AuthorizedCall,
  assertFieldsAllowed,
  assertUpdateAllowed,
  assertVisible,
  assertWriteAllowed,
  type EachCaller,
  findRecord,
  readableUnchangedFields,
  readUpdate,
  recordOfCreate,
  recordOfUpdate,
} from '../../records/port.ts';
import { shareKeyOf } from '../../tenancy/port.ts';

/** May the caller do this? After the AuthZEN Authorization API 1.0 (OpenID), sections 6 and 7. */
export function authzenRoutes(services: { readonly clock: Clock }): readonly AnyRoute[] {
  return [
    serveReply(authzenApi.evaluateAccess, async (request, caller) => {
      return answer(request, await evaluate(services, caller, readEvaluation(request.body)));
    }),
    serveReply(authzenApi.evaluateAccesses, (request, caller) => evaluateAll(services, request, caller)),
  ];
}

interface Decision {
  readonly decision: boolean;
  readonly context?: Readonly<Record<string, unknown>>;
}

async function evaluateAll(
  services: { readonly clock: Clock },
  request: Received<typeof authzenApi.evaluateAccesses>,
  caller: EachCaller,
): Promise<Reply> {
  const question = readEvaluations(request.body);
  if (!('evaluations' in question)) return answer(request, await evaluate(services, caller, question));
  const lastOne = { deny_on_first_deny: false, permit_on_first_permit: true }[question.semantic];
  const evaluations: Decision[] = [];
  const pause = createYielder(shareKeyOf(caller.workspace));
  for (const evaluation of question.evaluations) {
    await pause();
    const decided = await evaluateRead(services, caller, evaluation);
    evaluations.push(decided);
    if (decided.decision === lastOne) break;
  }
  return answer(request, { evaluations });
}

/** The caller's own id for the request comes back with the answer (section 10.1.5). */
function answer({ head }: RequestEnvelope, body: unknown): Reply {
  const given = head.headers['x-request-id'];
  const isFit = typeof given === 'string' && /^[!-~]{1,200}$/.test(given);
  return json(200, body, isFit ? { 'X-Request-Id': given } : {});
}

function evaluateRead(
  services: { readonly clock: Clock },
  caller: EachCaller,
  read: ReadEvaluation,
): Decision | Promise<Decision> {
  if (!('errors' in read)) return evaluate(services, caller, read);
  const message = read.errors.map((error) => error.message).join('; ');
  return { decision: false, context: { reason: 'invalid_request', error: { status: 400, message } } };
}

async function evaluate(
  services: { readonly clock: Clock },
  caller: EachCaller,
  question: Evaluation,
): Promise<Decision> {
  const { subject } = question;
  // Only builders may ask what another user may do.
  if (subject.type !== 'user' || subject.id !== caller.actor.userId)
    return { decision: false, context: { reason: 'subject_not_caller' } };
  try {
    return await decide(services, caller, question);
  } catch (error) {
    if (error instanceof Problem && error.code === 'access_denied') {
      const { reason, decision_id } = error.details;
      return { decision: false, context: { reason, decision_id } };
    }
    // A missing record and a record that the caller may not have get one answer.
    if (error instanceof Problem && error.code === 'not_found')
      return { decision: false, context: { reason: 'not_found', error: { status: 404, message: error.message } } };
    throw error;
  }
}

/** @throws Problem `access_denied`, `not_found`. */
async function decide(
  services: { readonly clock: Clock },
  caller: EachCaller,
  question: Evaluation,
): Promise<Decision> {
  const { verb, entityName, id, properties: body } = question;
  // A text that no path can contain is the name of nothing.
  if (!/^[a-z][a-z0-9_]{0,62}$/.test(entityName) || (id !== undefined && !/^[A-Za-z0-9_-]{1,64}$/.test(id)))
    throw notFound();
  if (verb === undefined) return { decision: false, context: { reason: 'unknown_action' } };
  if (verb === 'run') return decideRun(caller, question);
  const isWrite = verb === 'create' || verb === 'update';
  const call = await caller.authorize({ verb, entityName, id, ...(isWrite && body !== undefined ? { body } : {}) });
  if (call.rows === undefined || verb === 'list' || verb === 'count') return { decision: true };
  if (verb === 'browse') {
    call.access.assertAllowed(verb);
    return { decision: true };
  }
  const isRecorded = verb === 'create' ? body !== undefined : id !== undefined;
  if (!isRecorded) return { decision: false, context: { reason: 'undecided' } };
  if (verb === 'create') assertCreateAllowed(services, call, body);
  else if (verb === 'update') return await decideUpdate(services, call, { id: id ?? '', body });
  else await findVisible(call, id ?? '', verb === 'delete');
  return { decision: true };
}

/**
 * `properties` may have `path`, the segment after the name, and `input`, the body of the call.
 * @throws Problem `access_denied`, `not_found`.
 */
async function decideRun(caller: EachCaller, { id: name, properties = {} }: Evaluation): Promise<Decision> {
  const { path, input } = properties;
  if (name === undefined || (path !== undefined && (typeof path !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(path))))
    throw notFound();
  const outcome = await caller.mayRun({ name, path, input });
  return outcome === 'allowed' ? { decision: true } : { decision: false, context: { reason: 'undecided' } };
}

function assertCreateAllowed({ clock }: { readonly clock: Clock }, call: AuthorizedCall, body: unknown): void {
  const { entity, actor } = call;
  const data = recordOfCreate({ entity, userId: actor.userId, body, now: clock.now() });
  assertWriteAllowed(call, { data, body, states: { after: data } });
}

/** @throws Problem `not_found`. */
async function findVisible(call: AuthorizedCall, id: string, isRemoval: boolean): Promise<void> {
  const found = await findRecord(call, id);
  if (found === undefined) throw notFound();
  assertVisible(call, found.data, isRemoval ? { before: found.data } : {});
}

/** @throws Problem `not_found`, `access_denied`. */
async function decideUpdate(
  { clock }: { readonly clock: Clock },
  call: AuthorizedCall,
  { id, body }: { readonly id: string; readonly body: unknown },
): Promise<Decision> {
  const { entity, rows, actor } = call;
  const stored = await findRecord(call, id);
  if (stored === undefined) throw notFound();
  const before = stored.data;
  const visible = assertVisible(call, before, { before, after: 'open' });
  if (body === undefined)
    return visible.isProvisional === true ? { decision: false, context: { reason: 'undecided' } } : { decision: true };
  const read = readUpdate(entity, body, stored);
  const isUnchanged = readableUnchangedFields(call, stored, read);
  assertFieldsAllowed(rows, visible, { data: before, body: read.body, isUnchanged });
  const data = recordOfUpdate({ entity, userId: actor.userId, body, now: clock.now() }, stored);
  assertUpdateAllowed(call, { before, visible }, { data, body: read.body, isUnchanged });
  return { decision: true };
}

/** One question of the AuthZEN Authorization API 1.0 (section 6). */
interface Evaluation {
  readonly subject: { readonly type: string; readonly id: string };
  /** `run` is asked about logic blocks; undefined where the action is none of these. */
  readonly verb: Verb | 'run' | undefined;
  readonly entityName: string;
  readonly id: string | undefined;
  /** The values to write. */
  readonly properties: Readonly<Record<string, unknown>> | undefined;
}

/** A question, or what is wrong with it. */
type ReadEvaluation = Evaluation | { readonly errors: readonly InputError[] };

interface Evaluations {
  readonly semantic: string;
  readonly evaluations: readonly ReadEvaluation[];
}

type SentEvaluation = BodyOf<typeof authzenApi.evaluateAccess>;

/**
 * Several questions; what is beside them is what each of them says by default. A body that lists none asks a single
 * one. What is wrong with a question is that question's alone.
 * @throws Problem `validation_failed`, `unknown_field`, of a single question.
 */
function readEvaluations(body: BodyOf<typeof authzenApi.evaluateAccesses>): Evaluations | Evaluation {
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

function readEvaluation({ subject, action, resource }: SentEvaluation): Evaluation {
  const { type: entityName, id, properties } = resource;
  const name = action.name.toLowerCase();
  // An action may be named as policies name it, or by its verb alone.
  const run = { subject: { type: subject.type, id: subject.id }, verb: 'run', entityName, id, properties } as const;
  // No verb of records is called so, whatever an entity is called.
  if (entityName === 'logicblock' && (name === 'run' || name === `run${id?.toLowerCase()}`)) return run;
  const parts = actionParts(name)?.entityName === entityName ? actionParts(name) : actionParts(name + entityName);
  const verb = parts?.entityName === entityName ? parts.verb : undefined;
  return { subject: { type: subject.type, id: subject.id }, verb, entityName, id, properties };
}
