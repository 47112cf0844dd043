import type { Clock } from '../lib/clock.ts';
import type { MailOut } from '../mail/mailer.ts';
import { createLogicBlocks, type LogicBlocks } from './blocks/logic-blocks.ts';
import { type DueHandler, DueRunner, type DueRunnerOptions } from './due.ts';
import type { OpenedEvents } from './open-events.ts';
import { openRuns, type Runs } from './runs/open-runs.ts';
import type { RunLogDeps } from './runs/run-log.ts';
import { type RunsDeps, runHandler } from './runs/runs.ts';
import { startRun } from './runs/start-run.ts';
import type { ScriptRunner } from './scripts/script-runner.ts';
import type { AutomationWork } from './work-port.ts';

export interface AutomationDeps
  extends Omit<DueRunnerOptions, 'handlers' | 'deliveries'>,
    RunsDeps,
    Pick<RunLogDeps, 'cursors'> {
  readonly clock: Clock;
  readonly scripts: ScriptRunner;
  readonly events: Pick<OpenedEvents, 'handlers' | 'cutOff'>;
  /** Undefined where the platform sends no mail. */
  readonly mail: MailOut | undefined;
}

export interface Automation {
  /** Has what is due looked for now. */
  wake(): void;
  /** The same at a time, in milliseconds since the epoch. */
  wakeAt(at: number): void;
  readonly logicBlocks: LogicBlocks;
  readonly runs: Runs;
  readonly work: AutomationWork;
  close(): Promise<void>;
}

/** What an org has configured to happen by itself. */
export function openAutomation(deps: AutomationDeps): Automation {
  const handlers = new Map<string, DueHandler>([['run', runHandler(deps)], ...deps.events.handlers]);
  const runner = new DueRunner({ ...deps, handlers, deliveries: new Set(deps.events.handlers.keys()) });
  const wake = () => runner.wake();
  return {
    wake,
    wakeAt: (at) => runner.wakeAt(at),
    logicBlocks: createLogicBlocks(deps),
    runs: openRuns({ ...deps, wake }),
    work: {
      ...{ runtime: deps.runtime, callers: deps.callers, mail: deps.mail },
      start: async (ask, along) => {
        const started = await startRun(deps, ask, along);
        wake();
        return started;
      },
    },
    close: async () => {
      deps.events.cutOff();
      await runner.close();
      await deps.scripts.close();
    },
  };
}
