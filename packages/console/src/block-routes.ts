/** The screens of logic blocks, of what they did, and of when they run. */
import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { lazyRouteComponent } from './components/lazy.tsx';
import { screenFiles } from './screen-files.ts';
import { type RunFilters, readRunFilters } from './screens/runs/run-filters.ts';

interface Searched {
  readonly q?: string | undefined;
}

function readSearched({ q }: Record<string, unknown>): Searched {
  return typeof q === 'string' ? { q } : {};
}

/** @param place The route below which all screens of an environment lie. */
export function blockRoutes<Place extends AnyRoute>(place: Place) {
  const logicBlocks = createRoute({
    getParentRoute: () => place,
    path: 'logic-blocks',
    validateSearch: (search: Record<string, unknown>): Searched => readSearched(search),
    component: lazyRouteComponent(screenFiles['logic-blocks'], 'LogicBlocks'),
  });
  const logicBlock = createRoute({
    getParentRoute: () => place,
    path: 'logic-blocks/$name',
    validateSearch: ({ tab }: Record<string, unknown>): { readonly tab?: string } =>
      typeof tab === 'string' ? { tab } : {},
    component: lazyRouteComponent(screenFiles['logic-blocks/$name'], 'LogicBlock'),
  });
  const newLogicBlock = createRoute({
    getParentRoute: () => place,
    path: 'new-logic-block',
    component: lazyRouteComponent(screenFiles['new-logic-block'], 'NewLogicBlock'),
  });
  const runs = createRoute({
    getParentRoute: () => place,
    path: 'runs',
    validateSearch: (search: Record<string, unknown>): RunFilters => readRunFilters(search),
    component: lazyRouteComponent(screenFiles.runs, 'Runs'),
  });
  const run = createRoute({
    getParentRoute: () => place,
    path: 'runs/$run',
    component: lazyRouteComponent(screenFiles['runs/$run'], 'RunScreen'),
  });
  const schedules = createRoute({
    getParentRoute: () => place,
    path: 'schedules',
    validateSearch: (search: Record<string, unknown>): Searched => readSearched(search),
    component: lazyRouteComponent(screenFiles.schedules, 'Schedules'),
  });
  return [logicBlocks, logicBlock, newLogicBlock, runs, run, schedules] as const;
}
