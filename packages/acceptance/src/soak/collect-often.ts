/**
 * Preloaded into a platform under soak (`--expose-gc`): collects all of its garbage now and then and tells on standard
 * output what is left of the heap. What a process has not collected yet hides what it keeps.
 */
import { isMainThread } from 'node:worker_threads';
import { leftOfHeap } from './left-of-heap.ts';

const everyMilliseconds = 10_000;

function collect(): void {
  // Also what a collection of the usual kind keeps for later: code of functions that have not run for a while.
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  process.stdout.write(`${leftOfHeap}${process.memoryUsage().heapUsed}\n`);
}

if (isMainThread) setInterval(collect, everyMilliseconds).unref();
