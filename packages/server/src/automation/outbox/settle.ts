/** Delivery attempts of a pass: one for the next line of each record, and the items written about it. */
import type { Change, Scope } from '../../store/port.ts';
import { pauseAfter, type SendOutcome } from '../../work/send.ts';
import { chainDepthMax, chainRefusal } from '../chain-header.ts';
import type { DeliveredItem } from '../destinations/destinations.ts';
import { deliveryPauses, tryingMilliseconds } from './endpoints.ts';
import {
  apartTexts,
  type DeliveryQueue,
  type Line,
  type OutboxItem,
  type PendingItem,
  putRetry,
  retryingItems,
  retryMark,
  settledItems,
} from './outbox.ts';

export type SettledItem =
  | {
      readonly waiting: PendingItem;
      readonly state: 'delivered' | 'dead';
      readonly outcome?: TimedOutcome;
      readonly reason?: string;
    }
  | {
      readonly waiting: PendingItem;
      readonly state: 'retrying';
      readonly outcome: TimedOutcome;
      readonly nextAt: number;
    }
  /** It waits behind another one of its record. */
  | { readonly waiting: PendingItem; readonly state: 'behind' };

/** An item that has a receipt: an item that only waits behind others has none. */
export type Attempted = Exclude<SettledItem, { readonly state: 'behind' }>;

type TimedOutcome = SendOutcome & { readonly at: number };

export interface SettledLine {
  readonly line: Line;
  /** Of the first items of the line; the others stay where they are. */
  readonly settled: readonly SettledItem[];
}

/** The outcome of an attempt. @param random from 0 to 1. */
export function afterAttempt(waiting: PendingItem, outcome: TimedOutcome, now: number, random: number): SettledItem {
  const { item } = waiting;
  if (outcome.state === 'delivered') return { waiting, state: 'delivered', outcome };
  const pause = pauseAfter(deliveryPauses, item.attempts + 1, random, outcome.retryAfterSeconds);
  const nextAt = now + (pause ?? tryingMilliseconds);
  const isOver = outcome.state === 'refused' || nextAt >= (item.from ?? item.at) + tryingMilliseconds;
  return isOver ? { waiting, state: 'dead', outcome } : { waiting, state: 'retrying', outcome, nextAt };
}

export function isExpired(item: OutboxItem, now: number): boolean {
  return now >= (item.from ?? item.at) + tryingMilliseconds;
}

/** Why an item is not sent at all; undefined where it is. */
export function refusalOf({ depth, chain, refused }: OutboxItem, event: string): string | undefined {
  if (refused !== undefined) return refused;
  return depth <= chainDepthMax ? undefined : chainRefusal('writes', [...chain, event]);
}

/** The item with its texts; undefined where they are gone. */
export async function deliveryOf(
  { scope }: DeliveryQueue,
  { item, sk }: PendingItem,
): Promise<DeliveredItem | undefined> {
  const { record, before } = item.isApart === true ? await textsApart(scope, sk) : item;
  if (record === undefined || (item.op === 'update' && before === undefined)) return undefined;
  return { item, record: { ...record, version: item.version }, before };
}

async function textsApart(scope: Scope, sk: string) {
  const places = (['record', 'before'] as const).map((of) => ({ sk, of }));
  const [record, before] = await apartTexts.readMany(scope, places);
  return { record: record?.value, before: before?.value };
}

const day = 24 * 3600 * 1000;
const pastMilliseconds = { delivered: 3 * day, dead: 30 * day } as const;

/** Finished deliveries, kept so that they may be sent again. */
function ended(
  event: string,
  { waiting, state, outcome }: Extract<SettledItem, { state: 'delivered' | 'dead' }>,
  now: number,
): readonly Change[] {
  const { item, sk, removal } = waiting;
  const attempts = item.attempts + (outcome === undefined ? 0 : 1);
  const due = { at: now + pastMilliseconds[state], queue: 'expire' } as const;
  // By id, with the place of the write, which is part of what it is.
  return [removal, settledItems.put({ event, sk: `${item.id};${sk}` }, { ...item, attempts }, { if: 'any', due })];
}

/** The records of which something was left waiting behind what came before it. */
export function followedIn(lines: readonly SettledLine[]): ReadonlySet<string> {
  return new Set(lines.flatMap(({ line }) => (line.isBehind ? [line.recordId] : [])));
}

/** The changes of a queue from its lines, in whichever order they finished. */
export function queueChanges(event: string, lines: readonly SettledLine[], now: number): readonly Change[] {
  const changes: Change[] = [];
  const followed = followedIn(lines);
  for (const one of lines) {
    const { recordId, head } = one.line;
    for (const settled of one.settled) {
      const isOver = settled.state === 'delivered' || settled.state === 'dead';
      changes.push(...(isOver ? ended(event, settled, now) : held(event, settled, head !== undefined)));
    }
    const at = retryAfter(one, followed.has(recordId), now);
    if (at === null) changes.push({ kind: 'remove', ...retryMark(event, recordId), if: 'any' });
    else if (at !== undefined) changes.push(putRetry(event, recordId, at));
  }
  return changes;
}

/** The next time of the record's held items: undefined to leave it as it is, null where none are left. */
function retryAfter({ line, settled }: SettledLine, isFollowed: boolean, now: number): number | null | undefined {
  const { head, waiting } = line;
  for (const one of settled) if (one.state === 'retrying') return one.nextAt;
  if (head === undefined || (waiting.length > 0 && settled.length === 0)) return undefined;
  return head.hasNext || isFollowed ? now : null;
}

function held(event: string, { waiting, state }: SettledItem, isThere: boolean): readonly Change[] {
  const { item, sk, removal } = waiting;
  const attempts = item.attempts + (state === 'retrying' ? 1 : 0);
  const put = retryingItems.put({ event, sk }, { ...item, attempts }, { if: 'any' });
  return isThere ? [put] : [removal, put];
}
