import { setTimeout as pause } from 'node:timers/promises';
import { createPacer, type EventLoop, FairScheduler, type ShareKey } from './fair-scheduler.ts';

const eventLoop: EventLoop = {
  now: () => performance.now(),
  later: setImmediate,
  // A promise that is kept runs on before this, with all that follows from it; a tick alone would come first.
  next: (run) => queueMicrotask(() => process.nextTick(run)),
};

/** The turns at this process's one event loop: all platforms of a process share it. */
export const scheduler: FairScheduler = new FairScheduler(eventLoop);

/** As long may one piece of work keep everybody else waiting. */
const sliceMilliseconds = 1;

/** And so much of what is counted of it: about as long. */
const sliceSteps = 250_000;

/**
 * For work that takes long: asked between two steps of it, this lets others go first once a slice is over.
 * Undefined where the work may go on at once.
 * @param stepsTaken what the work has taken so far, where that is counted.
 */
export function createYielder(
  shareKey: ShareKey,
  stepsTaken: () => number = uncounted,
): () => Promise<void> | undefined {
  let startedAt = performance.now();
  let startSteps = stepsTaken();
  return () => {
    if (performance.now() - startedAt < sliceMilliseconds && stepsTaken() - startSteps < sliceSteps) return undefined;
    return scheduler.rejoin(shareKey).then(() => {
      startedAt = performance.now();
      startSteps = stepsTaken();
    });
  };
}

/** For a piece of background work: what is asked between two steps of it (`pacer.ts`). */
export function paceBackground(): () => Promise<void> {
  return createPacer({
    now: eventLoop.now,
    pause: (milliseconds) => pause(milliseconds),
    callsStarted: () => scheduler.callsStarted,
  });
}

function uncounted(): number {
  return 0;
}

/** No code of an org: what builders do all at once shares what one org has. */
const shareKey = { org: '*', workspace: '' };

/**
 * Asked between two steps of long work, this lets other waiting calls be served; undefined where the work may go on at
 * once.
 */
export function pausesBetween(): () => Promise<void> | undefined {
  return createYielder(shareKey);
}

/** The items one after the other; other waiting calls are served in between. */
export async function* cooperatively<T>(items: Iterable<T>): AsyncGenerator<T> {
  const pause = pausesBetween();
  for (const item of items) {
    await pause();
    yield item;
  }
}
