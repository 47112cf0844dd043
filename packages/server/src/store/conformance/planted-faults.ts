import type { Member, Verdict } from '../apply-group.ts';
import { type BoundedRead, type Engine, storeOnEngine } from '../engine.ts';
import { keyBounds } from '../key-bounds.ts';
import { MemoryEngine } from '../memory/memory-engine.ts';
import type { Change, DueItem, Followed, Item, Key, Queue, ScopeName } from '../port.ts';
import type { Subject } from './bench.ts';

export interface PlantedFault {
  readonly name: string;
  readonly subject: Subject;
  /** A case that has to fail; others may fail too. */
  readonly caughtBy: string;
}

type Journal = readonly (readonly [members: readonly Member[], now: number])[];

/** Memory with a journal, so that it can be opened again. `keep` decides what of the journal comes back. */
export function journaled(keep: (journal: Journal) => Journal): Subject {
  return {
    isDurable: true,
    async open(clock) {
      let engine = new JournalEngine();
      const opened = storeOnEngine(engine, clock);
      return {
        opened,
        async reopen() {
          const kept = keep(engine.journal);
          engine = new JournalEngine();
          for (const [members, now] of kept) await engine.runGroup(members, now);
          return storeOnEngine(engine, clock);
        },
        dispose: () => opened.store.close(),
      };
    },
  };
}

class JournalEngine extends MemoryEngine {
  readonly journal: (readonly [readonly Member[], number])[] = [];

  override async runGroup(members: readonly Member[], now: number): Promise<readonly Verdict[]> {
    this.journal.push([members, now]);
    return super.runGroup(members, now);
  }
}

class CaseBlindEngine extends MemoryEngine {
  override get(scope: ScopeName, keys: readonly Key[], now: number): readonly (Item | undefined)[] {
    return keys.map(({ pk, sk }) => {
      const items = this.range(scope, wholePartition(pk), now);
      return items.find((item) => item.sk.toLowerCase() === sk.toLowerCase());
    });
  }
}

/** Orders as JavaScript compares strings: by UTF-16 units. */
class UnitOrderEngine extends MemoryEngine {
  override range(scope: ScopeName, read: BoundedRead, now: number): readonly Item[] {
    const items = super.range(scope, { ...read, limit: Number.MAX_SAFE_INTEGER }, now);
    const sorted = items.toSorted((left, right) => (left.sk < right.sk ? -1 : 1));
    return (read.isReverse ? sorted.reverse() : sorted).slice(0, read.limit);
  }
}

class InclusiveAfterEngine extends MemoryEngine {
  override range(scope: ScopeName, read: BoundedRead, now: number): readonly Item[] {
    return super.range(scope, { ...read, isFromIncluded: true }, now);
  }
}

class BoundlessCountEngine extends MemoryEngine {
  override count(scope: ScopeName, read: BoundedRead, now: number): number {
    return super.count(scope, { ...read, limit: Number.MAX_SAFE_INTEGER }, now);
  }
}

/** Stores a changed version of what it was told. */
class ChangingEngine extends MemoryEngine {
  readonly #change: (change: Change) => Change;

  constructor(change: (change: Change) => Change) {
    super();
    this.#change = change;
  }

  override runGroup(members: readonly Member[], now: number): Promise<readonly Verdict[]> {
    return super.runGroup(
      members.map((member) => mapChanges(member, (changes) => changes.map(this.#change))),
      now,
    );
  }
}

/** Rewrites every sort key on its way in and on its way to a read. */
class RewritingEngine extends ChangingEngine {
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

class HalfApplyingEngine extends MemoryEngine {
  override async runGroup(members: readonly Member[], now: number): Promise<readonly Verdict[]> {
    const verdicts: Verdict[] = [];
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

/** Answers when it has decided; what it decided can be read a turn later. */
class HastyEngine extends MemoryEngine {
  readonly #ahead = new MemoryEngine();

  override async runGroup(members: readonly Member[], now: number): Promise<readonly Verdict[]> {
    setImmediate(() => super.runGroup(members, now));
    return this.#ahead.runGroup(members, now);
  }
}

/** Only the first count of a scope in a group is stored; all of them get its answer. */
class CountLosingEngine extends MemoryEngine {
  override async runGroup(members: readonly Member[], now: number): Promise<readonly Verdict[]> {
    const isCount = (member: Member) => member.kind === 'commit' && member.changes.some(({ kind }) => kind === 'add');
    const first = members.find(isCount);
    const kept = members.filter((member) => member === first || !isCount(member));
    const verdicts = await super.runGroup(kept, now);
    return members.flatMap((member) => verdicts[kept.indexOf(isCount(member) && first ? first : member)] ?? []);
  }
}

class EarlyEmptyCheckEngine extends MemoryEngine {
  override async runGroup(members: readonly Member[], now: number): Promise<readonly Verdict[]> {
    const verdicts: Verdict[] = [];
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
class UndyingConditionsEngine extends MemoryEngine {
  override runGroup(members: readonly Member[]): Promise<readonly Verdict[]> {
    return super.runGroup(members, 0);
  }
}

class UndyingReadsEngine extends MemoryEngine {
  override range(scope: ScopeName, read: BoundedRead): readonly Item[] {
    return super.range(scope, read, 0);
  }
}

class OneSpaceEngine extends MemoryEngine {
  override runGroup(members: readonly Member[], now: number): Promise<readonly Verdict[]> {
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

class TargetOrderEngine extends MemoryEngine {
  override follow(scope: ScopeName, read: BoundedRead, now: number): readonly Followed[] {
    return super.follow(scope, read, now).toSorted((left, right) => (left.item.sk < right.item.sk ? -1 : 1));
  }
}

class DanglingCountsEngine extends MemoryEngine {
  override follow(scope: ScopeName, read: BoundedRead, now: number): readonly Followed[] {
    const places = new Set(super.range(scope, read, now).map(({ sk }) => sk));
    return super.follow(scope, read, now).filter(({ sk }) => places.has(sk));
  }
}

class NeverClosingEngine extends MemoryEngine {
  override runGroup(members: readonly Member[], now: number): Promise<readonly Verdict[]> {
    return super.runGroup(
      members.map((member) => (member.kind === 'set-state' ? { ...member, state: 'open' } : member)),
      now,
    );
  }
}

/** Reads several keys one after the other, with commits between them. */
class TornReadsEngine extends MemoryEngine {
  override get(
    scope: ScopeName,
    keys: readonly Key[],
    now: number,
  ): ReturnType<Engine['get']> & readonly (Item | undefined)[] {
    return this.#slowly(scope, keys, now) as unknown as ReturnType<Engine['get']> & readonly (Item | undefined)[];
  }

  async #slowly(scope: ScopeName, keys: readonly Key[], now: number): Promise<readonly (Item | undefined)[]> {
    const items: (Item | undefined)[] = [];
    for (const key of keys) {
      items.push(...super.get(scope, [key], now));
      await new Promise((resolve) => setImmediate(resolve));
    }
    return items;
  }
}

class LatestFirstEngine extends MemoryEngine {
  override due(queue: Queue, before: number, limit: number): readonly DueItem[] {
    return super.due(queue, before, Number.MAX_SAFE_INTEGER).toReversed().slice(0, limit);
  }
}

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'compares keys without case',
    subject: volatile(() => new CaseBlindEngine()),
    caughtBy: 'keeps keys apart that differ in case, composition, width or trailing blanks',
  },
  {
    name: 'normalises keys',
    subject: volatile(() => new RewritingEngine((sk) => sk.normalize('NFC'))),
    caughtBy: 'keeps keys apart that differ in case, composition, width or trailing blanks',
  },
  {
    name: 'drops blanks at the end of keys',
    subject: volatile(() => new RewritingEngine((sk) => (sk.trimEnd() === '' ? sk : sk.trimEnd()))),
    caughtBy: 'keeps keys apart that differ in case, composition, width or trailing blanks',
  },
  {
    name: 'orders keys by UTF-16 units',
    subject: volatile(() => new UnitOrderEngine()),
    caughtBy: 'orders sort keys by their UTF-8 bytes, above U+FFFF too',
  },
  {
    name: 'takes `after` for an inclusive bound',
    subject: volatile(() => new InclusiveAfterEngine()),
    caughtBy: 'reads any range of any keys as a sorted list of them would be cut',
  },
  {
    name: 'counts on beyond what was asked for',
    subject: volatile(() => new BoundlessCountEngine()),
    caughtBy: 'counts at most as many items as asked for, under every bound',
  },
  {
    name: 'ignores conditions',
    subject: volatile(() => new ChangingEngine((change) => ('if' in change ? { ...change, if: 'any' } : change))),
    caughtBy: 'lets one of 32 writers win a key that must be absent',
  },
  {
    name: 'ignores the version of a condition',
    subject: volatile(() => new ChangingEngine(withoutVersion)),
    caughtBy: 'makes compare-and-swap by version lose no update',
  },
  {
    name: 'lets a counter pass its bound by one',
    subject: volatile(() => new ChangingEngine(withLooserBound)),
    caughtBy: 'loses no count among 32 writers and stops all of them at the bound',
  },
  {
    name: 'loses counts that are made side by side',
    subject: volatile(() => new CountLosingEngine()),
    caughtBy: 'loses no count among 32 writers and stops all of them at the bound',
  },
  {
    name: 'keeps the first half of a refused commit',
    subject: volatile(() => new HalfApplyingEngine()),
    caughtBy: 'writes nothing at all when one change of a commit is refused, wherever it stands',
  },
  {
    name: 'acknowledges a commit before it can be read',
    subject: volatile(() => new HastyEngine()),
    caughtBy: 'shows a commit to every read that begins after it resolved',
  },
  {
    name: 'acknowledges a commit before it is kept',
    subject: journaled((journal) => journal.slice(0, -1)),
    caughtBy: 'holds the last commit of many after it was opened again, and again',
  },
  {
    name: 'opens a closed scope by being opened again',
    subject: journaled((journal) => journal.filter(([members]) => members[0]?.kind !== 'set-state')),
    caughtBy: 'keeps a closed scope closed after it was opened again',
  },
  {
    name: 'judges check-empty before the changes of the commit',
    subject: volatile(() => new EarlyEmptyCheckEngine()),
    caughtBy: "judges a check-empty after the commit's own changes",
  },
  {
    name: 'lets conditions see what has expired',
    subject: volatile(() => new UndyingConditionsEngine()),
    caughtBy: 'takes an expired item for absent in every condition',
  },
  {
    name: 'lets a range see what has expired',
    subject: volatile(() => new UndyingReadsEngine()),
    caughtBy: 'lets an item expire at its very millisecond, for every read',
  },
  {
    name: 'keeps all scopes in one space',
    subject: volatile(() => new OneSpaceEngine()),
    caughtBy: 'keeps the keys of scopes apart, whatever the scopes are called',
  },
  {
    name: 'follows an index in the order of the targets',
    subject: volatile(() => new TargetOrderEngine()),
    caughtBy: 'follows an index in the order of the index, not of the targets',
  },
  {
    name: 'lets entries without a target use up the limit',
    subject: volatile(() => new DanglingCountsEngine()),
    caughtBy: 'leaves out index items without a target and goes on to `limit` targets',
  },
  {
    name: 'takes commits of a closed scope',
    subject: volatile(() => new NeverClosingEngine()),
    caughtBy: 'refuses every commit of a closed scope, and still lets it be read',
  },
  {
    name: 'reads the keys of one get at different times',
    subject: volatile(() => new TornReadsEngine()),
    caughtBy: 'reads each call from one snapshot while others write',
  },
  {
    name: 'lists the latest due item first',
    subject: volatile(() => new LatestFirstEngine()),
    caughtBy: 'lists what is due in a queue over all scopes, the earliest first, up to a time and a limit',
  },
];

function volatile(make: () => Engine): Subject {
  return {
    isDurable: false,
    async open(clock) {
      const opened = storeOnEngine(make(), clock);
      const reopen = () => Promise.reject(new Error('memory keeps nothing'));
      return { opened, reopen, dispose: () => opened.store.close() };
    },
  };
}

function wholePartition(pk: string): BoundedRead {
  const limit = Number.MAX_SAFE_INTEGER;
  return { ...keyBounds({}), pk, isReverse: false, limit, bytesMax: Number.POSITIVE_INFINITY };
}

function mapChanges(member: Member, map: (changes: readonly Change[]) => readonly Change[]): Member {
  return member.kind === 'commit' ? { ...member, changes: map(member.changes) } : member;
}

function withoutVersion(change: Change): Change {
  return 'if' in change && typeof change.if === 'object' ? { ...change, if: 'present' } : change;
}

function withLooserBound(change: Change): Change {
  return change.kind === 'add' && change.max !== undefined ? { ...change, max: change.max + 1 } : change;
}
