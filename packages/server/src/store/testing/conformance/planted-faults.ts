import type { CommitVerdict, GroupMember } from '../../committing/apply-group.ts';
import { type Engine, storeOnEngine } from '../../engine.ts';
import type { Change, CheckReads } from '../../port.ts';
import { MemoryEngine } from '../open-memory.ts';
import type { Subject } from './bench.ts';
import {
  BoundlessCountEngine,
  BoundlessScanEngine,
  CaseBlindEngine,
  ChangingEngine,
  CountLosingEngine,
  DanglingCountsEngine,
  EarlyEmptyCheckEngine,
  HalfApplyingEngine,
  HastyEngine,
  InclusiveAfterEngine,
  LatestFirstEngine,
  LeakyCountEngine,
  NeverClosingEngine,
  OneForAllEngine,
  OneSpaceEngine,
  RewritingEngine,
  TargetOrderEngine,
  tornReadsEngine,
  UndyingConditionsEngine,
  UndyingReadsEngine,
  UnitOrderEngine,
} from './faulty-engines.ts';
import { withNeighbour } from './neighbour.ts';

export interface PlantedFault {
  readonly name: string;
  readonly subject: Subject;
  /** A case that has to fail; others may fail too. */
  readonly caughtBy: string;
}

/** A model of random transactions: it is to find what is plain, and single cases find the rest each time. */
const serial = 'lets transactions that meet read and write as if they came one after the other';
const partsHold = 'holds a commit to the parts of partitions that were read: nothing added, changed or gone';
const itemsHold = 'holds a commit to the items that were read, and to those that were not there';

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'compares keys without case',
    subject: volatile(() => new CaseBlindEngine()),
    caughtBy: 'C09: keeps keys apart that differ in case, composition, width or trailing blanks',
  },
  {
    name: 'normalises keys',
    subject: volatile(() => new RewritingEngine((sk) => sk.normalize('NFC'))),
    caughtBy: 'C09: keeps keys apart that differ in case, composition, width or trailing blanks',
  },
  {
    name: 'drops blanks at the end of keys',
    subject: volatile(() => new RewritingEngine((sk) => (sk.trimEnd() === '' ? sk : sk.trimEnd()))),
    caughtBy: 'C09: keeps keys apart that differ in case, composition, width or trailing blanks',
  },
  {
    name: 'orders keys by UTF-16 units',
    subject: volatile(() => new UnitOrderEngine()),
    caughtBy: 'C09: orders sort keys by their UTF-8 bytes, above U+FFFF too',
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
    name: 'scans more than one page may hold',
    subject: volatile(() => new BoundlessScanEngine()),
    caughtBy: 'ends a scan with the item that takes the values past what one may hold, and goes on behind it',
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
    name: 'adds to the first figure of a row alone',
    subject: volatile(() => new ChangingEngine(withFirstFigure)),
    caughtBy: 'loses nothing of what many add to a row at once, and refuses none of them',
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
    name: 'refuses what stands in a group beside a refused commit',
    subject: volatile(() => new OneForAllEngine()),
    caughtBy: 'refuses a commit alone, whatever it is refused for and wherever it stands among those made beside it',
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
    name: 'checks nothing that was read',
    subject: volatile(() => new ChangingEngine(withReads((reads) => ({ ...reads, items: [], parts: [] })))),
    caughtBy: serial,
  },
  {
    name: 'checks no part of a partition that was read',
    subject: volatile(() => new ChangingEngine(withReads((reads) => ({ ...reads, parts: [] })))),
    caughtBy: partsHold,
  },
  {
    name: 'checks how many items a part has, and not which',
    subject: volatile(
      () =>
        new ChangingEngine(
          withReads((reads) => ({ ...reads, parts: reads.parts.map(({ newest: _, ...part }) => part) })),
        ),
    ),
    caughtBy: partsHold,
  },
  {
    name: 'checks no item that was not there when it was read',
    subject: volatile(
      () =>
        new ChangingEngine(
          withReads((reads) => ({ ...reads, items: reads.items.filter(({ version }) => version !== undefined) })),
        ),
    ),
    caughtBy: itemsHold,
  },
  {
    name: 'checks no version of an item that was read',
    subject: volatile(
      () =>
        new ChangingEngine(
          withReads((reads) => ({ ...reads, items: reads.items.filter(({ version }) => version === undefined) })),
        ),
    ),
    caughtBy: itemsHold,
  },
  {
    name: 'lets conditions see what has expired',
    subject: volatile(() => new UndyingConditionsEngine()),
    caughtBy: 'takes an expired item for absent in every condition',
  },
  {
    name: 'stores what is to be chained as it is',
    subject: volatile(() => new ChangingEngine(unchained)),
    caughtBy: 'chains what is appended to one partition, also twice by one commit, and leaves other partitions alone',
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
    name: 'counts over the walls of a scope that has a neighbour',
    subject: withNeighbour(volatile(() => new LeakyCountEngine())),
    caughtBy: 'counts at most as many items as asked for, under every bound',
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
    subject: volatile(() => tornReadsEngine()),
    caughtBy: 'reads each call from one snapshot while others write',
  },
  {
    name: 'lists the latest due item first',
    subject: volatile(() => new LatestFirstEngine()),
    caughtBy: 'lists what is due in a queue over all scopes, the earliest first, up to a time and a limit',
  },
];

function withReads(map: (reads: CheckReads) => CheckReads): (change: Change) => Change {
  return (change) => (change.kind === 'check-reads' ? map(change) : change);
}

function unchained(change: Change): Change {
  return change.kind === 'append' ? { kind: 'append', pk: change.pk, value: change.value } : change;
}

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

function withoutVersion(change: Change): Change {
  return 'if' in change && typeof change.if === 'object' ? { ...change, if: 'present' } : change;
}

function withFirstFigure(change: Change): Change {
  return change.kind === 'tally' ? { ...change, by: change.by.slice(0, 1) } : change;
}

function withLooserBound(change: Change): Change {
  return change.kind === 'add' && change.max !== undefined ? { ...change, max: change.max + 1 } : change;
}

type Journal = readonly (readonly [members: readonly GroupMember[], now: number])[];

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
  readonly journal: (readonly [readonly GroupMember[], number])[] = [];

  override async runGroup(members: readonly GroupMember[], now: number): Promise<readonly CommitVerdict[]> {
    this.journal.push([members, now]);
    return super.runGroup(members, now);
  }
}
