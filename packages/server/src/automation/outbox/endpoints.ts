/**
 * The time at which a delivery that failed is sent again, and the recent answers of the endpoints of events, as this
 * node knows them: an endpoint that fails all deliveries is left alone for a while. All workspaces of an org share it.
 */
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import { growing, pauseAfter, type RetryPauses, type SendOutcome } from '../../work/send.ts';
import type { OrgPlace } from '../automation-deps.ts';

export const tryingMilliseconds = 24 * 3600 * 1000;
/** The first retry comes within a second; they grow with full jitter. */
export const deliveryPauses: RetryPauses = {
  after: growing(800, 3, 4 * 3600 * 1000),
  between: (most) => [300, most],
};

/** The way an endpoint has answered lately, as one node knows it. Undefined where it answered well. */
export interface Circuit {
  /** Failures without a success between them. */
  readonly failures: number;
  /** Until then it is left alone; milliseconds since the epoch. */
  readonly openUntil: number;
  /** The number of times that it was left alone in a row. */
  readonly pauses: number;
}

const failuresToOpen = 5;
const circuitPauses: RetryPauses = {
  after: growing(1000, 2, 5 * 60 * 1000),
  between: (pause) => [0.75 * pause, 1.25 * pause],
};

interface Endpoint extends OrgPlace {
  readonly event: string;
}

const callsMax = 16;
const probeMilliseconds = 1000;

export class Endpoints {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #circuits = new BoundedMap<string, Circuit>(10_000);
  readonly #probed = new Set<string>();

  /** @param random from 0 to 1. */
  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Undefined where it answered well. */
  circuitOf(endpoint: Endpoint): Circuit | undefined {
    return this.#circuits.get(keyOf(endpoint));
  }

  /** The number of calls it takes at once: none while it is left alone, one to find out whether it answers again. */
  callsAtOnce(endpoint: Endpoint): number {
    const circuit = this.circuitOf(endpoint);
    if (circuit === undefined) return callsMax;
    if (this.#clock.now() < circuit.openUntil) return 0;
    return circuit.pauses > 0 ? 1 : Math.ceil(callsMax / 2);
  }

  /** The end of the pause or of another pass's probe of the endpoint; undefined if there is neither. */
  pausedUntil(endpoint: Endpoint): number | undefined {
    if (this.callsAtOnce(endpoint) === 0) return this.circuitOf(endpoint)?.openUntil;
    return this.#probed.has(keyOf(endpoint)) ? this.#clock.now() + probeMilliseconds : undefined;
  }

  /** Ends the time for which it is left alone: one call finds out whether it answers again. */
  tryAgain(endpoint: Endpoint): void {
    const circuit = this.circuitOf(endpoint);
    if (circuit !== undefined) this.#circuits.set(keyOf(endpoint), { ...circuit, openUntil: 0 });
  }

  /** Makes calls, as many at once as it takes. While that is one, others leave the endpoint alone. */
  async withCalls<T>(endpoint: Endpoint, work: (calls: number) => Promise<T>): Promise<T> {
    const calls = this.callsAtOnce(endpoint);
    const isProbe = calls === 1;
    if (isProbe) this.#probed.add(keyOf(endpoint));
    try {
      return await work(calls);
    } finally {
      if (isProbe) this.#probed.delete(keyOf(endpoint));
    }
  }

  note(endpoint: Endpoint, { state }: SendOutcome): void {
    const key = keyOf(endpoint);
    if (state === 'failed') this.#circuits.set(key, this.#failed(this.#circuits.get(key)));
    else this.#circuits.delete(key);
  }

  /** The circuit after one more failure. An endpoint that was left alone before is so again at once. */
  #failed({ failures, openUntil, pauses }: Circuit = { failures: 0, openUntil: 0, pauses: 0 }): Circuit {
    const now = this.#clock.now();
    // Calls that were under way when it opened say nothing new.
    if (now < openUntil) return { failures: failures + 1, openUntil, pauses };
    if (pauses === 0 && failures + 1 < failuresToOpen) return { failures: failures + 1, openUntil: 0, pauses };
    const pause = pauseAfter(circuitPauses, pauses + 1, this.#random()) ?? 0;
    return { failures: failures + 1, openUntil: now + pause, pauses: pauses + 1 };
  }
}

function keyOf({ env, orgCode, event }: Endpoint): string {
  return `${env} ${orgCode} ${event}`;
}
