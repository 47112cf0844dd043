/** Puts together what works in the background. */

import { forgetRunsOf } from '../automation/port.ts';
import type { ConfigReader } from '../config/port.ts';
import type { Config } from '../config.ts';
import { networkList } from '../gateway/client-address.ts';
import {
  alignWorkspace,
  alignWorkspaceJob,
  applyTemplateJob,
  closeWorkspace,
  closeWorkspaceJob,
  derivedKey,
  type PersonJobRunner,
  personJob,
  platformScopeName,
  purgeWorkspace,
  purgeWorkspaceJob,
  type RunApplicationDeps,
  readAlignWork,
  readApplicationWork,
  readPersonWork,
  readRemovalWork,
  runApplication,
  type Secrets,
} from '../identity/port.ts';
import type { Clock } from '../lib/clock.ts';
import type { IdSource } from '../lib/ids.ts';
import { paceBackground } from '../lib/scheduling/event-loop.ts';
import {
  maintainEntity,
  maintainEntityJob,
  purgeEntity,
  purgeEntityJob,
  readMaintainWork,
  readPurgeWork,
} from '../maintenance/port.ts';
import type { Metering } from '../metering/metering.ts';
import { type RecordEvents, readRemoveRecordWork, removeRecordJob, runRemoval } from '../records/port.ts';
import type { OpenedStore } from '../store/port.ts';
import type { WorkFacts } from '../telemetry/work-facts.ts';
import type { WatchJobs } from '../telemetry/work-metrics.ts';
import { type Environment, orgScopeName } from '../tenancy/port.ts';
import { type AlertWebhook, createAlertWebhook, deliveryJob } from '../webhooks/alert-webhook.ts';
import { type RunningSweep, startExpirySweep, sweepJob } from '../work/expiry-sweep.ts';
import { type JobHandler, type JobRunner, startJobRunner } from '../work/job-runner.ts';
import { type WaitingWork, waitingWork } from '../work/waiting-work.ts';
import type { CapGates } from './compose-metering.ts';
import { notingRemovals } from './noted-removals.ts';
import type { Spaces } from './open-spaces.ts';
import type { UpgradePage } from './upgrade-page.ts';

interface Watched {
  readonly nodeId: string;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
  readonly watch: WatchJobs;
}

export interface JobDeps extends Watched {
  readonly workFacts: WorkFacts;
  /** What waits for writes of records. */
  readonly events: { readonly recordEvents: RecordEvents };
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  /** Counts the records that jobs remove. */
  readonly metering: { readonly gate: Pick<Metering['gate'], 'admit'> };
  readonly platform: RunApplicationDeps['platform'];
  readonly newId: IdSource;
  readonly iam: Pick<RunApplicationDeps, 'epochs'>;
  readonly foundingGate: CapGates['foundingGate'];
}

interface DataSpace extends OpenedStore {
  readonly configs: ConfigReader;
}

export interface Jobs extends JobRunner {
  /** Jobs about persons wait until the platform is put together so far. */
  readonly begin: (run: PersonJobRunner) => void;
  readonly sweepLease: RunningSweep['lease'];
  /** What an org has waiting in an environment. */
  readonly waiting: (env: Environment, orgCode: string) => Promise<WaitingWork>;
}

export function startJobs(spaces: Spaces, deps: JobDeps): Jobs {
  const { configs, clock, nodeId, onFault, watch, foundingGate } = deps;
  const { recordEvents: events } = deps.events;
  const policyGate: RunApplicationDeps['policyGate'] = (workspace, policies) =>
    foundingGate(workspace, workspace.tenantCode, policies);
  const stores = { test: spaces.test.store, prod: spaces.prod.store };
  const personJobs = Promise.withResolvers<PersonJobRunner>();
  const handlers = new Map<string, JobHandler<DataSpace>>([
    [purgeEntityJob, paced(({ store }, work, renewLease) => purgeEntity(store, readPurgeWork(work), renewLease))],
    [
      maintainEntityJob,
      paced((space, work, renewLease) => maintainEntity({ ...space, clock }, readMaintainWork(work), renewLease)),
    ],
    [alignWorkspaceJob, ({ store }, work) => alignWorkspace({ store, ...deps.iam }, readAlignWork(work))],
    [closeWorkspaceJob, (space, work) => closeWorkspace({ ...space, clock }, readRemovalWork(work))],
    [
      purgeWorkspaceJob,
      paced((space, work, renewLease) =>
        purgeWorkspace({ ...space, clock, forgetRuns: forgetRunsOf }, readRemovalWork(work), renewLease),
      ),
    ],
    [
      applyTemplateJob,
      paced((_space, work, renewLease) =>
        runApplication({ ...deps, epochs: deps.iam.epochs, stores, policyGate }, readApplicationWork(work), renewLease),
      ),
    ],
    [
      removeRecordJob,
      ({ store }, work, renewLease) =>
        runRemoval({ store, configs, clock, events }, readRemoveRecordWork(work), renewLease),
    ],
    [
      personJob,
      paced(async ({ store }, work, renewLease) => (await personJobs.promise)(store, readPersonWork(work), renewLease)),
    ],
  ]);
  const dataSpace = (env: Environment): DataSpace => {
    const { store, maintenance } = spaces[env];
    return { store: notingRemovals(store, env, deps.metering.gate), maintenance, configs: configs[env] };
  };
  const runner = startJobRunner({
    spaces: [dataSpace('test'), dataSpace('prod')],
    handlers: watch(handlers),
    ...{ nodeId, clock, onError: onFault },
  });
  const shared = spaces.platform.store.scope(platformScopeName);
  const watchSweep = (turn: () => Promise<void>) =>
    deps.workFacts
      .watch('expire')(new Map([[sweepJob, turn]]))
      .get(sweepJob) ?? turn;
  const sweep = startExpirySweep({ spaces: Object.values(spaces), shared, nodeId, clock }, onFault, watchSweep);
  return {
    wake: runner.wake,
    sweepLease: sweep.lease,
    begin: personJobs.resolve,
    waiting: (env, orgCode) => waitingWork(spaces[env].store.scope(orgScopeName(orgCode))),
    close: async () => {
      await Promise.all([runner.close(), sweep.close()]);
    },
  };
}

/** Gives way to calls between its steps. Removals of records do not: until one is over, it keeps others from being begun. */
function paced(handler: JobHandler<DataSpace>): JobHandler<DataSpace> {
  return (space, work, renewLease) => {
    const pace = paceBackground();
    return handler(space, work, async () => {
      await pace();
      await renewLease();
    });
  };
}

export interface AlertDeps extends Watched {
  readonly config: Config;
  readonly newId: IdSource;
  readonly secrets: Secrets;
  readonly upgradeUrl: UpgradePage['address'];
}

export interface Alerts {
  readonly webhook: AlertWebhook;
  close(): Promise<void>;
}

/** What is sent waits for others most of its time, so it has a runner of its own. */
export function startAlerts({ platform }: Spaces, deps: AlertDeps): Alerts {
  const { config, clock, nodeId, newId, secrets, watch, upgradeUrl, onFault } = deps;
  const webhook = createAlertWebhook({
    platform: platform.store.scope(platformScopeName),
    clock,
    newId,
    rootKey: derivedKey(secrets, 'alert-webhook'),
    rules: { isDevelopment: config.mode === 'development', alsoAllowed: networkList(config.webhookNetworks) },
    upgradeUrl,
    wake: () => runner.wake(),
  });
  const deliver: JobHandler = (_space, work, renewLease) => webhook.deliver(work, renewLease);
  const handlers = watch(new Map([[deliveryJob, deliver]]));
  const runner = startJobRunner({ spaces: [platform], handlers, nodeId, clock, onError: onFault, isParallel: true });
  return {
    webhook,
    close: async () => {
      const closed = runner.close();
      webhook.close();
      await closed;
    },
  };
}
