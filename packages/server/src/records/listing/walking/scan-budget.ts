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

export function newScan(hasTime = timeLeft()): ScanLeft {
  const { items, bytes, steps } = scanBudget;
  return { items, bytes, steps, hasTime };
}

/** Whether there is time left, which begins to run when this is asked first: some step is always made. */
function timeLeft(): () => boolean {
  let begun: number | undefined;
  return () => {
    const now = performance.now();
    begun ??= now;
    return now - begun < scanBudget.milliseconds;
  };
}
