export interface PacerParts {
  /** Milliseconds, which only grow. */
  readonly now: () => number;
  readonly pause: (milliseconds: number) => Promise<void>;
  /** How many calls have begun since the process did. */
  readonly callsBegun: () => number;
}

/** While calls come, a step is followed by so many pauses as long as it: background work has a seventh of the time. */
const pausesOfStep = 6;
/** So that no step, however long, keeps the work from going on. */
const pauseMillisecondsMax = 250;
/** How much work is done without a pause: a job over few records is over at once, and those who wait for it are served. */
const atOnceMilliseconds = 1000;

/**
 * For background work, asked between two steps of it: while calls come it leaves them the greater part of the time, and
 * goes on under any load. Where none has come since the step began, or since a pause of its length, it goes on at once.
 * @param atOnce how many milliseconds of work are done before the first pause.
 */
export function createPacer(
  { now, pause, callsBegun }: PacerParts,
  atOnce: number = atOnceMilliseconds,
): () => Promise<void> {
  let worked = 0;
  let begunAt = now();
  let seen = callsBegun();
  return async () => {
    const took = now() - begunAt;
    worked += took;
    for (let pauses = 0; worked > atOnce && pauses < pausesOfStep && callsBegun() > seen; pauses++) {
      seen = callsBegun();
      await pause(Math.min(took, pauseMillisecondsMax));
    }
    begunAt = now();
    seen = callsBegun();
  };
}
