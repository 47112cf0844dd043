import { Problem } from '../problem.ts';

export interface SlotLimits {
  /** The amount that an org is under way at a time, and how much of all. */
  readonly perOrg: number;
  readonly perNode: number;
  /** Of an org: more is refused. */
  readonly waitingPerOrg: number;
  /** Names in the refusal what waits, such as `scripts`. */
  readonly what: string;
}

export interface FairSlots {
  /**
   * Does the work when its turn comes: orgs take turns, and those of one org are done in the order in which they came.
   * @param signal work that still waits when it aborts is not done, and rejects with its reason.
   * @throws Problem `rate_limited` where too much of the org waits; what the work throws.
   */
  run<T>(org: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export function createFairSlots({ perOrg, perNode, waitingPerOrg, what }: SlotLimits): FairSlots {
  /** By org, in the order in which they come to their turns. */
  const waiting = new Map<string, Set<() => void>>();
  const running = new Map<string, number>();
  let runningInAll = 0;

  const leave = (org: string, begin: () => void): void => {
    const line = waiting.get(org);
    line?.delete(begin);
    if (line?.size === 0) waiting.delete(org);
  };
  const next = (): void => {
    if (runningInAll >= perNode) return;
    const turn = [...waiting].find(([org]) => (running.get(org) ?? 0) < perOrg);
    if (turn === undefined) return;
    const [org, line] = turn;
    const [begin] = line;
    // Behind the others, for its next one.
    waiting.delete(org);
    waiting.set(org, line);
    if (begin === undefined) return;
    leave(org, begin);
    begin();
    next();
  };
  const done = (org: string): void => {
    runningInAll -= 1;
    const left = (running.get(org) ?? 0) - 1;
    if (left > 0) running.set(org, left);
    else running.delete(org);
    next();
  };

  return {
    run: <T>(org: string, work: () => Promise<T>, signal?: AbortSignal) =>
      new Promise<T>((resolve, reject) => {
        const line = waiting.get(org) ?? new Set();
        if (line.size >= waitingPerOrg)
          throw new Problem('rate_limited', `at most ${waitingPerOrg} ${what} of an org wait at a time`);
        signal?.throwIfAborted();
        const giveUp = (): void => {
          leave(org, begin);
          reject(signal?.reason);
        };
        const begin = (): void => {
          signal?.removeEventListener('abort', giveUp);
          runningInAll += 1;
          running.set(org, (running.get(org) ?? 0) + 1);
          resolve(work().finally(() => done(org)));
        };
        signal?.addEventListener('abort', giveUp, { once: true });
        line.add(begin);
        waiting.set(org, line);
        next();
      }),
  };
}
