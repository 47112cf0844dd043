import type { Fixture, Reply } from '../fixture.ts';

/** Something that a caller does, and what has to stand once it was answered with success. */
export interface Flow {
  /** The route that it calls, as the table of its gateway names it. */
  readonly route: string;
  /** Makes ready for one attempt, before a call fails. */
  readonly prepare: (fixture: Fixture) => Promise<Attempt>;
}

export interface Attempt {
  readonly send: () => Promise<Reply>;
  /** What a repeated request may be answered beside success, where the first one counted. */
  readonly already?: number;
  /** Throws unless all of it stands, once. */
  readonly check: () => Promise<void>;
}

/** By what is done, such as `a create`. */
export type Flows = Readonly<Record<string, Flow>>;
