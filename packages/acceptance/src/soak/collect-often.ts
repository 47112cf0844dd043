/**
 * Preloaded into a platform (`--expose-gc`): collects all of its garbage at each SIGUSR2, and under soak now and then, and
 * tells on standard output how much is left of the heap. Garbage that is not collected yet hides what a process keeps.
 */
import { isMainThread } from 'node:worker_threads';
import { lineOfHeap } from './left-of-heap.ts';

const everyMilliseconds = Number(process.env.SOAK_COLLECT_MILLISECONDS);

function collect(): void {
  collectHere();
  process.stdout.write(lineOfHeap());
}

/** Each thread has a heap of its own, which it would let grow as long as there is room. */
function collectHere(): void {
  // Also what a collection of the usual kind keeps for later: code of functions that have not run for a while.
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/** From the end of one to the next: on a slow machine nothing else would be done. */
function collectAgain(): void {
  setTimeout(() => {
    if (isMainThread) collect();
    else collectHere();
    collectAgain();
  }, everyMilliseconds).unref();
}

if (isMainThread) process.on('SIGUSR2', collect);
if (everyMilliseconds > 0) collectAgain();
