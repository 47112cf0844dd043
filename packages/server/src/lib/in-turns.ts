import { inSlices } from './event-loop.ts';

/** No code of an org: what builders do all at once shares what one org has. */
const lane = { org: '*', workspace: '' };

/** The items one after the other; whatever else waits is served in between. */
export async function* inTurns<T>(items: Iterable<T>): AsyncGenerator<T> {
  const pause = inSlices(lane);
  for (const item of items) {
    await pause();
    yield item;
  }
}
