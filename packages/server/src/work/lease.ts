import type { Clock } from '../lib/clock.ts';
import {
  type Change,
  type CommitOptions,
  type Condition,
  Conflict,
  type Item,
  type Key,
  type Scope,
} from '../store/port.ts';
import { attemptCommit } from '../store/transact.ts';

/** The holder of a lease, as its row names it. */
export interface Leased {
  /** The node. */
  readonly by: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** Something that one node at a time does. */
export interface LeaseTerms {
  readonly scope: Scope;
  readonly clock: Clock;
  readonly node: string;
  /** Until another node may take it over. */
  readonly milliseconds: number;
  /** For so long commits check that it is held, and do not renew it; left out, each renews it. */
  readonly renewAfter?: number;
  /** The item whose version tells that the lease is held: who takes it over writes that item. */
  readonly key: Key;
  /** The changes that take or renew it. Held to the condition of the item. */
  readonly put: (leased: Leased, condition: Condition) => readonly Change[];
  readonly options?: CommitOptions;
}

/** Another node has it by now: nothing more may be done under it. */
export class LeaseLost extends Conflict {
  constructor(changeIndex: number) {
    super(changeIndex, 'condition');
    this.name = 'LeaseLost';
  }
}

/**
 * The right of this node to do something until a time, which its commits prove and prolong. A node that was taken for dead is
 * refused with its next commit.
 */
export class Lease {
  readonly #terms: LeaseTerms;
  #version: number | undefined;
  #renewedAt: number | undefined;
  #renewalDueAt: number | undefined;

  /** A lease that its first commit takes. @param version of the item; undefined where there is none. */
  constructor(terms: LeaseTerms, version?: number) {
    this.#terms = terms;
    this.#version = version;
  }

  /**
   * Undefined where another node was faster.
   * @param found the item as it was read. @param asTaken what takes it, where that is not `put`.
   */
  static async take(
    terms: LeaseTerms,
    found: Pick<Item, 'version'> | undefined,
    asTaken?: readonly Change[],
  ): Promise<Lease | undefined> {
    const lease = new Lease(terms, found?.version);
    const changes = lease.changes();
    return (await lease.#refusedAt(asTaken ?? changes)) === undefined ? lease : undefined;
  }

  /** Of the item, as this node wrote it. */
  get version(): number | undefined {
    return this.#version;
  }

  get condition(): Condition {
    return this.#version === undefined ? 'absent' : { version: this.#version };
  }

  /** Whether the next commit renews it. */
  get isLate(): boolean {
    const { clock, renewAfter = 0 } = this.#terms;
    const age = clock.now() - (this.#renewedAt ?? Number.NEGATIVE_INFINITY);
    return age < 0 || age >= renewAfter;
  }

  /** The changes for a commit by which something is done under the lease. */
  changes(): readonly Change[] {
    const { clock, milliseconds, key, node, put } = this.#terms;
    const now = clock.now();
    this.#renewalDueAt = this.isLate ? now : undefined;
    if (this.#renewalDueAt === undefined) return [{ kind: 'check', ...key, if: this.condition }];
    return put({ by: node, until: now + milliseconds }, this.condition);
  }

  /** A commit with these changes was answered that another did. */
  kept(): void {
    this.#renewedAt = this.#renewalDueAt ?? this.#renewedAt;
  }

  /** @throws LeaseLost where any of it is refused. */
  async commit(along: readonly Change[] = []): Promise<void> {
    const refusedAt = await this.#refusedAt([...this.changes(), ...along]);
    if (refusedAt !== undefined) throw new LeaseLost(refusedAt);
  }

  /** @throws LeaseLost */
  async renew(): Promise<void> {
    if (this.isLate) await this.commit();
  }

  /** Gives it back. False where one of the changes that come along was refused. @throws LeaseLost */
  async end(own: Change, along: readonly Change[] = []): Promise<boolean> {
    const refusedAt = await this.#refusedAt([own, ...along]);
    if (refusedAt === 0) throw new LeaseLost(refusedAt);
    return refusedAt === undefined;
  }

  async #refusedAt(changes: readonly Change[]): Promise<number | undefined> {
    const { scope, key, options } = this.#terms;
    const attempt = await attemptCommit(scope, changes, options);
    if ('refusedAt' in attempt) return attempt.refusedAt;
    const isOwn = (change: Change) => change.kind === 'put' && change.pk === key.pk && change.sk === key.sk;
    if (changes.some(isOwn)) this.#version = attempt.committed.seq;
    this.kept();
    return undefined;
  }
}
