import { Problem } from '../lib/problem.ts';
import { createFairSlots } from '../lib/scheduling/fair-slots.ts';
import { isIndexPartition } from './port.ts';

const waitingMax = 20;

/** Of all owners, those under way among them: who waits holds a connection of a client and what it asked. */
const takenMax = 200;

/** From so many on, an owner has a few, so that ten busy owners leave room for the others. */
const crowded = { taken: takenMax / 2, ofOwner: 2 };

/** A read of an index waits no longer: the index may be dropped meanwhile, and is soon taken apart (`droppedForMilliseconds`). */
const indexWaitMilliseconds = 2_000;

/** Of what waits to be read, or is written meanwhile. */
export function tooMuchToRead(why: string, cause?: unknown): Problem {
  return new Problem('unavailable', `${why}: try again in a moment`, {}, cause);
}

/** Long reads of owners, which take turns: each has one under way, and its next ones wait in their order. */
export interface LongReadTurns {
  /**
   * @param work asserts that its turn came in time before it reads.
   * @throws Problem `unavailable` where too many of the owner, or of all, wait; the signal's reason where it ends the waiting.
   */
  run<T>(
    place: { readonly owner: string; readonly pk: string },
    work: (assertInTime: () => void) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T>;
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
    run: async ({ owner, pk }, work, signal) => {
      const isCrowded = takenInAll >= crowded.taken && (taken.get(owner) ?? 0) >= crowded.ofOwner;
      if (takenInAll >= takenMax || isCrowded)
        throw tooMuchToRead(`at most ${takenMax} long reads are taken at a time`);
      const latest = isIndexPartition(pk) ? now() + indexWaitMilliseconds : Number.POSITIVE_INFINITY;
      take(owner, 1);
      try {
        const assertInTime = (): void => {
          if (now() > latest) throw tooMuchToRead('the turn of a long read came too late');
        };
        return await slots.run(owner, () => work(assertInTime), signal);
      } catch (error) {
        throw error instanceof Problem && error.code === 'rate_limited' ? tooMuchToRead(error.message, error) : error;
      } finally {
        take(owner, -1);
      }
    },
  };
}
