import type { AccessContext, CompiledAccess, Explanation, KnownStates, Ruling } from '../../access/port.ts';
import { actionParts, routeOfVerb } from '../decisions/action-parts.ts';
import { explainCall } from '../decisions/explain-call.ts';

/** A request with as much as is known of it; what is not known yet stands in `pending`. */
export interface AskedRequest {
  readonly action: string;
  readonly context: AccessContext;
  /** The record that a create or an update would leave. */
  readonly recordToBe: (body: Fields) => Fields;
  /** Those of the states that no field takes the place of. */
  readonly statesOf: (states: KnownStates) => KnownStates;
}

export interface Judged {
  readonly ruling: Ruling;
  readonly explanation: Explanation;
}

/** One look of the policies at a request. */
interface Look extends Pick<AskedRequest, 'action' | 'context'> {
  /** Only a Deny counts. */
  readonly denyOnly?: true;
}

/**
 * Judges a request as far as it is known by everything that the platform would ask of the policies when it is made: a
 * create by the record that it makes, an update by the record as it is and as it becomes, a list or count by whether it
 * holds the record, which a Deny on getting that record keeps out.
 */
export function judgeRequest(access: CompiledAccess, asked: AskedRequest): Judged {
  const [first, ...others] = looksOf(asked);
  const judged = judgeLook(access, first);
  if (judged.ruling.outcome !== 'allowed') return judged;
  for (const look of others) {
    const other = judgeLook(access, look);
    const { outcome } = other.ruling;
    if (look.denyOnly === true ? outcome === 'explicit_deny' : outcome !== 'allowed') return other;
  }
  return judged;
}

function judgeLook(access: CompiledAccess, { action, context }: Look): Judged {
  const resource = context.request.path;
  return {
    ruling: access.rule(action, resource, () => context),
    explanation: explainCall(access, { action, resource }, () => context),
  };
}

function looksOf(asked: AskedRequest): readonly [Look, ...Look[]] {
  const { action, context, recordToBe, statesOf } = asked;
  const { record } = context;
  const { body } = context.request;
  const parts = actionParts(action);
  const look = (shown: Fields, states: KnownStates): Look => ({
    action,
    context: known(context, shown, statesOf(states)),
  });
  if (parts?.verb === 'create' && record === undefined && isFields(body)) {
    const after = recordToBe(body);
    return [look(after, { after })];
  }
  if (record === undefined) return [asked];
  switch (parts?.verb) {
    case 'update': {
      if (!isFields(body)) return [look(record, { before: record, after: 'open' })];
      const states = { before: record, after: recordToBe(body) };
      return [look(record, states), look(states.after, states)];
    }
    case 'delete':
      return [look(record, { before: record })];
    case 'list':
    case 'count':
      return [asked, { ...lookAtGet(context, parts.entityName), denyOnly: true }];
    default:
      return [asked];
  }
}

/** What getting the record of a request leaves of it, by its fields; undefined where it is not allowed. */
export function grantToGet(
  access: CompiledAccess,
  context: AccessContext,
  entityName: string,
): Pick<Ruling, 'fields'> | undefined {
  const { outcome, fields } = judgeLook(access, lookAtGet(context, entityName)).ruling;
  return outcome === 'allowed' ? { fields } : undefined;
}

function lookAtGet(context: AccessContext, entityName: string): Look {
  const id = String(context.record?.id ?? '');
  const { method, resource: path } = routeOfVerb({ verb: 'get', entityName }, id);
  const { body: _, ...request } = context.request;
  const parts = { method, path, pathParameters: { entity: entityName, id }, queryParameters: new Map() };
  return { action: `get${entityName}`, context: { ...context, request: { ...request, ...parts } } };
}

function known(
  { pending = [], ...context }: AccessContext,
  record: Fields,
  { before, after }: KnownStates,
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

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
