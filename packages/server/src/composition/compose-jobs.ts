/** Puts together what works in the background. */
import type { Clock } from '../lib/clock.ts';
import type { Metering } from '../metering/metering.ts';
import { platformScopeName } from '../people/port.ts';
import type { RecordSpace } from '../records/port.ts';
import type { WatchJobs, WorkFacts } from '../telemetry/work-metrics.ts';
import { type Environment, orgScopeName } from '../tenancy/port.ts';
import { ExpirySweep, type LeaseState, sweepJob } from '../work/expiry.ts';
import { type Job, type WaitingWork, waitingWork, working } from '../work/job.ts';
import { WorkQueue } from '../work/work-queue.ts';
import { notingRemovals } from './noted-removals.ts';
import type { Spaces } from './open-spaces.ts';

export interface JobDeps {
  readonly nodeId: string;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  readonly watch: WatchJobs;
  readonly configs: Readonly<Record<Environment, RecordSpace['configs']>>;
  readonly workFacts: WorkFacts;
  /** Counts the records that jobs remove. */
  readonly metering: { readonly gate: Pick<Metering['gate'], 'admit'> };
}

export interface Jobs {
  /** Has work looked for now. */
  readonly wake: () => void;
  /** Once all modules are open, with their jobs. */
  readonly begin: (jobs: readonly Job<RecordSpace>[]) => void;
  readonly sweepLease: () => Promise<LeaseState>;
  /** The pending work of an org in an environment. */
  readonly waiting: (env: Environment, orgCode: string) => Promise<WaitingWork>;
  /** Ends when the job at hand has ended, or has come to the end of a step: the next start goes on with it. */
  close(): Promise<void>;
}

export function startJobs(spaces: Spaces, deps: JobDeps): Jobs {
  const { configs, clock, nodeId, onError, watch } = deps;
  const dataSpace = (env: Environment): RecordSpace => {
    const { store, maintenance } = spaces[env];
    return { store: notingRemovals(store, env, deps.metering.gate), maintenance, configs: configs[env], clock };
  };
  // One at a time: index builds and purges are work for the store, not waits for others.
  const queue = new WorkQueue({
    ...{ queue: 'work', spaces: [dataSpace('test'), dataSpace('prod')] },
    ...{ clock, onError, atOnce: 1 },
  });
  const shared = spaces.platform.store.scope(platformScopeName);
  const sweep = new ExpirySweep({ spaces: Object.values(spaces), shared, nodeId, clock });
  const [watched] = deps.workFacts.watch('expire')([{ name: sweepJob, run: () => sweep.turn() }]);
  sweep.begin(onError, watched?.run);
  return {
    wake: () => queue.wake(),
    sweepLease: () => sweep.lease(),
    begin: (jobs) => queue.begin(working(watch(jobs), deps)),
    waiting: (env, orgCode) => waitingWork(spaces[env].store.scope(orgScopeName(orgCode))),
    close: async () => {
      await Promise.all([queue.close(), sweep.close()]);
    },
  };
}
