/** Runs `work` for `key`, or joins the run that is already under way for that key. */
export type SingleFlight<K, V> = (key: K, work: () => Promise<V>) => Promise<V>;

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
