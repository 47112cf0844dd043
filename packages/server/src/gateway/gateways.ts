import type { ConsoleSite } from '../api/headers/console-cookie.ts';
import type { AnyRoute } from '../api/route.ts';
import type { Audit } from '../audit/open-audit.ts';
import type { ConfigReaders } from '../config/port.ts';
import type { Iam } from '../iam/port.ts';
import type { Identity } from '../identity/port.ts';
import type { Clock } from '../lib/clock.ts';
import type { Metering } from '../metering/metering.ts';
import type { Records } from '../records/port.ts';
import type { OnceScopes } from './answer-once.ts';
import { createAppGateway, type Gateway } from './app-gateway.ts';
import { createClientAddress } from './client-address.ts';
import { compressing } from './compression/compressing.ts';
import type { ProxyHeader } from './forwarded-entries.ts';
import { createManagementGateway } from './management-gateway.ts';
import { createManagementOrigin, type ManagementOrigin } from './management-origin.ts';
import { createMetricsGateway, type MetricsText } from './metrics-gateway.ts';
import type { RateLimits } from './rate-limits.ts';
import { answeringOptions } from './routing/options.ts';
import type { Operations } from './routing/process-routes.ts';
import type { ConsoleSource, DocsSource } from './site-source.ts';

/** What is served, and what decides who is. */
export interface GatewaysDeps extends Operations {
  readonly routes: { readonly app: readonly AnyRoute[]; readonly management: readonly AnyRoute[] };
  readonly clock: Clock;
  readonly configs: ConfigReaders;
  readonly onceScopes: OnceScopes;
  readonly audit: Pick<Audit, 'refusals'>;
  readonly identity: Identity;
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

/** What holds for every gateway. */
function answeringAll(gateway: Gateway): Gateway {
  return answeringOptions(compressing(gateway));
}
