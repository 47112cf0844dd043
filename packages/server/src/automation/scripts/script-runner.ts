import { Worker } from 'node:worker_threads';
import { parseStrictJson } from '../../lib/formats/strict-json.ts';
import { Problem } from '../../lib/problem.ts';
import { createFairSlots } from '../../lib/scheduling/fair-slots.ts';
import type { Environment } from '../../tenancy/port.ts';
import type { WorkMeter } from '../automation-deps.ts';
import { blockFailure } from '../blocks/block-failure.ts';
import type { ScriptResult, ScriptSource } from './run-script.ts';
import { lineOfLog, ScriptError, type ScriptFault, type ScriptLog, scriptLimits } from './script-outcome.ts';
import type { ScriptAnswer } from './script-worker.ts';

interface ScriptJob extends ScriptSource {
  readonly org: string;
  readonly env: Environment;
}

export type ScriptRunner = ReturnType<typeof createScriptRunner>;

const threadsMax = 2;

/**
 * Runs scripts in threads of their own: no script reaches the process, and of each org one runs at a time, so that one
 * whose scripts never end leaves a thread to the others.
 */
export function createScriptRunner() {
  const threads = Array.from({ length: threadsMax }, () => new ScriptThread());
  const slots = createFairSlots({ perOrg: 1, perNode: threadsMax, waitingPerOrg: 100, what: 'scripts' });
  const closing = new AbortController();
  const runNow = async (job: ScriptJob): Promise<ScriptResult> => {
    const thread = threads.find(({ isIdle }) => isIdle);
    if (thread === undefined) throw new TypeError('as many scripts run as there are threads');
    return thread.run(job);
  };
  return {
    /** @throws ScriptError; Problem `rate_limited` where too many scripts of the org wait. */
    run: (job: ScriptJob): Promise<ScriptResult> => slots.run(job.org, () => runNow(job), closing.signal),
    close: async (): Promise<void> => {
      closing.abort(new Problem('unavailable', 'the platform is closing'));
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

/** The module of a thread grows with the largest script that it ran, and a new one is small again. */
const scriptsPerThread = 200;
const watchMilliseconds = 250;
/** Beyond what a script may take: for what the interpreter does not interrupt. */
const cpuMicrosecondsMax = 2 * 1000 * scriptLimits.cpuMilliseconds;

interface RunningScript {
  readonly resolve: (result: ScriptResult) => void;
  readonly reject: (error: unknown) => void;
  readonly watch: NodeJS.Timeout;
}

/** A thread that runs one script at a time, and is replaced where one broke it. */
class ScriptThread {
  #worker: Worker | undefined;
  #running: RunningScript | undefined;
  #scripts = 0;

  get isIdle(): boolean {
    return this.#running === undefined;
  }

  /** @throws ScriptError */
  run(script: ScriptSource): Promise<ScriptResult> {
    return new Promise((resolve, reject) => {
      const worker = this.#worker ?? this.#start();
      const watch = setInterval(this.#watchOf(worker), watchMilliseconds);
      this.#running = { resolve, reject, watch };
      worker.postMessage(script);
    });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#end(new ScriptError('failed', 'the platform is stopping'), false);
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL('./script-worker.ts', import.meta.url), {
      name: 'scripts',
      // Nothing of the process: no environment, and no way to write to its log.
      env: {},
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: 64, stackSizeMb: scriptLimits.threadStackMebibytes },
    });
    worker.stdout.resume();
    worker.stderr.resume();
    worker.unref();
    worker.on('message', (answer: ScriptAnswer) => this.#answered(worker, answer));
    worker.on('error', () => this.#died(worker));
    worker.on('exit', () => this.#died(worker));
    this.#worker = worker;
    this.#scripts = 0;
    return worker;
  }

  #answered(worker: Worker, answer: ScriptAnswer): void {
    if (worker !== this.#worker) return;
    this.#scripts += 1;
    if ('json' in answer) this.#end(answer, this.#scripts < scriptsPerThread);
    else {
      const { fault, message, line, isBroken } = answer;
      this.#end(new ScriptError(fault, message, line, answer), isBroken !== true);
    }
  }

  #died(worker: Worker): void {
    if (worker !== this.#worker) return;
    // The time it took is not known.
    const { cpuMilliseconds } = scriptLimits;
    this.#end(new ScriptError('memory', 'the script could not be run', undefined, { cpuMilliseconds }), false);
  }

  /** Ends a script by the CPU time of its thread, so that a busy machine ends none too early. */
  #watchOf(worker: Worker): () => void {
    let base: number | undefined;
    return () => {
      void worker.cpuUsage().then(
        ({ user, system }) => {
          base ??= user + system;
          if (worker !== this.#worker || user + system - base < cpuMicrosecondsMax) return;
          const message = `the script took more than ${scriptLimits.cpuMilliseconds} ms`;
          const cpuMilliseconds = cpuMicrosecondsMax / 1000;
          this.#end(new ScriptError('timeout', message, undefined, { cpuMilliseconds }), false);
        },
        // The thread has ended meanwhile, which is an event of its own.
        () => undefined,
      );
    };
  }

  #end(outcome: ScriptResult | ScriptError, keepsThread: boolean): void {
    const running = this.#running;
    this.#running = undefined;
    if (!keepsThread) {
      void this.#worker?.terminate();
      this.#worker = undefined;
    }
    if (running === undefined) return;
    clearInterval(running.watch);
    if (outcome instanceof ScriptError) running.reject(outcome);
    else running.resolve(outcome);
  }
}

/** Counts what scripts take, also those that fail, and begins none beyond the plan. @throws Problem `plan_limit_exceeded` as well. */
export function meteredScripts(scripts: ScriptRunner, meter: WorkMeter): ScriptRunner {
  return {
    run: async (job) => {
      const place = { orgCode: job.org, env: job.env };
      await meter.check(job.org, 'script_ms');
      try {
        const result = await scripts.run(job);
        meter.add(place, 'script_ms', result.cpuMilliseconds);
        return result;
      } catch (error) {
        if (error instanceof ScriptError) meter.add(place, 'script_ms', error.cpuMilliseconds);
        throw error;
      }
    },
    close: () => scripts.close(),
  };
}

export interface ScriptValue {
  readonly value: unknown;
  readonly cpuMilliseconds: number;
  readonly log?: ScriptLog;
}

/** @throws Problem `block_failed`, `rate_limited`. */
export async function runScriptStep(scripts: Pick<ScriptRunner, 'run'>, job: ScriptJob): Promise<ScriptValue> {
  try {
    const { json, cpuMilliseconds, log } = await scripts.run(job);
    return { value: plainValue(json), cpuMilliseconds, ...(log === undefined ? {} : { log }) };
  } catch (error) {
    throw error instanceof ScriptError ? scriptFailure(error) : error;
  }
}

/** A value that does not survive storage, or would not be read alike everywhere, is no value of a step. */
function plainValue(json: string): unknown {
  try {
    return parseStrictJson(json);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw blockFailure('the script returned what no body of a request may hold', {}, error);
  }
}

/** An error thrown by a script may hold values, so its text is no part of the refusal. */
function scriptFailure(error: ScriptError): Problem {
  const { fault, line, message } = error;
  return blockFailure(
    own[fault] ? message : `the script failed${line === undefined ? '' : ` at line ${line}`}`,
    {},
    error,
  );
}

/** The lines that a script wrote before it failed, and then its error. */
export function logOfFailure(error: unknown): ScriptLog | undefined {
  if (!(error instanceof Problem && error.cause instanceof ScriptError)) return undefined;
  const { fault, message, line, log } = error.cause;
  if (own[fault] || message === '') return log;
  const place = line === undefined ? '' : ` at line ${line}`;
  const cut = message.length === scriptLimits.messageCharacters ? '…' : '';
  const thrown = lineOfLog(`Uncaught${place}: ${message}${cut}`);
  return { ...log, lines: [...(log?.lines ?? []), thrown] };
}

/** Whether the sentence is one of the platform. */
const own: Readonly<Record<ScriptFault, boolean>> = { failed: false, timeout: true, memory: true, output: true };
