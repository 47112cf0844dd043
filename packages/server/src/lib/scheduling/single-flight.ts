/** Runs `work` for `key`, or joins the run that is already under way for that key. */
type SingleFlight<K, V> = (key: K, work: () => Promise<V>) => Promise<V>;

/**
 * Concurrent calls of one key share one run and its result, also when it fails. Nothing outlives the run: the next call
 * starts again. Who joins sees what was true when the run began, so a key must change with what it may not miss.
 */
export function singleFlight<K, V>(): SingleFlight<K, V> {
  const flights = new Map<K, Promise<V>>();
  return (key, work) => {
    const running = flights.get(key);
    if (running !== undefined) return running;
    const flight = new Promise<V>((resolve) => {
      resolve(work());
    }).finally(() => flights.delete(key));
    flights.set(key, flight);
    return flight;
  };
}

/**
 * Work that many callers request at once is done once for all of them: a caller that comes while it is in progress gets
 * the result of the next run, so that no caller gets data that was read before its request. Of each key one run is
 * under way at most.
 */
export function coalesce<Result>(work: (key: string) => Promise<Result>): (key: string) => Promise<Result> {
  const runs = new Map<string, CoalescedRun<Result>>();
  const start = (key: string): Promise<Result> => {
    const run: CoalescedRun<Result> = {
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

interface CoalescedRun<Result> {
  readonly current: Promise<Result>;
  next?: Promise<Result>;
}
