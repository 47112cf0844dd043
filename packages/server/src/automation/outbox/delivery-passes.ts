/** Delivers what lies in outboxes: each write at least once, those of one record in their order. */
import type { ConfigSet } from '../../config/port.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Change, Scope } from '../../store/port.ts';
import { ignoreConflict } from '../../store/transact.ts';
import type { Workspace } from '../../tenancy/port.ts';
import type { DueWork } from '../../work/due-work.ts';
import { Lease, LeaseLost } from '../../work/lease.ts';
import { immediately } from '../../work/work-queue.ts';
import { type OrgPlace, orgScope, type SharedDeps } from '../automation-deps.ts';
import { type Delivery, type Destinations, deliverTo, type ReadSigningKeys } from '../destinations/destinations.ts';
import type { LiveEvent, LiveEvents } from '../events/live-events.ts';
import { type Suspensions, workspaceOnce } from '../suspensions.ts';
import { readReceipts, receiptChanges, receiptOf } from './deliveries.ts';
import { type Circuit, Endpoints } from './endpoints.ts';
import { signingKeys } from './event-secrets.ts';
import {
  type DeliveryQueue,
  finishPass,
  type Line,
  leaseQueue,
  moveDue,
  type OutboxPass,
  outboxJobs,
  type PendingItem,
  queueKeyText,
  queueLeases,
  queueMark,
  readLines,
  readQueueMark,
  sweepPage,
} from './outbox.ts';
import type { Pauses } from './pauses.ts';
import type { MarkedQueues } from './record-events.ts';
import {
  afterAttempt,
  deliveryOf,
  followedIn,
  isExpired,
  queueChanges,
  refusalOf,
  type SettledItem,
  type SettledLine,
} from './settle.ts';

interface DeliveryDeps extends Pick<SharedDeps, 'stores' | 'configs' | 'meter' | 'clock' | 'retentionOf' | 'notify'> {
  readonly live: LiveEvents;
  readonly markedQueues: MarkedQueues;
  readonly destinations: Destinations;
  readonly signingRoot: Buffer;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Names this process to others that work on the same store; the same after a start, where there can be no others. */
  readonly node: string;
  readonly pauses: Pick<Pauses, 'isPaused'>;
  readonly suspensions: Suspensions;
  readonly wakeAt: (at: number) => void;
  readonly closing: AbortSignal;
}

/** After so much it is the turn of others. */
const passMilliseconds = 10_000;
const passItemsMax = 512;
const sweptPerPause = 256;
/** The delay after which the queue of a paused event is checked again. */
const pausedMilliseconds = 60_000;
const fullMilliseconds = 3600 * 1000;
const gone = 'the event is gone, or switched off';
const expired = 'it did not arrive within 24 hours';

/** An event as it is live in a configuration, and what signs the deliveries of a page. */
interface LiveIn {
  readonly event: LiveEvent;
  readonly keys: ReadSigningKeys;
  readonly config: ConfigSet;
}

interface DeliveryPass extends OutboxPass {
  readonly workspace: () => Promise<Workspace | undefined>;
  readonly endsAt: number;
  itemsLeft: number;
}

export class DeliveryPasses {
  readonly #deps: DeliveryDeps;
  /** By queue with a pass under way: records whose held items are due. */
  readonly #heads = new Map<string, Set<string>>();
  readonly #endpoints: Endpoints;
  /** The position at which the sweep of expired items continues. */
  readonly #swept = new BoundedMap<string, string>(10_000);

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
    this.#endpoints = new Endpoints(deps.clock, deps.random);
  }

  /** Delivers the due items of a queue, until none is left or other queues are next. */
  async pass({ env, orgCode, tenantCode, scope, item }: DueWork): Promise<void> {
    if (tenantCode === undefined) return;
    const { event, recordId } = readQueueMark(item.sk);
    const job = recordId === undefined ? outboxJobs.queue : outboxJobs.retry;
    const queue: DeliveryQueue = {
      env,
      orgCode,
      tenantCode,
      scope,
      orgScope: orgScope(this.#deps, { env, orgCode }),
      event,
    };
    const restsUntil = await this.#restsUntil(queue);
    if (restsUntil !== undefined) return defer(scope, moveDue(item, job, restsUntil));
    const retriesNow = item.due?.at === immediately;
    const key = queueKeyText(queue);
    const known = this.#heads.get(key);
    if (recordId !== undefined) known?.add(recordId);
    if (known !== undefined) return;
    const heads = new Set(recordId === undefined ? [] : [recordId]);
    this.#heads.set(key, heads);
    try {
      const markVersion = retriesNow ? await this.#lookAnew(queue) : undefined;
      const pausedUntil = this.#endpoints.pausedUntil(queue);
      // Many held records do not each probe the endpoint: the mark of the queue does.
      if (recordId !== undefined && pausedUntil !== undefined)
        return await defer(scope, moveDue(item, job, this.#afterPause(pausedUntil)));
      const { clock, node } = this.#deps;
      const lease = await leaseQueue(queue, node, clock);
      if (lease instanceof Lease) await this.#begin(queue, lease, heads, markVersion);
      // The node that has it checks for a request of a builder meanwhile, and leaves it to the next pass.
      else if (!retriesNow) await defer(scope, moveDue(item, job, lease.heldUntil));
    } finally {
      this.#heads.delete(key);
    }
  }

  async #begin(queue: DeliveryQueue, lease: Lease, heads: Set<string>, markVersion: number | undefined): Promise<void> {
    const endsAt = this.#deps.clock.now() + passMilliseconds;
    const outbox = { queue, workspace: workspaceOnce(queue), lease, heads, retried: new Set<string>(), markVersion };
    try {
      await this.#deliverAll({ ...outbox, endsAt, itemsLeft: passItemsMax });
    } catch (error) {
      if (error instanceof LeaseLost) return;
      await lease.end(queueLeases.remove(queue.event, lease.condition)).catch(() => undefined);
      throw error;
    }
  }

  async #deliverAll(pass: DeliveryPass): Promise<void> {
    const { queue, heads } = pass;
    const { clock, closing } = this.#deps;
    for (;;) {
      const restsUntil = await this.#restsUntil(queue);
      // The next pass defers it, unless that has ended by then.
      if (restsUntil !== undefined) return void (await this.#leave(pass, clock.now()));
      const pausedUntil = this.#endpoints.pausedUntil(queue);
      if (pausedUntil !== undefined) return this.#pause(pass, pausedUntil);
      const fullUntil = await this.#deps.meter.fullUntil(queue.orgCode, 'deliveries');
      // The plan may be another one before the day is over.
      if (fullUntil !== undefined) return this.#pause(pass, Math.min(fullUntil, clock.now() + fullMilliseconds));
      const due = new Set(heads);
      const lines = await readLines(queue, due);
      for (const id of due) heads.delete(id);
      if (lines.length === 0) {
        if (await this.#leave(pass, undefined)) return;
        continue;
      }
      const done = await this.#attemptAll(pass, lines);
      await this.#write(pass, done);
      if (closing.aborted || clock.now() >= pass.endsAt || pass.itemsLeft <= 0) {
        await this.#leave(pass, clock.now());
        return;
      }
    }
  }

  /**
   * By the newest configuration, and with a call that finds out whether an endpoint that is left alone answers again.
   * @returns the version of the outbox's mark before; a later request is for another pass.
   */
  async #lookAnew(queue: DeliveryQueue): Promise<number | undefined> {
    const [mark] = await queue.scope.get([queueMark(queue.event)]);
    await this.#deps.configs[queue.env].refresh(queue.orgCode);
    this.#endpoints.tryAgain(queue);
    return mark?.version;
  }

  /** Not all at once. */
  #afterPause(until: number): number {
    return until + Math.round(this.#deps.random() * 1000);
  }

  /** Leaves the queue until its endpoint is tried again. Items that have waited too long are given up. */
  async #pause(pass: DeliveryPass, until: number): Promise<void> {
    const { queue, lease } = pass;
    const now = this.#deps.clock.now();
    const lines = await this.#expiredLines(queue, now);
    const done = lines.map((line): SettledLine => {
      const settled = line.waiting.map((waiting): SettledItem => ({ waiting, state: 'dead', reason: expired }));
      return { line, settled };
    });
    if (done.length > 0) {
      await this.#note(queue, done, now);
      await lease.commit(queueChanges(queue.event, done, now));
    }
    await this.#leave(pass, this.#afterPause(until));
  }

  /** Finishes the pass: a time for the next, or an empty queue. False if items have come, and it continues. */
  async #leave(pass: DeliveryPass, at: number | undefined): Promise<boolean> {
    const { markedQueues, wakeAt } = this.#deps;
    const next = await finishPass(pass, at);
    if (next === 'filled') return false;
    if (next === undefined) markedQueues.forget(pass.queue);
    else wakeAt(next);
    return true;
  }

  /** The end of a queue's rest while its event is paused or its workspace suspended; undefined otherwise. */
  async #restsUntil(queue: DeliveryQueue): Promise<number | undefined> {
    const { pauses, suspensions, clock } = this.#deps;
    const isPaused = await pauses.isPaused(queue, queue.event);
    return isPaused ? clock.now() + pausedMilliseconds : suspensions.restsUntil(queue);
  }

  circuitOf(place: OrgPlace, event: string): Circuit | undefined {
    return this.#endpoints.circuitOf({ ...place, event });
  }

  /** A part of what waits at an endpoint that does not answer, each time another one. */
  async #expiredLines(queue: DeliveryQueue, now: number): Promise<readonly Line[]> {
    const key = queueKeyText(queue);
    const after = this.#swept.get(key);
    const page = await sweepPage(queue, after, sweptPerPause);
    if (page.next === undefined) this.#swept.delete(key);
    else this.#swept.set(key, page.next);
    return page.lines.filter(({ waiting }) => waiting.every(({ item }) => isExpired(item, now)));
  }

  /** One attempt for the first of each line, and for those behind it as long as they arrive; as many at once as the endpoint takes. */
  async #attemptAll(pass: DeliveryPass, lines: readonly Line[]): Promise<readonly SettledLine[]> {
    const { queue: deliveryQueue } = pass;
    const live = await this.#liveEvent(deliveryQueue, lines);
    const done: SettledLine[] = [];
    const queue = lines.values();
    const work = async (): Promise<void> => {
      for (const line of queue) {
        const settled = await this.#attemptLine(pass, line, live);
        done.push({ line, settled });
      }
    };
    await this.#endpoints.withCalls(deliveryQueue, (calls) =>
      Promise.all(Array.from({ length: Math.min(calls, lines.length) }, work)),
    );
    return done;
  }

  /** By the newest configuration that any of the writes knew, or a newer one. */
  async #liveEvent(queue: DeliveryQueue, lines: readonly Line[]): Promise<LiveIn | undefined> {
    const { configs, live } = this.#deps;
    const needed = Math.max(0, ...lines.flatMap(({ waiting }) => waiting.map(({ item }) => item.config)));
    const current = await configs[queue.env].current(queue.orgCode);
    const config = current.version >= needed ? current : await configs[queue.env].refresh(queue.orgCode);
    const event = await live.named(config, queue, queue.event);
    if (event === undefined || !event.content.enabled || event.content.event_stage !== 'after') return undefined;
    return { event, config, keys: this.keysOf(queue, event.name) };
  }

  async #attemptLine(pass: DeliveryPass, line: Line, live: LiveIn | undefined): Promise<readonly SettledItem[]> {
    if (line.isBehind) return line.waiting.map((waiting) => ({ waiting, state: 'behind' }));
    const settled: SettledItem[] = [];
    for (const [index, waiting] of line.waiting.entries()) {
      if (this.#isToStop(pass)) return settled;
      pass.itemsLeft -= 1;
      const one = await this.#attempt(pass, waiting, live);
      if (one === undefined) return settled;
      settled.push(one);
      if (one.state !== 'retrying') continue;
      const behind = line.waiting.slice(index + 1).map((next): SettledItem => ({ waiting: next, state: 'behind' }));
      return [...settled, ...behind];
    }
    return settled;
  }

  #isToStop({ queue, endsAt }: DeliveryPass): boolean {
    const { clock, closing } = this.#deps;
    if (closing.aborted || clock.now() >= endsAt) return true;
    return this.#endpoints.callsAtOnce(queue) === 0;
  }

  /** Undefined where this process has cut the call off. */
  async #attempt(
    { queue, workspace }: DeliveryPass,
    waiting: PendingItem,
    live: LiveIn | undefined,
  ): Promise<SettledItem | undefined> {
    const { clock, random, closing, meter } = this.#deps;
    const refusal = live === undefined ? gone : refusalOf(waiting.item, queue.event);
    if (live === undefined || refusal !== undefined) return { waiting, state: 'dead', reason: refusal ?? gone };
    const delivered = await deliveryOf(queue, waiting);
    if (delivered === undefined) return { waiting, state: 'dead', reason: 'what it tells is not kept any more' };
    const { event, config, keys } = live;
    const { name, content } = event;
    const delivery: Delivery = { ...delivered, event: name, content, config, orgCode: queue.orgCode, workspace };
    const at = clock.now();
    const outcome = await deliverTo(this.#deps.destinations, delivery, keys);
    meter.add(queue, 'deliveries', 1);
    if (outcome.state !== 'delivered' && closing.aborted) return undefined;
    this.#endpoints.note(queue, outcome);
    return afterAttempt(waiting, { ...outcome, at }, clock.now(), random());
  }

  /** The keys that sign for an event, read when first asked for, and once. */
  keysOf(place: OrgPlace, event: string): ReadSigningKeys {
    const { signingRoot, clock } = this.#deps;
    const scope = orgScope(this.#deps, place);
    let keys: ReturnType<ReadSigningKeys> | undefined;
    return () => {
      keys ??= signingKeys(signingRoot, { ...place, scope, now: clock.now() }, event);
      return keys;
    };
  }

  /** Receipts first: after a crash between the commits something is sent once more, and nothing is without a receipt. */
  async #write({ queue, lease, heads, retried }: DeliveryPass, done: readonly SettledLine[]): Promise<void> {
    const { clock, wakeAt } = this.#deps;
    const now = clock.now();
    await this.#note(queue, done, now);
    await lease.commit(queueChanges(queue.event, done, now));
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

  async #note(queue: DeliveryQueue, done: readonly SettledLine[], now: number): Promise<void> {
    const attempts = done.flatMap(({ line: { recordId }, settled: all }) =>
      all.flatMap((settled) => (settled.state === 'behind' ? [] : [{ recordId, settled }])),
    );
    if (attempts.length === 0) return;
    const { orgScope, event } = queue;
    const sentBefore = attempts.filter(({ settled: { waiting } }) => {
      return waiting.item.attempts > 0 || waiting.item.from !== undefined;
    });
    const known = await readReceipts(
      orgScope,
      sentBefore.map(({ settled }) => settled.waiting.item.id),
    );
    const { receipts: kept } = await this.#deps.retentionOf(queue.orgCode);
    const changes = attempts.flatMap((attempted) => {
      const before = known.get(attempted.settled.waiting.item.id);
      return receiptChanges(receiptOf(queue, attempted, before?.value, now), before, { now, kept });
    });
    await orgScope.commit(changes, { priority: 'background' });
    const dead = attempts.filter(({ settled }) => settled.state === 'dead').length;
    if (dead > 0) await this.#deps.notify(queue, { kind: 'event', name: event }, dead);
  }
}

/** A mark that was moved meanwhile stays where it was put. */
async function defer(scope: Scope, moved: Change): Promise<void> {
  await scope.commit([moved], { priority: 'background' }).catch(ignoreConflict);
}
