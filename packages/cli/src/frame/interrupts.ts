/** For commands that go on until Ctrl-C, and then end as asked. */
export interface Interrupts {
  isOver(): boolean;
  /** Resolves after so many milliseconds, or at once where it is over. */
  wait(milliseconds: number): Promise<void>;
  /** Resolves at the first signal. */
  readonly over: Promise<void>;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** From here on a signal does not end the process by itself. */
export function untilInterrupted(): Interrupts {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  let isOver = false;
  for (const signal of signals)
    process.on(signal, () => {
      isOver = true;
      resolve();
    });
  return {
    isOver: () => isOver,
    over,
    wait: async (milliseconds) => {
      let timer: NodeJS.Timeout | undefined;
      const passed = new Promise<void>((done) => {
        timer = setTimeout(done, milliseconds);
      });
      await Promise.race([over, passed]);
      clearTimeout(timer);
    },
  };
}
