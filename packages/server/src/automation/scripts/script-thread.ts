import { Worker } from 'node:worker_threads';
import { scriptLimits } from './limits.ts';
import type { ScriptResult, ScriptSource } from './run-script.ts';
import { ScriptError } from './script-error.ts';
import type { ScriptAnswer } from './script-worker.ts';

/** The module of a thread grows with the largest script that it ran, and a new one is small again. */
const scriptsPerThread = 200;
const watchMilliseconds = 250;
/** Beyond what a script may take: for what the interpreter does not interrupt. */
const cpuMicrosecondsMax = 2 * 1000 * scriptLimits.cpuMilliseconds;

interface Running {
  readonly resolve: (result: ScriptResult) => void;
  readonly reject: (error: unknown) => void;
  readonly watch: NodeJS.Timeout;
}

/** A thread that runs one script at a time, and is replaced where one broke it. */
export class ScriptThread {
  #worker: Worker | undefined;
  #running: Running | undefined;
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
    // How much it took is not known.
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
