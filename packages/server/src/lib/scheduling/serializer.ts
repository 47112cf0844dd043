/**
 * Runs work of one key one after the other, in the order it came, and work of different keys side by side. A lane is
 * forgotten when nothing waits in it.
 */
export function createSerializer<K>(): <T>(key: K, work: () => Promise<T>) => Promise<T> {
  const tails = new Map<K, Promise<unknown>>();
  return (key, work) => {
    const before = tails.get(key) ?? Promise.resolve();
    const run = before.then(work, work);
    const settled = run.then(
      () => undefined,
      () => undefined,
    );
    tails.set(key, settled);
    void settled.then(() => {
      if (tails.get(key) === settled) tails.delete(key);
    });
    return run;
  };
}
