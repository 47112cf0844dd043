interface Figure {
  readonly used: number;
  readonly limit: number;
  /** The day on which the limit is reached if use goes on as in the last week; null if that is far off. */
  readonly forecast: string | null;
}

/** What becomes of a figure that a plan limits; undefined if its limit is far off. From a reached limit on, the app takes no writes. */
export function limitOutlook({ used, limit, forecast }: Figure): string | undefined {
  if (used >= limit) return 'The limit is reached: the app refuses writes.';
  return forecast === null ? undefined : `At this rate the limit is reached on ${forecast}.`;
}
