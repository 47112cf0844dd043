import { ownerOf } from '../port.ts';
import { changesIn, type Waiting } from './commit-queue.ts';

/** An owner is taken to be still there for so many groups: under load about a second. */
const rememberedGroups = 256;

/**
 * How much of a group one owner may have: all of it while no other owner commits, and a quota otherwise. A commit is never
 * divided: the owner of one that is larger than the quota stands behind the others for as many groups as it is quotas
 * large, so that the time of the writer is shared.
 */
export class TenantQuota {
  readonly #changesMax: number;
  #groups = 0;
  #sharedUntil = 0;
  #lastOwner: string | undefined;
  /** Up to which group an owner stands behind: of the few whose commits were too large lately. */
  readonly #behindUntil = new Map<string, number>();

  /** @param changesMax so many changes of a group may be of one owner where there are others. */
  constructor(changesMax = Number.POSITIVE_INFINITY) {
    this.#changesMax = changesMax;
  }

  /** Who has had a group. */
  note(group: readonly Waiting[]): void {
    this.#groups += 1;
    for (const waiting of group) {
      const { member, priority } = waiting;
      if (priority === 'background') continue;
      const owner = ownerOf(member.scope);
      if (changesIn(waiting) > this.#changesMax) this.#putBehind(owner, changesIn(waiting) / this.#changesMax);
      if (this.#lastOwner !== undefined && owner !== this.#lastOwner)
        this.#sharedUntil = this.#groups + rememberedGroups;
      this.#lastOwner = owner;
    }
  }

  /** Whether others that wait go first. */
  isBehind({ member }: Waiting): boolean {
    return (this.#behindUntil.get(ownerOf(member.scope)) ?? 0) > this.#groups;
  }

  #putBehind(owner: string, quotas: number): void {
    for (const [other, until] of this.#behindUntil) if (until <= this.#groups) this.#behindUntil.delete(other);
    this.#behindUntil.set(owner, this.#groups + Math.ceil(quotas) - 1);
  }

  /** @param ownersWaiting how many there are now. */
  changesMax(ownersWaiting: number): number {
    return ownersWaiting > 1 || this.#groups < this.#sharedUntil ? this.#changesMax : Number.POSITIVE_INFINITY;
  }
}
