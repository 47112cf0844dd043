import { readsIn } from '../key-bounds.ts';
import { ownerOf, type ScopeName } from '../port.ts';
import type { CommitVerdict, GroupMember } from './apply-group.ts';

export interface QueuedCommit {
  readonly member: GroupMember;
  readonly bytes: number;
  readonly priority: 'request' | 'background';
  readonly resolve: (verdict: CommitVerdict) => void;
  readonly reject: (error: unknown) => void;
}

/** What is read again to judge a commit takes the writer's time as its changes do. */
export function changesIn({ member }: QueuedCommit): number {
  if (member.kind !== 'commit') return 0;
  return member.changes.reduce((sum, change) => sum + (change.kind === 'check-reads' ? readsIn(change) : 1), 0);
}

/**
 * Commits that wait: the scopes of each owner, and of each scope a line. An owner that was served stands behind the
 * others, and so does a scope among those of its owner.
 */
export class CommitQueue {
  readonly #owners = new Map<string, Owned>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get owners(): number {
    return this.#owners.size;
  }

  /** The number that wait of the owner of a scope, of how many of its scopes, and how many of this one. */
  of(scope: ScopeName): { readonly owner: number; readonly scopes: number; readonly scope: number } {
    const owned = this.#owners.get(ownerOf(scope));
    return {
      owner: owned?.length ?? 0,
      scopes: owned?.scopes.size ?? 0,
      scope: owned?.scopes.get(scope)?.length ?? 0,
    };
  }

  push(waiting: QueuedCommit): void {
    const { scope } = waiting.member;
    const owned = this.#ownedBeside(scope);
    const line = owned.scopes.get(scope);
    if (line === undefined) owned.scopes.set(scope, [waiting]);
    else line.push(waiting);
    owned.length++;
    this.#length++;
  }

  /** In front of what has come to their scopes meanwhile. */
  putBack(group: readonly QueuedCommit[]): void {
    for (const [scope, first] of Map.groupBy(group, ({ member }) => member.scope)) {
      const owned = this.#ownedBeside(scope);
      owned.scopes.set(scope, [...first, ...(owned.scopes.get(scope) ?? [])]);
      owned.length += first.length;
    }
    this.#length += group.length;
  }

  /** Whose turn it is: of an owner, the first commit of a scope that is free, unless the owner has had its share. */
  next(isFree: (scope: ScopeName) => boolean, mayCome: (first: QueuedCommit) => boolean): QueuedCommit | undefined {
    for (const { scopes } of this.#owners.values()) {
      const first = firstOf(scopes, isFree);
      if (first !== undefined && mayCome(first)) return first;
    }
    return undefined;
  }

  first(scope: ScopeName): QueuedCommit | undefined {
    return this.#owners.get(ownerOf(scope))?.scopes.get(scope)?.[0];
  }

  shift(scope: ScopeName): void {
    const owner = ownerOf(scope);
    const owned = this.#owners.get(owner);
    const line = owned?.scopes.get(scope);
    if (owned === undefined || line === undefined) return;
    line.shift();
    owned.scopes.delete(scope);
    if (line.length > 0) owned.scopes.set(scope, line);
    owned.length--;
    this.#owners.delete(owner);
    if (owned.length > 0) this.#owners.set(owner, owned);
    this.#length--;
  }

  #ownedBeside(scope: ScopeName): Owned {
    const owner = ownerOf(scope);
    const known = this.#owners.get(owner);
    if (known !== undefined) return known;
    const made: Owned = { scopes: new Map(), length: 0 };
    this.#owners.set(owner, made);
    return made;
  }
}

interface Owned {
  readonly scopes: Map<ScopeName, QueuedCommit[]>;
  /** Of all of its lines. */
  length: number;
}

function firstOf(
  scopes: ReadonlyMap<ScopeName, readonly QueuedCommit[]>,
  isFree: (scope: ScopeName) => boolean,
): QueuedCommit | undefined {
  for (const [scope, [first]] of scopes) if (isFree(scope)) return first;
  return undefined;
}

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
  /** The group up to which an owner yields: of the few whose commits were too large lately. */
  readonly #behindUntil = new Map<string, number>();

  /** @param changesMax so many changes of a group may be of one owner where there are others. */
  constructor(changesMax = Number.POSITIVE_INFINITY) {
    this.#changesMax = changesMax;
  }

  /** Who has had a group. */
  note(group: readonly QueuedCommit[]): void {
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
  isBehind({ member }: QueuedCommit): boolean {
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
