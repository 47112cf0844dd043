import type { Problem } from '../lib/problem.ts';

/** A write that asks whether the org may make it. */
export interface WriteToAdmit {
  /** Records of entities that builders define, made less removed. */
  readonly records: number;
  /** Whether the write was asked for to remove, and nothing else: that is always open. */
  readonly isRemoval: boolean;
}

/** The place of a write that was let in. It has to be given back, in one of the three ways. */
export interface WritePass {
  written(): void;
  refused(): void;
  /** It is not known whether the write was committed. */
  unknown(): void;
}

/** The amount that an org has configured in one environment. */
export interface ConfigSize {
  readonly entities: number;
  /** Of all entities together: as many as are shown of each, whatever their state is. */
  readonly indexes: number;
}

/** The most that a workspace may have of something, and the refusal of more. */
export interface CountBound {
  readonly max: number;
  /** @param wanted how many there would have been. */
  exceeded(used: number, wanted: number): Promise<Problem>;
}
