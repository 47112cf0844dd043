import { ownerOf, type ScopeName } from '../port.ts';
import type { Member, Verdict } from './apply-group.ts';
import { readsIn } from './parts.ts';

export interface Waiting {
  readonly member: Member;
  readonly bytes: number;
  readonly priority: 'request' | 'background';
  readonly resolve: (verdict: Verdict) => void;
  readonly reject: (error: unknown) => void;
}

/** What is read again to judge a commit takes the writer's time as its changes do. */
export function changesIn({ member }: Waiting): number {
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

  /** How many wait of the owner of a scope, of how many of its scopes, and how many of this one. */
  of(scope: ScopeName): { readonly owner: number; readonly scopes: number; readonly scope: number } {
    const owned = this.#owners.get(ownerOf(scope));
    return {
      owner: owned?.length ?? 0,
      scopes: owned?.scopes.size ?? 0,
      scope: owned?.scopes.get(scope)?.length ?? 0,
    };
  }

  push(waiting: Waiting): void {
    const { scope } = waiting.member;
    const owned = this.#ownedBeside(scope);
    const line = owned.scopes.get(scope);
    if (line === undefined) owned.scopes.set(scope, [waiting]);
    else line.push(waiting);
    owned.length++;
    this.#length++;
  }

  /** In front of what has come to their scopes meanwhile. */
  putBack(group: readonly Waiting[]): void {
    for (const [scope, first] of Map.groupBy(group, ({ member }) => member.scope)) {
      const owned = this.#ownedBeside(scope);
      owned.scopes.set(scope, [...first, ...(owned.scopes.get(scope) ?? [])]);
      owned.length += first.length;
    }
    this.#length += group.length;
  }

  /** Whose turn it is: of an owner, the first commit of a scope that is free, unless the owner has had its share. */
  next(isFree: (scope: ScopeName) => boolean, mayCome: (first: Waiting) => boolean): Waiting | undefined {
    for (const { scopes } of this.#owners.values()) {
      const first = firstOf(scopes, isFree);
      if (first !== undefined && mayCome(first)) return first;
    }
    return undefined;
  }

  first(scope: ScopeName): Waiting | undefined {
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
  readonly scopes: Map<ScopeName, Waiting[]>;
  /** Of all of its lines. */
  length: number;
}

function firstOf(
  scopes: ReadonlyMap<ScopeName, readonly Waiting[]>,
  isFree: (scope: ScopeName) => boolean,
): Waiting | undefined {
  for (const [scope, [first]] of scopes) if (isFree(scope)) return first;
  return undefined;
}
