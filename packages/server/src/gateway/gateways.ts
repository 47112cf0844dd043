import type { Audit } from '../audit/open-audit.ts';
import type { Automation, EventServices, SecretReferences, SecretVault } from '../automation/port.ts';
import type { Backups } from '../backup/backups.ts';
import type { ConfigReader } from '../config/port.ts';
import type { Entities } from '../entities/port.ts';
import type { Iam } from '../iam/port.ts';
import type { Identity } from '../identity/port.ts';
import type { Clock } from '../lib/clock.ts';
import type { OpenedMail } from '../mail/open-mail.ts';
import type { Metering } from '../metering/metering.ts';
import type { PromotionModule } from '../promotion/port.ts';
import type { Records } from '../records/port.ts';
import type { Environment } from '../tenancy/port.ts';
import type { AlertWebhook } from '../webhooks/alert-webhook.ts';
import type { OnceScopes } from './answer-once.ts';
import { type AppGatewayDeps, appRoutes, createAppGateway, type Gateway } from './app-gateway.ts';
import { createClientAddress } from './client-address.ts';
import { compressing } from './compression/compressing.ts';
import type { ProxyHeader } from './forwarded-entries.ts';
import type { ObservabilityServices } from './handlers/management/observability.ts';
import type { PlatformDoctorServices } from './handlers/management/operator/doctor.ts';
import type { PlatformErrorServices } from './handlers/management/operator/errors.ts';
import type { PlatformHealthServices } from './handlers/management/operator/health.ts';
import type { OverviewServices } from './handlers/management/overview.ts';
import type { PlatformServices } from './handlers/management/platform.ts';
import type { Operations } from './handlers/shared.ts';
import { createManagementGateway } from './management-gateway.ts';
import { createManagementOrigin, type ManagementOrigin } from './management-origin.ts';
import { createMetricsGateway } from './metrics-gateway.ts';
import { createRateLimits, type RateLimitSettings, type RateLimits } from './rate-limits.ts';
import { answeringOptions } from './routing/options.ts';
import type { ConsoleSource, DocsSource } from './site-source.ts';

/** Every module that is served, and the few things that the gateways ask of the process. */
export interface GatewaysDeps extends Pick<Operations, 'readiness'> {
  readonly clock: Clock;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly onceScopes: OnceScopes;
  readonly audit: Audit;
  readonly identity: Identity;
  readonly iam: Pick<Iam, 'decisions' | 'matrix' | 'overview' | 'simulator' | 'recorder' | 'lab'>;
  readonly records: Records;
  readonly automation: Pick<Automation, 'drafts' | 'logicBlocks' | 'runs' | 'schedules' | 'hooks'>;
  readonly entities: Entities;
  readonly promotion: Pick<PromotionModule, 'promotion' | 'items' | 'configKinds'>;
  readonly metering: Metering;
  readonly backups: Backups;
  readonly mail: Pick<OpenedMail, 'inbox'>;
  readonly alertWebhook: AlertWebhook;
  readonly events: EventServices;
  readonly secretVault: SecretVault;
  readonly secretReferences: SecretReferences;
  readonly jobs: { readonly waiting: OverviewServices['waitingJobs'] };
  readonly metrics: PlatformServices['metrics'];
  readonly errorLog: PlatformErrorServices['errorLog'];
  readonly nodeHealth: PlatformHealthServices['nodeHealth'];
  readonly diagnoses: PlatformDoctorServices['diagnoses'];
  /** Of all threads together; left out, this one counts alone. */
  readonly rateLimits?: RateLimits | undefined;
  readonly upgradeUrl: ObservabilityServices['upgradeUrl'];
  readonly settings: GatewaySettings;
  readonly console: ConsoleSource;
  readonly docs: DocsSource;
}

export interface GatewaySettings {
  readonly mode: 'development' | 'production';
  readonly managementUrl: string | undefined;
  readonly rateLimits: RateLimitSettings;
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
  const { clock, configs, onceScopes, readiness, metering, metrics, settings } = deps;
  const { identity, iam, records } = deps;
  const { logicBlocks, runs, schedules, hooks } = deps.automation;
  const { runtime, removals, idempotency, repeats } = records;
  const managementOrigin = createManagementOrigin(settings.managementUrl);
  const clientAddress = createClientAddress(settings.trustedProxies, settings.proxyHeader);
  const rateLimits = deps.rateLimits ?? createRateLimits(settings.rateLimits, clock);
  const process = { clock, clientAddress, readiness, rateLimits, metering };
  const once = { idempotency, repeats, onceScopes };
  const shared = { ...process, ...once, configs, origins: identity.origins, decisions: iam.decisions };
  const app: AppGatewayDeps = {
    ...{ ...shared, ...identity.app, runtime, removals },
    ...{ logicBlocks, runs, hooks, managementOrigin, docs: deps.docs, recorder: iam.recorder },
  };
  const isDevelopment = settings.mode === 'development';
  const management = createManagementGateway({
    ...shared,
    ...deps.audit,
    ...identity.management,
    ...deps.promotion,
    matrix: iam.matrix,
    accessOverview: iam.overview,
    simulator: iam.simulator,
    policyLab: iam.lab,
    appRoutes: appRoutes(app),
    entities: deps.entities,
    backups: deps.backups,
    inbox: deps.mail.inbox,
    alertWebhook: deps.alertWebhook,
    runs,
    drafts: deps.automation.drafts,
    schedules,
    hooks,
    events: deps.events,
    secretVault: deps.secretVault,
    secretReferences: deps.secretReferences,
    waitingJobs: deps.jobs.waiting,
    console: deps.console,
    docs: deps.docs,
    metrics,
    errorLog: deps.errorLog,
    nodeHealth: deps.nodeHealth,
    diagnoses: deps.diagnoses,
    mode: settings.mode,
    metricsAreOpen: isDevelopment,
    site: { managementUrl: settings.managementUrl, isSecure: !isDevelopment },
    upgradeUrl: deps.upgradeUrl,
  });
  return {
    app: answeringAll(createAppGateway(app)),
    management: answeringAll(management),
    managementOrigin,
    metrics: answeringAll(createMetricsGateway({ metrics, readiness, clientAddress })),
  };
}

/** What holds for every gateway. */
function answeringAll(gateway: Gateway): Gateway {
  return answeringOptions(compressing(gateway));
}
