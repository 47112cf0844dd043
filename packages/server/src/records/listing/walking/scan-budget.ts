/**
 * What one page may look at before it ends short, with a cursor to go on from, and the steps that judging its records may
 * take. Of its time it may wait for its turns: an
 * index that is dropped meanwhile is taken apart two seconds later at the earliest.
 */
export const scanBudget = { items: 2000, bytes: 4 * 1024 * 1024, milliseconds: 500, steps: 40_000_000 } as const;

/** What is left of it to one page, or to pages that share it. */
export interface ScanLeft {
  items: number;
  bytes: number;
  steps: number;
  readonly hasTime: () => boolean;
}

/**
 * The time begins to run when it is asked for first: some step is always made.
 * @param elapsed milliseconds that only grow.
 */
export function newScan(elapsed: () => number = () => performance.now()): ScanLeft {
  const { items, bytes, steps, milliseconds } = scanBudget;
  let begun: number | undefined;
  const hasTime = (): boolean => {
    const now = elapsed();
    begun ??= now;
    return now - begun < milliseconds;
  };
  return { items, bytes, steps, hasTime };
}
