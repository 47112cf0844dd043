/** When a delivery that failed is sent again, and when an endpoint that fails all of them is left alone. Pure. */

const day = 24 * 3600 * 1000;
/** For how long a delivery is tried. */
export const tryingMilliseconds = day;
/** The first retry comes within a second. */
const firstWait = { least: 300, most: 800 };
const factor = 3;
const waitMax = 4 * 3600 * 1000;
const retryAfterSecondsMax = 6 * 3600;

/**
 * How long to wait after an attempt that failed: exponential with full jitter, at least as long as the receiver asks.
 * @param attempts how many there were. @param random from 0 to 1. @returns milliseconds.
 */
export function backoff(attempts: number, random: number, retryAfterSeconds = 0): number {
  const { least, most } = firstWait;
  const cap = Math.min(most * factor ** Math.max(attempts - 1, 0), waitMax);
  const wait = least + random * (cap - least);
  return Math.round(Math.max(wait, Math.min(retryAfterSeconds, retryAfterSecondsMax) * 1000));
}

/** How an endpoint has answered lately, as one node knows it. Undefined where it answered well. */
export interface Circuit {
  /** Failures without a success between them. */
  readonly failures: number;
  /** Until then it is left alone; milliseconds since the epoch. */
  readonly openUntil: number;
  /** How often it was left alone in a row. */
  readonly pauses: number;
}

const failuresToOpen = 5;
const pauseFirst = 1000;
const pauseMax = 5 * 60 * 1000;

/** The circuit after one more failure. An endpoint that was left alone before is so again at once. */
export function failed(circuit: Circuit | undefined, now: number, random: number): Circuit {
  const { failures, openUntil, pauses } = circuit ?? { failures: 0, openUntil: 0, pauses: 0 };
  // Calls that were under way when it opened say nothing new.
  if (now < openUntil) return { failures: failures + 1, openUntil, pauses };
  if (pauses === 0 && failures + 1 < failuresToOpen) return { failures: failures + 1, openUntil: 0, pauses };
  const pause = Math.min(pauseFirst * 2 ** pauses, pauseMax);
  return { failures: failures + 1, openUntil: now + Math.round(pause * (0.75 + random / 2)), pauses: pauses + 1 };
}

/** How many calls an endpoint takes at once: none while it is left alone, one to find out whether it answers again. */
export function callsAtOnce(circuit: Circuit | undefined, now: number, atMost: number): number {
  if (circuit === undefined) return atMost;
  if (now < circuit.openUntil) return 0;
  return circuit.pauses > 0 ? 1 : Math.ceil(atMost / 2);
}
