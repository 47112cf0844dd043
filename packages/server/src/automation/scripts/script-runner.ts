import { Problem } from '../../lib/problem.ts';
import { createFairSlots } from '../../lib/scheduling/fair-slots.ts';
import type { Environment } from '../../tenancy/port.ts';
import type { ScriptResult, ScriptSource } from './run-script.ts';
import { ScriptThread } from './script-thread.ts';

export interface ScriptJob extends ScriptSource {
  readonly org: string;
  readonly env: Environment;
}

/**
 * Runs scripts in threads of their own: no script reaches the process, and of each org one runs at a time, so that one
 * whose scripts never end leaves a thread to the others.
 */
export interface ScriptRunner {
  /** @throws ScriptError; Problem `rate_limited` where too many scripts of the org wait. */
  run(job: ScriptJob): Promise<ScriptResult>;
  /** Ends what runs. */
  close(): Promise<void>;
}

const threadsMax = 2;

export function createScriptRunner(): ScriptRunner {
  const threads = Array.from({ length: threadsMax }, () => new ScriptThread());
  const slots = createFairSlots({ perOrg: 1, perNode: threadsMax, waitingPerOrg: 100, what: 'scripts' });
  const closing = new AbortController();
  const runNow = async (job: ScriptJob): Promise<ScriptResult> => {
    const thread = threads.find(({ isIdle }) => isIdle);
    if (thread === undefined) throw new TypeError('as many scripts run as there are threads');
    return thread.run(job);
  };
  return {
    run: (job) => slots.run(job.org, () => runNow(job), closing.signal),
    close: async () => {
      closing.abort(new Problem('unavailable', 'the platform is closing'));
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}
