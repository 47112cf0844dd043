import { setImmediate as nextRound } from 'node:timers/promises';
import { type CommitOptions, ownerOf, type ScopeName, Unavailable } from '../port.ts';
import type { CommitVerdict, GroupMember } from './apply-group.ts';
import { CommitQueue, changesIn, type QueuedCommit, TenantQuota } from './commit-queue.ts';

/** `apart`: nothing of the member is stored, and it has to be run again in a group of its scope alone. */
export type MemberAnswer = CommitVerdict | 'retryAlone';

/**
 * Judges and stores one group, and answers when it is on disk; a rejection is handed to every member. INVARIANT: no
 * member of a group of one scope is answered `apart`.
 */
type RunGroup = (members: readonly GroupMember[]) => Promise<readonly MemberAnswer[]>;

export interface CommitterLimits {
  readonly groupMax: number;
  /**
   * A commit that arrives while a group is in progress waits for it, so groups are short. Judging a commit may take the
   * product of its changes and those before it in the group.
   */
  readonly groupChangesMax: number;
  readonly groupBytesMax: number;
  readonly queuedMax: number;
  readonly queuedBytesMax: number;
  /** Below `queuedMax`, so that an owner who floods the queue is refused before others are. */
  readonly queuedOfOwnerMax: number;
  /** So many groups under way at once, and of a scope one at a time. Left out: one group at a time. */
  readonly groupsAtOnce?: number;
  /** Of so many scopes may a group be. Left out: of all that wait. */
  readonly scopesOfGroupMax?: number;
  /** So many changes of a group may be of one owner where others commit too, or one commit. Left out: all of them. */
  readonly groupChangesOfOwnerMax?: number;
  /** The concurrent groups of one server group, so that a server that hangs leaves room for the others. */
  readonly groupsOfServerMax?: number;
  /** What a scope shares with others that would hang with it, such as a server. Groups are of one scope then. */
  readonly serverGroupOf?: (scope: ScopeName) => ServerGroup;
}

/** `undefined` where it is not known yet: such scopes share a queue. */
export type ServerGroup = number | undefined;

export const committerDefaults: CommitterLimits = {
  groupMax: 256,
  groupChangesMax: 512,
  groupBytesMax: 8 * 1024 * 1024,
  queuedMax: 8192,
  queuedBytesMax: 128 * 1024 * 1024,
  queuedOfOwnerMax: 2048,
};

/**
 * The queue in front of an engine's writer: one group is under way, the next forms meanwhile, so that groups grow with
 * the load and a single commit waits for no other. Owners take turns, and so do the scopes of one; background commits
 * come when no other could go.
 */
export class GroupCommitter {
  readonly #run: RunGroup;
  readonly #limits: CommitterLimits;
  readonly #lines = { request: new CommitQueue(), background: new CommitQueue() };
  /** Scopes that must wait for a group of theirs to end. */
  readonly #busy = new Set<ScopeName>();
  /** Scopes whose next group is of them alone. */
  readonly #apart = new Set<ScopeName>();
  readonly #answers = new CompletionQueue();
  readonly #shares: TenantQuota;
  /** The number of concurrent groups of each server group. */
  readonly #commitsByServer = new Map<ServerGroup, number>();
  #queuedBytes = 0;
  #underWay = 0;
  #isStarting = false;
  #isClosed = false;
  #whenIdle: (() => void)[] = [];

  constructor(run: RunGroup, limits: CommitterLimits = committerDefaults) {
    this.#run = run;
    this.#limits = limits;
    this.#shares = new TenantQuota(limits.groupChangesOfOwnerMax);
  }

  /** `bytes` is the size of the commit's keys and values. */
  submit(member: GroupMember, bytes: number, { priority = 'request' }: CommitOptions = {}): Promise<CommitVerdict> {
    const refusal = this.#refusal(member.scope, bytes);
    if (refusal !== undefined) return Promise.reject(new Unavailable(refusal));
    const { promise, resolve, reject } = Promise.withResolvers<CommitVerdict>();
    this.#lines[priority].push({ member, bytes, priority, resolve, reject });
    this.#queuedBytes += bytes;
    this.#start();
    return promise;
  }

  /** Takes no more commits and ends when those that were taken are answered. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (!this.#isIdle) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
    while (!this.#answers.isEmpty) await nextRound();
  }

  #refusal(scope: ScopeName, bytes: number): string | undefined {
    const { request, background } = this.#lines;
    if (this.#isClosed) return 'the store is closed';
    const isFull =
      request.length + background.length >= this.#limits.queuedMax ||
      this.#queuedBytes + bytes > this.#limits.queuedBytesMax ||
      this.#hasEnoughWaiting(scope);
    return isFull ? 'too many commits are waiting' : undefined;
  }

  /** Of an owner with too many, a scope with less than its share may add to them. */
  #hasEnoughWaiting(scope: ScopeName): boolean {
    const [request, background] = [this.#lines.request.of(scope), this.#lines.background.of(scope)];
    const owner = request.owner + background.owner;
    const scopes = Math.max(request.scopes, background.scopes);
    return owner >= this.#limits.queuedOfOwnerMax && (request.scope + background.scope) * scopes >= owner;
  }

  get #isIdle(): boolean {
    return this.#underWay === 0 && !this.#isStarting;
  }

  /** After all requests of this round of the event loop were read, so that their commits form a group together. */
  #start(): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    setImmediate(() => {
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

  async #runGroup(group: readonly QueuedCommit[]): Promise<void> {
    const scopes = new Set(group.map(({ member }) => member.scope));
    const serverGroup = this.#serverGroupOf(group[0]?.member.scope);
    this.#commitsByServer.set(serverGroup, (this.#commitsByServer.get(serverGroup) ?? 0) + 1);
    this.#underWay++;
    for (const scope of scopes) {
      this.#busy.add(scope);
      this.#apart.delete(scope);
    }
    await this.#settle(group, scopes.size === 1);
    this.#underWay--;
    const left = (this.#commitsByServer.get(serverGroup) ?? 0) - 1;
    if (left > 0) this.#commitsByServer.set(serverGroup, left);
    else this.#commitsByServer.delete(serverGroup);
    for (const scope of scopes) this.#busy.delete(scope);
    this.#runGroups();
  }

  async #settle(group: readonly QueuedCommit[], isOfOneScope: boolean): Promise<void> {
    try {
      const answers = await this.#run(group.map((waiting) => waiting.member));
      if (isOfOneScope && answers.includes('retryAlone'))
        throw new Error('the engine set a scope apart that was alone');
      for (const [index, waiting] of group.entries()) {
        const answer = answers[index];
        if (answer === undefined) waiting.reject(new Error('the engine left a commit without an answer'));
        else if (answer !== 'retryAlone') this.#answers.complete(waiting, answer);
      }
      this.#putBack(group.filter((_, index) => answers[index] === 'retryAlone'));
    } catch (error) {
      for (const waiting of group) waiting.reject(error);
    }
  }

  /** In front of what has come to their scopes meanwhile. */
  #putBack(group: readonly QueuedCommit[]): void {
    for (const waiting of group) {
      this.#queuedBytes += waiting.bytes;
      this.#apart.add(waiting.member.scope);
    }
    const { request = [], background = [] } = Object.groupBy(group, ({ priority }) => priority);
    this.#lines.request.putBack(request);
    this.#lines.background.putBack(background);
  }

  #nextGroup(): readonly QueuedCommit[] {
    const group: QueuedCommit[] = [];
    const changesOfOwnerMax = this.#shares.changesMax(this.#lines.request.owners);
    const mayBeBehind = !this.#someGoFirst();
    const forming: Forming = { scopes: new Set(), changesOf: new Map(), changesOfOwnerMax, mayBeBehind };
    let bytes = 0;
    let changes = 0;
    while (group.length < this.#limits.groupMax) {
      const place = this.#nextPlace(forming);
      if (place === undefined) break;
      const { line, next } = place;
      bytes += next.bytes;
      changes += changesIn(next);
      const isFull = bytes > this.#limits.groupBytesMax || changes > this.#limits.groupChangesMax;
      if (isFull && group.length > 0) break;
      group.push(next);
      line.shift(next.member.scope);
      join(forming, next);
    }
    for (const waiting of group) this.#queuedBytes -= waiting.bytes;
    if (group.length > 0) this.#shares.note(group);
    return group;
  }

  /** Whether one waits whose owner does not stand behind. */
  #someGoFirst(): boolean {
    const isFree = (scope: ScopeName) => this.#mayRun(scope);
    return this.#lines.request.next(isFree, (first) => !this.#shares.isBehind(first)) !== undefined;
  }

  #mayRun(scope: ScopeName): boolean {
    const { groupsOfServerMax = Number.POSITIVE_INFINITY } = this.#limits;
    return !this.#busy.has(scope) && (this.#commitsByServer.get(this.#serverGroupOf(scope)) ?? 0) < groupsOfServerMax;
  }

  #serverGroupOf(scope: ScopeName | undefined): ServerGroup {
    return scope === undefined ? undefined : this.#limits.serverGroupOf?.(scope);
  }

  /** Who comes next into a group. */
  #nextPlace(forming: Forming): { readonly line: CommitQueue; readonly next: QueuedCommit } | undefined {
    const { scopes } = forming;
    const { scopesOfGroupMax = Number.POSITIVE_INFINITY } = this.#limits;
    const isAlone = scopes.values().some((scope) => this.#apart.has(scope));
    const isClosed = isAlone || scopes.size >= scopesOfGroupMax;
    const isFree = (scope: ScopeName) =>
      this.#mayRun(scope) && (scopes.size === 0 || !this.#apart.has(scope) || scopes.has(scope));
    const mayCome = (next: QueuedCommit) =>
      !hasItsShare(forming, next) && (forming.mayBeBehind || !this.#shares.isBehind(next));
    for (const line of [this.#lines.request, this.#lines.background]) {
      const next = isClosed
        ? scopes
            .values()
            .map((scope) => line.first(scope))
            .find((first) => first !== undefined && mayCome(first))
        : line.next(isFree, mayCome);
      if (next !== undefined) return { line, next };
    }
    return undefined;
  }
}

/** A group that is not full yet. */
interface Forming {
  /** In the order in which they were served last. */
  readonly scopes: Set<ScopeName>;
  /** By owner. */
  readonly changesOf: Map<string, number>;
  readonly changesOfOwnerMax: number;
  /** Whether owners may come that stand behind the others. */
  readonly mayBeBehind: boolean;
}

/** A commit that is larger than the share of its owner comes alone of it. */
function hasItsShare({ changesOf, changesOfOwnerMax }: Forming, next: QueuedCommit): boolean {
  const before = changesOf.get(ownerOf(next.member.scope));
  return before !== undefined && before + changesIn(next) > changesOfOwnerMax;
}

function join({ scopes, changesOf }: Forming, waiting: QueuedCommit): void {
  const { scope } = waiting.member;
  // Served last, so that the scopes of a group take turns.
  scopes.delete(scope);
  scopes.add(scope);
  const owner = ownerOf(scope);
  changesOf.set(owner, (changesOf.get(owner) ?? 0) + changesIn(waiting));
}

/** In changes, which say how much follows: so many are answered in a round of the event loop, or one commit of more. */
const changesPerSlice = 512;

/**
 * Answers commits with their outcome. What follows an answer takes as long as the commit itself, so of a large group
 * only the first are answered at once, and the others in the following rounds of the event loop, owner by owner. Those
 * of one owner are answered in their order.
 */
class CompletionQueue {
  readonly #owners = new Map<string, Completion[]>();
  #left = changesPerSlice;
  #isTurnToCome = false;

  get isEmpty(): boolean {
    return this.#owners.size === 0;
  }

  complete(waiting: QueuedCommit, verdict: CommitVerdict): void {
    const owner = ownerOf(waiting.member.scope);
    const line = this.#owners.get(owner);
    if (line !== undefined) line.push({ waiting, verdict });
    else if (this.#left > 0) this.#resolve({ waiting, verdict });
    else this.#owners.set(owner, [{ waiting, verdict }]);
    // A commit now and then asks for no turn.
    if (this.#left < changesPerSlice / 2) this.#scheduleSlice();
  }

  #resolve({ waiting, verdict }: Completion): void {
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

interface Completion {
  readonly waiting: QueuedCommit;
  readonly verdict: CommitVerdict;
}
