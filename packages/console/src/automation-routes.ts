/** The screens of what an org has configured to happen by itself, and of what it uses with other systems. */
import { type AnyRoute, createRoute, redirect } from '@tanstack/react-router';
import { lazyRouteComponent } from './components/lazy.tsx';
import { screenFiles } from './screen-files.ts';
import { type EventsSearch, readEventsSearch } from './screens/events/delivery-search.ts';

/** @param place The route below which all screens of an environment lie. */
export function automationRoutes<Place extends AnyRoute>(place: Place) {
  const events = createRoute({
    getParentRoute: () => place,
    path: 'events',
    validateSearch: (search: Record<string, unknown>): EventsSearch => readEventsSearch(search),
    component: lazyRouteComponent(screenFiles.events, 'Events'),
  });
  const event = createRoute({
    getParentRoute: () => place,
    path: 'events/$event',
    validateSearch: (search: Record<string, unknown>): EventsSearch => readEventsSearch(search),
    component: lazyRouteComponent(screenFiles['events/$event'], 'EventScreen'),
  });
  // Where a delivery of production is shown in test, which does not have it.
  const deliveries = createRoute({
    getParentRoute: () => place,
    path: 'deliveries',
    beforeLoad: ({ location }) => {
      throw redirect({ href: location.href.replace(/\/deliveries\b.*/, '/events?tab=deliveries') });
    },
  });
  const delivery = createRoute({
    getParentRoute: () => place,
    path: 'deliveries/$delivery',
    component: lazyRouteComponent(screenFiles['deliveries/$delivery'], 'DeliveryScreen'),
  });
  const hooks = createRoute({
    getParentRoute: () => place,
    path: 'hooks',
    component: lazyRouteComponent(screenFiles.hooks, 'Hooks'),
  });
  const hook = createRoute({
    getParentRoute: () => place,
    path: 'hooks/$hook',
    component: lazyRouteComponent(screenFiles['hooks/$hook'], 'HookScreen'),
  });
  const secrets = createRoute({
    getParentRoute: () => place,
    path: 'secrets',
    component: lazyRouteComponent(screenFiles.secrets, 'SecretsScreen'),
  });
  return [events, event, deliveries, delivery, hooks, hook, secrets] as const;
}
