/** Work that follows changes: after a moment of quiet, one round at a time, and once more for what came during a round. */

export interface Rounds {
  /** Asks for a round of work of this kind. */
  ask(kind: string): void;
  /** Lets the round at work end, and begins no other. */
  stop(): Promise<void>;
}

/** How long there must be quiet: editors write a file in several steps. */
const quietMilliseconds = 150;

/** @param work gets the kinds that were asked for since the round before. It says itself what goes wrong. */
export function createRounds(work: (kinds: ReadonlySet<string>) => Promise<void>): Rounds {
  let names = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isOver = false;
  const begin = () => {
    timer = undefined;
    if (running !== undefined || names.size === 0 || isOver) return;
    const kinds = names;
    names = new Set();
    running = work(kinds).finally(() => {
      running = undefined;
      if (names.size > 0) schedule();
    });
  };
  const schedule = () => {
    clearTimeout(timer);
    timer = isOver ? undefined : setTimeout(begin, quietMilliseconds);
  };
  return {
    ask: (kind) => {
      names.add(kind);
      schedule();
    },
    stop: async () => {
      isOver = true;
      clearTimeout(timer);
      await running;
    },
  };
}
