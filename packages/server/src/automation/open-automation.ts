import { type ConfigReader, schedulesDue } from '../config/port.ts';
import type { Clock } from '../lib/clock.ts';
import { createFairSlots } from '../lib/scheduling/fair-slots.ts';
import type { MailOut } from '../mail/mailer.ts';
import type { Sealer } from '../records/port.ts';
import type { OpenedStore } from '../store/port.ts';
import type { Environment } from '../tenancy/port.ts';
import { type DueJob, type VisitedSpace, visiting, visitsAtOnce } from '../work/visits.ts';
import { WorkQueue, type WorkQueueOptions } from '../work/work-queue.ts';
import { createLogicBlocks, type LogicBlocks } from './blocks/logic-blocks.ts';
import { createDrafts, type Drafts } from './drafts/draft-run.ts';
import { createHookCallLog } from './hooks/hook-calls.ts';
import { type Hooks, openHooks } from './hooks/hooks.ts';
import { createOutsideHttp, type OutsideHttpDeps } from './http/outside-http.ts';
import type { OpenedEvents } from './open-events.ts';
import { openRuns, type Runs } from './runs/open-runs.ts';
import type { RunLogDeps } from './runs/run-log.ts';
import { createRunRows } from './runs/run-rows.ts';
import { type RunsDeps, runHandler } from './runs/runs.ts';
import { startRun } from './runs/start-run.ts';
import { TransactionQueue } from './runs/transactions/transaction-queue.ts';
import { reconcileHandler } from './schedules/reconcile.ts';
import { scheduleJob } from './schedules/schedule-rows.ts';
import { openSchedules, type Schedules } from './schedules/schedules.ts';
import { scheduleHandler } from './schedules/tick.ts';
import type { ScriptRunner } from './scripts/script-runner.ts';
import type { AutomationWork } from './work-port.ts';

export interface AutomationDeps
  extends Pick<WorkQueueOptions<VisitedSpace>, 'onError'>,
    Omit<RunsDeps, 'http' | 'suspensions' | 'transactions' | 'runRows'>,
    Pick<RunLogDeps, 'cursors'> {
  readonly spaces: Readonly<Record<Environment, OpenedStore>>;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly scripts: ScriptRunner;
  readonly hasOrg: (orgCode: string) => Promise<boolean>;
  readonly events: Pick<OpenedEvents, 'jobs' | 'cutOff' | 'chain' | 'live' | 'suspensions'>;
  /** Undefined where the platform sends no mail. */
  readonly mail: MailOut | undefined;
  readonly outside: Pick<OutsideHttpDeps, 'request' | 'secrets' | 'hosts'>;
  /** Sees each visit of what is due. */
  readonly watchDue: (jobs: readonly DueJob[]) => readonly DueJob[];
}

export interface Automation {
  /** Has what is due looked for now. */
  wake(): void;
  /** The same at a time, in milliseconds since the epoch. */
  wakeAt(at: number): void;
  readonly logicBlocks: LogicBlocks;
  readonly runs: Runs;
  readonly drafts: Drafts;
  readonly schedules: Schedules;
  readonly hooks: Hooks;
  readonly work: AutomationWork;
  close(): Promise<void>;
}

/** What an org has configured to happen by itself. */
export function openAutomation({ sealer, ...given }: AutomationDeps): Automation {
  const deps = { ...given, runRows: createRunRows(sealer) };
  const closing = new AbortController();
  const slots = createFairSlots({ perOrg: 4, perNode: 32, waitingPerOrg: 100, what: 'calls' });
  const http = createOutsideHttp({
    ...{ ...deps.outside, slots, closing: closing.signal },
    ...{ chain: deps.events.chain, clock: deps.clock },
  });
  const transactions = new TransactionQueue(deps.clock);
  const runDeps = { ...deps, http, suspensions: deps.events.suspensions, transactions };
  const start: AutomationWork['start'] = async (ask, along) => {
    const started = await startRun(deps, ask, along);
    wake();
    return started;
  };
  const jobs: readonly DueJob[] = [
    { name: 'run', run: runHandler(runDeps) },
    { name: schedulesDue.sk, run: reconcileHandler(deps) },
    { name: scheduleJob, run: scheduleHandler({ ...deps, start }) },
    ...deps.events.jobs,
  ];
  const { clock, onError } = deps;
  const spaces = (['test', 'prod'] as const).map((env) => ({ env, ...deps.spaces[env] }));
  const queue = new WorkQueue({ queue: 'automation', spaces, clock, onError, atOnce: visitsAtOnce });
  queue.begin(visiting(deps.watchDue(jobs), deps));
  const wake = () => queue.wake();
  return {
    wake,
    wakeAt: (at) => queue.wakeAt(at),
    logicBlocks: createLogicBlocks(runDeps),
    runs: openRuns({ ...deps, wake, start, liveEvents: deps.events.live }),
    drafts: createDrafts(deps),
    schedules: openSchedules(deps),
    hooks: openHooks({
      ...{ ...deps, secrets: deps.outside.secrets, chain: deps.events.chain, start },
      calls: createHookCallLog(deps.clock),
    }),
    work: { runtime: deps.runtime, callers: deps.callers, mail: deps.mail, chain: deps.events.chain, start },
    close: async () => {
      deps.events.cutOff();
      closing.abort();
      await queue.close();
      await deps.scripts.close();
    },
  };
}
