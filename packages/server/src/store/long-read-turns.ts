import { Problem } from '../lib/problem.ts';
import { createFairSlots } from '../lib/scheduling/fair-slots.ts';

const waitingMax = 20;

/** Of all owners, those under way among them: who waits holds a connection of a client and what it asked. */
const takenMax = 200;

/** Of what waits to be read, or is written meanwhile. */
export function tooMuchToRead(why: string, cause?: unknown): Problem {
  return new Problem('unavailable', `${why}: try again in a moment`, {}, cause);
}

/** Long reads of owners, which take turns: each has one under way, and its next ones wait in their order. */
export interface LongReadTurns {
  /** @throws Problem `unavailable` where too many of the owner, or of all, wait; the signal's reason where it ends the waiting. */
  run<T>(owner: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** @param atOnce how many reads of all owners are under way. */
export function longReadTurns(atOnce: number): LongReadTurns {
  const slots = createFairSlots({ perOrg: 1, perNode: atOnce, waitingPerOrg: waitingMax, what: 'long reads' });
  let taken = 0;
  return {
    run: async (owner, work, signal) => {
      if (taken >= takenMax) throw tooMuchToRead(`at most ${takenMax} long reads are taken at a time`);
      taken += 1;
      try {
        return await slots.run(owner, work, signal);
      } catch (error) {
        throw error instanceof Problem && error.code === 'rate_limited' ? tooMuchToRead(error.message, error) : error;
      } finally {
        taken -= 1;
      }
    },
  };
}
