import type { deliveriesApi } from '@freehold/contract/management/deliveries';
import type { BodyOf, ReplyOf } from '@freehold/contract/route';
import type { ConfigReader } from '../../config/port.ts';
import type { Clock } from '../../lib/clock.ts';
import type { IdSource } from '../../lib/ids.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import type { RecordData } from '../../records/port.ts';
import type { Environment } from '../../tenancy/port.ts';
import type { LiveEvents, OrgPlace } from '../config/live-events.ts';
import type { Destinations } from '../destinations/registry.ts';
import type { LaneVisits } from './lane-visits.ts';
import type { OutboxItem } from './outbox-rows.ts';

export interface TestEventDeps {
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly live: LiveEvents;
  readonly visits: Pick<LaneVisits, 'deliver'>;
  readonly destinations: Destinations;
  readonly clock: Clock;
  readonly newId: IdSource;
}

/**
 * Delivers a sample at once, by the event as it is live, switched on or not.
 * @throws Problem `not_found`, or `conflict` where nothing is delivered for such an event.
 */
export async function testEvent(
  { configs, live, visits, destinations, clock, newId }: TestEventDeps,
  { user, ...place }: OrgPlace & { readonly user: string },
  name: string,
  { record, before }: BodyOf<typeof deliveriesApi.testEvent>,
): Promise<ReplyOf<typeof deliveriesApi.testEvent>> {
  const set = await configs[place.env].refresh(place.orgCode);
  const event = await live.named(set, place, name);
  if (event === undefined) throw notFound();
  const { entity_name, event_stage, event_type, event_optype: op } = event.content;
  const entity = await set.entity(entity_name);
  if (entity === undefined || event_stage !== 'after' || !destinations.has(event_type))
    throw new Problem('conflict', 'nothing is delivered for events of this stage and type');
  if (!event.holds(entity, record as RecordData)) return { ran: false };
  const item: OutboxItem = {
    ...{ id: newId(), at: clock.now(), op, entity: entity_name, user: { id: user }, config: set.version },
    ...{ depth: 1, chain: [], attempts: 0, isTest: true },
  };
  const { state, status, ms, answer } = await visits.deliver(place, event, { item, record, before });
  return { ran: true, delivery: { state, status, ms, answer } };
}
