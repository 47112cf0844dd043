import type { deliveriesApi } from '@freehold/contract/management/deliveries';
import type { BodyOf, ReplyOf } from '@freehold/contract/route';
import type { IdSource } from '../../lib/ids.ts';
import { notFound } from '../../lib/problem.ts';
import type { Scope } from '../../store/port.ts';
import type { Environment } from '../../tenancy/port.ts';
import type { OrgPlace } from '../config/live-events.ts';
import {
  type AskedDeliveries,
  countRedelivered,
  type DeliveriesDeps,
  listDeliveries,
  type RedeliverCommand,
  readDelivery,
  redeliver,
  redeliverMany,
} from './deliveries.ts';
import { type AskedEvents, listEvents } from './event-list.ts';
import { makeSecret, type SecretCommand, showSecret } from './event-secrets.ts';
import { type EventStatesDeps, eventStates } from './event-states.ts';
import type { Pauses } from './pauses.ts';
import { type TestEventDeps, type Tester, testEvent } from './test-event.ts';

/** What builders ask about events. */
export interface EventServices {
  /** @throws Problem `invalid_cursor`. */
  listEvents(asked: AskedEvents): Promise<ReplyOf<typeof deliveriesApi.listEvents>>;
  list(asked: AskedDeliveries): Promise<ReplyOf<typeof deliveriesApi.listDeliveries>>;
  /** @throws Problem `not_found`. */
  read(place: OrgPlace, id: string): Promise<ReplyOf<typeof deliveriesApi.readDelivery>>;
  redeliver(command: RedeliverCommand, id: string): Promise<ReplyOf<typeof deliveriesApi.redeliver>>;
  redeliverMany(
    command: RedeliverCommand,
    body: BodyOf<typeof deliveriesApi.redeliverMany>,
  ): Promise<ReplyOf<typeof deliveriesApi.redeliverMany>>;
  /** How many that would be. */
  countRedelivered(
    place: OrgPlace,
    body: BodyOf<typeof deliveriesApi.redeliverMany>,
  ): Promise<ReplyOf<typeof deliveriesApi.redeliverMany>>;
  test(
    by: Tester,
    name: string,
    body: BodyOf<typeof deliveriesApi.testEvent>,
  ): Promise<ReplyOf<typeof deliveriesApi.testEvent>>;
  /** @throws Problem `not_found` where no such event is live. */
  showSecret(place: OrgPlace, event: string): Promise<ReplyOf<typeof deliveriesApi.showEventSecret>>;
  /** @throws Problem `not_found` where no such event is live. */
  makeSecret(command: SecretCommand): Promise<ReplyOf<typeof deliveriesApi.makeEventSecret>>;
  /** @throws Problem `invalid_cursor`. */
  states(
    asked: OrgPlace & { readonly nexttoken: string | undefined },
  ): Promise<ReplyOf<typeof deliveriesApi.listEventStates>>;
  readonly pauses: Pick<Pauses, 'pause' | 'resume'>;
}

export interface EventServicesDeps
  extends DeliveriesDeps,
    Omit<TestEventDeps, 'visits'>,
    Omit<EventStatesDeps, 'visits'> {
  readonly visits: TestEventDeps['visits'] & EventStatesDeps['visits'];
  readonly pauses: Pauses;
  readonly newId: IdSource;
  readonly signingRoot: Buffer;
  readonly orgScope: (env: Environment, orgCode: string) => Scope;
}

export function eventServices(deps: EventServicesDeps): EventServices {
  const { configs, live, orgScope, signingRoot: root, newId } = deps;
  const assertLive = async ({ env, orgCode }: OrgPlace, event: string): Promise<void> => {
    const set = await configs[env].refresh(orgCode);
    if ((await live.named(set, { env, orgCode }, event)) === undefined) throw notFound();
  };
  return {
    listEvents: (asked) => listEvents(deps, asked),
    list: (asked) => listDeliveries(deps, asked),
    read: (place, id) => readDelivery(deps, place, id),
    redeliver: (command, id) => redeliver(deps, command, id),
    redeliverMany: (command, body) => redeliverMany(deps, command, body),
    countRedelivered: (place, body) => countRedelivered(deps, place, body),
    test: (by, name, body) => testEvent(deps, by, name, body),
    showSecret: async (place, event) => {
      await assertLive(place, event);
      return showSecret(orgScope(place.env, place.orgCode), event);
    },
    makeSecret: async (command) => {
      await assertLive(command, command.event);
      return makeSecret({ scope: orgScope(command.env, command.orgCode), root, newId }, command);
    },
    states: (asked) => eventStates(deps, asked),
    pauses: deps.pauses,
  };
}
