import type { deliveriesApi } from '@freehold/contract/management/deliveries';
import type { BodyOf, ReplyOf } from '@freehold/contract/route';
import type { ConfigReader } from '../../config/port.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import type { IdSource } from '../../lib/ids.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import type { RecordData } from '../../records/port.ts';
import type { Store } from '../../store/port.ts';
import { type Environment, orgScopeName, workspaceScopeName } from '../../tenancy/port.ts';
import { isDelivered, type LiveEvents, type OrgPlace } from '../config/live-events.ts';
import type { WriteValues } from '../config/write-values.ts';
import type { Delivery } from '../destinations/destination.ts';
import { type Destinations, testAt } from '../destinations/registry.ts';
import { workspaceOnce } from '../ready-workspace.ts';
import type { LaneVisits } from './lane-visits.ts';
import type { OutboxItem } from './outbox-rows.ts';

export interface TestEventDeps {
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly live: LiveEvents;
  readonly visits: Pick<LaneVisits, 'keysOf'>;
  readonly destinations: Destinations;
  readonly clock: Clock;
  readonly newId: IdSource;
}

/** The builder who asks for it. */
export interface Tester extends OrgPlace {
  readonly user: { readonly id: string; readonly email: string };
}

/** Where a sample comes from: what is not the record's own is that of this workspace. */
const sampleTenant = 'main';

/**
 * Delivers a sample at once, by the event as it is live, switched on or not. Within the platform a sample does nothing,
 * and a mail goes to the builder who asks.
 * @throws Problem `not_found`, or `conflict` where nothing is delivered for such an event.
 */
export async function testEvent(
  { stores, configs, live, visits, destinations, clock, newId }: TestEventDeps,
  { user, env, orgCode }: Tester,
  name: string,
  { record, before }: BodyOf<typeof deliveriesApi.testEvent>,
): Promise<ReplyOf<typeof deliveriesApi.testEvent>> {
  const place = { env, orgCode };
  const config = await configs[env].refresh(orgCode);
  const event = await live.named(config, place, name);
  if (event === undefined) throw notFound();
  const { content } = event;
  const { entity_name, event_optype: op } = content;
  const entity = await config.entity(entity_name);
  if (entity === undefined || !isDelivered(content))
    throw new Problem('conflict', 'nothing is delivered for events of this stage and type');
  const item: OutboxItem = {
    ...{ id: newId(), at: clock.now(), op, entity: entity_name, user: { id: user.id }, config: config.version },
    ...{ depth: 1, chain: [], attempts: 0, isTest: true },
  };
  const scope = stores[env].scope(workspaceScopeName(orgCode, sampleTenant));
  const orgScope = stores[env].scope(orgScopeName(orgCode));
  const workspace = workspaceOnce({ ...place, tenantCode: sampleTenant, scope, orgScope });
  const values = (): WriteValues => ({
    event: { type: `${entity_name}.${op}`, timestamp: timestamp(item.at), depth: 1, path: '' },
    ...{ record, before, user, tenant: { code: sampleTenant }, input: {}, env, now: item.at },
  });
  if (event.judge(entity, record as RecordData, { values, effort: { steps: 0 } }) !== 'met') return { ran: false };
  const delivery: Delivery = { item, record, before, event: name, content, config, orgCode, workspace };
  const asked = { keys: visits.keysOf(place, name), email: user.email };
  const { state, status, ms, answer } = await testAt(destinations, delivery, asked);
  return { ran: true, delivery: { state, status, ms, answer } };
}
