import {
  type AccessContext,
  actionParts,
  type CompiledAccess,
  type Explanation,
  type Ruling,
  routeOfVerb,
} from '../../access/port.ts';
import { explainCall } from '../decisions/describe-decision.ts';

/** A request with as much as is known of it; parts that are not known yet are in `pending`. */
interface SimulatedRequest {
  readonly action: string;
  readonly context: AccessContext;
  /** The record that a create or an update would leave. */
  readonly recordToBe: (body: Fields) => Fields;
  /** Those of the states that no field takes the place of. */
  readonly statesOf: (states: RecordStates) => RecordStates;
}

export interface EvaluatedRequest {
  readonly ruling: Ruling;
  readonly explanation: Explanation;
}

/** A question to the policies about a request. */
interface Evaluation extends Pick<SimulatedRequest, 'action' | 'context'> {
  /** Only a Deny counts. */
  readonly denyOnly?: true;
}

/**
 * Evaluates a request as far as it is known by everything that the platform would ask of the policies when it is made: a
 * create by the record that it makes, an update by the record as it is and as it becomes, a list or count by whether it
 * holds the record, which a Deny on getting that record keeps out.
 */
export function evaluateRequest(access: CompiledAccess, simulated: SimulatedRequest): EvaluatedRequest {
  const [first, ...others] = evaluationsOf(simulated);
  const evaluated = evaluate(access, first);
  if (evaluated.ruling.outcome !== 'allowed') return evaluated;
  for (const evaluation of others) {
    const other = evaluate(access, evaluation);
    const { outcome } = other.ruling;
    if (evaluation.denyOnly === true ? outcome === 'explicit_deny' : outcome !== 'allowed') return other;
  }
  return evaluated;
}

function evaluate(access: CompiledAccess, { action, context }: Evaluation): EvaluatedRequest {
  const resource = context.request.path;
  return {
    ruling: access.rule(action, resource, () => context),
    explanation: explainCall(access, { action, resource }, () => context),
  };
}

function evaluationsOf(simulated: SimulatedRequest): readonly [Evaluation, ...Evaluation[]] {
  const { action, context, recordToBe, statesOf } = simulated;
  const { record } = context;
  const { body } = context.request;
  const parts = actionParts(action);
  const evaluation = (shown: Fields, states: RecordStates): Evaluation => ({
    action,
    context: known(context, shown, statesOf(states)),
  });
  if (parts?.verb === 'create' && record === undefined && isFields(body)) {
    const after = recordToBe(body);
    return [evaluation(after, { after })];
  }
  if (record === undefined) return [simulated];
  switch (parts?.verb) {
    case 'update': {
      if (!isFields(body)) return [evaluation(record, { before: record, after: 'open' })];
      const states = { before: record, after: recordToBe(body) };
      return [evaluation(record, states), evaluation(states.after, states)];
    }
    case 'delete':
      return [evaluation(record, { before: record })];
    case 'list':
    case 'count':
      return [simulated, { ...evaluationOfGet(context, parts.entityName), denyOnly: true }];
    default:
      return [simulated];
  }
}

/** The fields of the record that the caller may get; undefined where getting it is not allowed. */
export function grantToGet(
  access: CompiledAccess,
  context: AccessContext,
  entityName: string,
): Pick<Ruling, 'fields'> | undefined {
  const { outcome, fields } = evaluate(access, evaluationOfGet(context, entityName)).ruling;
  return outcome === 'allowed' ? { fields } : undefined;
}

function evaluationOfGet(context: AccessContext, entityName: string): Evaluation {
  const id = String(context.record?.id ?? '');
  const { method, resource: path } = routeOfVerb({ verb: 'get', entityName }, id);
  const { body: _, ...request } = context.request;
  const parts = { method, path, pathParameters: { entity: entityName, id }, queryParameters: new Map() };
  return { action: `get${entityName}`, context: { ...context, request: { ...request, ...parts } } };
}

function known(
  { pending = [], ...context }: AccessContext,
  record: Fields,
  { before, after }: RecordStates,
): AccessContext {
  const others = pending.filter((one) => one !== 'record');
  return {
    ...context,
    record,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined || after === 'open' ? {} : { after }),
    pending: after === 'open' ? [...others, 'after'] : others,
  };
}

type Fields = Readonly<Record<string, unknown>>;
type RecordStates = NonNullable<Parameters<Ruling['evaluate']>[2]>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
