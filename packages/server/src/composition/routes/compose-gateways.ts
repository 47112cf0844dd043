/** Puts the routes of all modules behind the gateways. */
import type { Audit } from '../../audit/open-audit.ts';
import type { Automation, EventServices, SecretReferences, SecretVault } from '../../automation/port.ts';
import type { Backups } from '../../backup/backups.ts';
import type { ConfigReaders } from '../../config/port.ts';
import type { Entities } from '../../entities/port.ts';
import type { OnceScopes } from '../../gateway/answer-once.ts';
import { entityEndpoints } from '../../gateway/entity-endpoints.ts';
import { createGateways, type GatewaySettings, type Gateways } from '../../gateway/gateways.ts';
import { createMayAct } from '../../gateway/may-act.ts';
import type { Operations } from '../../gateway/own-routes.ts';
import { createRateLimits, type RateLimitSettings } from '../../gateway/rate-limits.ts';
import type { ConsoleSource, DocsSource } from '../../gateway/site-source.ts';
import type { Iam } from '../../iam/port.ts';
import type { Identity } from '../../identity/port.ts';
import type { Clock } from '../../lib/clock.ts';
import type { OpenedMail } from '../../mail/open-mail.ts';
import type { Metering } from '../../metering/metering.ts';
import type { PromotionModule } from '../../promotion/port.ts';
import type { Records } from '../../records/port.ts';
import type { AlertWebhook } from '../../webhooks/alert-webhook.ts';
import { allRoutes, type RouteDeps } from './all-routes.ts';

/** Every module that is served, and the few things that the gateways ask of the process. */
export interface ComposeGatewaysDeps
  extends Operations,
    Pick<RouteDeps, 'metrics' | 'errorLog' | 'nodeHealth' | 'diagnoses' | 'upgradeUrl'> {
  readonly clock: Clock;
  readonly configs: ConfigReaders;
  readonly onceScopes: OnceScopes;
  readonly audit: Audit;
  readonly identity: Identity;
  readonly iam: Iam;
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
  readonly jobs: { readonly waiting: RouteDeps['waitingJobs'] };
  readonly settings: GatewaySettings & {
    readonly mode: 'development' | 'production';
    readonly rateLimits: RateLimitSettings;
  };
  readonly console: ConsoleSource;
  readonly docs: DocsSource;
}

export function composeGateways(deps: ComposeGatewaysDeps): Gateways {
  const { identity, iam, records, settings, clock } = deps;
  const isDevelopment = settings.mode === 'development';
  const site = { managementUrl: settings.managementUrl, isSecure: !isDevelopment };
  const rateLimits = createRateLimits(settings.rateLimits, clock);
  const routes = allRoutes({
    ...{ ...deps, ...identity.app, ...identity.management, ...deps.audit, ...iam, ...records },
    ...{ ...deps.automation, ...deps.promotion, inbox: deps.mail.inbox, waitingJobs: deps.jobs.waiting },
    ...{ origins: identity.origins, site, rateLimits, mode: settings.mode, metricsAreOpen: isDevelopment },
    ...{ entityEndpoints, mayAct: createMayAct({ configs: deps.configs, decisions: iam.decisions, clock }) },
  });
  return createGateways({ ...deps, routes, rateLimits, site });
}
