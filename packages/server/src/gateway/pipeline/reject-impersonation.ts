import type { AnyRoute } from '../../api/route.ts';
import type { AppCaller } from '../../identity/port.ts';
import { Problem } from '../../lib/problem.ts';
import { workspaceSuspended } from '../../tenancy/port.ts';

/**
 * Holds callers who are not the person that a route takes them for: a server with a key, a builder in his own name, and
 * a builder who acts for a person (`act`). INVARIANT: every route that changes anything takes another method than GET.
 * @throws Problem `access_denied`, `prod_read_only`; `workspace_suspended` for a builder who would write there.
 */
export function rejectImpersonation(route: AnyRoute, { kind, claims, place }: AppCaller): void {
  const isAboutPerson = route.access === 'self' && route.takesAnyone !== true;
  if (kind !== 'person' && isAboutPerson)
    throw new Problem('access_denied', `${noPerson[kind]} is not a user of the app`);
  if (kind === 'builder' && route.access === 'createinvitation')
    throw new Problem('access_denied', 'only a member of the workspace can invite others');
  if (claims.act === undefined || isRead(route)) return;
  if (claims.env === 'prod')
    throw new Problem('prod_read_only', 'production is read-only for a builder who impersonates a user');
  if (place?.isSuspended === true) throw workspaceSuspended();
  if (route.access === 'self')
    throw new Problem('access_denied', 'a builder who impersonates a user cannot change that user’s account');
}

function isRead(route: AnyRoute): boolean {
  return route.method === 'GET' || (route.access === 'each' && route.isRead === true);
}

const noPerson = { service_key: 'a service key', builder: 'a builder', app: 'the app itself' } as const;
