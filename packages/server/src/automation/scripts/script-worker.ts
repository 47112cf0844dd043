/** The thread in which scripts run: one message in and one out for each. */
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { loadEngine, runScript, type ScriptResult, type ScriptSource } from './run-script.ts';
import { ScriptError, type ScriptFault, type ScriptLog } from './script-outcome.ts';

export type ScriptAnswer =
  | ScriptResult
  /** `isBroken`: the thread is not to be used again. */
  | {
      readonly fault: ScriptFault;
      readonly message: string;
      readonly line?: number;
      readonly cpuMilliseconds: number;
      readonly log?: ScriptLog | undefined;
      readonly isBroken?: true;
    };

async function serve(): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error('scripts run in a worker thread only');
  // Other threads have the processors first: a script may take its time, and requests of others may not. Elsewhere this sets
  // the priority of the whole process.
  if (process.platform === 'linux') setPriority(5);
  useUtc();
  const engine = await loadEngine();
  port.on('message', (script: ScriptSource) => {
    port.postMessage(answer(() => runScript(engine, script)));
  });
}

function answer(run: () => ScriptResult): ScriptAnswer {
  const start = process.threadCpuUsage();
  try {
    return run();
  } catch (error) {
    const { user, system } = process.threadCpuUsage(start);
    const cpuMilliseconds = (user + system) / 1000;
    if (error instanceof ScriptError) {
      const { fault, message, line, log } = error;
      return { fault, message, cpuMilliseconds, log, ...(line === undefined ? {} : { line }) };
    }
    // Values that are nested so deeply that not even the interpreter sees the end of its stack.
    return { fault: 'failed', message: 'the script could not be run to its end', cpuMilliseconds, isBroken: true };
  }
}

/** The interpreter asks this realm for the local time. Scripts have the same everywhere. */
function useUtc(): void {
  const { prototype } = Date;
  const utc: Readonly<Record<string, () => number>> = {
    getFullYear: prototype.getUTCFullYear,
    getMonth: prototype.getUTCMonth,
    getDate: prototype.getUTCDate,
    getDay: prototype.getUTCDay,
    getHours: prototype.getUTCHours,
    getMinutes: prototype.getUTCMinutes,
    getSeconds: prototype.getUTCSeconds,
    getTimezoneOffset: () => 0,
  };
  Object.assign(prototype, utc);
}

await serve();
