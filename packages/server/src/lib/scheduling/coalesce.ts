/**
 * Work that many callers request at once is done once for all of them: a caller that comes while it is in progress gets
 * the result of the next run, so that no caller gets data that was read before its request. Of each key one run is
 * under way at most.
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
