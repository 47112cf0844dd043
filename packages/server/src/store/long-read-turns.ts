import { Problem } from '../lib/problem.ts';
import { createFairSlots } from '../lib/scheduling/fair-slots.ts';

const waitingMax = 20;

/** Of all owners, those under way among them: who waits holds a connection of a client and what it asked. */
const takenMax = 200;

/** From half of them on, an owner has a few, so that ten busy owners leave room for the others. */
const crowded = { taken: takenMax / 2, ofOwner: 2 } as const;

/** A read whose turn comes later would be of a plan whose index may have been taken apart since (`droppedForMilliseconds`). */
const waitMilliseconds = 2_000;

/** Of what waits to be read, or is written meanwhile. */
export function tooMuchToRead(why: string, cause?: unknown): Problem {
  return new Problem('unavailable', `${why}: try again in a moment`, {}, cause);
}

/** Long reads of owners, which take turns: each has one under way, and its next ones wait in their order. */
export interface LongReadTurns {
  /** @throws Problem `unavailable` where too many of the owner, or of all, wait, or its turn came late; the signal's reason. */
  run<T>(owner: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** @param atOnce how many reads of all owners are under way. */
export function longReadTurns(atOnce: number, now: () => number = () => performance.now()): LongReadTurns {
  const slots = createFairSlots({ perOrg: 1, perNode: atOnce, waitingPerOrg: waitingMax, what: 'long reads' });
  const taken = new Map<string, number>();
  let takenInAll = 0;
  const take = (owner: string, by: 1 | -1): void => {
    takenInAll += by;
    const left = (taken.get(owner) ?? 0) + by;
    if (left > 0) taken.set(owner, left);
    else taken.delete(owner);
  };
  return {
    run: async (owner, work, signal) => {
      const isCrowded = takenInAll >= crowded.taken && (taken.get(owner) ?? 0) >= crowded.ofOwner;
      if (takenInAll >= takenMax || isCrowded)
        throw tooMuchToRead(`at most ${takenMax} long reads are taken at a time`);
      const began = now();
      take(owner, 1);
      try {
        return await slots.run(
          owner,
          async () => {
            if (now() - began > waitMilliseconds) throw tooMuchToRead('the turn of a long read came too late');
            return work();
          },
          signal,
        );
      } catch (error) {
        throw error instanceof Problem && error.code === 'rate_limited' ? tooMuchToRead(error.message, error) : error;
      } finally {
        take(owner, -1);
      }
    },
  };
}
