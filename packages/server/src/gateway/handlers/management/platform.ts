import type { OperatorLog } from '../../../audit/operator-log.ts';
import type { SigningKeyAdmin } from '../../../identity/port.ts';
import type { OperatorRoute } from '../../management-route.ts';
import type { ConsoleSite } from '../../pipeline/console-cookie.ts';
import { requireOwnHost } from '../../pipeline/host.ts';
import { refuseParameters } from '../../pipeline/read-query.ts';
import type { PublicRoute } from '../../public-route.ts';
import { json, type Reply } from '../../reply.ts';

export interface PlatformServices {
  readonly signingKeys: SigningKeyAdmin;
  readonly operatorLog: OperatorLog;
  readonly metrics: { text(): string };
  /** Whether metrics are told to whoever asks, as in development. */
  readonly metricsAreOpen: boolean;
  readonly site: ConsoleSite;
}

/** What concerns the platform as a whole, for whoever runs it. */
export function platformRoutes({ signingKeys, operatorLog }: PlatformServices): readonly OperatorRoute[] {
  return [
    {
      method: 'GET',
      path: '/platform/keys',
      access: 'operator',
      handle: ({ query }) => {
        refuseParameters(query);
        return json(200, { items: signingKeys.list() });
      },
    },
    {
      method: 'POST',
      path: '/platform/keys/rotate',
      access: 'operator',
      refusedAs: 'signing_key.rotation_refused',
      handle: async ({ query, requestId }) => {
        refuseParameters(query);
        const { key, isNew } = await signingKeys.rotate(telling(operatorLog, requestId).made);
        return json(isNew ? 201 : 200, key);
      },
    },
    {
      method: 'DELETE',
      path: '/platform/keys/:kid',
      access: 'operator',
      refusedAs: 'signing_key.revocation_refused',
      handle: async ({ params: { kid = '' }, query, requestId }) => {
        refuseParameters(query);
        await signingKeys.revoke(kid, telling(operatorLog, requestId));
        return { status: 204 };
      },
    },
  ];
}

export function metricsRoute(
  services: Pick<PlatformServices, 'metrics' | 'metricsAreOpen' | 'site'>,
): OperatorRoute | PublicRoute {
  const { metrics, metricsAreOpen, site } = services;
  return {
    method: 'GET',
    path: '/metrics',
    access: metricsAreOpen ? 'public' : 'operator',
    handle: ({ query, incoming }) => {
      if (metricsAreOpen) requireOwnHost(site, incoming);
      refuseParameters(query);
      return metricsReply(metrics);
    },
  };
}

/** Prometheus’ text, of the version that every scraper knows. */
export function metricsReply(metrics: PlatformServices['metrics']): Reply {
  return { status: 200, body: metrics.text(), contentType: 'text/plain; version=0.0.4; charset=utf-8' };
}

function telling(operatorLog: OperatorLog, requestId: string) {
  const tell = (action: `signing_key.${string}`) => (kid: string) =>
    operatorLog.tell(requestId, { action, target: { kind: 'signing_key', id: kid } });
  return { made: tell('signing_key.made'), revoked: tell('signing_key.revoked') };
}
