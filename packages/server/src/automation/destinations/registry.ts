import type { Outcome } from '../../work/send.ts';
import type { EventContent } from '../kinds/event.ts';
import type { Delivery, Destination, EventType, SigningKeys } from './destination.ts';
import type { InsideDeps } from './inside.ts';
import { logicBlockDestination } from './logicblock.ts';
import { mailDestination } from './mail.ts';
import { recordDestination } from './record.ts';
import { type WebhookDeps, webhookDestination } from './webhook.ts';

/** By the `event_type` of an event: where it is delivered to. */
export type Destinations = { readonly [Type in EventType]: Destination<Type> };

export function createDestinations(deps: WebhookDeps & InsideDeps): Destinations {
  return {
    webhook: webhookDestination(deps),
    mail: mailDestination(deps),
    record: recordDestination(deps),
    logicblock: logicBlockDestination(deps),
    crew: { deliver: async () => ({ state: 'refused', status: null, ms: 0, answer: 'crews do not run yet' }) },
  };
}

/** One attempt. */
export function deliverTo(destinations: Destinations, delivery: Delivery, keys: SigningKeys): Promise<Outcome> {
  return destinationOf(destinations, delivery.content).deliver(delivery, keys);
}

/** What is done with a sample. @param email that of the builder who asks. */
export function testAt(
  destinations: Destinations,
  delivery: Delivery,
  { keys, email }: { readonly keys: SigningKeys; readonly email: string },
): Promise<Outcome> {
  const destination = destinationOf(destinations, delivery.content);
  return destination.test?.(delivery, email) ?? destination.deliver(delivery, keys);
}

/** The destination of a type takes the contents of that type. */
function destinationOf(destinations: Destinations, { event_type }: EventContent): Destination {
  return destinations[event_type] as Destination;
}
