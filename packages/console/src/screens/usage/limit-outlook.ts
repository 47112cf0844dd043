export interface Ahead {
  /** The day on which the limit is reached if use goes on as in the last week; null if that is not in sight. */
  readonly day: string | null;
  /** When counting starts again; null if it does not. */
  readonly resets: string | null;
}

/**
 * What becomes of a number whose limit writes are held to; undefined while the limit is not in sight. From a reached limit
 * on, the app takes no writes.
 */
export function limitOutlook(used: number, limit: number | undefined, { day, resets }: Ahead): string | undefined {
  if (limit !== undefined && used >= limit) {
    const end = resets === null ? 'until records are removed' : `until ${resets.slice(0, 10)}`;
    return `The limit is reached: the app refuses writes ${end}.`;
  }
  return day === null ? undefined : `At this rate the limit is reached on ${day}.`;
}
