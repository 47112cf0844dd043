import { platformApi } from '@freehold/contract/management/platform';
import type { ConsoleSite } from '../../../api/headers/console-cookie.ts';
import { requireOwnHost } from '../../../api/headers/host.ts';
import type { AnyRoute } from '../../../api/route.ts';
import { serveReply } from '../../../api/serve.ts';
import { type MetricsText, metricsReply } from '../../../gateway/metrics-gateway.ts';

export interface MetricsRouteDeps {
  readonly metrics: MetricsText;
  /** Whether metrics are served without a key, as in development. */
  readonly metricsAreOpen: boolean;
  readonly site: ConsoleSite;
}

export function metricsRoute(services: MetricsRouteDeps): AnyRoute {
  const { metrics, metricsAreOpen, site } = services;
  const access = metricsAreOpen ? ('public' as const) : ('operator' as const);
  return serveReply({ ...platformApi.readMetrics, access }, ({ head }) => {
    if (metricsAreOpen) requireOwnHost(site, head);
    return metricsReply(metrics);
  });
}
