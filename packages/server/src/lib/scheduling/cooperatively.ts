import { createYielder } from './event-loop.ts';

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
