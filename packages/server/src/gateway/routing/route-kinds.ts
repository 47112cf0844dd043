/** What a route of an app is about, by its access. */
import { type Verb, verbs } from '../../access/port.ts';
import type { AnyRoute, RouteOf } from '../../api/route.ts';
import { type WorkspaceAction, workspaceActions } from '../../identity/port.ts';

/** About records: decided by the caller's policies before the handler is asked. */
export function isRecordRoute(route: AnyRoute): route is RouteOf<Verb> {
  return verbs.some((verb) => verb === route.access);
}

/** About the workspace itself: what a policy has to allow is no verb on an entity. */
export function isWorkspaceRoute(route: AnyRoute): route is RouteOf<WorkspaceAction> {
  return workspaceActions.some((action) => action === route.access);
}
