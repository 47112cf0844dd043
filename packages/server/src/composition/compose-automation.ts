/** Puts together what runs by the configuration of an org. */
import {
  type Automation,
  createScriptRunner,
  createSecretReader,
  createStoredBlocks,
  createTell,
  type EventsDeps,
  meteredScripts,
  type OpenedEvents,
  openAutomation,
  openEvents,
} from '../automation/port.ts';
import { type ConfigReaders, settingOf } from '../config/port.ts';
import type { Config } from '../config.ts';
import { networkList } from '../gateway/client-address.ts';
import { createRunCallers } from '../gateway/run-callers.ts';
import type { DecisionLog } from '../iam/port.ts';
import { derivedKey, findOrg, httpHosts, type Secrets, type WorkSessionDeps } from '../identity/port.ts';
import type { Clock } from '../lib/clock.ts';
import type { IdSource } from '../lib/ids.ts';
import { type CallRules, createGuardedRequest, whyNeverCalled } from '../lib/network/guarded-request.ts';
import type { MailOut } from '../mail/mailer.ts';
import type { Metering } from '../metering/metering.ts';
import type { Cursors, RecordRuntime, Sealer } from '../records/port.ts';
import type { Scope } from '../store/port.ts';
import type { WorkFacts } from '../telemetry/work-facts.ts';
import type { AlertWebhook } from '../webhooks/alert-webhook.ts';
import type { Spaces } from './open-spaces.ts';

/** What events and the rest of automation have in common. */
export type AutomationParts = Pick<EventsDeps, 'blocks' | 'meter' | 'retentionOf' | 'tell'>;

export function automationParts({
  stores,
  configs,
  platform,
  clock,
  announce,
  metering: { work },
}: {
  readonly stores: EventsDeps['stores'];
  readonly configs: ConfigReaders;
  readonly platform: Scope;
  readonly clock: Clock;
  readonly announce: AlertWebhook['announce'];
  readonly metering: Pick<Metering, 'work'>;
}): AutomationParts {
  return {
    blocks: createStoredBlocks({ stores, configs }),
    meter: work,
    retentionOf: (orgCode) => work.kept(orgCode),
    tell: createTell({ platform, now: () => clock.now(), announce }),
  };
}

export interface ComposeAutomationDeps extends WorkSessionDeps, AutomationParts {
  readonly configs: ConfigReaders;
  readonly decisions: DecisionLog;
  readonly runtime: RecordRuntime;
  readonly cursors: Cursors;
  readonly newId: IdSource;
  readonly nodeId: string;
  readonly events: OpenedEvents;
  readonly mail: MailOut | undefined;
  readonly config: Config;
  readonly sealer: Sealer;
  readonly onError: (error: unknown) => void;
  readonly workFacts: WorkFacts;
}

export function composeAutomation({ test, prod }: Spaces, deps: ComposeAutomationDeps): Automation {
  const { config, configs } = deps;
  return openAutomation({
    ...deps,
    watchDue: deps.workFacts.watch('automation'),
    outside: {
      request: createGuardedRequest(callRules(config)),
      secrets: createSecretReader(deps),
      hosts: async (env, orgCode) => settingOf(await configs[env].current(orgCode), env, httpHosts),
    },
    hasOrg: async (orgCode) => (await findOrg(deps.platform, orgCode)) !== undefined,
    spaces: { test, prod },
    callers: createRunCallers(deps),
    scripts: meteredScripts(createScriptRunner(), deps.meter),
  });
}

/** Which addresses the configuration of an org may have the platform call. */
function callRules({ mode, webhookNetworks }: Config): CallRules {
  return { isDevelopment: mode === 'development', alsoAllowed: networkList(webhookNetworks) };
}

/** Why events never call an address; undefined where they may. */
export function whyNeverCalledBy(config: Config): (url: string) => string | undefined {
  const rules = callRules(config);
  return (url) => whyNeverCalled(url, rules);
}

export interface ComposeEventsDeps
  extends AutomationParts,
    Pick<EventsDeps, 'stores' | 'configs' | 'clock' | 'newId' | 'cursors' | 'onError' | 'changesOf'> {
  readonly config: Config;
  readonly nodeId: string;
  readonly secrets: Secrets;
  /** Is there before the first write. */
  readonly automation: () => Automation;
}

export function composeEvents({ config, nodeId, secrets, automation, ...deps }: ComposeEventsDeps): OpenedEvents {
  return openEvents({
    ...deps,
    random: Math.random,
    // One process has a folder, so what one before it had in hand is this one's at once.
    node: config.store.folder === undefined ? nodeId : 'the only one',
    signingRoot: derivedKey(secrets, 'event-webhook'),
    chainKey: derivedKey(secrets, 'event-chain'),
    work: () => automation().work,
    rules: callRules(config),
    wake: () => automation().wake(),
    wakeAt: (at) => automation().wakeAt(at),
  });
}
