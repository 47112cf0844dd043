import { Problem } from '../../lib/problem.ts';

/** Two bytes each, what the runs of this process may hold while they wait for others. */
const limits = { ofRun: 64 * 1024, ofOrg: 32 * 1024 * 1024, ofNode: 256 * 1024 * 1024 };

const message = 'the runs that are under way hold too many values';

/** What the values of a run take of the memory that all runs of this process share, until the run is over or suspended. */
export interface HeldCharacters {
  /**
   * Small runs go on all the same.
   * @throws Problem `rate_limited` where the runs of its org hold too much; `unavailable` where all runs do.
   */
  add(characters: number): void;
  release(): void;
}

export type HoldCharacters = (orgCode: string) => HeldCharacters;

export function createHeldCharacters({ ofRun, ofOrg, ofNode }: typeof limits = limits): HoldCharacters {
  const held = new Map<string, number>();
  let inAll = 0;
  return (orgCode) => {
    let own = 0;
    let isOver = false;
    const change = (by: number): void => {
      own += by;
      inAll += by;
      const left = (held.get(orgCode) ?? 0) + by;
      if (left > 0) held.set(orgCode, left);
      else held.delete(orgCode);
    };
    return {
      add: (characters) => {
        // What other branches of a run still make that has failed is not waited for.
        if (isOver) return;
        const isOrgFull = (held.get(orgCode) ?? 0) + characters > ofOrg;
        if ((isOrgFull || inAll + characters > ofNode) && own + characters > ofRun)
          throw new Problem(isOrgFull ? 'rate_limited' : 'unavailable', message, { retry_after_seconds: 1 });
        change(characters);
      },
      release: () => {
        isOver = true;
        change(-own);
      },
    };
  };
}

/** Of this process. */
export const holdCharacters: HoldCharacters = createHeldCharacters();
