/** A thread that reads: one message in and one out for every read, each in a snapshot of its own. */
import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { BoundedMeasure, BoundedSelect } from '../../engine.ts';
import { limits, type Measured, type Selected } from '../../port.ts';
import { openConnection } from '../connection.ts';
import { isSqliteError } from '../sqlite-error.ts';
import { type Pace, type Place, WindowReader } from './window-reader.ts';

export type LongRead =
  | { readonly kind: 'select'; readonly place: Place; readonly read: Omit<BoundedSelect, 'signal'> }
  | { readonly kind: 'measure'; readonly place: Place; readonly read: Omit<BoundedMeasure, 'signal'> };

/** `stop` is an integer of 32 bits: other than 0, it ends the read. */
export type ReadRequest = { readonly read: LongRead; readonly stop: SharedArrayBuffer } | 'close';

export type ReadAnswer =
  | { readonly found: Selected | Measured }
  /** With `errcode`, SQLite failed. */
  | { readonly failure: { readonly kind: 'stopped' | 'failed'; readonly message: string; readonly errcode?: number } }
  | { readonly refusal: string };

/** What the thread is begun with. */
export interface ReadWorkerOptions {
  readonly path: string;
  readonly cacheKibibytes: number;
}

class Stopped extends Error {}

function serve({ path, cacheKibibytes }: ReadWorkerOptions): void {
  const port = parentPort;
  if (port === null) throw new Error('long reads run in a worker thread only');
  giveWay();
  const database = openConnection(path, { readOnly: true, cacheKibibytes });
  const windows = new WindowReader(database);
  port.on('message', (request: ReadRequest) => {
    if (request === 'close') {
      database.close();
      port.close();
    } else port.postMessage(answerTo(windows, request));
  });
}

function answerTo(windows: WindowReader, { read, stop }: Exclude<ReadRequest, 'close'>): ReadAnswer {
  const flag = new Int32Array(stop);
  const begun = performance.now();
  const pace: Pace = () => {
    if (Atomics.load(flag, 0) !== 0) throw new Stopped('the read was stopped');
    return performance.now() - begun >= limits.longReadMilliseconds ? 'time' : 'on';
  };
  try {
    return {
      found:
        read.kind === 'select'
          ? windows.select(read.place, read.read, pace)
          : windows.measure(read.place, read.read, pace),
    };
  } catch (error) {
    return failureOf(error);
  }
}

function failureOf(error: unknown): ReadAnswer {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof SyntaxError) return { refusal: message };
  if (error instanceof Stopped) return { failure: { kind: 'stopped', message } };
  return { failure: { kind: 'failed', message, ...(isSqliteError(error) ? { errcode: error.errcode } : {}) } };
}

/** Requests come first, where the system has priorities for each thread. */
function giveWay(): void {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    if (thread > 0 && getPriority(thread) < constants.priority.PRIORITY_BELOW_NORMAL)
      setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It reads as fast as the others then.
  }
}

serve(workerData as ReadWorkerOptions);
