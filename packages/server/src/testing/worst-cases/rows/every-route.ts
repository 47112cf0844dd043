/** All routes, and the tables of what their descriptions do not say of the largest that they take. */

import type { TakesBody } from '../../../api/request.ts';
import { type MetricsGatewayDeps, metricsRoutes } from '../../../gateway/metrics-gateway.ts';
import { servedRoutes } from '../../served-routes.ts';
import type { ExercisedRoute } from '../exercise.ts';
import type { GatewayName } from '../send.ts';
import type { Rows } from '../worst-case.ts';
import { appRows } from './app-rows.ts';
import { blockRows } from './block-rows.ts';
import { type Listed, rowOf } from './default-row.ts';
import { managementRows } from './management-rows.ts';

interface Route extends Listed {
  readonly takesBody?: TakesBody;
}

export const routesOf: Readonly<Record<GatewayName, readonly Route[]>> = {
  app: servedRoutes.app,
  management: servedRoutes.management,
  metrics: metricsRoutes({} as MetricsGatewayDeps),
};

export const rowsOf: Readonly<Record<GatewayName, Rows>> = {
  app: { ...appRows, ...blockRows },
  management: managementRows,
  metrics: {},
};

export function keyOf({ method, path }: Listed): string {
  return `${method} ${path}`;
}

/** The routes of a gateway, each with its row. */
export function placesOf(gateway: GatewayName): readonly (readonly [key: string, place: ExercisedRoute])[] {
  return routesOf[gateway].map((route) => {
    const { method, takesBody } = route;
    const row = rowOf(route, rowsOf[gateway][keyOf(route)]);
    return [keyOf(route), { ...row, gateway, method, ...(takesBody === undefined ? {} : { takesBody }) }] as const;
  });
}
