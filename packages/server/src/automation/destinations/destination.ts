import type { ConfigSet } from '../../config/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import type { Outcome } from '../../work/send.ts';
import type { EventContent } from '../kinds/event.ts';
import type { OutboxItem } from '../outbox/outbox-rows.ts';

/** What an event tells: the write, with its texts. */
export interface Told {
  readonly item: OutboxItem;
  /** The record with its version. */
  readonly record: Readonly<Record<string, unknown>>;
  readonly before: Readonly<Record<string, unknown>> | undefined;
}

/** What is delivered, by the event as it is live. Whose it is, is that of the outbox in which it lay. */
export interface Delivery<Content extends EventContent = EventContent> extends Told {
  readonly event: string;
  readonly content: Content;
  readonly config: ConfigSet;
  readonly orgCode: string;
  /** Undefined where the workspace is not there, or is being removed. */
  readonly workspace: () => Promise<Workspace | undefined>;
}

export type EventType = EventContent['event_type'];

export type ContentOf<Type extends EventType> = Extract<EventContent, { readonly event_type: Type }>;

/** The keys that sign, the present one first. */
export type SigningKeys = () => Promise<readonly Buffer[]>;

/** What destinations of a type do with a delivery. Never throws for what a receiver does. */
export interface Destination<Type extends EventType = EventType> {
  deliver(delivery: Delivery<ContentOf<Type>>, keys: SigningKeys): Promise<Outcome>;
  /** What is done with a sample; left out, it is delivered. @param email that of the builder who asks. */
  test?(delivery: Delivery<ContentOf<Type>>, email: string): Promise<Outcome>;
}
