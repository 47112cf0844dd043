import type { ListedEvent } from './queries.ts';

/** The content of an event as this screen shows it. */
export interface EventContent extends Pick<ListedEvent, 'entity_name' | 'event_stage' | 'event_optype' | 'event_type'> {
  readonly enabled: boolean;
  readonly when?: string;
  readonly entry_conditions?: readonly { readonly field: string; readonly op: string; readonly value: unknown }[];
  readonly destination_config: Readonly<Record<string, unknown>>;
}

/** What stands in a destination as text, by the member. */
export function destinationOf({ destination_config: config }: EventContent): ListedEvent['destination'] {
  return Object.fromEntries(Object.entries(config).filter(([, value]) => typeof value === 'string'));
}
