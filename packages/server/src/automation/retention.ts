/** For how long what is over is kept, in milliseconds, by the plan of an org. */
export interface Retention {
  readonly runs: number;
  readonly receipts: number;
}

/** @throws what the store throws. */
export type RetentionOf = (orgCode: string) => Promise<Retention>;
