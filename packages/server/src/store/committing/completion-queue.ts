import { ownerOf } from '../port.ts';
import type { Verdict } from './apply-group.ts';
import { changesIn, type Waiting } from './commit-queue.ts';

/** In changes, which say how much follows: so many are answered in a round of the event loop, or one commit of more. */
const changesPerSlice = 512;

/**
 * Answers commits with their outcome. What follows an answer takes as long as the commit itself, so of a large group
 * only the first are answered at once, and the others in the following rounds of the event loop, owner by owner. Those
 * of one owner are answered in their order.
 */
export class CompletionQueue {
  readonly #owners = new Map<string, Told[]>();
  #left = changesPerSlice;
  #isTurnToCome = false;

  get isEmpty(): boolean {
    return this.#owners.size === 0;
  }

  tell(waiting: Waiting, verdict: Verdict): void {
    const owner = ownerOf(waiting.member.scope);
    const line = this.#owners.get(owner);
    if (line !== undefined) line.push({ waiting, verdict });
    else if (this.#left > 0) this.#resolve({ waiting, verdict });
    else this.#owners.set(owner, [{ waiting, verdict }]);
    // A commit now and then asks for no turn.
    if (this.#left < changesPerSlice / 2) this.#scheduleSlice();
  }

  #resolve({ waiting, verdict }: Told): void {
    this.#left -= changesIn(waiting);
    waiting.resolve(verdict);
  }

  #scheduleSlice(): void {
    if (this.#isTurnToCome) return;
    this.#isTurnToCome = true;
    setImmediate(() => this.#runSlice());
  }

  #runSlice(): void {
    this.#isTurnToCome = false;
    this.#left = changesPerSlice;
    while (this.#left > 0) {
      const [first] = this.#owners;
      if (first === undefined) return;
      const [owner, line] = first;
      const next = line.shift();
      this.#owners.delete(owner);
      if (line.length > 0) this.#owners.set(owner, line);
      if (next !== undefined) this.#resolve(next);
    }
    this.#scheduleSlice();
  }
}

interface Told {
  readonly waiting: Waiting;
  readonly verdict: Verdict;
}
