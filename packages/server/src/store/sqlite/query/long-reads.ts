import { stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { type LongReadTurns, longReadTurns, tooMuchToRead } from '../../long-read-turns.ts';
import { type Measured, ownerOf, type Selected, Unavailable } from '../../port.ts';
import { ReadThread } from './read-thread.ts';
import type { LongRead } from './read-worker.ts';

export interface LongReadsOptions {
  readonly path: string;
  readonly cacheKibibytes?: number;
  readonly idleMilliseconds?: number;
  /** Over so many bytes of the write-ahead log, no read is begun: it would keep the writer from restarting the log. */
  readonly logBytesMax?: number;
  readonly logMilliseconds?: number;
  readonly turns?: LongReadTurns;
  /** Another program for a thread; tests of a dying thread give it. */
  readonly programOf?: () => URL | undefined;
  readonly onThreadEnd?: () => void;
}

/** Of all stores of the process, since it is their processor that they share. */
const processTurns = longReadTurns(2);

/** Reads that would hold up the calling thread, in threads that are begun when there is one, and end when there is none. */
export class LongReads {
  readonly #options: LongReadsOptions;
  readonly #turns: LongReadTurns;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  readonly #idle = new Map<ReadThread, NodeJS.Timeout>();
  readonly #threads = new Set<ReadThread>();

  constructor(options: LongReadsOptions) {
    this.#options = options;
    this.#turns = options.turns ?? processTurns;
  }

  /** Threads that were begun and have not ended. */
  get threads(): number {
    return this.#threads.size;
  }

  /**
   * Owners take turns, and each has one read under way.
   * @throws Unavailable where too many wait, the log is too long, or the thread died; the signal's reason; SyntaxError where a
   * value is no JSON; an error as one of SQLite.
   */
  async select(read: Omit<LongRead & { readonly kind: 'select' }, 'kind'>, signal?: AbortSignal): Promise<Selected> {
    const found = await this.#run({ kind: 'select', ...read }, signal);
    if (!('entries' in found)) throw new TypeError('a select was answered as a measure');
    return found;
  }

  /** As {@link select}. */
  async measure(read: Omit<LongRead & { readonly kind: 'measure' }, 'kind'>, signal?: AbortSignal): Promise<Measured> {
    const found = await this.#run({ kind: 'measure', ...read }, signal);
    if (!('groups' in found)) throw new TypeError('a measure was answered as a select');
    return found;
  }

  /** Stops what is under way. */
  async close(): Promise<void> {
    this.#closing.abort(new Unavailable('the store is closed'));
    await Promise.allSettled(this.#running);
    for (const timer of this.#idle.values()) clearTimeout(timer);
    this.#idle.clear();
    await Promise.all([...this.#threads].map((thread) => thread.close()));
    this.#threads.clear();
  }

  async #run(read: LongRead, signal: AbortSignal | undefined): Promise<Selected | Measured> {
    const stop = signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
    const running = this.#inTurn(read, stop);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  async #inTurn(read: LongRead, signal: AbortSignal): Promise<Selected | Measured> {
    const work = async (assertInTime: () => void) => {
      await this.#roomInLog(signal);
      assertInTime();
      return this.#onThread(read, signal);
    };
    return this.#turns.run({ owner: ownerOf(read.place.scope), pk: read.read.pk }, work, signal);
  }

  async #onThread(read: LongRead, signal: AbortSignal): Promise<Selected | Measured> {
    signal.throwIfAborted();
    const thread = this.#idleThread() ?? this.#newThread();
    try {
      return await thread.run(read, signal);
    } finally {
      if (thread.isLost) this.#threads.delete(thread);
      else this.#rest(thread);
    }
  }

  #idleThread(): ReadThread | undefined {
    for (const [thread, timer] of this.#idle) {
      clearTimeout(timer);
      this.#idle.delete(thread);
      if (!thread.isLost) return thread;
      this.#threads.delete(thread);
    }
    return undefined;
  }

  #newThread(): ReadThread {
    const { path, cacheKibibytes = 16 * 1024, programOf } = this.#options;
    const thread = new ReadThread({ path, cacheKibibytes }, programOf?.());
    this.#threads.add(thread);
    return thread;
  }

  #rest(thread: ReadThread): void {
    const end = async (): Promise<void> => {
      this.#idle.delete(thread);
      await thread.close();
      this.#threads.delete(thread);
      this.#options.onThreadEnd?.();
    };
    const timer = setTimeout(() => void end(), this.#options.idleMilliseconds ?? 60_000);
    timer.unref();
    this.#idle.set(thread, timer);
  }

  /** The writer restarts the log when no reader is in its way, or empties it some seconds after the last commit. */
  async #roomInLog(signal: AbortSignal): Promise<void> {
    const { logBytesMax = 64 * 1024 * 1024, logMilliseconds = 12_000 } = this.#options;
    const begun = performance.now();
    while ((await this.#logBytes()) > logBytesMax) {
      if (performance.now() - begun > logMilliseconds) throw tooMuchToRead('too much is being written for a long read');
      signal.throwIfAborted();
      await pause(50);
    }
  }

  async #logBytes(): Promise<number> {
    try {
      return (await stat(`${this.#options.path}-wal`)).size;
    } catch {
      return 0;
    }
  }
}
