/**
 * Preloaded into a platform (`--expose-gc`, with an IPC channel), tells its parent what a request has cost it: how long the
 * event loop was kept, and what is left in memory. It does the work that self-tests plant.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';
import { plantWork } from './planted-work.ts';

export interface LoadReport {
  /** How late the latest turn of the event loop was, whatever else the machine did meanwhile. */
  readonly lateMilliseconds: number;
  /** The most that one turn took of the processor, so that what else runs on the machine is no part of it. */
  readonly busyMilliseconds: number;
  /** Bytes, after a collection of all garbage. */
  readonly left: number;
}

const delay = monitorEventLoopDelay({ resolution: 1 });
let busiest = 0;
let spent = 0;
let isWatched = false;

function spentNow(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

function look(): void {
  const now = spentNow();
  busiest = Math.max(busiest, now - spent);
  spent = now;
  if (isWatched) setImmediate(look);
}

function begin(): void {
  globalThis.gc?.();
  delay.reset();
  delay.enable();
  [busiest, spent, isWatched] = [0, spentNow(), true];
  setImmediate(look);
}

function end(): LoadReport {
  isWatched = false;
  delay.disable();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return { lateMilliseconds: delay.max / 1e6, busyMilliseconds: busiest / 1e3, left: heapUsed + external };
}

if (isMainThread && process.send !== undefined) {
  plantWork();
  process.on('message', () => {
    const reported = end();
    process.send?.(reported);
    begin();
  });
}
