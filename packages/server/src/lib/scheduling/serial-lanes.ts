/**
 * Runs work of one key one after the other, in the order it came, and work of different keys side by side. A lane is
 * forgotten when nothing waits in it.
 */
export function serialLanes<K>(): <T>(key: K, work: () => Promise<T>) => Promise<T> {
  const lanes = new Map<K, Promise<unknown>>();
  return (key, work) => {
    const before = lanes.get(key) ?? Promise.resolve();
    const run = before.then(work, work);
    const settled = run.then(
      () => undefined,
      () => undefined,
    );
    lanes.set(key, settled);
    void settled.then(() => {
      if (lanes.get(key) === settled) lanes.delete(key);
    });
    return run;
  };
}
