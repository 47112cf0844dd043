/** Puts together what works in the background. */

import type { Config } from '../config.ts';
import { networkList } from '../gateway/client-address.ts';
import { derivedKey, platformScopeName, type Secrets } from '../identity/port.ts';
import type { Clock } from '../lib/clock.ts';
import type { IdSource } from '../lib/ids.ts';
import { type MaintainDeps, maintainEntity, purgeEntityJob } from '../maintenance/port.ts';
import type { Metering } from '../metering/metering.ts';
import { type RecordEvents, removalJob } from '../records/port.ts';
import type { WorkFacts } from '../telemetry/work-facts.ts';
import type { WatchJobs } from '../telemetry/work-metrics.ts';
import { type Environment, orgScopeName } from '../tenancy/port.ts';
import { type AlertWebhook, createAlertWebhook } from '../webhooks/alert-webhook.ts';
import { ExpirySweep, type LeaseState, sweepJob } from '../work/expiry.ts';
import { type Job, type WaitingWork, waitingWork, withParts, working } from '../work/job.ts';
import { type JobSpace, WorkQueue } from '../work/work-queue.ts';
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
  readonly configs: Readonly<Record<Environment, MaintainDeps['configs']>>;
  readonly workFacts: WorkFacts;
  /** What waits for writes of records. */
  readonly events: { readonly recordEvents: RecordEvents };
  /** Counts the records that jobs remove. */
  readonly metering: { readonly gate: Pick<Metering['gate'], 'admit'> };
}

type DataSpace = JobSpace & Pick<MaintainDeps, 'configs' | 'clock'>;

export interface Jobs {
  /** Has work looked for now. */
  readonly wake: () => void;
  /** With the jobs of what is put together last. */
  readonly begin: (jobs: readonly Job[]) => void;
  readonly sweepLease: () => Promise<LeaseState>;
  /** What an org has waiting in an environment. */
  readonly waiting: (env: Environment, orgCode: string) => Promise<WaitingWork>;
  /** Ends when the job at hand has ended, or has come to the end of a step: the next start goes on with it. */
  close(): Promise<void>;
}

export function startJobs(spaces: Spaces, deps: JobDeps): Jobs {
  const { configs, clock, nodeId, onFault, watch } = deps;
  const { recordEvents: events } = deps.events;
  const removal = withParts(removalJob, { configs, events });
  const jobs: readonly Job<DataSpace>[] = [purgeEntityJob, maintainEntity, removal];
  const dataSpace = (env: Environment): DataSpace => {
    const { store, maintenance } = spaces[env];
    return { store: notingRemovals(store, env, deps.metering.gate), maintenance, configs: configs[env], clock };
  };
  // One at a time: index builds and purges are work for the store, not waits for others.
  const queue = new WorkQueue({
    ...{ queue: 'work', spaces: [dataSpace('test'), dataSpace('prod')] },
    ...{ clock, onError: onFault, atOnce: 1 },
  });
  const shared = spaces.platform.store.scope(platformScopeName);
  const sweep = new ExpirySweep({ spaces: Object.values(spaces), shared, nodeId, clock });
  const [watched] = deps.workFacts.watch('expire')([{ name: sweepJob, run: () => sweep.turn() }]);
  sweep.begin(onFault, watched?.run);
  return {
    wake: () => queue.wake(),
    sweepLease: () => sweep.lease(),
    begin: (more) => queue.begin(working(watch([...jobs, ...more]), deps)),
    waiting: (env, orgCode) => waitingWork(spaces[env].store.scope(orgScopeName(orgCode))),
    close: async () => {
      await Promise.all([queue.close(), sweep.close()]);
    },
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

/** What is sent waits for others most of its time, so it has a queue of its own. */
export function startAlerts({ platform }: Spaces, deps: AlertDeps): Alerts {
  const { config, clock, newId, secrets, watch, upgradeUrl, onFault } = deps;
  const webhook = createAlertWebhook({
    platform: platform.store.scope(platformScopeName),
    clock,
    newId,
    rootKey: derivedKey(secrets, 'alert-webhook'),
    rules: { isDevelopment: config.mode === 'development', alsoAllowed: networkList(config.webhookNetworks) },
    upgradeUrl,
    wake: () => queue.wake(),
  });
  const queue = new WorkQueue({ queue: 'work', spaces: [platform], clock, onError: onFault, atOnce: 10 });
  queue.begin(working(watch([webhook.job]), deps));
  return {
    webhook,
    close: async () => {
      const closed = queue.close();
      webhook.close();
      await closed;
    },
  };
}
