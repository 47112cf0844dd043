import type { IndexKind } from '../../../schema/port.ts';

/** The index that entries are of, as the state of an entity names it. */
export interface IndexName {
  readonly name: string;
  readonly kind: IndexKind;
}

/** The records of another entity by which records are found whose lookups point to them. */
export interface FoundThrough {
  readonly entity: string;
  readonly index: IndexName;
  /** How many others there are. */
  readonly records: number;
}
