import type { Environment } from '../../api/session.ts';
import type { ListedEvent } from './queries.ts';

/** The content of an event as this screen shows it. */
export interface EventContent extends Pick<ListedEvent, 'entity_name' | 'event_stage' | 'event_optype' | 'event_type'> {
  readonly enabled: boolean;
  readonly when?: string;
  readonly entry_conditions?: readonly { readonly field: string; readonly op: string; readonly value: unknown }[];
  readonly destination_config: Readonly<Record<string, unknown>>;
  /** Where it is there, production uses it. */
  readonly prod_destination_config?: Readonly<Record<string, unknown>>;
}

/** The destination of an environment as text, by the member. */
export function destinationOf(content: EventContent, env: Environment): ListedEvent['destination'] {
  const { destination_config, prod_destination_config = destination_config } = content;
  const config = env === 'prod' ? prod_destination_config : destination_config;
  return Object.fromEntries(Object.entries(config).filter(([, value]) => typeof value === 'string'));
}
