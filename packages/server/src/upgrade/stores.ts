import type { OpenedStore } from '../store/port.ts';

/** Those of all data spaces. */
export interface Stores {
  readonly platform: OpenedStore;
  readonly test: OpenedStore;
  readonly prod: OpenedStore;
}

/** Data that no migration knows. A sentence about what was found, that goes on behind the name of its place. */
export class UnknownData extends Error {
  override readonly name = 'UnknownData';
}
