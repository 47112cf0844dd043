import { turns } from '../lib/event-loop.ts';
import type { Lane } from '../lib/fair-turns.ts';
import type { Verdict } from './apply-group.ts';
import { ownerOf, type ScopeName } from './port.ts';
import type { Waiting } from './waiting-commits.ts';

/** So many of a group are answered together. */
const atOnceMax = 4;

/**
 * Tells commits what became of them. What follows an answer takes as long as the commit itself, so of a large group only
 * the first are told at once and the others in turns; those of one scope in their order.
 */
export class AnswerLine {
  /** How many of a scope wait to be told. */
  readonly #waiting = new Map<ScopeName, number>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** @param index of the commit in its group. */
  tell({ member: { scope }, resolve }: Waiting, verdict: Verdict, index: number): void {
    const waiting = this.#waiting.get(scope) ?? 0;
    if (index < atOnceMax && waiting === 0) {
      resolve(verdict);
      return;
    }
    this.#waiting.set(scope, waiting + 1);
    void turns.rejoin(laneOf(scope)).then(() => {
      this.#leave(scope);
      resolve(verdict);
    });
  }

  #leave(scope: ScopeName): void {
    const waiting = this.#waiting.get(scope) ?? 0;
    if (waiting > 1) this.#waiting.set(scope, waiting - 1);
    else this.#waiting.delete(scope);
  }
}

/** Of its own, beside that of the owner's calls: no org is named so. */
function laneOf(scope: ScopeName): Lane {
  return { org: `#${ownerOf(scope)}`, workspace: scope };
}
