import { platformApi } from '@freehold/contract/management/platform';
import { readTarget } from '../api/canonical-path.ts';
import type { Reply } from '../api/reply.ts';
import type { ServedRoute } from '../api/route.ts';
import { createRouter } from '../api/router.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { Gateway } from './app-gateway.ts';
import type { ClientAddress } from './client-address.ts';
import { type ProcessOperations, sharedRoutes } from './own-routes.ts';
import { readRequest } from './pipeline/read-request.ts';

/** Prometheus’ text of the platform. */
export interface MetricsText {
  text(): MaybePromise<string>;
}

export interface MetricsGatewayDeps extends ProcessOperations {
  readonly metrics: MetricsText;
  readonly clientAddress: ClientAddress;
}

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

/** Of the version that every scraper knows. */
export async function metricsReply(metrics: MetricsText): Promise<Reply> {
  return { status: 200, body: await metrics.text(), contentType: 'text/plain; version=0.0.4; charset=utf-8' };
}
