import type { AppCaller } from '../../identity/port.ts';
import { Problem } from '../../lib/problem.ts';
import type { AppRoute } from '../routing/app-route.ts';

/**
 * Holds callers who are not the person that a route takes them for: a server with a key, a builder in his own name, and
 * a builder who acts for a person (`act`). INVARIANT: every route that changes anything takes another method than GET.
 * @throws Problem `access_denied`, `prod_read_only`.
 */
export function rejectImpersonation(route: AppRoute, { kind, claims }: AppCaller): void {
  const isAboutPerson = route.access === 'self' && route.takesAnyone !== true;
  if (kind !== 'person' && isAboutPerson)
    throw new Problem('access_denied', `${noPerson[kind]} is no person of the app`);
  if (kind === 'builder' && route.access === 'createinvitation')
    throw new Problem('access_denied', 'who is no member of the workspace invites nobody into it');
  if (claims.act === undefined || isRead(route)) return;
  if (claims.env === 'prod')
    throw new Problem('prod_read_only', 'production is read-only for a builder who acts for somebody');
  if (route.access === 'self')
    throw new Problem('access_denied', 'a builder who acts for somebody changes nothing of the person himself');
}

function isRead(route: AppRoute): boolean {
  return route.method === 'GET' || (route.access === 'each' && route.isRead === true);
}

const noPerson = { service_key: 'a service key', builder: 'a builder' } as const;
