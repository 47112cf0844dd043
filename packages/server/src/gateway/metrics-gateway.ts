import { platformApi } from '@freehold/contract/management/platform';
import type { ServedRoute } from '../api/route.ts';
import type { Gateway } from './app-gateway.ts';
import { metricsReply, type PlatformServices } from '../identity/routes/operator.ts';
import { type Operations, sharedRoutes } from './process-routes.ts';
import { readTarget } from '../api/canonical-path.ts';
import { readRequest } from './pipeline/read-request.ts';
import { createRouter } from '../api/router.ts';

export interface MetricsGatewayDeps extends Operations, Pick<PlatformServices, 'metrics'> {}

/** The monitoring system asks here, at an address of its own, so no key is needed. */
export function createMetricsGateway(deps: MetricsGatewayDeps): Gateway {
  const router = createRouter(metricsRoutes(deps));
  return async (incoming, trace) => {
    const { path, query } = readTarget(incoming.url ?? '/');
    const { route, params } = router.match(incoming.method ?? '', path);
    trace.route = route.path;
    trace.compressed = route.compressed;
    const matched = { route, params, query, requestId: trace.requestId, ip: deps.clientAddress(incoming) };
    return route.handle(await readRequest(incoming, matched), undefined);
  };
}

/** Every route of the address for metrics. */
export function metricsRoutes(deps: MetricsGatewayDeps): readonly ServedRoute<'public'>[] {
  const metrics: ServedRoute<'public'> = {
    method: 'GET',
    path: '/metrics',
    access: 'public',
    compressed: platformApi.readMetrics.compressed,
    handle: () => metricsReply(deps.metrics),
  };
  return [metrics, ...sharedRoutes(deps)];
}
