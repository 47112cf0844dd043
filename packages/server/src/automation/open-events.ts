import type { ConfigReader } from '../config/port.ts';
import type { Clock } from '../lib/clock.ts';
import type { IdSource } from '../lib/ids.ts';
import { type CallRules, createGuardedRequest } from '../lib/network/guarded-request.ts';
import type { BeforeEvents, Cursors, RecordEvents } from '../records/port.ts';
import type { Store } from '../store/port.ts';
import { type Environment, orgScopeName } from '../tenancy/port.ts';
import type { DueJob } from '../work/visits.ts';
import type { Tell } from './alerts.ts';
import { createBeforeEvents } from './before/before-events.ts';
import type { StoredBlocks } from './blocks/stored-blocks.ts';
import { type ChainHeader, createChainHeader } from './chain-header.ts';
import { createLiveEvents, type LiveEvents } from './config/live-events.ts';
import { createDestinations } from './destinations/registry.ts';
import { type BringForward, createBringForward } from './outbox/bring-forward.ts';
import { type EventServices, eventServices } from './outbox/event-services.ts';
import { type LaneDeps, LaneVisits } from './outbox/lane-visits.ts';
import { laneJobs } from './outbox/outbox-rows.ts';
import { createPauses, type PausesDeps } from './outbox/pauses.ts';
import { createRecordEvents, KnownLanes } from './outbox/record-events.ts';
import { createWorkspaceResumed, type WorkspaceResumed } from './resumed-workspace.ts';
import type { RetentionOf } from './retention.ts';
import { createSuspensions, type Suspensions } from './suspensions.ts';
import type { WorkMeter } from './work-meter.ts';
import type { AutomationWork } from './work-port.ts';

export interface EventsDeps extends Pick<PausesDeps, 'changesOf'> {
  readonly stores: Readonly<Record<Environment, Store>>;
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
  /** Signs how many writes came of one another, where that leaves the platform. */
  readonly chainKey: Buffer;
  readonly work: () => AutomationWork;
  readonly onError: (error: unknown) => void;
  /** Which addresses events may call. */
  readonly rules: CallRules;
  /** Of events and automation together, so that each is compiled once. */
  readonly blocks: StoredBlocks;
  readonly meter: WorkMeter;
  readonly retentionOf: RetentionOf;
  readonly tell: Tell;
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
  readonly live: LiveEvents;
  readonly chain: ChainHeader;
  readonly suspensions: Suspensions;
  /** What waits for events that have changed is delivered by what they are now. */
  readonly bringForward: BringForward;
  /** What waited in a workspace that is suspended no more goes on. */
  readonly workspaceResumed: WorkspaceResumed;
  /** What is done with what is due of events. */
  readonly jobs: readonly DueJob[];
  /** Cuts off what is being sent: it is sent at the next start. */
  cutOff(): void;
}

/** Events: what runs before writes, what they leave in the commits of writes, and how that is delivered. */
export function openEvents(deps: EventsDeps): OpenedEvents {
  const { stores, clock, wake } = deps;
  const closing = new AbortController();
  const now = (): number => clock.now();
  const chain = createChainHeader(deps.chainKey);
  const request = createGuardedRequest(deps.rules);
  const destinations = createDestinations({ ...deps, request, now, chain, closing: closing.signal });
  const live = createLiveEvents(stores);
  const lanes = new KnownLanes();
  const tellDead: LaneDeps['tellDead'] = (place, name, count) => deps.tell(place, { kind: 'event', name }, count);
  const bringForward = createBringForward(deps);
  const pauses = createPauses({ ...deps, live, bringForward });
  const suspensions = createSuspensions(deps);
  const visits = new LaneVisits({
    ...{ ...deps, live, lanes, destinations, tellDead, pauses, suspensions },
    closing: closing.signal,
  });
  const visit = visits.visit.bind(visits);
  return {
    ...{ chain, live, suspensions, bringForward, workspaceResumed: createWorkspaceResumed(deps) },
    recordEvents: createRecordEvents({ ...deps, live, lanes, wake }),
    beforeEvents: createBeforeEvents({ ...deps, live }),
    services: eventServices({
      ...{ ...deps, live, visits, destinations, pauses },
      orgScope: (env, orgCode) => stores[env].scope(orgScopeName(orgCode)),
    }),
    jobs: Object.values(laneJobs).map((name) => ({ name, run: visit, isDelivery: true as const })),
    cutOff: () => closing.abort(),
  };
}
