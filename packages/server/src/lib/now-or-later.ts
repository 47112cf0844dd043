/** What is mostly at hand. To wait for what is there already takes a turn of the queue, so hot paths look first. */
export type NowOrLater<T> = T | Promise<T>;

/** Goes on with what is there, at once where it is. */
export function whenKnown<T, R>(value: NowOrLater<T>, use: (value: T) => NowOrLater<R>): NowOrLater<R> {
  return value instanceof Promise ? value.then(use) : use(value);
}
