/** Delivers what lies in outboxes: each write at least once, those of one record in their order. */
import type { ConfigReader, ConfigSet } from '../../config/port.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Change, Scope, Store } from '../../store/port.ts';
import { ignoreConflict } from '../../store/transact.ts';
import { type Environment, orgScopeName, type Workspace } from '../../tenancy/port.ts';
import { Lease, LeaseLost } from '../../work/lease.ts';
import type { DueWork } from '../../work/visits.ts';
import { askedAt } from '../../work/work-queue.ts';
import type { LiveEvent } from '../config/event-forms.ts';
import { isDelivered, type LiveEvents, type OrgPlace } from '../config/live-events.ts';
import type { Delivery, SigningKeys } from '../destinations/destination.ts';
import { type Destinations, deliverTo } from '../destinations/registry.ts';
import { workspaceOnce } from '../ready-workspace.ts';
import type { RetentionOf } from '../retention.ts';
import type { Suspensions } from '../suspensions.ts';
import type { WorkMeter } from '../work-meter.ts';
import type { Circuit } from './circuit.ts';
import { Endpoints } from './endpoints.ts';
import { signingKeys } from './event-secrets.ts';
import {
  endVisit,
  type Lane,
  type Line,
  laneKey,
  moveDue,
  readLines,
  sweepPage,
  takeLane,
  type Waiting,
} from './lane.ts';
import { dueLane, laneJobs, laneLeases, laneMark } from './outbox-rows.ts';
import type { Pauses } from './pauses.ts';
import { readReceipts, receiptChanges, receiptOf } from './receipts.ts';
import type { KnownLanes } from './record-events.ts';
import {
  afterAttempt,
  attemptsOf,
  followedIn,
  isExpired,
  laneChanges,
  refusalOf,
  type Settled,
  type SettledLine,
  toldOf,
} from './settle.ts';

export interface LaneDeps {
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly live: LiveEvents;
  readonly lanes: KnownLanes;
  readonly destinations: Destinations;
  /** What secrets are derived from. */
  readonly signingRoot: Buffer;
  readonly meter: WorkMeter;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Names this process to others that work on the same store; the same after a start, where there can be no others. */
  readonly node: string;
  /** Tells the org that deliveries of an event have come to their end without arriving. */
  readonly tellDead: (place: OrgPlace, event: string, count: number) => Promise<void>;
  readonly pauses: Pick<Pauses, 'isPaused'>;
  readonly suspensions: Suspensions;
  readonly retentionOf: RetentionOf;
  readonly wakeAt: (at: number) => void;
  readonly closing: AbortSignal;
}

/** After so much it is the turn of others. */
const visitMilliseconds = 10_000;
const visitItemsMax = 512;
const sweptPerPause = 256;
/** When a lane whose event is paused is looked at again. */
const pausedMilliseconds = 60_000;
const fullMilliseconds = 3600 * 1000;
const gone = 'the event is gone, or switched off';
const expired = 'it did not arrive within 24 hours';

/** An event as it is live in a configuration, and what signs the deliveries of a page. */
interface LiveIn {
  readonly event: LiveEvent;
  readonly keys: SigningKeys;
  readonly config: ConfigSet;
}

/** What a visit holds. */
interface Visit {
  readonly lane: Lane;
  readonly workspace: () => Promise<Workspace | undefined>;
  readonly lease: Lease;
  readonly heads: Set<string>;
  /** Records that it has put off. */
  readonly retried: Set<string>;
  /** The version of the outbox's mark when a visit that was asked for began. */
  readonly askedBy: number | undefined;
  readonly endsAt: number;
  itemsLeft: number;
}

export class LaneVisits {
  readonly #deps: LaneDeps;
  /** By lane that is being visited: records whose held items have come due. */
  readonly #heads = new Map<string, Set<string>>();
  readonly #endpoints: Endpoints;
  /** Where the look for what has waited too long goes on. */
  readonly #swept = new BoundedMap<string, string>(10_000);

  constructor(deps: LaneDeps) {
    this.#deps = deps;
    this.#endpoints = new Endpoints(deps.clock, deps.random);
  }

  /** Delivers what is due in a lane, until nothing is left or it is the turn of others. */
  async visit({ env, orgCode, tenantCode, scope, item }: DueWork): Promise<void> {
    if (tenantCode === undefined) return;
    const { event, recordId } = dueLane(item.sk);
    const job = recordId === undefined ? laneJobs.lane : laneJobs.retry;
    const orgScope = this.#deps.stores[env].scope(orgScopeName(orgCode));
    const lane: Lane = { env, orgCode, tenantCode, scope, orgScope, event };
    const restsUntil = await this.#restsUntil(lane);
    if (restsUntil !== undefined) return putOff(scope, moveDue(item, job, restsUntil));
    const isAsked = item.due?.at === askedAt;
    const key = laneKey(lane);
    const known = this.#heads.get(key);
    if (recordId !== undefined) known?.add(recordId);
    if (known !== undefined) return;
    const heads = new Set(recordId === undefined ? [] : [recordId]);
    this.#heads.set(key, heads);
    try {
      const askedBy = isAsked ? await this.#lookAnew(lane) : undefined;
      const pausedUntil = this.#endpoints.pausedUntil(lane);
      // Of many held records none has the endpoint tried: the mark of the lane does.
      if (recordId !== undefined && pausedUntil !== undefined)
        return await putOff(scope, moveDue(item, job, this.#afterPause(pausedUntil)));
      const { clock, node } = this.#deps;
      const lease = await takeLane(lane, node, clock);
      if (lease instanceof Lease) await this.#begin(lane, lease, heads, askedBy);
      // The node that has it looks whether a builder has asked meanwhile, and leaves it to the next visit.
      else if (!isAsked) await putOff(scope, moveDue(item, job, lease.heldUntil));
    } finally {
      this.#heads.delete(key);
    }
  }

  async #begin(lane: Lane, lease: Lease, heads: Set<string>, askedBy: number | undefined): Promise<void> {
    const endsAt = this.#deps.clock.now() + visitMilliseconds;
    const outbox = { lane, workspace: workspaceOnce(lane), lease, heads, retried: new Set<string>(), askedBy };
    try {
      await this.#deliverAll({ ...outbox, endsAt, itemsLeft: visitItemsMax });
    } catch (error) {
      if (error instanceof LeaseLost) return;
      await lease.end(laneLeases.remove(lane.event, lease.condition)).catch(() => undefined);
      throw error;
    }
  }

  async #deliverAll(visit: Visit): Promise<void> {
    const { lane, heads } = visit;
    const { clock, closing } = this.#deps;
    for (;;) {
      const restsUntil = await this.#restsUntil(lane);
      // The next visit puts it off, unless that has ended by then.
      if (restsUntil !== undefined) return void (await this.#leave(visit, clock.now()));
      const pausedUntil = this.#endpoints.pausedUntil(lane);
      if (pausedUntil !== undefined) return this.#pause(visit, pausedUntil);
      const fullUntil = await this.#deps.meter.fullUntil(lane.orgCode, 'deliveries');
      // The plan may be another one before the day is over.
      if (fullUntil !== undefined) return this.#pause(visit, Math.min(fullUntil, clock.now() + fullMilliseconds));
      const due = new Set(heads);
      const lines = await readLines(lane, due);
      for (const id of due) heads.delete(id);
      if (lines.length === 0) {
        if (await this.#leave(visit, undefined)) return;
        continue;
      }
      const done = await this.#attemptAll(visit, lines);
      await this.#write(visit, done);
      if (closing.aborted || clock.now() >= visit.endsAt || visit.itemsLeft <= 0) {
        await this.#leave(visit, clock.now());
        return;
      }
    }
  }

  /**
   * By the newest configuration, and with a call that finds out whether an endpoint that is left alone answers again.
   * @returns the version of the outbox's mark before; an ask that comes later is for another visit.
   */
  async #lookAnew(lane: Lane): Promise<number | undefined> {
    const [mark] = await lane.scope.get([laneMark(lane.event)]);
    await this.#deps.configs[lane.env].refresh(lane.orgCode);
    this.#endpoints.tryAgain(lane);
    return mark?.version;
  }

  /** Not all at once. */
  #afterPause(until: number): number {
    return until + Math.round(this.#deps.random() * 1000);
  }

  /** Leaves the lane until its endpoint is tried again. What has waited too long meanwhile is given up. */
  async #pause(visit: Visit, until: number): Promise<void> {
    const { lane, lease } = visit;
    const now = this.#deps.clock.now();
    const lines = await this.#expiredLines(lane, now);
    const done = lines.map((line): SettledLine => {
      const settled = line.waiting.map((waiting): Settled => ({ waiting, state: 'dead', reason: expired }));
      return { line, settled };
    });
    if (done.length > 0) {
      await this.#note(lane, done, now);
      await lease.commit(laneChanges(lane.event, done, now));
    }
    await this.#leave(visit, this.#afterPause(until));
  }

  /** Ends the visit; the lane is visited again at a time, or holds nothing any more. False where it does, and the visit goes on. */
  async #leave({ lane, lease, heads, retried, askedBy }: Visit, at: number | undefined): Promise<boolean> {
    const { lanes, wakeAt } = this.#deps;
    const next = await endVisit({ lane, lease, at, unsent: heads, retried, askedBy });
    if (next === 'filled') return false;
    if (next === undefined) lanes.forget(lane);
    else wakeAt(next);
    return true;
  }

  /** Until when a lane is not looked at because a builder has paused the event or suspended the workspace; undefined otherwise. */
  async #restsUntil(lane: Lane): Promise<number | undefined> {
    const { pauses, suspensions, clock } = this.#deps;
    const isPaused = await pauses.isPaused(lane, lane.event);
    return isPaused ? clock.now() + pausedMilliseconds : suspensions.restsUntil(lane);
  }

  /** How an endpoint has answered lately; undefined where it answered well. */
  circuitOf(place: OrgPlace, event: string): Circuit | undefined {
    return this.#endpoints.circuitOf({ ...place, event });
  }

  /** A part of what waits at an endpoint that does not answer, each time another one. */
  async #expiredLines(lane: Lane, now: number): Promise<readonly Line[]> {
    const key = laneKey(lane);
    const after = this.#swept.get(key);
    const page = await sweepPage(lane, after, sweptPerPause);
    if (page.next === undefined) this.#swept.delete(key);
    else this.#swept.set(key, page.next);
    return page.lines.filter(({ waiting }) => waiting.every(({ item }) => isExpired(item, now)));
  }

  /** One attempt for the first of each line, and for those behind it as long as they arrive; as many at once as the endpoint takes. */
  async #attemptAll(visit: Visit, lines: readonly Line[]): Promise<readonly SettledLine[]> {
    const { lane } = visit;
    const live = await this.#liveEvent(lane, lines);
    const done: SettledLine[] = [];
    const queue = lines.values();
    const work = async (): Promise<void> => {
      for (const line of queue) {
        const settled = await this.#attemptLine(visit, line, live);
        done.push({ line, settled });
      }
    };
    await this.#endpoints.withCalls(lane, (calls) =>
      Promise.all(Array.from({ length: Math.min(calls, lines.length) }, work)),
    );
    return done;
  }

  /** By the newest configuration that any of the writes knew, or a newer one. */
  async #liveEvent(lane: Lane, lines: readonly Line[]): Promise<LiveIn | undefined> {
    const { configs, live } = this.#deps;
    const needed = Math.max(0, ...lines.flatMap(({ waiting }) => waiting.map(({ item }) => item.config)));
    const current = await configs[lane.env].current(lane.orgCode);
    const config = current.version >= needed ? current : await configs[lane.env].refresh(lane.orgCode);
    const event = await live.named(config, lane, lane.event);
    if (event === undefined || !event.content.enabled || event.content.event_stage !== 'after') return undefined;
    return isDelivered(event.content) ? { event, config, keys: this.keysOf(lane, event.name) } : undefined;
  }

  async #attemptLine(visit: Visit, line: Line, live: LiveIn | undefined): Promise<readonly Settled[]> {
    if (line.isBehind) return line.waiting.map((waiting) => ({ waiting, state: 'behind' }));
    const settled: Settled[] = [];
    for (const [index, waiting] of line.waiting.entries()) {
      if (this.#isToStop(visit)) return settled;
      visit.itemsLeft -= 1;
      const one = await this.#attempt(visit, waiting, live);
      if (one === undefined) return settled;
      settled.push(one);
      if (one.state !== 'retrying') continue;
      const behind = line.waiting.slice(index + 1).map((next): Settled => ({ waiting: next, state: 'behind' }));
      return [...settled, ...behind];
    }
    return settled;
  }

  #isToStop({ lane, endsAt }: Visit): boolean {
    const { clock, closing } = this.#deps;
    if (closing.aborted || clock.now() >= endsAt) return true;
    return this.#endpoints.callsAtOnce(lane) === 0;
  }

  /** Undefined where this process has cut the call off. */
  async #attempt({ lane, workspace }: Visit, waiting: Waiting, live: LiveIn | undefined): Promise<Settled | undefined> {
    const { clock, random, closing, meter } = this.#deps;
    const refusal = live === undefined ? gone : refusalOf(waiting.item, lane.event);
    if (live === undefined || refusal !== undefined) return { waiting, state: 'dead', reason: refusal ?? gone };
    const told = await toldOf(lane, waiting);
    if (told === undefined) return { waiting, state: 'dead', reason: 'what it tells is not kept any more' };
    const { event, config, keys } = live;
    const delivery: Delivery = {
      ...told,
      event: event.name,
      content: event.content,
      config,
      orgCode: lane.orgCode,
      workspace,
    };
    const at = clock.now();
    const outcome = await deliverTo(this.#deps.destinations, delivery, keys);
    meter.add(lane, 'deliveries', 1);
    if (outcome.state !== 'delivered' && closing.aborted) return undefined;
    this.#endpoints.note(lane, outcome);
    return afterAttempt(waiting, { ...outcome, at }, clock.now(), random());
  }

  /** What signs for an event, read when it is first asked for, and once. */
  keysOf(place: OrgPlace, event: string): SigningKeys {
    const { signingRoot, stores, clock } = this.#deps;
    const scope = stores[place.env].scope(orgScopeName(place.orgCode));
    let keys: ReturnType<SigningKeys> | undefined;
    return () => {
      keys ??= signingKeys(signingRoot, { ...place, scope, now: clock.now() }, event);
      return keys;
    };
  }

  /** Receipts first: after a crash between the commits something is sent once more, and nothing is without a receipt. */
  async #write({ lane, lease, heads, retried }: Visit, done: readonly SettledLine[]): Promise<void> {
    const { clock, wakeAt } = this.#deps;
    const now = clock.now();
    await this.#note(lane, done, now);
    await lease.commit(laneChanges(lane.event, done, now));
    const followed = followedIn(done);
    for (const { line, settled } of done) {
      const { recordId, head } = line;
      const isOver = settled.some(({ state }) => state === 'delivered' || state === 'dead');
      if (head !== undefined && isOver && (head.hasNext || followed.has(recordId))) heads.add(recordId);
      if (isOver) retried.delete(recordId);
      for (const one of settled) {
        if (one.state !== 'retrying') continue;
        retried.add(recordId);
        wakeAt(one.nextAt);
      }
    }
  }

  async #note(lane: Lane, done: readonly SettledLine[], now: number): Promise<void> {
    const attempts = attemptsOf(lane, done);
    if (attempts.length === 0) return;
    const { orgScope, event } = lane;
    const earlier = attempts
      .filter(({ item }) => item.attempts > 0 || item.from !== undefined)
      .map(({ item }) => item.id);
    const known = await readReceipts(orgScope, earlier);
    const { receipts: kept } = await this.#deps.retentionOf(lane.orgCode);
    const changes = attempts.flatMap((attempted) => {
      const before = known.get(attempted.item.id);
      return receiptChanges(receiptOf(attempted, before?.value, now), before, { now, kept });
    });
    await orgScope.commit(changes, { priority: 'background' });
    const dead = attempts.filter(({ state }) => state === 'dead').length;
    if (dead > 0) await this.#deps.tellDead(lane, event, dead);
  }
}

/** What was moved meanwhile stays where it was put. */
async function putOff(scope: Scope, moved: Change): Promise<void> {
  await scope.commit([moved], { priority: 'background' }).catch(ignoreConflict);
}
