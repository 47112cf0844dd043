import { BoundedMap } from '../lib/bounded-map.ts';
import type { Clock } from '../lib/clock.ts';

export interface Asked {
  readonly key: string;
  /** Another number once this process has committed a change of what is read. */
  readonly changes: number;
}

const knownMilliseconds = 1000;
const knownMax = 10_000;

/**
 * Remembers for a second that something does not rest. That it rests is read each time: a visit that hears it puts off what
 * is due for long, and the end of the rest must not be missed.
 */
export class RestCache {
  readonly #clock: Clock;
  readonly #going = new BoundedMap<string, { readonly until: number; readonly changes: number }>(knownMax);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async rests({ key, changes }: Asked, read: () => Promise<boolean>): Promise<boolean> {
    const now = this.#clock.now();
    const before = this.#going.get(key);
    if (before !== undefined && now < before.until && before.changes === changes) return false;
    const isResting = await read();
    if (isResting) this.#going.delete(key);
    else this.#going.set(key, { until: now + knownMilliseconds, changes });
    return isResting;
  }

  forget(key: string): void {
    this.#going.delete(key);
  }
}
