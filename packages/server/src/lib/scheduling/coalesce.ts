/**
 * Work that many ask for at once is done once for all of them: whoever asks while it is under way is given what the next
 * run of it gives, so that nobody is told what was read before he asked. Of each key one run is under way at most.
 */
export function coalesce<Result>(work: (key: string) => Promise<Result>): (key: string) => Promise<Result> {
  const runs = new Map<string, Run<Result>>();
  const start = (key: string): Promise<Result> => {
    const run: Run<Result> = {
      current: work(key).finally(() => {
        if (run.next === undefined) runs.delete(key);
      }),
    };
    runs.set(key, run);
    return run.current;
  };
  return (key) => {
    const run = runs.get(key);
    if (run === undefined) return start(key);
    const again = (): Promise<Result> => start(key);
    run.next ??= run.current.then(again, again);
    return run.next;
  };
}

interface Run<Result> {
  readonly current: Promise<Result>;
  next?: Promise<Result>;
}
