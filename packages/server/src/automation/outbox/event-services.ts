/** The events of an org, as builders ask for them: their states, their deliveries, and a sample of one. */
import type { deliveriesApi } from '@freehold/contract/management/deliveries';
import type { BodyOf, QueryOf, ReplyOf } from '@freehold/contract/route';
import { itemsOfKind } from '../../config/port.ts';
import { compareBytes } from '../../lib/byte-order.ts';
import { timestamp } from '../../lib/clock.ts';
import { type CallRules, whyNeverCalled } from '../../lib/network/guarded-request.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import type { RecordData } from '../../records/port.ts';
import type { Scope } from '../../store/port.ts';
import { workspacesPartition, workspaceTable } from '../../tenancy/port.ts';
import { type OrgPlace, orgScope, type SharedDeps, workspaceScope } from '../automation-deps.ts';
import { type Delivery, type Destinations, testAt } from '../destinations/destinations.ts';
import type { LiveEvents, WriteValues } from '../events/live-events.ts';
import type { EventContent } from '../kinds/event.ts';
import { workspaceOnce } from '../suspensions.ts';
import {
  countRedelivered,
  type DeliveriesDeps,
  type DeliveryQuery,
  listDeliveries,
  listOfEvent,
  type Receipt,
  type RedeliverCommand,
  type RedeliveryFilter,
  readDelivery,
  readReceipts,
  redeliver,
  redeliverMany,
  writtenAt,
} from './deliveries.ts';
import type { DeliveryPasses } from './delivery-passes.ts';
import type { Circuit } from './endpoints.ts';
import { type EventSecretCommand, makeSecret, showSecret } from './event-secrets.ts';
import { type OutboxItem, outboxes, queueMark, readQueueMark, retryingItems, retryMark } from './outbox.ts';
import { eventPauses, type Pauses, pausesMax } from './pauses.ts';

export type EventServices = ReturnType<typeof eventServices>;

interface EventServicesDeps extends DeliveriesDeps, EventStatesDeps, Pick<SharedDeps, 'clock' | 'newId'> {
  readonly deliveryPasses: EventStatesDeps['deliveryPasses'] & Pick<DeliveryPasses, 'keysOf'>;
  readonly destinations: Destinations;
  readonly pauses: Pauses;
  readonly signingRoot: Buffer;
}

export function eventServices(deps: EventServicesDeps) {
  const { configs, live, signingRoot: root, newId } = deps;
  const assertLive = async ({ env, orgCode }: OrgPlace, event: string): Promise<void> => {
    const set = await configs[env].refresh(orgCode);
    if ((await live.named(set, { env, orgCode }, event)) === undefined) throw notFound();
  };
  return {
    listEvents: (args: Parameters<typeof listEvents>[1]) => listEvents(deps, args),
    list: (query: DeliveryQuery) => listDeliveries(deps, query),
    read: (place: OrgPlace, id: string) => readDelivery(deps, place, id),
    redeliver: (command: RedeliverCommand, id: string) => redeliver(deps, command, id),
    redeliverMany: (command: RedeliverCommand, filter: RedeliveryFilter) => redeliverMany(deps, command, filter),
    countRedelivered: (place: OrgPlace, filter: RedeliveryFilter) => countRedelivered(deps, place, filter),
    test: (by: Tester, name: string, sample: BodyOf<typeof deliveriesApi.testEvent>) =>
      testEvent(deps, by, name, sample),
    /** @throws Problem `not_found` where no such event is live. */
    showSecret: async (place: OrgPlace, event: string) => {
      await assertLive(place, event);
      return showSecret(orgScope(deps, place), event);
    },
    /** @throws Problem `not_found` where no such event is live. */
    makeSecret: async (command: EventSecretCommand) => {
      await assertLive(command, command.event);
      return makeSecret({ scope: orgScope(deps, command), root, newId }, command);
    },
    states: (args: Parameters<typeof eventStates>[1]) => eventStates(deps, args),
    pauses: deps.pauses,
  };
}

interface Tester extends OrgPlace {
  readonly user: { readonly id: string; readonly email: string };
}

/** The workspace of a sample: all that is not the record's own is that of this workspace. */
const sampleTenant = 'main';

/**
 * Delivers a sample at once, by the event as it is live, switched on or not. Within the platform a sample does nothing,
 * and a mail goes to the builder who asks.
 * @throws Problem `not_found`, or `conflict` where nothing is delivered for such an event.
 */
async function testEvent(
  deps: EventServicesDeps,
  { user, env, orgCode }: Tester,
  name: string,
  { record, before }: BodyOf<typeof deliveriesApi.testEvent>,
): Promise<ReplyOf<typeof deliveriesApi.testEvent>> {
  const { configs, live, deliveryPasses, destinations, clock, newId } = deps;
  const place = { env, orgCode };
  const config = await configs[env].refresh(orgCode);
  const event = await live.named(config, place, name);
  if (event === undefined) throw notFound();
  const { content } = event;
  const { entity_name, event_optype: op } = content;
  const entity = await config.entity(entity_name);
  if (entity === undefined || content.event_stage !== 'after')
    throw new Problem('conflict', 'nothing is delivered for events of this stage and type');
  const item: OutboxItem = {
    ...{ id: newId(), at: clock.now(), op, entity: entity_name, user: { id: user.id }, config: config.version },
    ...{ depth: 1, chain: [], attempts: 0, isTest: true },
  };
  const workspace = workspaceOnce({
    ...{ ...place, tenantCode: sampleTenant, orgScope: orgScope(deps, place) },
    scope: workspaceScope(deps, place, sampleTenant),
  });
  const values = (): WriteValues => ({
    event: { type: `${entity_name}.${op}`, timestamp: timestamp(item.at), depth: 1, path: '' },
    ...{ record, before, user, tenant: { code: sampleTenant }, input: {}, env, now: item.at },
  });
  if (event.judge(entity, record as RecordData, { values, effort: { steps: 0 } }) !== 'met') return { ran: false };
  const delivery: Delivery = { item, record, before, event: name, content, config, orgCode, workspace };
  const request = { keys: deliveryPasses.keysOf(place, name), email: user.email };
  const { state, status, ms, answer } = await testAt(destinations, delivery, request);
  return { ran: true, delivery: { state, status, ms, answer } };
}

type EventPage = ReplyOf<typeof deliveriesApi.listEvents>;
type ListedEvent = EventPage['items'][number];

const readsAtOnce = 20;

/** By name. @throws Problem `invalid_cursor`. */
async function listEvents(
  deps: EventStatesDeps,
  { env, orgCode, pagesize, nexttoken }: OrgPlace & QueryOf<typeof deliveriesApi.listEvents>,
): Promise<EventPage> {
  const { configs, live, cursors } = deps;
  const place = { env, orgCode };
  const binding = ['events', env, orgCode];
  const after = nexttoken === undefined ? undefined : cursors.open(nexttoken, binding);
  const set = await configs[env].refresh(orgCode);
  const names = itemsOfKind(set, 'event')
    .map(({ name }) => name)
    .filter((name) => after === undefined || compareBytes(name, after) > 0)
    .sort(compareBytes);
  const page = names.slice(0, pagesize);
  const last = await lastDeliveries(orgScope(deps, place), page);
  const items: ListedEvent[] = [];
  for (const name of page) {
    const event = await live.named(set, place, name);
    if (event !== undefined) items.push(listed(name, event.content, last.get(name)));
  }
  const end = page.at(-1);
  return { items, nexttoken: end === undefined || names.length === page.length ? null : cursors.seal(end, binding) };
}

/** The receipt of the latest write that has one, by event. */
async function lastDeliveries(scope: Scope, events: readonly string[]): Promise<ReadonlyMap<string, Receipt>> {
  const ids: string[] = [];
  for (let start = 0; start < events.length; start += readsAtOnce) {
    const some = events.slice(start, start + readsAtOnce);
    const found = await Promise.all(some.map((event) => scope.range(listOfEvent(event), { reverse: true, limit: 1 })));
    ids.push(...found.flat().map(({ sk }) => sk));
  }
  const rows = await readReceipts(scope, ids);
  return new Map([...rows.values()].map(({ value }) => [value.event, value]));
}

function listed(name: string, content: EventContent, last: Receipt | undefined): ListedEvent {
  const { entity_name, event_stage, event_optype, event_type, enabled, when, entry_conditions = [] } = content;
  return {
    ...{ name, entity_name, event_stage, event_optype, event_type, enabled, when },
    entry_conditions: entry_conditions.length,
    destination: shortened(content),
    last_delivery: last && {
      ...{ id: last.id, state: last.state, written_at: writtenAt(last), attempt: last.attempts.at(-1) ?? null },
    },
  };
}

/** Without what may be long, or is not for a list. */
function shortened(content: EventContent): ListedEvent['destination'] {
  switch (content.event_type) {
    case 'webhook':
      return { url: content.destination_config.url };
    case 'mail':
      return { to: content.destination_config.to };
    case 'record': {
      const { entity, action } = content.destination_config;
      return { entity, action };
    }
    case 'logicblock':
    case 'crew':
      return content.destination_config;
  }
}

export interface EventStatesDeps extends Pick<SharedDeps, 'stores' | 'configs' | 'cursors'> {
  readonly live: LiveEvents;
  readonly deliveryPasses: { circuitOf(place: OrgPlace, event: string): Circuit | undefined };
  readonly rules: CallRules;
}

const workspacesPerPage = 200;
const workspacesAtOnce = 20;
/** A page ends after the workspaces in which it has counted so many outboxes. */
const countsPerPage = 500;
const waitingMax = 1000;

/** The events after writes of an org, and how many deliveries wait in a page of its workspaces. @throws Problem `invalid_cursor`. */
export async function eventStates(
  deps: EventStatesDeps,
  { env, orgCode, nexttoken }: OrgPlace & { readonly nexttoken: string | undefined },
): Promise<ReplyOf<typeof deliveriesApi.listEventStates>> {
  const place = { env, orgCode };
  const binding = ['event-states', env, orgCode];
  const after = nexttoken === undefined ? undefined : deps.cursors.open(nexttoken, binding);
  const paused = await eventPauses.range(orgScope(deps, place), eventPauses.key('').pk, { limit: pausesMax });
  const pauses = new Map(paused.map(({ sk, value }) => [sk, value]));
  const events = await afterEvents(deps, place);
  const names = new Set([...events.keys(), ...pauses.keys()]);
  const { waiting, next } = await waitingIn(deps, place, after);
  const items = [...names].sort(compareBytes).map((name) => {
    const circuit = deps.deliveryPasses.circuitOf(place, name);
    const content = events.get(name);
    const never = content === undefined ? undefined : undeliverable(content, deps.rules);
    return {
      ...{ name, paused: pauses.get(name), waiting: Math.min(waiting.get(name) ?? 0, waitingMax) },
      circuit: circuit && {
        failures: circuit.failures,
        open_until: circuit.openUntil === 0 ? null : timestamp(circuit.openUntil),
      },
      undeliverable: never,
    };
  });
  return { items, nexttoken: next === undefined ? null : deps.cursors.seal(next, binding) };
}

/** Why all that an event sends is given up; undefined where it may arrive. */
function undeliverable(content: EventContent, rules: CallRules): string | undefined {
  if (content.event_type !== 'webhook' || !content.enabled) return undefined;
  return whyNeverCalled(content.destination_config.url, rules);
}

/** By name. */
async function afterEvents(
  { configs, live }: EventStatesDeps,
  place: OrgPlace,
): Promise<ReadonlyMap<string, EventContent>> {
  const set = await configs[place.env].refresh(place.orgCode);
  const events = new Map<string, EventContent>();
  for (const { name } of itemsOfKind(set, 'event')) {
    const event = await live.named(set, place, name);
    if (event?.content.event_stage === 'after') events.set(name, event.content);
  }
  return events;
}

/**
 * The number of deliveries of each event that wait in a page of the workspaces. `next` is the last workspace that was
 * looked at, if there are others behind it.
 */
async function waitingIn(deps: EventStatesDeps, place: OrgPlace, after: string | undefined) {
  const rows = await workspaceTable.range(orgScope(deps, place), workspacesPartition, {
    ...(after === undefined ? {} : { after }),
    limit: workspacesPerPage + 1,
  });
  const page = rows.slice(0, workspacesPerPage);
  const waiting = new Map<string, number>();
  let counts = 0;
  for (let start = 0; start < page.length; start += workspacesAtOnce) {
    const some = page.slice(start, start + workspacesAtOnce);
    const ready = some.filter(({ value }) => value.state === 'ready');
    const counted = await Promise.all(ready.map(({ sk }) => countWaiting(workspaceScope(deps, place, sk))));
    const found = counted.flat();
    for (const [event, count] of found) waiting.set(event, (waiting.get(event) ?? 0) + count);
    counts += found.length;
    if (counts >= countsPerPage && start + some.length < rows.length) return { waiting, next: some.at(-1)?.sk };
  }
  return { waiting, next: rows.length > page.length ? page.at(-1)?.sk : undefined };
}

/** By the marks of what is due: most workspaces have none. */
async function countWaiting(scope: Scope): Promise<readonly (readonly [string, number])[]> {
  const counts: [string, number][] = [];
  for await (const event of markedEvents(scope, queueMark('')))
    counts.push([event, await scope.count(outboxes.key({ event, sk: '' }).pk, {}, waitingMax)]);
  for await (const event of markedEvents(scope, retryPrefix))
    counts.push([event, await scope.count(retryingItems.key({ event, sk: '' }).pk, {}, waitingMax)]);
  return counts;
}

/** Without the record. */
const retryPrefix = { ...retryMark('', ''), sk: retryMark('', '').sk.slice(0, -1) };
/** The character after the semicolon that ends the name of an event. */
const behindEvent = '<';

/** Each event once, however many of its records have a mark. */
async function* markedEvents(
  scope: Scope,
  { pk, sk: prefix }: { readonly pk: string; readonly sk: string },
): AsyncGenerator<string> {
  const end = prefix.slice(0, -1) + behindEvent;
  for (let after = prefix; ; ) {
    const [mark] = await scope.range(pk, { after, before: end, limit: 1 });
    if (mark === undefined) return;
    const { event, recordId } = readQueueMark(mark.sk);
    yield event;
    after = recordId === undefined ? mark.sk : `${prefix}${event}${behindEvent}`;
  }
}
