import { isIP } from 'node:net';
import type { accessApi } from '@freehold/contract/management/access';
import type { InputError } from '@freehold/contract/problem';
import type { BodyOf } from '@freehold/contract/route';
import { actionParts, parseStatements, routeOfVerb, runAction, verbs } from '../../access/port.ts';
import { readTarget } from '../../api/canonical-path.ts';
import { type AnyRoute, bodyAsRead } from '../../api/route.ts';
import { createRouter } from '../../api/router.ts';
import { Problem } from '../../lib/problem.ts';
import { readQuery } from '../../lib/query-string.ts';
import { isObject } from '../../lib/unknown-names.ts';
import type { SentRequest } from '../decisions/request-values.ts';
import type { SimulatedContext, Simulation } from '../simulation/simulate.ts';

type Members = Readonly<Record<string, unknown>>;
type SentSimulation = BodyOf<typeof accessApi.simulateAccess>;

interface AppOfOrg {
  readonly orgCode: string;
  readonly routes: readonly AnyRoute[];
}

/** The faults of a simulation beside the kinds of its members. */
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
  const { action, request, bodyAsRead = (sent) => sent } = requestOf(body, app);
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
  const isChosen = ['action', 'resource', 'method', 'path'].filter(has).join();
  if (isChosen !== 'action,resource' && isChosen !== 'method,path')
    demand('action', 'either `action` and `resource` or `method` and `path` are required');
  return errors;
}

/** The statements of a draft are held to what those of a policy are held to. */
function statementMistakes(drafted: ReturnType<typeof parseStatements>): readonly InputError[] {
  if ('statements' in drafted) return [];
  return drafted.errors.map((error) => ({ ...error, pointer: `/statements${error.pointer}` }));
}

function requestOf({ action, resource, method, path }: SentSimulation, { orgCode, routes }: AppOfOrg): ActionRequest {
  if (action !== undefined) return requestOfAction(String(action), String(resource));
  return requestOfCall(routes, orgCode, { method: String(method), path: String(path) });
}

/** An id and nothing else names a record of the workspace. */
function isStored(record: unknown): record is { readonly id: string } {
  return isObject(record) && typeof record.id === 'string' && Object.keys(record).length === 1;
}

function recordOf(record: SentSimulation['record']): Simulation['record'] {
  if (record === undefined || isStored(record)) return record;
  return { fields: record };
}

interface GivenContext extends SimulatedContext {
  readonly queryParameters?: ReadonlyMap<string, string>;
}

type SentContext = NonNullable<BodyOf<typeof accessApi.simulateAccess>['context']>;

/** The faults of the context of a simulation. @param isDraft whether user and workspace are its own to say. */
function contextMistakes(context: Members, isDraft: boolean): readonly InputError[] {
  const { request, user, tenant } = context;
  const errors: InputError[] = [];
  const add = (pointer: string, code: string, message: string) => errors.push({ pointer, code, message });
  const { ip } = isObject(request) ? request : {};
  if (typeof ip === 'string' && isIP(ip) === 0) add('/context/request/ip', 'wrong_type', '`ip` must be an IP address');
  for (const [name, value] of Object.entries({ user, tenant })) {
    if (isDraft || value === undefined) continue;
    add(
      `/context/${name}`,
      'invalid_value',
      `\`${name}\` comes from the member: it can be sent with \`statements\` only`,
    );
  }
  return errors;
}

/** Reads one in which nothing is wrong. */
function readContext({ request = {}, jwt, user, tenant }: SentContext): GivenContext {
  const { ip, time, origin, queryParameters, body } = request;
  return {
    ...(ip === undefined ? {} : { ip }),
    ...(origin === undefined ? {} : { origin }),
    ...(time === undefined ? {} : { time: Date.parse(time) }),
    ...(body === undefined ? {} : { body }),
    ...(queryParameters === undefined ? {} : { queryParameters: new Map(Object.entries(queryParameters)) }),
    ...(jwt === undefined ? {} : { jwt }),
    ...(user === undefined ? {} : { user: present(user) }),
    ...(tenant === undefined ? {} : { tenant: present(tenant) }),
  };
}

/** Without members that are undefined. */
function present(input: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(input).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** The authorization request of an app call. */
interface ActionRequest {
  readonly action: string;
  readonly request: SentRequest;
  /** The body as the policies are shown it, where that is not as its entity reads it. */
  readonly bodyAsRead?: (body: unknown) => unknown;
}

/**
 * The request that the app gateway would check a call with, found in its own table of routes.
 * @param path with or without `/app/{orgCode}` before it.
 * @throws Problem `invalid_request` for calls that no policy is asked about.
 */
function requestOfCall(
  routes: readonly AnyRoute[],
  orgCode: string,
  { method, path }: { readonly method: string; readonly path: string },
): ActionRequest {
  const app = `/app/${orgCode}`;
  const target = readTarget(path === '/app' || path.startsWith('/app/') ? path : app + path);
  if (!target.path.startsWith(`${app}/`)) throw new Problem('invalid_request', '`path` belongs to another app');
  const { route, params } = createRouter(routes).match(method, target.path);
  if (route.access === 'public' || route.access === 'self')
    throw new Problem('invalid_request', 'policies do not decide about this route');
  if (route.access === 'each')
    throw new Problem(
      'invalid_request',
      'the operations of a batch are decided one by one: simulate the route of each',
    );
  const sent = { method, path: target.path.slice(app.length), queryParameters: readQuery(target.query) };
  if (route.access === 'run') {
    const { org: _, ...pathParameters } = params;
    return { action: runAction(params), request: { ...sent, pathParameters } };
  }
  const { entity = '', id } = params;
  const access: string = route.access;
  return {
    ...(verbs.some((verb) => verb === access)
      ? { action: access + entity }
      : { action: access, bodyAsRead: (body) => bodyAsRead(route, body) }),
    request: {
      ...sent,
      pathParameters: { ...(entity === '' ? {} : { entity }), ...(id === undefined ? {} : { id }) },
    },
  };
}

/** A call that asks the policies for this action on this resource. @throws Problem `invalid_request`. */
function requestOfAction(action: string, resource: string): ActionRequest {
  const { path, query } = readTarget(resource);
  const [, , second, third] = path.split('/');
  const block = /^run([a-z][a-z0-9_-]*)$/i.exec(action)?.[1];
  if (block !== undefined) {
    const pathParameters = { name: second ?? block, ...(third === undefined ? {} : { path: third }) };
    return { action, request: { method: 'POST', path, pathParameters, queryParameters: readQuery(query) } };
  }
  const parts = actionParts(action);
  if (parts === undefined)
    throw new Problem('invalid_request', '`action` must be a verb and an entity, such as `getorder`');
  const id = third;
  const { method } = routeOfVerb(parts, '');
  return {
    action,
    request: {
      method,
      path,
      pathParameters: { entity: parts.entityName, ...(id === undefined ? {} : { id }) },
      queryParameters: readQuery(query),
    },
  };
}
