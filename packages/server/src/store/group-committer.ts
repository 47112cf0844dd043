import type { Member, Verdict } from './apply-group.ts';
import { type CommitOptions, type ScopeName, Unavailable } from './port.ts';

/** Judges and stores one group, and answers when it is on disk; a rejection is handed to every member. */
export type RunGroup = (members: readonly Member[]) => Promise<readonly Verdict[]>;

export interface CommitterLimits {
  readonly groupMax: number;
  /** Judging a commit may take the product of its changes and those before it in the group. */
  readonly groupChangesMax: number;
  readonly groupBytesMax: number;
  readonly queuedMax: number;
  readonly queuedBytesMax: number;
  /** Below `queuedMax`, so that a scope that floods the queue is refused before the others are. */
  readonly queuedOfScopeMax: number;
  /**
   * Groups of one scope each, so many under way at once, and of a scope one at a time. Left out: one group at a time, of
   * any scopes.
   */
  readonly groupsAtOnce?: number;
}

export const committerDefaults: CommitterLimits = {
  groupMax: 256,
  groupChangesMax: 4000,
  groupBytesMax: 8 * 1024 * 1024,
  queuedMax: 8192,
  queuedBytesMax: 128 * 1024 * 1024,
  queuedOfScopeMax: 2048,
};

/**
 * The queue in front of an engine's writer: one group is under way, the next forms meanwhile, so that groups grow with
 * the load and a lone commit waits for nobody. Scopes take turns; background commits come when no other could go.
 */
export class GroupCommitter {
  readonly #run: RunGroup;
  readonly #limits: CommitterLimits;
  readonly #lines = { request: new Rotation(), background: new Rotation() };
  /** Scopes that must wait for a group of theirs to end. */
  readonly #busy = new Set<ScopeName>();
  #queuedBytes = 0;
  #underWay = 0;
  #isStarting = false;
  #isClosed = false;
  #whenIdle: (() => void)[] = [];

  constructor(run: RunGroup, limits: CommitterLimits = committerDefaults) {
    this.#run = run;
    this.#limits = limits;
  }

  /** `bytes` is the size of the commit's keys and values. */
  submit(member: Member, bytes: number, { priority = 'request' }: CommitOptions = {}): Promise<Verdict> {
    const refusal = this.#refusal(member.scope, bytes);
    if (refusal !== undefined) return Promise.reject(new Unavailable(refusal));
    const { promise, resolve, reject } = Promise.withResolvers<Verdict>();
    this.#lines[priority].push({ member, bytes, resolve, reject });
    this.#queuedBytes += bytes;
    this.#start();
    return promise;
  }

  /** Takes no more commits and ends when those that were taken are answered. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#isIdle) return;
    await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  #refusal(scope: ScopeName, bytes: number): string | undefined {
    const { request, background } = this.#lines;
    if (this.#isClosed) return 'the store is closed';
    const isFull =
      request.length + background.length >= this.#limits.queuedMax ||
      this.#queuedBytes + bytes > this.#limits.queuedBytesMax ||
      request.lengthOf(scope) + background.lengthOf(scope) >= this.#limits.queuedOfScopeMax;
    return isFull ? 'too many commits are waiting' : undefined;
  }

  get #isIdle(): boolean {
    return this.#underWay === 0 && !this.#isStarting;
  }

  /** After the current turn, so that commits made side by side form a group together. */
  #start(): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    queueMicrotask(() => {
      this.#isStarting = false;
      this.#runGroups();
    });
  }

  #runGroups(): void {
    const { groupsAtOnce = 1 } = this.#limits;
    while (this.#underWay < groupsAtOnce) {
      const group = this.#nextGroup();
      if (group.length === 0) break;
      void this.#runGroup(group);
    }
    if (this.#isIdle) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  async #runGroup(group: readonly Waiting[]): Promise<void> {
    const [first] = group;
    const scope = this.#limits.groupsAtOnce === undefined ? undefined : first?.member.scope;
    this.#underWay++;
    if (scope !== undefined) this.#busy.add(scope);
    await this.#settle(group);
    this.#underWay--;
    if (scope !== undefined) this.#busy.delete(scope);
    this.#runGroups();
  }

  async #settle(group: readonly Waiting[]): Promise<void> {
    try {
      const verdicts = await this.#run(group.map((waiting) => waiting.member));
      for (const [index, waiting] of group.entries()) {
        const verdict = verdicts[index];
        if (verdict === undefined) waiting.reject(new Error('the engine left a commit without an answer'));
        else waiting.resolve(verdict);
      }
    } catch (error) {
      for (const waiting of group) waiting.reject(error);
    }
  }

  #nextGroup(): readonly Waiting[] {
    const group: Waiting[] = [];
    let bytes = 0;
    let changes = 0;
    let scope: ScopeName | undefined;
    while (group.length < this.#limits.groupMax) {
      const { request, background } = this.#lines;
      const line = request.scopeToServe(scope, this.#busy) === undefined ? background : request;
      const next = line.first(line.scopeToServe(scope, this.#busy));
      if (next === undefined) break;
      bytes += next.bytes;
      changes += next.member.kind === 'commit' ? next.member.changes.length : 0;
      const isFull = bytes > this.#limits.groupBytesMax || changes > this.#limits.groupChangesMax;
      if (isFull && group.length > 0) break;
      group.push(next);
      line.shift(next.member.scope);
      if (this.#limits.groupsAtOnce !== undefined) scope = next.member.scope;
    }
    for (const waiting of group) this.#queuedBytes -= waiting.bytes;
    return group;
  }
}

interface Waiting {
  readonly member: Member;
  readonly bytes: number;
  readonly resolve: (verdict: Verdict) => void;
  readonly reject: (error: unknown) => void;
}

/** One line of waiting commits for each scope. A scope that was served stands behind the others. */
class Rotation {
  readonly #scopes = new Map<ScopeName, Waiting[]>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  lengthOf(scope: ScopeName): number {
    return this.#scopes.get(scope)?.length ?? 0;
  }

  push(waiting: Waiting): void {
    const { scope } = waiting.member;
    const line = this.#scopes.get(scope);
    if (line === undefined) this.#scopes.set(scope, [waiting]);
    else line.push(waiting);
    this.#length++;
  }

  /** Whose turn it is: the scope named if it has commits here, or else the first that is not busy. */
  scopeToServe(only: ScopeName | undefined, busy: ReadonlySet<ScopeName>): ScopeName | undefined {
    if (only !== undefined) return this.#scopes.has(only) ? only : undefined;
    for (const scope of this.#scopes.keys()) if (!busy.has(scope)) return scope;
    return undefined;
  }

  first(scope: ScopeName | undefined): Waiting | undefined {
    return scope === undefined ? undefined : this.#scopes.get(scope)?.[0];
  }

  shift(scope: ScopeName): void {
    const line = this.#scopes.get(scope);
    if (line === undefined) return;
    line.shift();
    this.#scopes.delete(scope);
    if (line.length > 0) this.#scopes.set(scope, line);
    this.#length--;
  }
}
