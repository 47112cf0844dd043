import type { Change } from '../../port.ts';

/** The rival of creates, in the same process and in turns. */
export interface Rival {
  readonly name: string;
  /** The store's target rates, in one scope and over many, as multiples of its own, by the number of clients. */
  readonly targets: Readonly<Record<number, number>>;
  create(changes: readonly Change[]): Promise<unknown>;
  close(): Promise<void>;
}
