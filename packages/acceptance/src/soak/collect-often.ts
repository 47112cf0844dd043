/**
 * Preloaded into a platform under soak (`--expose-gc`): collects all of its garbage now and then and tells on standard
 * output what is left of the heap. What a process has not collected yet hides what it keeps.
 */
import { isMainThread } from 'node:worker_threads';
import { leftOfHeap } from './left-of-heap.ts';

const everyMilliseconds = Number(process.env.SOAK_COLLECT_MILLISECONDS);

function collect(): void {
  // Also what a collection of the usual kind keeps for later: code of functions that have not run for a while.
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  process.stdout.write(`${leftOfHeap}${process.memoryUsage().heapUsed}\n`);
  // From the end of one to the next: on a slow machine nothing else would be done.
  setTimeout(collect, everyMilliseconds).unref();
}

if (isMainThread) setTimeout(collect, everyMilliseconds).unref();
