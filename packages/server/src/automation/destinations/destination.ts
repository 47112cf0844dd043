import type { OutboxItem } from '../outbox/outbox-rows.ts';

/** What became of one attempt. */
export interface Outcome {
  /** `refused` is final: it is not sent again. */
  readonly state: 'delivered' | 'failed' | 'refused';
  /** That of the answer; null where there was none. */
  readonly status: number | null;
  /** How long it took, in milliseconds. */
  readonly ms: number;
  /** The beginning of the answer, without secrets, or why there is none. */
  readonly answer: string;
  readonly retryAfterSeconds?: number;
}

/** What is delivered: the write, with its texts. */
export interface Delivery {
  readonly item: OutboxItem;
  /** The record with its version. */
  readonly record: Readonly<Record<string, unknown>>;
  readonly before: Readonly<Record<string, unknown>> | undefined;
}

/** The keys that sign, the present one first. */
export type SigningKeys = () => Promise<readonly Buffer[]>;

/** What destinations of a type do with a delivery. Never throws for what a receiver does. */
export interface Destination<Config = unknown> {
  deliver(delivery: Delivery, config: Config, keys: SigningKeys): Promise<Outcome>;
}
