/** What is mostly at hand. To wait for what is there already takes a turn of the queue, so hot paths look first. */
export type MaybePromise<T> = T | Promise<T>;

/** Goes on with what is there, at once where it is. */
export function andThen<T, R>(value: MaybePromise<T>, use: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(use) : use(value);
}
