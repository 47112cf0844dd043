import type { Change } from '../../port.ts';

/** What creates are held against, in the same process and in turns. */
export interface Rival {
  readonly name: string;
  /** How often its creates a second the store should make, in one scope and over many, by the number of clients. */
  readonly targets: Readonly<Record<number, number>>;
  create(changes: readonly Change[]): Promise<unknown>;
  close(): Promise<void>;
}
