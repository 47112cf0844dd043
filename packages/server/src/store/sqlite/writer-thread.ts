import { Worker } from 'node:worker_threads';
import type { CommitVerdict, GroupMember } from '../committing/apply-group.ts';
import { OutcomeUnknown, Unavailable } from '../port.ts';
import type { GroupFailure } from './writer.ts';
import type { WorkerAnswer, WorkerRequest, WriterWorkerOptions } from './writer-worker.ts';

export interface WriterThreadOptions {
  readonly path: string;
  readonly cacheKibibytes?: number;
  /** Called once, when the writer cannot go on: nothing is stored from then on. */
  readonly onFatal: (error: Error) => void;
  /** Another program for the thread; tests of a dying writer pass one. */
  readonly program?: URL;
}

/** The side of the writer that lives on the calling thread. */
export class WriterThread {
  readonly #worker: Worker;
  readonly #onFatal: (error: Error) => void;
  readonly #ready = Promise.withResolvers<void>();
  #isReady = false;
  #inFlight:
    | { readonly resolve: (verdicts: readonly CommitVerdict[]) => void; readonly reject: (error: Error) => void }
    | undefined;
  #fault: Error | undefined;
  #isClosing = false;

  /** Rejects with the error that kept the writer from starting, such as that of a file that is no database. */
  static async start(options: WriterThreadOptions): Promise<WriterThread> {
    const thread = new WriterThread(options);
    await thread.#ready.promise;
    return thread;
  }

  private constructor({ path, onFatal, program, cacheKibibytes = 32 * 1024 }: WriterThreadOptions) {
    const workerData: WriterWorkerOptions = { path, cacheKibibytes };
    const worker = new Worker(program ?? new URL('./writer-worker.ts', import.meta.url), { workerData });
    this.#worker = worker;
    this.#onFatal = onFatal;
    worker.on('message', (answer: WorkerAnswer) => this.#settle(answer));
    worker.on('messageerror', (error) => this.#fail(error));
    worker.on('error', (error) => this.#fail(error instanceof Error ? error : new Error(String(error))));
    worker.on('exit', (code) => {
      if (!this.#isClosing) this.#fail(new Error(`the writer's thread ended with code ${code}`));
    });
  }

  get isHealthy(): boolean {
    return this.#fault === undefined;
  }

  run(members: readonly GroupMember[], now: number): Promise<readonly CommitVerdict[]> {
    if (this.#fault !== undefined) {
      return Promise.reject(new Unavailable('the store has failed', { cause: this.#fault }));
    }
    const { promise, resolve, reject } = Promise.withResolvers<readonly CommitVerdict[]>();
    this.#inFlight = { resolve, reject };
    this.#send({ members, now });
    return promise;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#fault !== undefined) {
      await this.#worker.terminate();
      return;
    }
    const ended = new Promise((resolve) => this.#worker.once('exit', resolve));
    this.#send('close');
    await ended;
  }

  #send(request: WorkerRequest): void {
    this.#worker.postMessage(request);
  }

  #settle(answer: WorkerAnswer): void {
    if (answer === 'ready') {
      this.#isReady = true;
      this.#ready.resolve();
      return;
    }
    const inFlight = this.#inFlight;
    this.#inFlight = undefined;
    if (inFlight === undefined) return;
    if ('verdicts' in answer) {
      inFlight.resolve(answer.verdicts);
      return;
    }
    const error = errorOf(answer.failure);
    if (answer.failure.isFatal) this.#declareFault(error);
    inFlight.reject(error);
  }

  /** Commits in progress may have been stored before the thread was lost. */
  #fail(error: Error): void {
    this.#declareFault(error);
    this.#inFlight?.reject(new OutcomeUnknown('the writer was lost while it stored a commit', { cause: error }));
    this.#inFlight = undefined;
  }

  #declareFault(error: Error): void {
    if (this.#fault !== undefined) return;
    this.#fault = error;
    if (this.#isReady) this.#onFatal(error);
    else this.#ready.reject(error);
  }
}

function errorOf({ outcome, message }: GroupFailure): Error {
  const cause = new Error(message);
  return outcome === 'unknown'
    ? new OutcomeUnknown('the disk failed while a commit was stored', { cause })
    : new Unavailable('the commit could not be stored', { cause });
}
