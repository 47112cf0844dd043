/** Reads of many items as windows of them, each by one statement or, where the server cannot judge it, item by item. */
import type { FollowedEntry, LookedAt } from '../../port.ts';
import type { Value } from '../connections/connection.ts';
import type { SqlStatement } from '../statements.ts';
import type { WindowValues } from './window-sql.ts';

/** Sends a statement on the snapshot of a read. */
export type Send = <Row extends readonly unknown[]>(
  statement: SqlStatement,
  values: readonly Value[],
) => Promise<readonly Row[]>;

/** The result of one window. */
export interface Progress {
  /** The items that were looked at. */
  readonly rows: number;
  /** The `sk` of the last of them. */
  readonly last: string | undefined;
  /** `end`: nothing is behind it. `enough`: all that may be returned was found. */
  readonly outcome: 'more' | 'end' | 'enough' | 'groups';
}

/** A read under way, and what it has found so far. */
export interface WindowedRead<Answer> {
  /** Undefined where the window is to be read in smaller ones, or item by item; then nothing of it was taken. */
  window(send: Send, window: WindowValues): Promise<Progress | undefined>;
  item(entry: FollowedEntry): Exclude<Progress['outcome'], 'end'>;
  answer(looked: LookedAt): Answer;
}
