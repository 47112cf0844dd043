import type { CommitVerdict, GroupMember } from '../../committing/apply-group.ts';
import type { BoundedRead, Engine } from '../../engine.ts';
import { keyBounds } from '../../key-bounds.ts';
import type { Change, DueItem, FollowedEntry, Item, Key, Queue, ScopeName } from '../../port.ts';
import { MemoryEngine } from '../open-memory.ts';

export class CaseBlindEngine extends MemoryEngine {
  override get(scope: ScopeName, keys: readonly Key[], now: number): readonly (Item | undefined)[] {
    return keys.map(({ pk, sk }) => {
      const items = this.range(scope, wholePartition(pk), now);
      return items.find((item) => item.sk.toLowerCase() === sk.toLowerCase());
    });
  }
}

/** Orders as JavaScript compares strings: by UTF-16 units. */
export class UnitOrderEngine extends MemoryEngine {
  override range(scope: ScopeName, read: BoundedRead, now: number): readonly Item[] {
    const items = super.range(scope, { ...read, limit: Number.MAX_SAFE_INTEGER }, now);
    const sorted = items.toSorted((left, right) => (left.sk < right.sk ? -1 : 1));
    return (read.isReverse ? sorted.reverse() : sorted).slice(0, read.limit);
  }
}

export class InclusiveAfterEngine extends MemoryEngine {
  override range(scope: ScopeName, read: BoundedRead, now: number): readonly Item[] {
    return super.range(scope, { ...read, isFromIncluded: true }, now);
  }
}

/** Reads as many items as it is asked for, however much they hold. */
export class BoundlessScanEngine extends MemoryEngine {
  override scan(scope: ScopeName, after: Key | undefined, limit: number): readonly Item[] {
    const page = super.scan(scope, after, limit);
    const last = page.at(-1);
    return last === undefined || page.length === limit
      ? page
      : [...page, ...this.scan(scope, last, limit - page.length)];
  }
}

export class BoundlessCountEngine extends MemoryEngine {
  override count(scope: ScopeName, read: BoundedRead, now: number): number {
    return super.count(scope, { ...read, limit: Number.MAX_SAFE_INTEGER }, now);
  }
}

/** Stores a changed version of the value that it was given. */
export class ChangingEngine extends MemoryEngine {
  readonly #change: (change: Change) => Change;

  constructor(change: (change: Change) => Change) {
    super();
    this.#change = change;
  }

  override runGroup(members: readonly GroupMember[], now: number): Promise<readonly CommitVerdict[]> {
    return super.runGroup(
      members.map((member) => mapChanges(member, (changes) => changes.map(this.#change))),
      now,
    );
  }
}

/** Rewrites every sort key on its way in and on its way to a read. */
export class RewritingEngine extends ChangingEngine {
  readonly #rewrite: (sk: string) => string;

  constructor(rewrite: (sk: string) => string) {
    super((change) => ('sk' in change ? { ...change, sk: rewrite(change.sk) } : change));
    this.#rewrite = rewrite;
  }

  override get(scope: ScopeName, keys: readonly Key[], now: number): readonly (Item | undefined)[] {
    const rewritten = keys.map(({ pk, sk }) => ({ pk, sk: this.#rewrite(sk) }));
    return super.get(scope, rewritten, now).map((item, index) => item && { ...item, sk: keys[index]?.sk ?? '' });
  }
}

export class HalfApplyingEngine extends MemoryEngine {
  override async runGroup(members: readonly GroupMember[], now: number): Promise<readonly CommitVerdict[]> {
    const verdicts: CommitVerdict[] = [];
    for (const member of members) {
      const [verdict] = await super.runGroup([member], now);
      if (verdict?.kind === 'conflict') {
        await super.runGroup([mapChanges(member, (changes) => changes.slice(0, verdict.changeIndex))], now);
      }
      if (verdict !== undefined) verdicts.push(verdict);
    }
    return verdicts;
  }
}

/** Refuses all commits of a group where one of them is refused. */
export class OneForAllEngine extends MemoryEngine {
  override async runGroup(members: readonly GroupMember[], now: number): Promise<readonly CommitVerdict[]> {
    const verdicts = await super.runGroup(members, now);
    const refusal = verdicts.find(({ kind }) => kind === 'conflict');
    return refusal === undefined ? verdicts : verdicts.map(() => refusal);
  }
}

/** Answers when it has decided; what it decided can be read a turn later. */
export class HastyEngine extends MemoryEngine {
  readonly #ahead = new MemoryEngine();

  override async runGroup(members: readonly GroupMember[], now: number): Promise<readonly CommitVerdict[]> {
    setImmediate(() => super.runGroup(members, now));
    return this.#ahead.runGroup(members, now);
  }
}

/** Only the first count of a scope in a group is stored; all of them get its answer. */
export class CountLosingEngine extends MemoryEngine {
  override async runGroup(members: readonly GroupMember[], now: number): Promise<readonly CommitVerdict[]> {
    const isCount = (member: GroupMember) =>
      member.kind === 'commit' && member.changes.some(({ kind }) => kind === 'add');
    const first = members.find(isCount);
    const kept = members.filter((member) => member === first || !isCount(member));
    const verdicts = await super.runGroup(kept, now);
    return members.flatMap((member) => verdicts[kept.indexOf(isCount(member) && first ? first : member)] ?? []);
  }
}

export class EarlyEmptyCheckEngine extends MemoryEngine {
  override async runGroup(members: readonly GroupMember[], now: number): Promise<readonly CommitVerdict[]> {
    const verdicts: CommitVerdict[] = [];
    for (const member of members) {
      const early =
        member.kind === 'commit' ? member.changes.findIndex((one) => this.#isFull(member.scope, one, now)) : -1;
      const relaxed = mapChanges(member, (changes) => changes.filter(({ kind }) => kind !== 'check-empty'));
      if (early >= 0) verdicts.push({ kind: 'conflict', changeIndex: early, reason: 'not-empty' });
      else verdicts.push(...(await super.runGroup([relaxed], now)));
    }
    return verdicts;
  }

  #isFull(scope: ScopeName, change: Change, now: number): boolean {
    if (change.kind !== 'check-empty') return false;
    return this.count(scope, { ...wholePartition(change.pk), ...keyBounds(change) }, now) > 0;
  }
}

/** Sees items that have expired: when it decides, or when it reads. */
export class UndyingConditionsEngine extends MemoryEngine {
  override runGroup(members: readonly GroupMember[]): Promise<readonly CommitVerdict[]> {
    return super.runGroup(members, 0);
  }
}

export class UndyingReadsEngine extends MemoryEngine {
  override range(scope: ScopeName, read: BoundedRead): readonly Item[] {
    return super.range(scope, read, 0);
  }
}

export class OneSpaceEngine extends MemoryEngine {
  override runGroup(members: readonly GroupMember[], now: number): Promise<readonly CommitVerdict[]> {
    return super.runGroup(
      members.map((member) => ({ ...member, scope: 'one' })),
      now,
    );
  }

  override get(_scope: ScopeName, keys: readonly Key[], now: number): readonly (Item | undefined)[] {
    return super.get('one', keys, now);
  }

  override range(_scope: ScopeName, read: BoundedRead, now: number): readonly Item[] {
    return super.range('one', read, now);
  }
}

/** Counts the items under the same keys in every scope. */
export class LeakyCountEngine extends MemoryEngine {
  override count(_scope: ScopeName, read: BoundedRead, now: number): number {
    const scopes = this.scopes(undefined, Number.MAX_SAFE_INTEGER);
    const counts = scopes.map(({ name }) => super.count(name, read, now));
    return Math.min(
      counts.reduce((sum, count) => sum + count, 0),
      read.limit,
    );
  }
}

export class TargetOrderEngine extends MemoryEngine {
  override follow(scope: ScopeName, read: BoundedRead, now: number): readonly FollowedEntry[] {
    return super.follow(scope, read, now).toSorted((left, right) => (left.value < right.value ? -1 : 1));
  }
}

export class DanglingCountsEngine extends MemoryEngine {
  override follow(scope: ScopeName, read: BoundedRead, now: number): readonly FollowedEntry[] {
    const places = new Set(super.range(scope, read, now).map(({ sk }) => sk));
    return super.follow(scope, read, now).filter(({ sk }) => places.has(sk));
  }
}

export class NeverClosingEngine extends MemoryEngine {
  override runGroup(members: readonly GroupMember[], now: number): Promise<readonly CommitVerdict[]> {
    return super.runGroup(
      members.map((member) => (member.kind === 'set-state' ? { ...member, state: 'open' } : member)),
      now,
    );
  }
}

/** Reads several keys one after the other, with commits between them. */
export function tornReadsEngine(): Engine {
  const engine: Engine = new MemoryEngine();
  const getAtOnce = engine.get.bind(engine);
  engine.get = async (scope, keys, now) => {
    const items: (Item | undefined)[] = [];
    for (const key of keys) {
      items.push(...(await getAtOnce(scope, [key], now)));
      await new Promise((resolve) => setImmediate(resolve));
    }
    return items;
  };
  return engine;
}

export class LatestFirstEngine extends MemoryEngine {
  override due(queue: Queue, before: number, limit: number): readonly DueItem[] {
    return super.due(queue, before, Number.MAX_SAFE_INTEGER).toReversed().slice(0, limit);
  }
}

function wholePartition(pk: string): BoundedRead {
  const limit = Number.MAX_SAFE_INTEGER;
  return { ...keyBounds({}), pk, isReverse: false, limit, bytesMax: Number.POSITIVE_INFINITY };
}

function mapChanges(member: GroupMember, map: (changes: readonly Change[]) => readonly Change[]): GroupMember {
  return member.kind === 'commit' ? { ...member, changes: map(member.changes) } : member;
}
