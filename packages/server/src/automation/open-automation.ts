/** Puts the parts of automation together: events first, since the records of the platform need them, and then all else. */

import type { RoutesOfModule } from '../api/route.ts';
import { type ConfigReaders, schedulesDue, settingOf } from '../config/port.ts';
import { type CallRules, createGuardedRequest } from '../lib/network/guarded-request.ts';
import { createFairSlots } from '../lib/scheduling/fair-slots.ts';
import type { MailOut } from '../mail/mailer.ts';
import { findOrg, httpHosts } from '../people/port.ts';
import type { RecordRuntime, Sealer } from '../records/port.ts';
import type { OpenedStore, Scope } from '../store/port.ts';
import type { Environment } from '../tenancy/port.ts';
import { type DueJob, type DueSpace, handlingDue, passesAtOnce } from '../work/due-work.ts';
import { WorkQueue } from '../work/work-queue.ts';
import { createNotifier, type Notify } from './alerts.ts';
import type { SharedDeps, WorkMeter } from './automation-deps.ts';
import type { RunCallers } from './blocks/caller-effects.ts';
import { createStoredBlocks } from './blocks/stored-blocks.ts';
import { createChainHeader } from './chain-header.ts';
import { createDestinations } from './destinations/destinations.ts';
import { createDrafts } from './drafts/draft-run.ts';
import { createBeforeEvents } from './events/before-events.ts';
import { createLiveEvents } from './events/live-events.ts';
import { createHookCallLog, openHooks } from './hooks/hooks.ts';
import { DeliveryPasses } from './outbox/delivery-passes.ts';
import { eventServices } from './outbox/event-services.ts';
import { outboxJobs } from './outbox/outbox.ts';
import { createPauses, type RetryNow } from './outbox/pauses.ts';
import { createRecordEvents, MarkedQueues } from './outbox/record-events.ts';
import { createOutsideHttp } from './outside/outside-http.ts';
import { createSecretReader, createSecretReferences, createSecretVault } from './outside/secret-vault.ts';
import { type AutomationRouteDeps, automationRoutes } from './routes/automation-routes.ts';
import { openRuns } from './runs/control-run.ts';
import { createRunRows } from './runs/run-rows.ts';
import { type AutomationWork, createLogicBlocks, runHandler, startRun } from './runs/runs.ts';
import { TransactionQueue } from './runs/transactions/run-transaction.ts';
import { openSchedules, reconcileHandler, scheduleHandler, scheduleJob } from './schedules/schedules.ts';
import { createScriptRunner, meteredScripts } from './scripts/script-runner.ts';
import { createSuspensions, createWorkspaceResumed } from './suspensions.ts';

interface EventsDeps extends Pick<SharedDeps, 'stores' | 'clock' | 'newId' | 'wake' | 'onError' | 'changesOf'> {
  readonly configs: ConfigReaders;
}

export type OpenedEvents = ReturnType<typeof openEvents>;

/**
 * The part of events that writes need: blocks that run before them, and items left in their commits. Opened ahead of
 * records; {@link openAutomation} delivers the items.
 */
export function openEvents(deps: EventsDeps) {
  const live = createLiveEvents(deps.stores);
  const markedQueues = new MarkedQueues();
  const blocks = createStoredBlocks(deps);
  return {
    ...{ live, markedQueues, blocks, changesOf: deps.changesOf },
    /** Resumes the work that waited in a workspace while it was suspended. */
    workspaceResumed: createWorkspaceResumed(deps),
    recordEvents: createRecordEvents({ ...deps, live, markedQueues }),
    beforeEvents: createBeforeEvents({ ...deps, live, blocks }),
  };
}

interface AutomationDeps
  extends Pick<SharedDeps, 'stores' | 'clock' | 'newId' | 'cursors' | 'onError'>,
    Pick<AutomationRouteDeps, 'rateLimits' | 'items'> {
  readonly spaces: Readonly<Record<Environment, OpenedStore>>;
  /** The scope of the platform. */
  readonly platform: Scope;
  readonly configs: ConfigReaders;
  /** The source of the secrets of events. */
  readonly signingRoot: Buffer;
  /** Signs how many writes came of one another, where that leaves the platform. */
  readonly chainKey: Buffer;
  readonly sealer: Sealer;
  readonly nodeId: string;
  /** No other process works on the stores, so what one before had in hand is this one's at once. */
  readonly isAlone: boolean;
  readonly queue: WorkQueue<DueSpace>;
  readonly events: OpenedEvents;
  /** Has what waits for events that have changed delivered by what they are now. */
  readonly retryNow: RetryNow;
  readonly runtime: RecordRuntime;
  readonly callers: RunCallers;
  /** Undefined where the platform sends no mail. */
  readonly mail: MailOut | undefined;
  /** Which addresses the configuration of an org may have the platform call. */
  readonly rules: CallRules;
  readonly announce: Parameters<typeof createNotifier>[0]['announce'];
  readonly metering: AutomationRouteDeps['metering'] & {
    readonly work: WorkMeter & { kept: SharedDeps['retentionOf'] };
  };
  /** Counts what is given up. */
  readonly watchNotifier: (notify: Notify) => Notify;
  /** Observes each pass over due work. */
  readonly watchDue: (jobs: readonly DueJob[]) => readonly DueJob[];
}

export interface Automation {
  readonly routes: RoutesOfModule;
  close(): Promise<void>;
}

/** The queue of what an org has configured to happen; {@link openAutomation} begins it. */
export function automationQueue(
  { test, prod }: AutomationDeps['spaces'],
  { clock, onError }: Pick<AutomationDeps, 'clock' | 'onError'>,
): WorkQueue<DueSpace> {
  const spaces = [
    { env: 'test', ...test },
    { env: 'prod', ...prod },
  ] as const;
  return new WorkQueue({ queue: 'automation', spaces, clock, onError, atOnce: passesAtOnce });
}

/** Does what an org has configured to happen by itself. */
export function openAutomation(given: AutomationDeps): Automation {
  const { clock, queue, platform, events } = given;
  const closing = new AbortController();
  const wake = queue.wake.bind(queue);
  const { work: meter } = given.metering;
  const now = (): number => clock.now();
  const deps = {
    ...{ ...given, ...events, now, meter, wake, wakeAt: queue.wakeAt.bind(queue), closing: closing.signal },
    chain: createChainHeader(given.chainKey),
    runRows: createRunRows(given.sealer),
    suspensions: createSuspensions({ ...given, ...events }),
    scripts: meteredScripts(createScriptRunner(), meter),
    secrets: createSecretReader(given),
    request: createGuardedRequest(given.rules),
    retentionOf: meter.kept.bind(meter),
    notify: given.watchNotifier(createNotifier({ platform, now, announce: given.announce })),
    hasOrg: async (orgCode: string) => (await findOrg(platform, orgCode)) !== undefined,
  };
  const http = createOutsideHttp({
    ...deps,
    slots: createFairSlots({ perOrg: 4, perNode: 32, waitingPerOrg: 100, what: 'calls' }),
    hosts: async (env, orgCode) => settingOf(await deps.configs[env].current(orgCode), env, httpHosts),
  });
  const runDeps = { ...deps, http, transactions: new TransactionQueue(clock) };
  const start: AutomationWork['start'] = async (ask, along) => {
    const started = await startRun(deps, ask, along);
    wake();
    return started;
  };
  const destinations = createDestinations({ ...deps, work: { ...deps, start } });
  const pauses = createPauses(deps);
  const deliveryPasses = new DeliveryPasses({
    ...{ ...deps, destinations, pauses, random: Math.random },
    node: given.isAlone ? 'the only one' : given.nodeId,
  });
  const deliver = deliveryPasses.pass.bind(deliveryPasses);
  const jobs: readonly DueJob[] = [
    { name: 'run', run: runHandler(runDeps) },
    { name: schedulesDue.sk, run: reconcileHandler(deps) },
    { name: scheduleJob, run: scheduleHandler({ ...deps, start }) },
    ...Object.values(outboxJobs).map((name) => ({ name, run: deliver, isDelivery: true as const })),
  ];
  queue.begin(handlingDue(deps.watchDue(jobs), deps));
  return {
    routes: automationRoutes({
      ...deps,
      events: eventServices({ ...deps, deliveryPasses, destinations, pauses }),
      logicBlocks: createLogicBlocks(runDeps),
      runs: openRuns({ ...deps, start, liveEvents: deps.live }),
      drafts: createDrafts(deps),
      schedules: openSchedules(deps),
      hooks: openHooks({ ...deps, start, calls: createHookCallLog(clock) }),
      secretVault: createSecretVault(deps),
      secretReferences: createSecretReferences(deps),
    }),
    close: async () => {
      closing.abort();
      await queue.close();
      await deps.scripts.close();
    },
  };
}
