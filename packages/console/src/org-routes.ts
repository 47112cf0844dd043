import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { lazyRouteComponent } from './components/lazy.tsx';
import { screenFiles } from './screen-files.ts';
import { readAuditSearch } from './screens/audit/audit-search.ts';
import { readUsageSearch } from './screens/usage/usage-search.ts';

/** The screens about the org as a whole, below the frame of all screens. */
export function orgRoutes<Place extends AnyRoute>(place: Place) {
  const getParentRoute = () => place;
  const usage = createRoute({
    getParentRoute,
    path: 'usage',
    validateSearch: readUsageSearch,
    component: lazyRouteComponent(screenFiles.usage, 'UsageScreen'),
  });
  const audit = createRoute({
    getParentRoute,
    path: 'audit',
    validateSearch: readAuditSearch,
    component: lazyRouteComponent(screenFiles.audit, 'Audit'),
  });
  const team = createRoute({ getParentRoute, path: 'team', component: lazyRouteComponent(screenFiles.team, 'Team') });
  const keys = createRoute({ getParentRoute, path: 'keys', component: lazyRouteComponent(screenFiles.keys, 'Keys') });
  return [usage, audit, team, keys] as const;
}
