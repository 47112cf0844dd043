import { ownerOf } from '../port.ts';
import type { Waiting } from './commit-queue.ts';

/** An owner is taken to be still there for so many groups: under load about a second. */
const rememberedGroups = 256;

/** How much of a group one owner may have: all of it while no other owner commits, and a quota otherwise. */
export class TenantQuota {
  readonly #changesMax: number;
  #groups = 0;
  #sharedUntil = 0;
  #lastOwner: string | undefined;

  /** @param changesMax so many changes of a group may be of one owner where there are others. */
  constructor(changesMax = Number.POSITIVE_INFINITY) {
    this.#changesMax = changesMax;
  }

  /** Who has had a group. */
  note(group: readonly Waiting[]): void {
    this.#groups += 1;
    for (const { member, priority } of group) {
      if (priority === 'background') continue;
      const owner = ownerOf(member.scope);
      if (this.#lastOwner !== undefined && owner !== this.#lastOwner)
        this.#sharedUntil = this.#groups + rememberedGroups;
      this.#lastOwner = owner;
    }
  }

  /** @param ownersWaiting how many there are now. */
  changesMax(ownersWaiting: number): number {
    return ownersWaiting > 1 || this.#groups < this.#sharedUntil ? this.#changesMax : Number.POSITIVE_INFINITY;
  }
}
