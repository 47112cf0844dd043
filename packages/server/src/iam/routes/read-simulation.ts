import type { accessApi } from '@freehold/contract/management/access';
import type { InputError } from '@freehold/contract/problem';
import type { BodyOf } from '@freehold/contract/route';
import { parseStatements } from '../../access/port.ts';
import type { AnyRoute } from '../../api/route.ts';
import type { Simulation } from '../simulation/simulate.ts';
import { type AskedAction, askedByAction, askedByCall } from './asked-action.ts';
import { contextMistakes, readContext } from './read-context.ts';

type Members = Readonly<Record<string, unknown>>;
type SentSimulation = BodyOf<typeof accessApi.simulateAccess>;

export interface AppOfOrg {
  readonly orgCode: string;
  readonly routes: readonly AnyRoute[];
}

/** What is wrong with a simulation beside the kinds of its members. */
export function simulationMistakes(sent: unknown): readonly InputError[] {
  const body = isObject(sent) ? sent : {};
  const { statements = [], context } = body;
  return [
    ...choiceMistakes(body),
    ...(isObject(context) ? contextMistakes(context, body.user_id === undefined) : []),
    ...statementMistakes(parseStatements(statements)),
  ];
}

/** Reads one in which nothing is wrong. @throws Problem `invalid_request` for a call that is none of the app's. */
export function readSimulation(body: SentSimulation, app: AppOfOrg): Simulation {
  const { env = 'test', tenant_code: tenantCode, user_id: userId, record, context = {} } = body;
  const drafted = parseStatements(body.statements ?? []);
  const { action, request, bodyAsRead = (sent) => sent } = askedOf(body, app);
  const { queryParameters = request.queryParameters, body: sentBody, ...given } = readContext(context);
  return {
    env,
    tenantCode,
    who: userId === undefined && 'statements' in drafted ? drafted : { userId: String(userId) },
    action,
    request: { ...request, queryParameters },
    record: recordOf(record),
    context: sentBody === undefined ? given : { ...given, body: bodyAsRead(sentBody) },
  };
}

/** Of some members one is needed and no other, and some need others beside them. */
function choiceMistakes(input: Members): readonly InputError[] {
  const has = (name: string): boolean => input[name] !== undefined;
  const errors: InputError[] = [];
  const demand = (name: string, message: string) => errors.push({ pointer: `/${name}`, code: 'required', message });
  if (has('user_id') === has('statements')) demand('user_id', 'either `user_id` or `statements` is required');
  if (!has('tenant_code') && (has('user_id') || isStored(input.record)))
    demand('tenant_code', '`tenant_code` is required for a member and for a stored record');
  const isAsked = ['action', 'resource', 'method', 'path'].filter(has).join();
  if (isAsked !== 'action,resource' && isAsked !== 'method,path')
    demand('action', 'either `action` and `resource` or `method` and `path` are required');
  return errors;
}

/** The statements of a draft are held to what those of a policy are held to. */
function statementMistakes(drafted: ReturnType<typeof parseStatements>): readonly InputError[] {
  if ('statements' in drafted) return [];
  return drafted.errors.map((error) => ({ ...error, pointer: `/statements${error.pointer}` }));
}

function askedOf({ action, resource, method, path }: SentSimulation, { orgCode, routes }: AppOfOrg): AskedAction {
  if (action !== undefined) return askedByAction(String(action), String(resource));
  return askedByCall(routes, orgCode, { method: String(method), path: String(path) });
}

/** An id and nothing else names a record of the workspace. */
function isStored(record: unknown): record is { readonly id: string } {
  return isObject(record) && typeof record.id === 'string' && Object.keys(record).length === 1;
}

function recordOf(record: SentSimulation['record']): Simulation['record'] {
  if (record === undefined || isStored(record)) return record;
  return { fields: record };
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
