/** Work that is done again and again. */
export interface Repeated {
  /** Does it no more, and ends when the turn at hand has ended. */
  close(): Promise<void>;
}

/**
 * Does work in the background, a turn each so many milliseconds and never two at once: a turn that is due during
 * another is left out. Errors are passed to `onError`, and the next turn comes all the same. Keeps no process alive.
 */
export function repeat(
  turn: () => Promise<void>,
  { milliseconds, onError }: { readonly milliseconds: number; readonly onError: (error: unknown) => void },
): Repeated {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= turn()
      .catch(onError)
      .finally(() => {
        running = undefined;
      });
  }, milliseconds);
  timer.unref();
  return {
    close: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
