import { verbs } from '../../access/port.ts';
import { readTarget } from '../../api/canonical-path.ts';
import { readQuery } from '../../api/read-query.ts';
import { type AnyRoute, bodyAsRead } from '../../api/route.ts';
import { createRouter } from '../../api/router.ts';
import { Problem } from '../../lib/problem.ts';
import { actionParts, routeOfVerb, runAction } from '../decisions/action-parts.ts';
import type { SentRequest } from '../decisions/request-values.ts';

/** What an app call asks the policies. */
export interface AskedAction {
  readonly action: string;
  readonly request: SentRequest;
  /** The body as the policies are shown it, where that is not as its entity reads it. */
  readonly bodyAsRead?: (body: unknown) => unknown;
}

/**
 * What the app gateway would ask the policies for a call, found in its own table of routes.
 * @param path with or without `/app/{orgCode}` before it.
 * @throws Problem `invalid_request` for what no policy is asked about.
 */
export function askedByCall(
  routes: readonly AnyRoute[],
  orgCode: string,
  { method, path }: { readonly method: string; readonly path: string },
): AskedAction {
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
export function askedByAction(action: string, resource: string): AskedAction {
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
