import { configKinds } from '../../config-kinds.ts';
/** All routes, and the table of what is largest of each. */

import type { TakesBody } from '../../../api/request.ts';
import { allRoutes, type RouteDeps } from '../../../composition/routes/all-routes.ts';
import { type MetricsGatewayDeps, metricsRoutes } from '../../../gateway/metrics-gateway.ts';
import type { Place } from '../exercise.ts';
import type { Rows } from '../worst-case.ts';
import { appRows } from './app-rows.ts';
import { blockRows } from './block-rows.ts';
import { managementRows } from './management-rows.ts';
import { metricsRows, sharedRows } from './shared-rows.ts';

interface Listed {
  readonly method: string;
  readonly path: string;
  readonly takesBody?: TakesBody;
}

export type GatewayName = 'app' | 'management' | 'metrics';

/** No handler is called, so the tables need nothing to stand on. */
export const routesOf: Readonly<Record<GatewayName, readonly Listed[]>> = {
  app: allRoutes({ configKinds } as RouteDeps).app,
  management: allRoutes({ configKinds } as RouteDeps).management,
  metrics: metricsRoutes({} as MetricsGatewayDeps),
};

export const rowsOf: Readonly<Record<GatewayName, Rows>> = {
  app: { ...appRows, ...blockRows, ...sharedRows },
  management: managementRows,
  metrics: metricsRows,
};

export function keyOf({ method, path }: Listed): string {
  return `${method} ${path}`;
}

/** The rows of a gateway with their routes. */
export function placesOf(gateway: GatewayName): readonly (readonly [key: string, place: Place])[] {
  return routesOf[gateway].flatMap((route) => {
    const row = rowsOf[gateway][keyOf(route)];
    if (row === undefined) return [];
    const { method, takesBody } = route;
    return [[keyOf(route), { ...row, method, ...(takesBody === undefined ? {} : { takesBody }) }] as const];
  });
}
