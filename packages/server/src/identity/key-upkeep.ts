import type { LiveSigningKeys } from './signing-keys.ts';

/** How soon a node learns what another one changed of the keys. */
const turnMilliseconds = 10_000;

export interface KeyUpkeep {
  close(): Promise<void>;
}

/** Tends the keys in the background, so that no request ever waits for it. A turn that fails is tried again by the next. */
export function startKeyUpkeep(keys: Pick<LiveSigningKeys, 'tend'>, onError: (error: unknown) => void): KeyUpkeep {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= keys
      .tend()
      .catch(onError)
      .finally(() => {
        running = undefined;
      });
  }, turnMilliseconds);
  timer.unref();
  return {
    close: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
