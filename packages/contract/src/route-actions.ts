/**
 * Actions of policies that routes about no record ask for, such as `updateworkspace`. They read as a verb and the name
 * of an entity, so no new entity may have that name: a policy about its records would be about these routes as well.
 */
import { callers } from './access.ts';
import { recordRoutes } from './app/records.ts';
import { appApi } from './app.ts';
import type { Method, Route } from './route.ts';

export interface RouteAction {
  readonly action: string;
  /** What follows the verb. */
  readonly name: string;
  readonly method: Method;
  /** As policies see it, with `*` in place of each parameter. */
  readonly path: string;
}

const verbs = [...new Set(Object.values(recordRoutes).map(({ access }) => access))];

export const routeActions: readonly RouteAction[] = Object.values<Route>(appApi).flatMap(actionOf);

/** Names that no new entity may have. */
export const routeActionNames: readonly string[] = [...new Set(routeActions.map(({ name }) => name))].sort();

function actionOf({ access, method, path }: Route): readonly RouteAction[] {
  const verb = verbs.find((one) => access.startsWith(one) && access !== one);
  if (verb === undefined || Object.hasOwn(callers, access)) return [];
  const seen = path.replace('/app/:org', '').replaceAll(/:\w+/g, '*');
  return [{ action: access, name: access.slice(verb.length), method, path: seen }];
}
