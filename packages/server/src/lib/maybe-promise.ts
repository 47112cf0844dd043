/** A value that is mostly at hand. Awaiting it takes a turn of the queue even then, so hot paths look first. */
export type MaybePromise<T> = T | Promise<T>;

/** Goes on with what is there, at once where it is. */
export function andThen<T, R>(value: MaybePromise<T>, use: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(use) : use(value);
}
