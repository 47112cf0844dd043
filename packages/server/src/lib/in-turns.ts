import { setImmediate } from 'node:timers/promises';

/** How long one piece of work may keep everybody else waiting. */
const turnMilliseconds = 5;

/** The items one after the other; whatever else waits is served in between, once a few milliseconds were spent on them. */
export async function* inTurns<T>(items: Iterable<T>): AsyncGenerator<T> {
  let begun = performance.now();
  for (const item of items) {
    if (performance.now() - begun >= turnMilliseconds) {
      await setImmediate();
      begun = performance.now();
    }
    yield item;
  }
}
