/** The composition root: the only place that knows which adapter stands behind which port. */
import { openAudit } from '../audit/open-audit.ts';
import { createSecretReferences, createSecretVault, forgetRunsOf } from '../automation/port.ts';
import { openConfigs } from '../config/port.ts';
import type { Config } from '../config.ts';
import { openEntities } from '../entities/port.ts';
import { createErrorReplies, type ErrorReplies } from '../gateway/error-reply.ts';
import type { Gateways } from '../gateway/gateways.ts';
import { type ConsoleSource, type DocsSource, noConsole, noDocs } from '../gateway/site-source.ts';
import {
  createFounderNote,
  derivedKey,
  loadSecrets,
  openIdentity,
  openSigningKeys,
  type PasswordCost,
} from '../identity/port.ts';
import type { Clock } from '../lib/clock.ts';
import { uuidv7Source } from '../lib/ids.ts';
import { openMail } from '../mail/open-mail.ts';
import { openPromotion } from '../promotion/port.ts';
import { createCursors, createSealer, openRecords } from '../records/port.ts';
import { explainStoreFailure } from '../store/explain-failure.ts';
import type { OpenedStore } from '../store/port.ts';
import { type Measurement, startMeasurement } from '../telemetry/measurement.ts';
import type { FaultHandlers } from '../telemetry/note-errors.ts';
import { countDead, countDenials, countLostMails } from '../telemetry/work-metrics.ts';
import { composeBackups } from './backups/compose-backups.ts';
import { automationParts, composeAutomation, composeEvents, whyNeverCalledBy } from './compose-automation.ts';
import { composeIam } from './compose-iam.ts';
import { startAlerts, startJobs } from './compose-jobs.ts';
import { capGates, composeMetering } from './compose-metering.ts';
import { type ComposedSpaces, composeSpaces } from './compose-spaces.ts';
import { configKinds } from './config-kinds.ts';
import { openVaultOf, type SpaceDeps, type Spaces } from './open-spaces.ts';
import { composeOperations } from './operations/compose-operations.ts';
import { composeGateways } from './routes/compose-gateways.ts';
import type { ServedUrls } from './served-urls.ts';
import { createUpgradePage, type UpgradePage } from './upgrade-page.ts';

/** The platform, ready to be given listeners. */
export interface Platform extends Gateways {
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
  /** What a new password hash costs: tests that are not about it take less. */
  readonly passwordCost?: PasswordCost;
}

export async function compose(options: ComposeOptions): Promise<Platform> {
  const { config, clock } = options;
  const newId = uuidv7Source(clock);
  const measurement = startMeasurement(clock);
  const { metrics, tallies, workFacts, watchJobs: watch, errors } = measurement;
  const { onFault, within } = errors.handlers(options.onFault);

  const opened = await composeSpaces(config, options, { measurement, onError: within('signals') });
  const { spaces, stores, platform, onceScopes, readiness, nodeId, signals } = opened;
  const { secrets, signingKeys, cursors, backups } = await openSecrets(opened, options, { metrics, within });
  const { epochs, changesOf } = signals ?? {};
  const configs = openConfigs(stores, { clock, tally: tallies.config, events: () => events }, changesOf, opened.told);

  const isDevelopment = config.mode === 'development';
  const mail = openMail({ smtp: config.smtp, isDevelopment, clock, onFault: countLostMails(metrics, within('mail')) });
  const made = { config, platform, stores, configs, clock, newId, cursors, nodeId, watch, workFacts };
  const { address: upgradeUrl, ...upgradePage } = createUpgradePage(config);
  const alerts = startAlerts(spaces, { ...made, onFault: within('alerts'), secrets, upgradeUrl });
  const { announce } = alerts.webhook;
  const metering = composeMetering(opened, { ...made, announce, onError: within('usage'), planChanges: epochs?.plans });
  const parts = countDead(metrics, automationParts({ ...made, announce, metering }));
  const events = composeEvents({
    ...{ ...made, ...parts, secrets, onError: within('automation'), changesOf },
    automation: () => automation,
  });
  const { gates, policyBound, foundingGate } = capGates(metering.caps);
  const iam = composeIam(opened, { ...made, metrics, onFault: within('decisions'), epochs: epochs?.access });
  const jobs = startJobs(spaces, { ...made, onFault: within('jobs'), events, metering });

  const shared = { ...made, signingKeys, wake: jobs.wake, forgetRuns: forgetRunsOf };
  const audit = openAudit({ ...opened, clock, cursors });
  const records = openRecords({
    ...shared,
    ...{ before: events.beforeEvents, events: events.recordEvents },
    ...{ rules: iam.rules, gate: metering.gate, policyBound },
    fieldKeys: secrets.field_keys,
    idempotencyKey: derivedKey(secrets, 'idempotency'),
  });
  const notes = { founderNote: createFounderNote(shared), whyNeverCalled: whyNeverCalledBy(config) };
  const promotion = openPromotion({ ...shared, ...notes, gates, kinds: configKinds });
  const entities = openEntities({ ...shared, gates, refuseRemoval: promotion.refuseRemoval });
  const sealer = createSealer(secrets.field_keys);
  const identity = await openIdentity({
    ...{ ...shared, sealer, stepKey: derivedKey(secrets, 'steps'), workspaceResumed: events.workspaceResumed },
    ...{ signingKeys, mailer: mail.mailer, mailOut: mail.out, mailMeter: metering.work, runtime: records.runtime },
    ...{ epochs: iam.epochs, operatorLog: audit.operatorLog, tokenTally: tallies.token, beginJobs: jobs.begin },
    ...{ foundingGate, workspaceRemoved: metering.gate.workspaceRemoved, removals: records.removals },
    ...{ onError: within('signing-keys'), settings: config, passwordCost: options.passwordCost },
    revocations: epochs?.revocations,
  });

  const decisions = countDenials(metrics, iam.decisions);
  const reached = { runtime: records.runtime, mail: mail.out, sealer, decisions, onError: within('automation') };
  const automation = composeAutomation(spaces, { ...shared, ...parts, config, events, ...reached });

  const operations = composeOperations(opened, { ...shared, measurement, onFault: within('nodes'), jobs });
  const gateways = composeGateways({
    ...{ clock, configs, audit, identity, records, entities, promotion, metering, mail, jobs, ...operations },
    ...{ iam: { ...iam, decisions }, alertWebhook: alerts.webhook, automation, events: events.services },
    ...{ secretVault: createSecretVault({ stores, sealer }), secretReferences: createSecretReferences(made) },
    ...{ onceScopes, readiness, upgradeUrl, settings: config, backups: backups.backups },
    ...{ console: options.console ?? noConsole, docs: options.docs ?? noDocs },
  });
  const { nodeHealth } = operations;
  const users = [nodeHealth, automation, jobs, mail, alerts, metering, iam.recorder, identity, measurement, backups];
  return {
    ...{ ...gateways, upgradePage, measurement, startDraining: opened.startDraining, listening: nodeHealth.listening },
    isEmpty: () => identity.management.accounts.isEmpty(),
    errors: (baseUrl) => createErrorReplies({ baseUrl, explain: explainStoreFailure, onFault, upgradeUrl }),
    close: () => closeAll(users, opened),
  };
}

/** The secrets, and what follows from them. */
async function openSecrets(
  { spaces, platform: scope, signals }: ComposedSpaces,
  { config, clock }: ComposeOptions,
  { metrics, within }: { readonly metrics: Measurement['metrics']; readonly within: FaultHandlers['within'] },
) {
  const vault = await openVaultOf(spaces, config);
  const secrets = await loadSecrets(vault, clock);
  const signingKeys = await openSigningKeys({ vault, clock, ageDaysMax: config.keyAgeDaysMax });
  await signals?.begin(scope, signingKeys.learn);
  const cursors = createCursors(Buffer.from(secrets.cursor_key, 'base64url'));
  const { platform } = spaces;
  const backups = await composeBackups({ config, clock, onFault: within('backups'), secrets, platform, metrics });
  return { secrets, signingKeys, cursors, backups };
}

interface Closable {
  close(): Promise<unknown>;
}

/** Stores last: what else ends may still write. */
async function closeAll(users: readonly Closable[], stores: Closable): Promise<void> {
  await Promise.all(users.map((user) => user.close()));
  await stores.close();
}
