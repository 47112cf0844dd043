/** The composition root: the only place that knows which adapter stands behind which port. */
import type { Occasion } from './audit/audit-entry.ts';
import { createAuditLog } from './audit/audit-log.ts';
import { createOperatorLog } from './audit/operator-log.ts';
import { createRefusalLog } from './audit/refusal-log.ts';
import { startAlerts, startJobs } from './compose-jobs.ts';
import { type ConfigReader, type ConfigReaderOptions, createConfigReader, createFences } from './config/port.ts';
import type { Config } from './config.ts';
import { createEntityAdmin } from './entities/port.ts';
import type { OnceScopes } from './gateway/answer-once.ts';
import { type AppGatewayParts, appRoutes, createAppGateway, type Gateway } from './gateway/app-gateway.ts';
import { createClientAddress } from './gateway/client-address.ts';
import { createErrorReplies, type ErrorReplies } from './gateway/error-reply.ts';
import { createManagementGateway } from './gateway/management-gateway.ts';
import { createMetricsGateway } from './gateway/metrics-gateway.ts';
import { createRateLimits } from './gateway/rate-limits.ts';
import {
  createAccessEpochs,
  createAccessMatrix,
  createAccessSimulator,
  createDecisionLog,
  createIamRules,
} from './iam/port.ts';
import {
  createAppOrigins,
  createOrgSettings,
  derivedKey,
  findOrg,
  loadSecrets,
  openIdentity,
  openSigningKeys,
  type PasswordCost,
  platformScopeName,
  type Secrets,
  settingTypes,
  startKeyUpkeep,
} from './identity/port.ts';
import type { Clock } from './lib/clock.ts';
import { type IdSource, uuidv7Source } from './lib/ids.ts';
import { openMail } from './mail/open-mail.ts';
import { type Metering, startMetering } from './metering/metering.ts';
import { openSpaces, openVaultOf, type Spaces } from './open-spaces.ts';
import { type CapGates, capGates, configuredIn } from './plan-caps.ts';
import { createConfigItems, createConfigKinds, createPromotion, refuseRemoval } from './promotion/port.ts';
import {
  type Cursors,
  createCursors,
  createIdempotency,
  createNumbering,
  createRecordRuntime,
  createRepeatedRequests,
  createSealer,
  createWriteLoop,
  markingStore,
  recordsOfOrg,
} from './records/port.ts';
import { explainStoreFailure } from './store/explain-failure.ts';
import type { Health, OpenedStore, Store } from './store/port.ts';
import { type Measurement, startMeasurement } from './telemetry/measurement.ts';
import { countDenials, watchJobs } from './telemetry/work-metrics.ts';
import { type Environment, orgScopeName, workspaceScopeName } from './tenancy/port.ts';
import type { AlertWebhook } from './webhooks/alert-webhook.ts';

/** The platform, ready to be given listeners. */
export interface Platform {
  readonly app: Gateway;
  readonly management: Gateway;
  readonly metrics: Gateway;
  readonly measurement: Pick<Measurement, 'metrics' | 'calls'>;
  /** Whether nobody has signed up yet. */
  isEmpty(): Promise<boolean>;
  readonly errors: (baseUrl: () => string) => ErrorReplies;
  /** From now on the platform says that it is not ready. */
  startDraining(): void;
  close(): Promise<void>;
}

export interface ComposeOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly onFault: (error: unknown, requestId?: string) => void;
  /** Called when the store can no longer be trusted: the process has to end and recover at the next start. */
  readonly onFatal: (error: unknown) => void;
  /** Opens a space otherwise than the settings say: tests put stores there that fail. */
  readonly openSpace?: (name: keyof Spaces) => Promise<OpenedStore>;
  /** What a new password hash costs: tests that are not about it take less. */
  readonly passwordCost?: PasswordCost;
}

export async function compose(options: ComposeOptions): Promise<Platform> {
  const { config, clock, onFault } = options;
  const measurement = startMeasurement();
  const { metrics } = measurement;
  const watch = watchJobs(metrics);
  const spaces = markSpaces(watchSpaces(await openSpaces(config, options), measurement));
  const allStores = [spaces.platform.store, spaces.test.store, spaces.prod.store];
  const vault = await openVaultOf(spaces, config);
  const secrets = await loadSecrets(vault, clock);
  const signingKeys = await openSigningKeys({ vault, clock, ageDaysMax: config.keyAgeDaysMax });
  const configs = configsOf(spaces, { clock, tally: measurement.tallies.config });
  const jobs = startJobs(spaces, { configs, clock, onFault, watch });
  const decisions = countDenials(metrics, createDecisionLog(clock));
  const mail = openMail({ smtp: config.smtp, isDevelopment: config.mode === 'development', clock, onFault });
  const newId = uuidv7Source(clock);
  const alerts = startAlerts(spaces, { config, clock, onFault, newId, secrets, watch });
  const metering = composeMetering(spaces, options, { configs, announce: alerts.webhook.announce });
  const { gate } = metering;
  const caps = capGates(metering.caps);
  const entities = composeEntities(spaces, { configs, clock, newId, secrets, gate, caps, poke: jobs.poke });
  const { runtime, once, epochs, cursors } = entities;
  let isDraining = false;
  const readiness = () => readinessOf(allStores, isDraining);
  const clientAddress = createClientAddress(config.trustedProxies);
  const platform = spaces.platform.store.scope(platformScopeName);
  const logs = { operatorLog: createOperatorLog(platform, clock), refusals: createRefusalLog(platform, clock) };
  const upkeep = startKeyUpkeep({ keys: signingKeys, operatorLog: logs.operatorLog, onError: onFault });
  const rateLimits = createRateLimits(config.rateLimits, clock);
  const origins = createAppOrigins({ platform, configs, clock });
  const identity = await openIdentity({
    ...{ platform, stores: { test: spaces.test.store, prod: spaces.prod.store }, configs, clock, newId },
    ...{ signingKeys, mailer: mail.mailer, runtime, epochs, cursors, foundingGate: caps.foundingGate },
    ...{ tokenTally: measurement.tallies.token, poke: jobs.poke, settings: config, passwordCost: options.passwordCost },
  });
  const shared = { ...once, rateLimits, decisions, origins, clock, clientAddress, readiness, metering };
  const app: AppGatewayParts = { ...shared, ...identity.app, runtime, configs, jwks: signingKeys.jwks };
  return {
    app: createAppGateway(app),
    management: createManagementGateway({
      ...shared,
      inbox: mail.inbox,
      site: { managementUrl: config.managementUrl, isSecure: config.mode === 'production' },
      ...entities.management,
      ...composeAcl(spaces, { configs, clock, cursors, app }),
      signingKeys,
      ...identity.management,
      ...logs,
      metrics,
      metricsAreOpen: config.mode === 'development',
      upgradeUrl: config.upgradeUrl,
      alertWebhook: alerts.webhook,
    }),
    metrics: createMetricsGateway({ metrics, readiness, clientAddress }),
    measurement,
    isEmpty: () => identity.management.accounts.isEmpty(),
    errors: (baseUrl) =>
      createErrorReplies({ baseUrl, explain: explainStoreFailure, onFault, upgradeUrl: config.upgradeUrl }),
    startDraining: () => {
      isDraining = true;
    },
    close: () => closeAll([jobs, upkeep, mail, alerts, metering, measurement], allStores),
  };
}

interface AclParts extends Pick<EntityParts, 'configs' | 'clock'> {
  readonly cursors: Cursors;
  readonly app: AppGatewayParts;
}

function composeAcl({ test, prod }: Spaces, { app, ...shared }: AclParts) {
  const parts = { ...shared, stores: { test: test.store, prod: prod.store } };
  return {
    simulator: createAccessSimulator(parts),
    matrix: createAccessMatrix(parts),
    configs: shared.configs,
    appRoutes: appRoutes(app),
  };
}

function composeAudit(spaces: Spaces, cursors: Cursors) {
  const platform = spaces.platform.store.scope(platformScopeName);
  const { test, prod } = spaces;
  const workspaceScopes = (orgCode: string, tenantCode: string) => {
    const name = workspaceScopeName(orgCode, tenantCode);
    return { test: test.store.scope(name), prod: prod.store.scope(name) };
  };
  return createAuditLog({ platform, orgScopes: orgScopesOf(spaces), workspaceScopes, cursors });
}

function orgScopesOf({ test, prod }: Spaces) {
  return (orgCode: string) => ({
    test: test.store.scope(orgScopeName(orgCode)),
    prod: prod.store.scope(orgScopeName(orgCode)),
  });
}

function composeMetering(
  { platform, test, prod }: Spaces,
  { clock, onFault }: ComposeOptions,
  { configs, announce }: { readonly configs: Configs; readonly announce: AlertWebhook['announce'] },
): Metering {
  const accounts = platform.store.scope(platformScopeName);
  return startMetering({
    clock,
    platform: accounts,
    orgScopes: orgScopesOf({ platform, test, prod }),
    hasOrg: async (orgCode) => (await findOrg(accounts, orgCode)) !== undefined,
    recordsOf: async (orgCode) => {
      const ofTest = (await recordsOfOrg(test.store, orgCode)).map((one) => ({ ...one, env: 'test' as const }));
      const ofProd = (await recordsOfOrg(prod.store, orgCode)).map((one) => ({ ...one, env: 'prod' as const }));
      return [...ofTest, ...ofProd];
    },
    configured: configuredIn({ test, prod }, configs),
    announce,
    onError: onFault,
  });
}

interface Configs {
  readonly test: ConfigReader;
  readonly prod: ConfigReader;
}

interface EntityParts extends Pick<Metering, 'gate'> {
  readonly caps: CapGates;
  readonly configs: Configs;
  readonly clock: Clock;
  readonly newId: IdSource;
  readonly secrets: Secrets;
  readonly poke: () => void;
}

function composeEntities(spaces: Spaces, { configs, clock, newId, secrets, gate, caps, poke }: EntityParts) {
  const epochs = createAccessEpochs();
  const cursorKey = Buffer.from(secrets.cursor_key, 'base64url');
  const cursors = createCursors(cursorKey);
  const stores = { test: spaces.test.store, prod: spaces.prod.store };
  const kinds = createConfigKinds({ settingTypes });
  const { gates, policyBound } = caps;
  const sealer = createSealer(secrets.field_keys);
  const promotion = { stores, configs, clock, kinds, cursors, poke, gates };
  return {
    epochs,
    cursors,
    once: {
      idempotency: createIdempotency(derivedKey(secrets, 'idempotency'), clock),
      repeats: createRepeatedRequests(sealer),
      onceScopes: onceScopesOf(spaces),
    },
    runtime: createRecordRuntime({
      clock,
      newId,
      cursors,
      writeLoop: createWriteLoop({ configs, fences: createFences() }),
      rules: createIamRules(epochs, clock),
      numbering: createNumbering(),
      sealer,
      gate,
      policyBound,
    }),
    management: {
      entities: (env: Environment, occasion: Occasion) =>
        createEntityAdmin({
          store: spaces[env].store,
          configs: configs[env],
          clock,
          gate: gates[env],
          poke,
          occasion,
          refuseRemoval: (place, name) => refuseRemoval(promotion, place, name),
        }),
      settings: (env: Environment, occasion: Occasion) =>
        createOrgSettings({ env, store: spaces[env].store, configs: configs[env], occasion }),
      audit: composeAudit(spaces, cursors),
      promotion: createPromotion(promotion),
      items: createConfigItems(promotion),
    },
  };
}

/** So that what a request with an idempotency key does is known to be done. */
function markSpaces({ platform, test, prod }: Spaces): Spaces {
  const marked = (space: string, { store, maintenance }: OpenedStore): OpenedStore => {
    return { store: markingStore(space, store), maintenance };
  };
  return { platform: marked('platform', platform), test: marked('test', test), prod: marked('prod', prod) };
}

function onceScopesOf(spaces: Spaces): OnceScopes {
  const placed = (space: keyof Spaces, name: string) => ({ space, scope: spaces[space].store.scope(name) });
  const platform = placed('platform', platformScopeName);
  return {
    ofBuilder: (orgCode) => {
      if (orgCode === undefined) return [platform];
      const name = orgScopeName(orgCode);
      return [platform, placed('test', name), placed('prod', name)];
    },
    ofAppUser: ({ env, org, tenantCode }) => {
      const own = placed(env, orgScopeName(org));
      return tenantCode === undefined ? [own] : [placed(env, workspaceScopeName(org, tenantCode)), own];
    },
  };
}

function watchSpaces({ platform, test, prod }: Spaces, { watchStore }: Measurement): Spaces {
  return {
    platform: watchStore('platform', platform),
    test: watchStore('test', test),
    prod: watchStore('prod', prod),
  };
}

function configsOf({ test, prod }: Spaces, parts: Pick<ConfigReaderOptions, 'clock' | 'tally'>): Configs {
  return {
    test: createConfigReader({ store: test.store, ...parts }),
    prod: createConfigReader({ store: prod.store, ...parts }),
  };
}

interface Closing {
  close(): Promise<void>;
}

/** Stores last: what else ends may still write. */
async function closeAll(users: readonly Closing[], stores: readonly Store[]): Promise<void> {
  await Promise.all(users.map((user) => user.close()));
  await Promise.all(stores.map((store) => store.close()));
}

async function readinessOf(stores: readonly Store[], isDraining: boolean) {
  const healths: readonly Health[] = await Promise.all(stores.map((store) => store.health()));
  const [first] = healths;
  const store = { kind: first?.kind ?? 'none', synchronous: first?.synchronous ?? 'none' };
  return { isReady: !isDraining && healths.every(({ ok }) => ok), store };
}
