import { Problem } from '../../lib/problem.ts';
import type { ScriptResult, ScriptSource } from './run-script.ts';
import { ScriptThread } from './script-thread.ts';

export interface ScriptJob extends ScriptSource {
  readonly org: string;
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
const waitingPerOrgMax = 100;

interface Waiting {
  readonly job: ScriptJob;
  readonly resolve: (result: Promise<ScriptResult>) => void;
}

export function createScriptRunner(): ScriptRunner {
  const threads = Array.from({ length: threadsMax }, () => new ScriptThread());
  /** By org, in the order in which they come to their turns. */
  const waiting = new Map<string, Waiting[]>();
  const running = new Set<string>();

  const next = (): void => {
    const thread = threads.find(({ isIdle }) => isIdle);
    const turn = [...waiting].find(([org]) => !running.has(org));
    if (thread === undefined || turn === undefined) return;
    const [org, queue] = turn;
    const first = queue.shift();
    // Behind the others, for its next script.
    waiting.delete(org);
    if (queue.length > 0) waiting.set(org, queue);
    if (first === undefined) return;
    running.add(org);
    const result = thread.run(first.job).finally(() => {
      running.delete(org);
      next();
    });
    first.resolve(result);
    next();
  };

  return {
    run: (job) =>
      new Promise((resolve, reject) => {
        const queue = waiting.get(job.org) ?? [];
        if (queue.length >= waitingPerOrgMax) {
          reject(new Problem('rate_limited', `at most ${waitingPerOrgMax} scripts of an org wait at a time`));
          return;
        }
        queue.push({ job, resolve });
        waiting.set(job.org, queue);
        next();
      }),
    close: async () => {
      waiting.clear();
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}
