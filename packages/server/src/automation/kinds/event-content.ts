import type { operators } from '../../records/port.ts';
import type { EventDestination } from './event-destinations.ts';

/** What happens when records of an entity are written. */
export type EventContent = EventBase & EventDestination;

interface EventBase {
  readonly entity_name: string;
  readonly event_name: string;
  /** Before the write, which it can refuse, or after it. */
  readonly event_stage: 'before' | 'after';
  readonly event_optype: 'create' | 'update' | 'delete';
  readonly enabled: boolean;
  /** All have to hold of the record, and `when` too. */
  readonly entry_conditions?: readonly {
    readonly field: string;
    readonly op: (typeof operators)[number];
    readonly value: unknown;
  }[];
  /** A condition in CEL. */
  readonly when?: string;
}
