import type { Clock } from '../../../lib/clock.ts';
import { Problem } from '../../../lib/problem.ts';
import { serialLanes } from '../../../lib/scheduling/serial-lanes.ts';
import { Overtaken } from '../../../records/port.ts';

export interface TransactionBounds {
  /** How often a transaction is done at most. */
  readonly attemptsMax: number;
  /** So often it is done beside others; then after those that wait in its workspace. */
  readonly attemptsBeside: number;
  /** From its beginning: later it is not done again. */
  readonly milliseconds: number;
}

const defaultBounds: TransactionBounds = { attemptsMax: 10, attemptsBeside: 2, milliseconds: 10_000 };

interface Tries {
  readonly times: number;
  readonly until: number;
  /** What each attempt waits for. */
  readonly before?: () => Promise<void> | undefined;
  readonly overtaken?: () => void;
}

/** Others have changed what a transaction had read, each time that it was done. */
export class ContendedTransaction extends Problem {
  constructor(cause?: unknown) {
    super('conflict', 'other writes kept changing what the transaction reads: try again', {}, cause);
  }
}

/**
 * Does transactions until no other commit comes in between. Those that meet again and again wait for each other, so that
 * one of them after the other is done. Where a transaction is overtaken in its turn too, all others of its workspace wait until it is
 * done; those of other processes, and writes outside of transactions, do not wait.
 */
export class TransactionQueue {
  readonly #clock: Clock;
  readonly #bounds: TransactionBounds;
  readonly #inTurn = serialLanes<string>();
  /** By workspace, the end of a turn that others have to give way to. */
  readonly #pressed = new Map<string, Promise<void>>();

  constructor(clock: Clock, bounds = defaultBounds) {
    this.#clock = clock;
    this.#bounds = bounds;
  }

  /** @param lane that of a workspace. @throws ContendedTransaction, and what an attempt throws beside Overtaken. */
  async run<T>(lane: string, attempt: () => Promise<T>): Promise<T> {
    const { attemptsMax, attemptsBeside, milliseconds } = this.#bounds;
    const until = this.#clock.now() + milliseconds;
    const beside = await this.#tries(attempt, { times: attemptsBeside, until, before: () => this.#pressed.get(lane) });
    if ('done' in beside) return beside.done;
    const end = await this.#turn(lane, until - this.#clock.now());
    if (end === undefined) throw new ContendedTransaction(beside.cause);
    const ended = Promise.withResolvers<void>();
    try {
      const overtaken = () => void this.#pressed.set(lane, ended.promise);
      const alone = await this.#tries(attempt, { times: attemptsMax - attemptsBeside, until, overtaken });
      if ('done' in alone) return alone.done;
      throw new ContendedTransaction(alone.cause);
    } finally {
      this.#pressed.delete(lane);
      ended.resolve();
      end();
    }
  }

  async #tries<T>(
    attempt: () => Promise<T>,
    { times, until, before, overtaken }: Tries,
  ): Promise<{ readonly done: T } | { readonly cause: unknown }> {
    let cause: unknown;
    for (let left = times; left > 0; left--) {
      await before?.();
      if (this.#clock.now() >= until) break;
      try {
        return { done: await attempt() };
      } catch (error) {
        if (!(error instanceof Overtaken)) throw error;
        cause = error;
        overtaken?.();
      }
    }
    return { cause };
  }

  /** Ends the turn; undefined where it did not come in time. */
  async #turn(lane: string, milliseconds: number): Promise<(() => void) | undefined> {
    const turn = Promise.withResolvers<boolean>();
    const end = Promise.withResolvers<void>();
    const timer = setTimeout(() => turn.resolve(false), Math.max(0, milliseconds));
    void this.#inTurn(lane, () => {
      turn.resolve(true);
      return end.promise;
    });
    const hasCome = await turn.promise;
    clearTimeout(timer);
    if (hasCome) return end.resolve;
    end.resolve();
    return undefined;
  }
}
