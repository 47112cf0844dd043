import type { ConsoleSite } from '../api/headers/console-cookie.ts';
import type { AnyRoute } from '../api/route.ts';
import type { Audit } from '../audit/open-audit.ts';
import type { ConfigReaders } from '../config/port.ts';
import type { Iam } from '../iam/port.ts';
import type { Clock } from '../lib/clock.ts';
import type { Metering } from '../metering/metering.ts';
import type { People } from '../people/port.ts';
import type { Records } from '../records/port.ts';
import type { OnceScopes } from './answer-once.ts';
import { createAppGateway, type Gateway } from './app-gateway.ts';
import { createClientAddress, type ProxyHeader } from './client-address.ts';
import { compressing } from './compressing.ts';
import { createManagementGateway } from './management-gateway.ts';
import { createMetricsGateway, type MetricsText } from './metrics-gateway.ts';
import type { ProcessOperations } from './own-routes.ts';
import { createManagementOrigin, isPreflight, type ManagementOrigin } from './pipeline/cors.ts';
import type { RateLimits } from './rate-limits.ts';
import type { ConsoleSource, DocsSource } from './site-files.ts';

/** The routes that are served, and the services that identify and authorize callers. */
export interface GatewaysDeps extends ProcessOperations {
  readonly routes: { readonly app: readonly AnyRoute[]; readonly management: readonly AnyRoute[] };
  readonly clock: Clock;
  readonly configs: ConfigReaders;
  readonly onceScopes: OnceScopes;
  readonly audit: Pick<Audit, 'refusals'>;
  readonly identity: Pick<People, 'origins' | 'app' | 'management'>;
  readonly iam: Pick<Iam, 'decisions' | 'recorder'>;
  readonly records: Pick<Records, 'idempotency' | 'repeats'>;
  readonly metering: Pick<Metering, 'meter' | 'gate'>;
  readonly metrics: MetricsText;
  readonly rateLimits: RateLimits;
  readonly site: ConsoleSite;
  readonly settings: GatewaySettings;
  readonly console: ConsoleSource;
  readonly docs: DocsSource;
}

export interface GatewaySettings {
  readonly managementUrl: string | undefined;
  readonly trustedProxies: readonly string[];
  readonly proxyHeader: ProxyHeader;
}

export interface Gateways {
  readonly app: Gateway;
  readonly management: Gateway;
  readonly metrics: Gateway;
  readonly managementOrigin: Pick<ManagementOrigin, 'listening'>;
}

export function createGateways(deps: GatewaysDeps): Gateways {
  const { routes, settings, identity, iam, records, metrics, readiness, console, docs, site } = deps;
  const { clock, configs, onceScopes, rateLimits, metering } = deps;
  const { idempotency, repeats } = records;
  const managementOrigin = createManagementOrigin(settings.managementUrl);
  const clientAddress = createClientAddress(settings.trustedProxies, settings.proxyHeader);
  const shared = { clock, clientAddress, rateLimits, idempotency, repeats, onceScopes };
  const app = createAppGateway({
    ...{ ...shared, routes: routes.app, sessions: identity.app.sessions, origins: identity.origins },
    ...{ configs, decisions: iam.decisions, recorder: iam.recorder, metering, managementOrigin },
  });
  const { accounts, deployKeys, operator } = identity.management;
  const management = createManagementGateway({
    ...{ ...shared, routes: routes.management, accounts, deployKeys, operator },
    ...{ refusals: deps.audit.refusals, site, console, docs },
  });
  return {
    app: answeringAll(app),
    management: answeringAll(management),
    managementOrigin,
    metrics: answeringAll(createMetricsGateway({ metrics, readiness, clientAddress })),
  };
}

/** Rules of every gateway. */
function answeringAll(gateway: Gateway): Gateway {
  return answeringOptions(compressing(gateway));
}

/**
 * `OPTIONS` (RFC 9110, 9.3.7) asks for the methods of a route: the refusal of a method that the route does not have names
 * them, before a token is read. A preflight asks for something else.
 */
function answeringOptions(gateway: Gateway): Gateway {
  return async (incoming, trace, errors) => {
    if (incoming.method !== 'OPTIONS' || isPreflight(incoming)) return gateway(incoming, trace, errors);
    const reply = await gateway(incoming, trace, errors).catch((error) => errors.reply(error, trace.requestId));
    if (reply.status !== 405) return reply;
    return { status: 204, ...(reply.headers === undefined ? {} : { headers: reply.headers }) };
  };
}
