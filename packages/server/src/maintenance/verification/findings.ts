import type { Key, ScopeName } from '../../store/port.ts';

/** Something that is stored and does not follow from the rest, or that follows and is not stored. */
export interface Drift {
  readonly kind: DriftKind;
  readonly scope: ScopeName;
  readonly key: Key;
  /** A sentence, but for its period. */
  readonly problem: string;
}

export type DriftKind =
  | 'record'
  | 'index'
  | 'unique'
  | 'count'
  | 'number'
  | 'sealed'
  | 'fence'
  | 'config'
  /** Without its head a scope would start counting its commits again. */
  | 'head'
  /** A lookup whose record is gone. A forced change of a definition may leave some, so it is distinguished. */
  | 'dangling';

/** `skipped` workspaces are closed or removed, or of an org whose configuration is not whole. */
export const counted = ['orgs', 'workspaces', 'skipped', 'records', 'entries', 'uniques', 'sealed'] as const;
export type Counted = (typeof counted)[number];

/** What a look at a store has found. Of each sort so many are kept, and all are counted. */
export class Findings {
  readonly counts: Record<Counted, number> = {
    orgs: 0,
    workspaces: 0,
    skipped: 0,
    records: 0,
    entries: 0,
    uniques: 0,
    sealed: 0,
  };
  readonly drift: Drift[] = [];
  readonly dangling: Drift[] = [];
  driftCount = 0;
  danglingCount = 0;

  add(found: Drift): void {
    const kept = found.kind === 'dangling' ? this.dangling : this.drift;
    if (found.kind === 'dangling') this.danglingCount += 1;
    else this.driftCount += 1;
    if (kept.length < keptMax) kept.push(found);
  }

  count(what: Counted): void {
    this.counts[what] += 1;
  }
}

const keptMax = 1000;
