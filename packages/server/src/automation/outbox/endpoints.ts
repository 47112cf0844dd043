/** How the endpoints of events have answered lately, as this node knows it. All workspaces of an org share it. */
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Outcome } from '../../work/send.ts';
import type { OrgPlace } from '../config/live-events.ts';
import { type Circuit, callsAtOnce, failed } from './circuit.ts';

/** The endpoint of an event of an org. */
export interface Endpoint extends OrgPlace {
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

  /** How many calls it takes at once; none while it is left alone. */
  callsAtOnce(endpoint: Endpoint): number {
    return callsAtOnce(this.circuitOf(endpoint), this.#clock.now(), callsMax);
  }

  /** Until when it is left alone, or a call of another visit finds out whether it answers again; undefined where neither is so. */
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

  note(endpoint: Endpoint, { state }: Outcome): void {
    const key = keyOf(endpoint);
    if (state === 'failed')
      this.#circuits.set(key, failed(this.circuitOf(endpoint), this.#clock.now(), this.#random()));
    else this.#circuits.delete(key);
  }
}

function keyOf({ env, orgCode, event }: Endpoint): string {
  return `${env} ${orgCode} ${event}`;
}
