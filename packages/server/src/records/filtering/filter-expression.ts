import type { Reading } from '../../expressions/port.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import type { Filter } from '../listing/filter.ts';
import type { ScanLeft } from '../listing/walking/scan-budget.ts';
import type { RecordData } from '../record.ts';

/** The expression of a list's parameter `filter`, for one request. */
export interface FilterExpression {
  /** The fields that it reads. */
  readonly readings: readonly Reading[];
  /** Conditions that every record meets which it holds of. */
  readonly implied: readonly Filter[];
  /** Whether it holds of every record that meets them. */
  readonly isImplied: boolean;
  /** What it reads of other records, which is loaded for each record before it is asked. */
  readonly lookups?: FilterLookups | undefined;
  holds(data: RecordData): boolean;
  /** What evaluating it has taken so far, in steps: about 2 ns each. */
  steps(): number;
}

/** A lookup that a filter follows. */
export interface FollowedLookup {
  readonly field: string;
  /** To whose records it points. */
  readonly entity: CompiledEntity;
  /** Conditions that the record meets to which it points, in every record of which the filter holds. */
  readonly implied: readonly Filter[];
  /** Whether the caller may list all records of the entity, with all fields. */
  mayListAll(): boolean;
}

/** The records that lookups of a filter point to. */
export interface FilterLookups {
  readonly followed: readonly FollowedLookup[];
  /** Of the records that point to them. */
  readonly entity: CompiledEntity;
  /** What deciding about them has taken so far, which is of what the filter has taken. */
  readonly steps: number;
  /** Lets others go first where a slice is over. */
  pause(): Promise<void> | undefined;
  /**
   * Loads those of the records at hand, and takes them from what is left before they are read.
   * @param isSpent whether no more are to be read; those of the first record are read all the same.
   * @returns of how many records, from the first, they are loaded.
   */
  load(records: readonly RecordData[], left: ScanLeft, isSpent: () => boolean): Promise<number>;
}
