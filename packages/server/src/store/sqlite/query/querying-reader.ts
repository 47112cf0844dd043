import type { DatabaseSync } from 'node:sqlite';
import type { BoundedMeasure, BoundedSelect } from '../../engine.ts';
import { limits, type Measured, type ScopeName, type Selected } from '../../port.ts';
import type { ItemCache } from '../item-cache.ts';
import { SqliteReader } from '../reader.ts';
import type { LongReads } from './long-reads.ts';
import { type Pace, WindowReader, windowMilliseconds } from './window-reader.ts';

/** A read that comes past more than so many items, of which 1,000 take about 1 ms, goes to a thread of its own. */
const entriesInPlace = 4_000;

interface QueryingReaderDeps {
  readonly database: DatabaseSync;
  readonly items?: ItemCache | undefined;
  /** Left out, reads of any length are done in place. */
  readonly longReads?: LongReads | undefined;
}

/** Answers a short question on the calling thread, and has a long one answered by another. */
export class QueryingReader extends SqliteReader {
  readonly #windows: WindowReader;
  readonly #longReads: LongReads | undefined;

  constructor({ database, items, longReads }: QueryingReaderDeps) {
    super(database, items);
    this.#windows = new WindowReader(database);
    this.#longReads = longReads;
  }

  async select(scope: ScopeName, read: BoundedSelect, now: number): Promise<Selected> {
    read.signal?.throwIfAborted();
    const place = { scope, now };
    const found = this.read(() => this.#windows.select(place, read, this.#pace()));
    if (found.endedBy !== 'time' || this.#longReads === undefined) return found;
    const { signal, ...question } = read;
    return this.#inThread(this.#longReads.select({ place, read: question }, signal));
  }

  async measure(scope: ScopeName, read: BoundedMeasure, now: number): Promise<Measured> {
    read.signal?.throwIfAborted();
    const place = { scope, now };
    const { signal, ...question } = read;
    const threads = this.#longReads;
    if (threads === undefined || !this.read(() => this.#windows.isLonger(place, read, entriesInPlace))) {
      const found = this.read(() => this.#windows.measure(place, read, this.#pace()));
      if (found.endedBy !== 'time' || threads === undefined) return found;
    }
    return this.#inThread(threads.measure({ place, read: question }, signal));
  }

  async #inThread<T>(read: Promise<T>): Promise<T> {
    try {
      return await read;
    } catch (error) {
      return this.read(() => {
        throw error;
      });
    }
  }

  #pace(): Pace {
    const begun = performance.now();
    const [entriesMax, milliseconds] =
      this.#longReads === undefined
        ? [Number.POSITIVE_INFINITY, limits.longReadMilliseconds]
        : [entriesInPlace, windowMilliseconds];
    return (entries) => (entries >= entriesMax || performance.now() - begun >= milliseconds ? 'time' : 'on');
  }
}
