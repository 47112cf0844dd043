import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import type { BeforeSpent } from '../../records/port.ts';
import { Uncaught } from '../blocks/block-failure.ts';

/** What the block of one event may take, and those before all writes of a request. */
const eventMilliseconds = 2000;
const requestMilliseconds = 10_000;

export interface TimeBound {
  /** @throws Problem `block_failed` where the time is over. */
  check(): void;
  /** Adds what was taken to what the request has spent. */
  end(): void;
}

export function timeBound(clock: Clock, spent: BeforeSpent): TimeBound {
  const began = clock.now();
  return {
    check: () => {
      const taken = clock.now() - began;
      if (taken <= eventMilliseconds && spent.milliseconds + taken <= requestMilliseconds) return;
      const message = 'what is done before the write takes too long';
      const errors = [{ pointer: '', code: 'budget_exceeded', message }];
      throw new Uncaught(new Problem('block_failed', message, { errors }), 'run');
    },
    end: () => {
      spent.milliseconds += clock.now() - began;
    },
  };
}
