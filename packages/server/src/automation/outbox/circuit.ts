/** When a delivery that failed is sent again, and when an endpoint that fails all of them is left alone. Pure. */
import { growing, pauseAfter, type RetryPauses } from '../../work/send.ts';

/** For how long a delivery is tried. */
export const tryingMilliseconds = 24 * 3600 * 1000;
/** The first retry comes within a second; they grow with full jitter. */
export const deliveryPauses: RetryPauses = {
  after: growing(800, 3, 4 * 3600 * 1000),
  between: (most) => [300, most],
};

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
const circuitPauses: RetryPauses = {
  after: growing(1000, 2, 5 * 60 * 1000),
  between: (pause) => [0.75 * pause, 1.25 * pause],
};

/** The circuit after one more failure. An endpoint that was left alone before is so again at once. */
export function failed(circuit: Circuit | undefined, now: number, random: number): Circuit {
  const { failures, openUntil, pauses } = circuit ?? { failures: 0, openUntil: 0, pauses: 0 };
  // Calls that were under way when it opened say nothing new.
  if (now < openUntil) return { failures: failures + 1, openUntil, pauses };
  if (pauses === 0 && failures + 1 < failuresToOpen) return { failures: failures + 1, openUntil: 0, pauses };
  const pause = pauseAfter(circuitPauses, pauses + 1, random) ?? 0;
  return { failures: failures + 1, openUntil: now + pause, pauses: pauses + 1 };
}

/** How many calls an endpoint takes at once: none while it is left alone, one to find out whether it answers again. */
export function callsAtOnce(circuit: Circuit | undefined, now: number, atMost: number): number {
  if (circuit === undefined) return atMost;
  if (now < circuit.openUntil) return 0;
  return circuit.pauses > 0 ? 1 : Math.ceil(atMost / 2);
}
