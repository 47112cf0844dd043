import { setImmediate as nextRound } from 'node:timers/promises';
import { type CommitOptions, ownerOf, type ScopeName, Unavailable } from '../port.ts';
import type { Member, Verdict } from './apply-group.ts';
import { CommitQueue, changesIn, type Waiting } from './commit-queue.ts';
import { CompletionQueue } from './completion-queue.ts';
import { TenantQuota } from './tenant-quota.ts';

/** `apart`: nothing of the member is stored, and it has to be run again in a group of its scope alone. */
export type MemberAnswer = Verdict | 'retryAlone';

/**
 * Judges and stores one group, and answers when it is on disk; a rejection is handed to every member. INVARIANT: no
 * member of a group of one scope is answered `apart`.
 */
export type RunGroup = (members: readonly Member[]) => Promise<readonly MemberAnswer[]>;

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
  /** So many groups of one lane are under way at once, so that a lane that hangs leaves room for the others. */
  readonly groupsOfLaneMax?: number;
  /** What a scope shares with others that would hang with it, such as a server. Groups are of one scope then. */
  readonly laneOf?: (scope: ScopeName) => Lane;
}

/** `undefined` where it is not known yet: such scopes share a lane. */
export type Lane = number | undefined;

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
  /** How many groups of each lane are under way. */
  readonly #lanes = new Map<Lane, number>();
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
  submit(member: Member, bytes: number, { priority = 'request' }: CommitOptions = {}): Promise<Verdict> {
    const refusal = this.#refusal(member.scope, bytes);
    if (refusal !== undefined) return Promise.reject(new Unavailable(refusal));
    const { promise, resolve, reject } = Promise.withResolvers<Verdict>();
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

  async #runGroup(group: readonly Waiting[]): Promise<void> {
    const scopes = new Set(group.map(({ member }) => member.scope));
    const lane = this.#laneOf(group[0]?.member.scope);
    this.#lanes.set(lane, (this.#lanes.get(lane) ?? 0) + 1);
    this.#underWay++;
    for (const scope of scopes) {
      this.#busy.add(scope);
      this.#apart.delete(scope);
    }
    await this.#settle(group, scopes.size === 1);
    this.#underWay--;
    const left = (this.#lanes.get(lane) ?? 0) - 1;
    if (left > 0) this.#lanes.set(lane, left);
    else this.#lanes.delete(lane);
    for (const scope of scopes) this.#busy.delete(scope);
    this.#runGroups();
  }

  async #settle(group: readonly Waiting[], isOfOneScope: boolean): Promise<void> {
    try {
      const answers = await this.#run(group.map((waiting) => waiting.member));
      if (isOfOneScope && answers.includes('retryAlone'))
        throw new Error('the engine set a scope apart that was alone');
      for (const [index, waiting] of group.entries()) {
        const answer = answers[index];
        if (answer === undefined) waiting.reject(new Error('the engine left a commit without an answer'));
        else if (answer !== 'retryAlone') this.#answers.tell(waiting, answer);
      }
      this.#putBack(group.filter((_, index) => answers[index] === 'retryAlone'));
    } catch (error) {
      for (const waiting of group) waiting.reject(error);
    }
  }

  /** In front of what has come to their scopes meanwhile. */
  #putBack(group: readonly Waiting[]): void {
    for (const waiting of group) {
      this.#queuedBytes += waiting.bytes;
      this.#apart.add(waiting.member.scope);
    }
    const { request = [], background = [] } = Object.groupBy(group, ({ priority }) => priority);
    this.#lines.request.putBack(request);
    this.#lines.background.putBack(background);
  }

  #nextGroup(): readonly Waiting[] {
    const group: Waiting[] = [];
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
    const { groupsOfLaneMax = Number.POSITIVE_INFINITY } = this.#limits;
    return !this.#busy.has(scope) && (this.#lanes.get(this.#laneOf(scope)) ?? 0) < groupsOfLaneMax;
  }

  #laneOf(scope: ScopeName | undefined): Lane {
    return scope === undefined ? undefined : this.#limits.laneOf?.(scope);
  }

  /** Who comes next into a group. */
  #nextPlace(forming: Forming): QueuePosition | undefined {
    const { scopes } = forming;
    const { scopesOfGroupMax = Number.POSITIVE_INFINITY } = this.#limits;
    const isAlone = scopes.values().some((scope) => this.#apart.has(scope));
    const isClosed = isAlone || scopes.size >= scopesOfGroupMax;
    const isFree = (scope: ScopeName) =>
      this.#mayRun(scope) && (scopes.size === 0 || !this.#apart.has(scope) || scopes.has(scope));
    const mayCome = (next: Waiting) =>
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
function hasItsShare({ changesOf, changesOfOwnerMax }: Forming, next: Waiting): boolean {
  const before = changesOf.get(ownerOf(next.member.scope));
  return before !== undefined && before + changesIn(next) > changesOfOwnerMax;
}

function join({ scopes, changesOf }: Forming, waiting: Waiting): void {
  const { scope } = waiting.member;
  // Served last, so that the scopes of a group take turns.
  scopes.delete(scope);
  scopes.add(scope);
  const owner = ownerOf(scope);
  changesOf.set(owner, (changesOf.get(owner) ?? 0) + changesIn(waiting));
}

interface QueuePosition {
  readonly line: CommitQueue;
  readonly next: Waiting;
}
