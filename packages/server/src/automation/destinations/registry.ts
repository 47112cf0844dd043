import type { Destination } from './destination.ts';
import { type WebhookDeps, webhookDestination } from './webhook.ts';

export type Destinations = ReadonlyMap<string, Destination>;

/** By the `event_type` of an event: where it is delivered to. Events of other types leave nothing. */
export function createDestinations(deps: WebhookDeps): Destinations {
  const crew: Destination = {
    deliver: async () => ({ state: 'refused', status: null, ms: 0, answer: 'crews do not run yet' }),
  };
  return new Map<string, Destination>([
    ['webhook', webhookDestination(deps)],
    ['crew', crew],
  ]);
}
