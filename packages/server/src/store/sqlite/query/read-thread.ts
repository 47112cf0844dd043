import { Worker } from 'node:worker_threads';
import { type Measured, type Selected, Unavailable } from '../../port.ts';
import type { LongRead, ReadAnswer, ReadRequest, ReadWorkerOptions } from './read-worker.ts';

/** The program of such a thread; tests of a dying thread pass another. */
const readProgram = new URL('./read-worker.ts', import.meta.url);

interface InFlight {
  readonly resolve: (found: Selected | Measured) => void;
  readonly reject: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/** The side of a thread of long reads that lives on the calling thread. It does one read at a time. */
export class ReadThread {
  readonly #worker: Worker;
  readonly #ended = Promise.withResolvers<void>();
  #inFlight: InFlight | undefined;
  #hasFailed = false;
  #hasEnded = false;

  constructor(options: ReadWorkerOptions, program = readProgram) {
    const worker = new Worker(program, { workerData: options });
    this.#worker = worker;
    worker.on('message', (answer: ReadAnswer) => this.#settle(answer));
    worker.on('messageerror', (error) => this.#fail(error));
    worker.on('error', (error) => this.#fail(error));
    worker.on('exit', (code) => {
      this.#hasEnded = true;
      this.#fail(new Error(`the thread ended with code ${code}`));
      this.#ended.resolve();
    });
    // A process does not wait for a thread that does nothing.
    worker.unref();
  }

  /** It takes no more reads. */
  get isLost(): boolean {
    return this.#hasFailed;
  }

  /**
   * @throws Unavailable where the thread died, the signal's reason, SyntaxError where a value is no JSON, or an error as one
   * of SQLite.
   */
  async run(read: LongRead, signal: AbortSignal): Promise<Selected | Measured> {
    const stop = new SharedArrayBuffer(4);
    const { promise, resolve, reject } = Promise.withResolvers<Selected | Measured>();
    const raise = (): void => {
      Atomics.store(new Int32Array(stop), 0, 1);
    };
    this.#inFlight = { resolve, reject, signal };
    this.#worker.ref();
    signal.addEventListener('abort', raise, { once: true });
    this.#send({ read, stop });
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', raise);
      this.#inFlight = undefined;
      this.#worker.unref();
    }
  }

  async close(): Promise<void> {
    if (this.#hasEnded) return;
    this.#worker.ref();
    this.#send('close');
    await this.#ended.promise;
  }

  #send(request: ReadRequest): void {
    this.#worker.postMessage(request);
  }

  #settle(answer: ReadAnswer): void {
    const { resolve, reject, signal } = this.#inFlight ?? {};
    if ('found' in answer) resolve?.(answer.found);
    else if ('refusal' in answer) reject?.(new SyntaxError(answer.refusal));
    else if (answer.failure.kind === 'stopped') reject?.(signal?.reason);
    else reject?.(Object.assign(new Error(answer.failure.message), answer.failure));
  }

  #fail(error: unknown): void {
    this.#hasFailed = true;
    this.#inFlight?.reject(new Unavailable('the thread of a long read died', { cause: error }));
  }
}
