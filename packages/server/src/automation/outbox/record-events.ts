/** Puts what events are to deliver into the commit of the write that they are about. */
import { BoundedMap } from '../../lib/bounded-map.ts';
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts';
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import {
  asDefined,
  type EventWrite,
  type PlannedChange,
  type RecordData,
  type RecordEvents,
  unconditional,
  type WriteContext,
  type WriteLoop,
} from '../../records/port.ts';
import { shareKeyOf } from '../../tenancy/port.ts';
import type { SharedDeps } from '../automation-deps.ts';
import { type LiveEvent, type LiveEvents, opOf, type WriteValues, writeValues } from '../events/live-events.ts';
import {
  apartTexts,
  type DeliveryQueueKey,
  type OutboxItem,
  outboxes,
  outboxPrefix,
  placeText,
  putQueue,
  queueKeyText,
  queueMark,
} from './outbox.ts';

interface RecordEventsDeps extends Pick<SharedDeps, 'clock' | 'newId' | 'wake'> {
  readonly live: LiveEvents;
  readonly markedQueues: MarkedQueues;
}

/**
 * The outboxes that this node knows to be due, so that a write that adds to one need not say so again. A forgotten
 * outbox costs a change more, a wrongly known one a conflict: the commit checks it.
 */
export class MarkedQueues {
  readonly #known = new BoundedMap<string, true>(100_000);

  has(place: DeliveryQueueKey): boolean {
    return this.#known.get(queueKeyText(place)) !== undefined;
  }

  add(place: DeliveryQueueKey): void {
    this.#known.set(queueKeyText(place), true);
  }

  forget(place: DeliveryQueueKey): void {
    this.#known.delete(queueKeyText(place));
  }
}

export function createRecordEvents(deps: RecordEventsDeps): RecordEvents {
  // For the same events the same answer: those of an entity stay until its configuration changes.
  type OfEntity = { readonly after: (write: EventWrite) => MaybePromise<readonly PlannedChange[]> };
  const ofEvents = new WeakMap<readonly LiveEvent[], OfEntity>();
  const entityEvents = (events: readonly LiveEvent[] | undefined): OfEntity | undefined => {
    if (events === undefined) return undefined;
    const known = ofEvents.get(events) ?? { after: (write: EventWrite) => itemsOf(deps, events, write) };
    ofEvents.set(events, known);
    return known;
  };
  return {
    of: (config, place, entityName) => andThen(deps.live.after(config, place, entityName), entityEvents),
    around: (writeLoop) => markingLoop(deps, writeLoop),
  };
}

/** Texts of a write that are longer together, in UTF-16 units, lie beside its items: once, and not in each of them. */
const textsInItemMax = 64 * 1024;
const apartMilliseconds = 30 * 24 * 3600 * 1000;

function itemsOf(
  deps: RecordEventsDeps,
  events: readonly LiveEvent[],
  write: EventWrite,
): MaybePromise<readonly PlannedChange[]> {
  const record = write.after ?? write.before?.data;
  const op = opOf(write);
  const requested = events.filter(({ content }) => content.event_optype === op);
  if (record === undefined || requested.length === 0) return [];
  const written: EventRecord = { write, record, now: deps.clock.now() };
  return dueEvents(requested, written).then((due) => (due.length === 0 ? [] : itemsFor(deps, due, written)));
}

/** The record of a write for its events. `now` is in milliseconds since the epoch. */
interface EventRecord {
  readonly write: EventWrite;
  readonly record: RecordData;
  readonly now: number;
}

function itemsFor(
  { newId }: RecordEventsDeps,
  due: readonly DueEvent[],
  { write, record, now }: EventRecord,
): readonly PlannedChange[] {
  const { call, before } = write;
  const { entity } = call;
  const op = opOf(write);
  const text = JSON.stringify(asDefined(entity, record));
  const textBefore =
    op === 'update' && before !== undefined
      ? JSON.stringify({ ...asDefined(entity, before.data), version: before.version })
      : undefined;
  const sk = placeText({ recordId: record.id, before: before?.version ?? 0 });
  const isApart = text.length + (textBefore?.length ?? 0) > textsInItemMax;
  const ofRecord = [`"record":${text}`, ...(textBefore === undefined ? [] : [`"before":${textBefore}`])];
  const existing = isApart ? [] : ofRecord;
  const changes = due.map(({ name, refused }) => {
    const item: OutboxItem = {
      ...{ id: newId(), at: now, op, entity: entity.name, ...writerOf(call), config: call.config.version },
      ...{ depth: (call.origin?.depth ?? 0) + 1, chain: call.origin?.chain ?? [], attempts: 0 },
      // The version of a record that is gone is the last that it had.
      ...(op === 'delete' && before !== undefined ? { version: before.version } : {}),
      ...(isApart ? { isApart } : {}),
      ...(refused === undefined ? {} : { refused }),
    };
    const value = `${[JSON.stringify(item).slice(0, -1), ...existing].join(',')}}`;
    return unconditional({ kind: 'put', ...outboxes.key({ event: name, sk }), value, if: 'absent' });
  });
  return isApart ? [...changes, ...apart(sk, now, text, textBefore)] : changes;
}

interface DueEvent {
  readonly name: string;
  readonly refused?: string;
}

/** One step of a condition takes as long as this many steps of a list's walk, by which work is cut into slices. */
const stepsOfSlices = 60;

/**
 * The events whose conditions are met. An event whose condition takes too much is given up where that can be seen: in a receipt.
 * Other calls are served between two conditions: those of one write may take 50 ms together.
 */
async function dueEvents(
  events: readonly LiveEvent[],
  { write, record, now }: EventRecord,
): Promise<readonly DueEvent[]> {
  let known: WriteValues | undefined;
  const values = (): WriteValues => {
    known ??= writeValues(write, record, now);
    return known;
  };
  const effort = { steps: 0 };
  const pause = createYielder(shareKeyOf(write.call.workspace), () => effort.steps * stepsOfSlices);
  const due: DueEvent[] = [];
  for (const event of events) {
    await pause();
    const { name } = event;
    const verdict = event.judge(write.call.entity, record, { values, effort });
    if (verdict !== 'unmet') due.push(verdict === 'met' ? { name } : { name, refused: tooCostly });
  }
  return due;
}

const tooCostly = 'the conditions of the events of this write take too much';

function apart(sk: string, now: number, text: string, textBefore: string | undefined): readonly PlannedChange[] {
  const due = { at: now + apartMilliseconds, queue: 'expire' } as const;
  const put = (of: 'record' | 'before', value: string): PlannedChange =>
    unconditional({ kind: 'put', ...apartTexts.key({ sk, of }), value, if: 'any', due });
  return [put('record', text), ...(textBefore === undefined ? [] : [put('before', textBefore)])];
}

function writerOf({ actor: { userId, auditCaller } }: WriteContext): Pick<OutboxItem, 'user' | 'request'> {
  if (auditCaller === undefined) return { user: { id: userId } };
  return { user: { id: userId, actor: auditCaller.actor }, request: auditCaller.request_id };
}

/** The write loop, which says of each outbox that a commit adds to that there is something in it. */
function markingLoop({ markedQueues, clock, wake }: RecordEventsDeps, writeLoop: WriteLoop): WriteLoop {
  return async (context, entityNames, makePlan) => {
    const { env, scope } = context.workspace;
    let plans = 0;
    let named: readonly string[] = [];
    let marked = false;
    const notify = (): void => {
      for (const event of named) markedQueues.add({ env, scope, event });
      if (marked) wake();
    };
    try {
      const written = await writeLoop(context, entityNames, async (config) => {
        const plan = await makePlan(config);
        named = outboxesIn(plan.changes);
        marked = false;
        plans += 1;
        if (named.length === 0) return plan;
        const marks = named.map((event): PlannedChange => {
          // The change that an earlier plan was refused for may have been this check.
          if (plans === 1 && markedQueues.has({ env, scope, event }))
            return unconditional({ kind: 'check', ...queueMark(event), if: 'present' });
          marked = true;
          return unconditional(putQueue(event, clock.now()));
        });
        return { ...plan, changes: [...plan.changes, ...marks] };
      });
      notify();
      return written;
    } catch (error) {
      // The write may be stored all the same. Where it is not, there is nothing to deliver.
      if (marked) wake();
      throw error;
    }
  };
}

function outboxesIn(changes: readonly PlannedChange[]): readonly string[] {
  const events = new Set<string>();
  for (const { change } of changes)
    if (change.kind === 'put' && change.pk.startsWith(outboxPrefix)) events.add(change.pk.slice(outboxPrefix.length));
  return [...events];
}
