import type { ConfigReader } from '../config/port.ts';
import type { Clock } from '../lib/clock.ts';
import type { IdSource } from '../lib/ids.ts';
import { type CallRules, createGuardedRequest } from '../lib/network/guarded-request.ts';
import type { BeforeEvents, Cursors, RecordEvents } from '../records/port.ts';
import type { Scope, Store } from '../store/port.ts';
import { type Environment, orgScopeName } from '../tenancy/port.ts';
import { createBeforeEvents } from './before/before-events.ts';
import { createLiveEvents } from './config/live-events.ts';
import { createDestinations } from './destinations/registry.ts';
import type { DueHandler } from './due.ts';
import { type Announce, deadAlerts } from './outbox/dead-alerts.ts';
import { type EventServices, eventServices } from './outbox/event-services.ts';
import { LaneVisits } from './outbox/lane-visits.ts';
import { laneJobs } from './outbox/outbox-rows.ts';
import { createPauses } from './outbox/pauses.ts';
import { createRecordEvents, KnownLanes } from './outbox/record-events.ts';

export interface EventsDeps {
  readonly stores: Readonly<Record<Environment, Store>>;
  /** The scope of the platform itself. */
  readonly platform: Scope;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly clock: Clock;
  readonly newId: IdSource;
  readonly cursors: Cursors;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Names this process to others that work on the same stores. */
  readonly node: string;
  /** What the secrets of events are derived from. */
  readonly signingRoot: Buffer;
  /** Which addresses events may call. */
  readonly rules: CallRules;
  readonly announce: Announce;
  /** Has what is due looked for now. */
  readonly wake: () => void;
  /** The same at a time, in milliseconds since the epoch. */
  readonly wakeAt: (at: number) => void;
}

export interface OpenedEvents {
  /** What the runtime of records asks at each write. */
  readonly recordEvents: RecordEvents;
  /** What it asks before each write. */
  readonly beforeEvents: BeforeEvents;
  readonly services: EventServices;
  /** What is done with what is due of events. */
  readonly handlers: ReadonlyMap<string, DueHandler>;
  /** Cuts off what is being sent: it is sent at the next start. */
  cutOff(): void;
}

/** Events: what runs before writes, what they leave in the commits of writes, and how that is delivered. */
export function openEvents(deps: EventsDeps): OpenedEvents {
  const { stores, clock, wake } = deps;
  const closing = new AbortController();
  const now = (): number => clock.now();
  const destinations = createDestinations({ request: createGuardedRequest(deps.rules), now, closing: closing.signal });
  const live = createLiveEvents(stores, (type) => destinations.has(type));
  const lanes = new KnownLanes();
  const tellDead = deadAlerts({ ...deps, now });
  const pauses = createPauses({ ...deps, live });
  const visits = new LaneVisits({ ...deps, live, lanes, destinations, tellDead, pauses, closing: closing.signal });
  const visit = visits.visit.bind(visits);
  return {
    recordEvents: createRecordEvents({ ...deps, live, lanes, wake }),
    beforeEvents: createBeforeEvents({ ...deps, live }),
    services: eventServices({
      ...{ ...deps, live, visits, destinations, pauses },
      orgScope: (env, orgCode) => stores[env].scope(orgScopeName(orgCode)),
    }),
    handlers: new Map([
      [laneJobs.lane, visit],
      [laneJobs.retry, visit],
    ]),
    cutOff: () => closing.abort(),
  };
}
