import { platformApi } from '@freehold/contract/management/platform';
import type { ConsoleSite } from '../../api/console-cookie.ts';
import { json, type Reply } from '../../api/reply.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serve, serveReply } from '../../api/serve.ts';
import { type OperatorLog, operatorActor } from '../../audit/operator-log.ts';
import type { SecondFactors, SigningKeyAdmin } from '../port.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import { requireOwnHost } from '../../api/host.ts';

export interface PlatformServices {
  readonly signingKeys: SigningKeyAdmin;
  readonly operatorLog: OperatorLog;
  readonly secondFactors: SecondFactors;
  readonly clock: Clock;
  readonly metrics: { text(): MaybePromise<string> };
  /** Whether metrics are served without a key, as in development. */
  readonly metricsAreOpen: boolean;
  readonly site: ConsoleSite;
}

/** Routes about the platform as a whole, for the operator. */
export function platformRoutes({
  signingKeys,
  operatorLog,
  secondFactors,
  clock,
}: PlatformServices): readonly AnyRoute[] {
  return [
    serve(platformApi.listSigningKeys, (_request) => {
      return { items: signingKeys.list() };
    }),
    serveReply(platformApi.rotateSigningKeys, async ({ requestId }) => {
      const { key, isNew } = await signingKeys.rotate(telling(operatorLog, requestId).made);
      return json(isNew ? 201 : 200, key);
    }),
    serve(platformApi.revokeSigningKey, async ({ params: { kid = '' }, requestId }) => {
      await signingKeys.revoke(kid, telling(operatorLog, requestId));
    }),
    serve(platformApi.resetAccountFactors, ({ body: { email, reason }, requestId }) => {
      const auditContext = { at: timestamp(clock.now()), actor: operatorActor, request_id: requestId };
      return secondFactors.resetByOperator({ email, reason: reason.trim(), auditContext });
    }),
  ];
}

export function metricsRoute(services: Pick<PlatformServices, 'metrics' | 'metricsAreOpen' | 'site'>): AnyRoute {
  const { metrics, metricsAreOpen, site } = services;
  const access = metricsAreOpen ? ('public' as const) : ('operator' as const);
  return serveReply({ ...platformApi.readMetrics, access }, ({ head }) => {
    if (metricsAreOpen) requireOwnHost(site, head);
    return metricsReply(metrics);
  });
}

/** Prometheus’ text, of the version that every scraper knows. */
export async function metricsReply(metrics: PlatformServices['metrics']): Promise<Reply> {
  return { status: 200, body: await metrics.text(), contentType: 'text/plain; version=0.0.4; charset=utf-8' };
}

function telling(operatorLog: OperatorLog, requestId: string) {
  const tell = (action: `signing_key.${string}`) => (kid: string) =>
    operatorLog.tell(requestId, { action, target: { kind: 'signing_key', id: kid } });
  return { made: tell('signing_key.made'), revoked: tell('signing_key.revoked') };
}
