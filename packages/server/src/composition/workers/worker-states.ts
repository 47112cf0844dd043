import { type Clock, timestamp } from '../../lib/clock.ts';

/** How a worker is, as the main thread knows it. */
export interface WorkerState {
  readonly name: string;
  readonly state: 'starting' | 'serving' | 'ended';
  readonly since: string;
  /** How many times it has failed and was replaced. */
  readonly failures: number;
}

export class WorkerStates {
  readonly #states = new Map<string, WorkerState>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  set(name: string, state: WorkerState['state']): void {
    const failures = (this.#states.get(name)?.failures ?? 0) + Number(state === 'ended');
    this.#states.set(name, { name, state, since: timestamp(this.#clock.now()), failures });
  }

  all(): readonly WorkerState[] {
    return [...this.#states.values()];
  }
}
