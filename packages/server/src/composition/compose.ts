/**
 * The composition root: opens the modules in an order in which each needs only earlier ones, and hands what they contribute
 * to the gateways and the queues. It alone knows which adapter is behind which port.
 */

import { openAudit } from '../audit/open-audit.ts';
import { createRunCallers } from '../authorize/port.ts';
import { automationQueue, createRetryNow, forgetRunsOf, openAutomation, openEvents } from '../automation/port.ts';
import { openConfigs } from '../config/port.ts';
import type { Config } from '../config.ts';
import { openEntities } from '../entities/port.ts';
import { createMayAct } from '../gateway/app-gateway.ts';
import { networkList } from '../gateway/client-address.ts';
import { entityEndpoints } from '../gateway/entity-endpoints.ts';
import { createErrorReplies, type ErrorReplies } from '../gateway/error-reply.ts';
import { createGateways, type Gateways } from '../gateway/gateways.ts';
import { ownRoutes } from '../gateway/own-routes.ts';
import { createRateLimits } from '../gateway/rate-limits.ts';
import { type ConsoleSource, type DocsSource, noConsole, noDocs } from '../gateway/site-files.ts';
import { iamRoutes, openIam } from '../iam/port.ts';
import type { Clock } from '../lib/clock.ts';
import { uuidv7Source } from '../lib/ids.ts';
import { type CallRules, whyNeverCalled } from '../lib/network/guarded-request.ts';
import { openMail } from '../mail/open-mail.ts';
import type { PeopleDeps } from '../people/people.ts';
import { derivedKey, loadSecrets } from '../people/secrets.ts';
import { openSigningKeys } from '../people/signing-keys.ts';
import { openPromotion } from '../promotion/port.ts';
import { createCursors, createSealer, openRecords } from '../records/port.ts';
import type { OpenedStore } from '../store/port.ts';
import { explainStoreFailure } from '../store/transact.ts';
import { type Measurement, startMeasurement } from '../telemetry/measurement.ts';
import { countDead, countDenials, countLostMails, countRecordingFailures } from '../telemetry/work-metrics.ts';
import { openAlerts } from '../webhooks/open-alerts.ts';
import { createFounderNote } from '../workspaces/first-admin.ts';
import { policyNaming } from '../workspaces/port.ts';
import { composeBackups } from './backups/compose-backups.ts';
import { startJobs } from './compose-jobs.ts';
import { capGates, composeMetering } from './compose-metering.ts';
import { type ComposedSpaces, composeSpaces } from './compose-spaces.ts';
import { allSettings, configKinds } from './config-kinds.ts';
import { type Contributions, type Feature, type FeatureDeps, type Gathered, gather } from './contribution.ts';
import * as features from './features.ts';
import { openIdentity } from './open-identity.ts';
import { openVaultOf, type SpaceDeps, type Spaces } from './open-spaces.ts';
import type { ServedUrls } from './operations/nodes/describe-node.ts';
import { openOperations } from './operations/open-operations.ts';
import { createUpgradePage, type UpgradePage } from './upgrade-page.ts';

/** The platform, ready to be given listeners. */
export interface Platform extends Gateways, Pick<Gathered, 'routes'> {
  readonly contributions: Contributions;
  readonly measurement: Pick<Measurement, 'metrics' | 'calls' | 'errors' | 'workFacts'>;
  /** Whether there is no account yet. */
  isEmpty(): Promise<boolean>;
  readonly upgradePage: Pick<UpgradePage, 'listening'>;
  readonly errors: (baseUrl: () => string) => ErrorReplies;
  /** Its listeners are open: other nodes hear of it from now on, until it is closed. */
  listening(urls: ServedUrls): Promise<void>;
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
  /** Called with what became of one of several servers that keep the data, for each data space. */
  readonly onServer?: SpaceDeps['onServer'];
  /** Opens a space otherwise than the settings say: tests put stores there that fail. */
  readonly openSpace?: (name: keyof Spaces) => Promise<OpenedStore>;
  /** The console that the management gateway serves; left out, it serves the API alone. */
  readonly console?: ConsoleSource;
  /** The documentation that both gateways serve. */
  readonly docs?: DocsSource;
  /** The cost of a new password hash: tests that are not about it take less. */
  readonly passwordCost?: PeopleDeps['passwordCost'];
}

export async function compose(options: ComposeOptions): Promise<Platform> {
  const { config, clock, console = noConsole, docs = noDocs } = options;
  const ground = await openGround(options);
  const { opened, configs, metering, iam, decisions, rateLimits, site, upgradeUrl, jobs, measurement } = ground;
  const { onceScopes, readiness, startDraining } = opened;
  const domain = await openDomain(ground, options);
  const { records, identity, audit, operations } = domain;
  const contributions = contributionsOf(ground, domain, docs);
  const modules = gather(Object.values(contributions));
  const { routes } = modules;
  jobs.begin(modules.jobs);
  const gateways = createGateways({
    ...{ routes, clock, configs, onceScopes, audit, identity, iam: { ...iam, decisions }, records, metering },
    ...{ metrics: operations.metrics, rateLimits, site, settings: config, console, docs, readiness },
  });
  const { onFault, upgradePage } = ground;
  return {
    ...{ ...gateways, routes, contributions, upgradePage, measurement, startDraining, listening: operations.listening },
    isEmpty: () => identity.management.accounts.isEmpty(),
    errors: (baseUrl) => createErrorReplies({ baseUrl, explain: explainStoreFailure, onFault, upgradeUrl }),
    close: async () => {
      await Promise.all([modules.close(), jobs.close()]);
      // Last: what else ends may still write.
      await opened.close();
    },
  };
}

type Ground = Awaited<ReturnType<typeof openGround>>;
type Domain = Awaited<ReturnType<typeof openDomain>>;

/** The stores, and the modules that no record is needed for. */
async function openGround(options: ComposeOptions) {
  const { config, clock } = options;
  const newId = uuidv7Source(clock);
  const measurement = startMeasurement(clock);
  const { metrics, tallies, workFacts, watchJobs: watch, errors } = measurement;
  const { onFault, within } = errors.handlers(options.onFault);
  const isDevelopment = config.mode === 'development';
  const site = { managementUrl: config.managementUrl, isSecure: !isDevelopment };
  const rules: CallRules = { isDevelopment, alsoAllowed: networkList(config.webhookNetworks) };
  const { address: upgradeUrl, ...upgradePage } = createUpgradePage(config);

  const opened = await composeSpaces(config, options, { measurement, onError: within('signals') });
  const { spaces, stores, platform, orgScopes, nodeId, signals } = opened;
  const { secrets, signingKeys, cursors } = await openSecrets(opened, options);
  const { epochs, changesOf } = signals ?? {};
  const base = { config, spaces, platform, stores, orgScopes, clock, newId, cursors, nodeId, watch, workFacts, site };

  const onError = within('automation');
  const queue = automationQueue(spaces, { clock, onError });
  const wakeEvents = { stores, clock, onError, wake: queue.wake.bind(queue) };
  const retryNow = createRetryNow(wakeEvents);
  const reported = { tally: tallies.config, eventsChanged: retryNow };
  const configs = openConfigs(stores, { clock, ...reported }, changesOf, opened.stale);
  const events = openEvents({ ...wakeEvents, configs, newId, changesOf });

  const mail = openMail({
    ...{ smtp: config.smtp, isDevelopment, site, clock },
    onFault: countLostMails(metrics, within('mail')),
  });
  const alerts = openAlerts({
    ...{ ...base, space: spaces.platform, rules, upgradeUrl, onError: within('alerts') },
    rootKey: derivedKey(secrets, 'alert-webhook'),
  });
  const { announce } = alerts;
  const counting = { configs, clock, announce, site, upgradeUrl, onError: within('usage') };
  const metering = composeMetering(opened, { ...counting, planChanges: epochs?.plans });
  const iam = openIam({
    ...{ ...base, configs, epochs: epochs?.access, naming: policyNaming(clock) },
    onError: countRecordingFailures(metrics, within('decisions')),
  });
  const jobs = startJobs(spaces, { ...base, configs, metering, onError: within('jobs') });
  return {
    ...{ ...base, configs, opened, measurement, metrics, tallies, within, onFault, epochs, secrets, signingKeys },
    ...{ queue, retryNow, events, mail, inbox: mail.inbox, alerts, announce, metering, iam, jobs },
    ...{ rules, upgradeUrl, upgradePage, isDevelopment, wake: jobs.wake },
    decisions: countDenials(metrics, iam.decisions),
    rateLimits: createRateLimits(config.rateLimits, clock),
    sealer: createSealer(secrets.field_keys),
  };
}

/** The runtime of records, and the modules above it. */
async function openDomain(ground: Ground, { passwordCost }: ComposeOptions) {
  const { config, opened, secrets, events, metering, iam, mail, rules, metrics, within, epochs } = ground;
  const { gates, policyBound, foundingGate } = capGates(metering.caps);
  const audit = openAudit({ ...ground, ...opened });
  const records = openRecords({
    ...{ ...ground, before: events.beforeEvents, events: events.recordEvents },
    ...{ rules: iam.rules, gate: metering.gate, policyBound },
    fieldKeys: secrets.field_keys,
    idempotencyKey: derivedKey(secrets, 'idempotency'),
  });
  const { runtime, removals } = records;
  const identity = await openIdentity({
    ...{ ...ground, runtime, removals, stepKey: derivedKey(secrets, 'steps'), settings: config, passwordCost },
    settingTypes: allSettings,
    ...{ workspaceResumed: events.workspaceResumed, forgetRuns: forgetRunsOf, foundingGate },
    ...{ mailer: mail.mailer, mailOut: mail.out, mailMeter: metering.work, tokenTally: ground.tallies.token },
    ...{ epochs: iam.epochs, revocations: epochs?.revocations, operatorLog: audit.operatorLog },
    ...{ workspaceRemoved: metering.gate.workspaceRemoved, onError: within('signing-keys') },
    mayAct: createMayAct(ground),
  });
  const promotion = openPromotion({
    ...{ ...ground, ...identity.management, gates, kinds: configKinds, founderNote: createFounderNote(ground) },
    whyNeverCalled: (url) => whyNeverCalled(url, rules),
  });
  const { refuseRemoval } = promotion;
  const entities = openEntities({ ...ground, ...records, entityEndpoints, gates, refuseRemoval });
  const backups = await composeBackups({ ...ground, ...audit, onFault: within('backups') });
  const automation = openAutomation({
    ...{ ...ground, runtime, items: promotion.items, mail: mail.out, isAlone: config.store.folder !== undefined },
    signingRoot: derivedKey(secrets, 'event-webhook'),
    chainKey: derivedKey(secrets, 'event-chain'),
    callers: createRunCallers(ground),
    watchNotifier: (notify) => countDead(metrics, notify),
    watchDue: ground.workFacts.watch('automation'),
    onError: within('automation'),
  });
  const operations = openOperations(opened, {
    ...{ ...ground, ...entities, ...promotion, orgs: identity.management },
    ...{ accessOverview: iam.overview, metricsAreOpen: ground.isDevelopment, onFault: within('nodes') },
  });
  return { audit, records, promotion, entities, identity, automation, backups, operations };
}

/** By module, in the order in which the routes are listed. */
function contributionsOf(ground: Ground, domain: Domain, docs: DocsSource): Contributions {
  const { mail, alerts, metering, iam, measurement, opened } = ground;
  const { audit, records, promotion, entities, identity, automation, backups, operations } = domain;
  const { configKinds } = promotion;
  const { readiness } = opened;
  const others: Contributions = {
    ...{ records, automation, ...identity.contributions, promotion, metering, entities, webhooks: alerts, mail, audit },
    ...{ backup: backups, composition: operations },
    ...openFeatures({ ...ground, ...records }),
    gateway: { routes: ownRoutes({ ...ground, ...identity.management, configKinds, docs, readiness }) },
    telemetry: measurement,
  };
  const { app } = gather([...Object.values(others), iam]).routes;
  const management = iamRoutes({ ...ground, ...iam, decisions: ground.decisions, appRoutes: app });
  return { ...others, iam: { ...iam, routes: { ...iam.routes, management } } };
}

function openFeatures(deps: FeatureDeps): Contributions {
  const opened = Object.entries<Feature>(features).map(([name, { open }]) => [name, open?.(deps) ?? {}] as const);
  return Object.fromEntries(opened);
}

/** The secrets, and what follows from them. */
async function openSecrets({ spaces, platform: scope, signals }: ComposedSpaces, { config, clock }: ComposeOptions) {
  const vault = await openVaultOf(spaces, config);
  const secrets = await loadSecrets(vault, clock);
  const signingKeys = await openSigningKeys({ vault, clock, ageDaysMax: config.keyAgeDaysMax });
  await signals?.begin(scope, signingKeys.learn);
  return { secrets, signingKeys, cursors: createCursors(Buffer.from(secrets.cursor_key, 'base64url')) };
}
