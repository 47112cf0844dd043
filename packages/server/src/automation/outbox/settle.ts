/** What a visit does with the lines of writes that it found: one attempt for each that is next, and what is written of it. */
import type { Change } from '../../store/port.ts';
import { type Outcome, pauseAfter } from '../../work/send.ts';
import { chainDepthMax, chainRefusal } from '../chain-bounds.ts';
import type { Told } from '../destinations/destination.ts';
import { deliveryPauses, tryingMilliseconds } from './circuit.ts';
import type { Lane, Line, Waiting } from './lane.ts';
import { apartTexts, heldItems, type OutboxItem, pastItems, putRetry, retryMark } from './outbox-rows.ts';
import type { Attempted } from './receipts.ts';

/** What became of one item of a line. */
export type Settled =
  | {
      readonly waiting: Waiting;
      readonly state: 'delivered' | 'dead';
      readonly outcome?: TimedOutcome;
      readonly reason?: string;
    }
  | { readonly waiting: Waiting; readonly state: 'retrying'; readonly outcome: TimedOutcome; readonly nextAt: number }
  /** It waits behind another one of its record. */
  | { readonly waiting: Waiting; readonly state: 'behind' };

export type TimedOutcome = Outcome & { readonly at: number };

export interface SettledLine {
  readonly line: Line;
  /** Of the first items of the line; the others stay where they are. */
  readonly settled: readonly Settled[];
}

/** What an attempt comes to. @param random from 0 to 1. */
export function afterAttempt(waiting: Waiting, outcome: TimedOutcome, now: number, random: number): Settled {
  const { item } = waiting;
  if (outcome.state === 'delivered') return { waiting, state: 'delivered', outcome };
  const pause = pauseAfter(deliveryPauses, item.attempts + 1, random, outcome.retryAfterSeconds);
  const nextAt = now + (pause ?? tryingMilliseconds);
  const isOver = outcome.state === 'refused' || nextAt >= (item.from ?? item.at) + tryingMilliseconds;
  return isOver ? { waiting, state: 'dead', outcome } : { waiting, state: 'retrying', outcome, nextAt };
}

/** Whether it was tried for as long as anything is. */
export function isExpired(item: OutboxItem, now: number): boolean {
  return now >= (item.from ?? item.at) + tryingMilliseconds;
}

/** Why an item is not sent at all; undefined where it is. */
export function refusalOf({ depth, chain, refused }: OutboxItem, event: string): string | undefined {
  if (refused !== undefined) return refused;
  return depth <= chainDepthMax ? undefined : chainRefusal('writes', [...chain, event]);
}

/** The item with its texts; undefined where they are gone. */
export async function toldOf({ scope }: Lane, { item, sk }: Waiting): Promise<Told | undefined> {
  const { isApart, version } = item;
  if (isApart !== true) return deliverable(item, item.record, item.before, version);
  const [record, before] = await apartTexts.readMany(scope, [
    { sk, of: 'record' },
    { sk, of: 'before' },
  ]);
  return deliverable(item, record?.value, before?.value, version);
}

function deliverable(
  item: OutboxItem,
  record: OutboxItem['record'],
  before: OutboxItem['before'],
  version: number,
): Told | undefined {
  if (record === undefined || (item.op === 'update' && before === undefined)) return undefined;
  return { item, record: { ...record, version }, before };
}

const day = 24 * 3600 * 1000;
const pastMilliseconds = { delivered: 3 * day, dead: 30 * day } as const;

/** What has come to its end, kept so that it may be sent again. */
function ended(
  event: string,
  { waiting, state, outcome }: Extract<Settled, { state: 'delivered' | 'dead' }>,
  now: number,
): readonly Change[] {
  const { item, sk, removal } = waiting;
  const attempts = item.attempts + (outcome === undefined ? 0 : 1);
  const due = { at: now + pastMilliseconds[state], queue: 'expire' } as const;
  // By id, with the place of the write, which is part of what it is.
  return [removal, pastItems.put({ event, sk: `${item.id};${sk}` }, { ...item, attempts }, { if: 'any', due })];
}

/** The records of which something was left waiting behind what came before it. */
export function followedIn(lines: readonly SettledLine[]): ReadonlySet<string> {
  return new Set(lines.flatMap(({ line }) => (line.isBehind ? [line.recordId] : [])));
}

/** The changes of a lane that come of its lines, in whichever order they came to their end. */
export function laneChanges(event: string, lines: readonly SettledLine[], now: number): readonly Change[] {
  const changes: Change[] = [];
  const followed = followedIn(lines);
  for (const one of lines) {
    const { recordId, head } = one.line;
    for (const settled of one.settled) changes.push(...settledChanges(event, settled, head !== undefined, now));
    const at = retryAfter(one, followed.has(recordId), now);
    if (at === null) changes.push({ kind: 'remove', ...retryMark(event, recordId), if: 'any' });
    else if (at !== undefined) changes.push(putRetry(event, recordId, at));
  }
  return changes;
}

function settledChanges(event: string, settled: Settled, isHeld: boolean, now: number): readonly Change[] {
  const isOver = settled.state === 'delivered' || settled.state === 'dead';
  return isOver ? ended(event, settled, now) : held(event, settled, isHeld);
}

/** When the held items of the record are looked at again: undefined where that stays as it is, null where none are left. */
function retryAfter({ line, settled }: SettledLine, isFollowed: boolean, now: number): number | null | undefined {
  const { head, waiting } = line;
  for (const one of settled) if (one.state === 'retrying') return one.nextAt;
  if (head === undefined || (waiting.length > 0 && settled.length === 0)) return undefined;
  return head.hasNext || isFollowed ? now : null;
}

function held(event: string, { waiting, state }: Settled, isThere: boolean): readonly Change[] {
  const { item, sk, removal } = waiting;
  const attempts = item.attempts + (state === 'retrying' ? 1 : 0);
  const put = heldItems.put({ event, sk }, { ...item, attempts }, { if: 'any' });
  return isThere ? [put] : [removal, put];
}

/** What receipts are to say of the lines: of all but those that only wait behind others. */
export function attemptsOf({ event, tenantCode }: Lane, lines: readonly SettledLine[]): readonly Attempted[] {
  const attempts: Attempted[] = [];
  for (const { line, settled } of lines)
    for (const one of settled) {
      if (one.state === 'behind') continue;
      const { waiting, state, outcome } = one;
      const nextAt = 'nextAt' in one ? one.nextAt : undefined;
      const reason = 'reason' in one ? one.reason : undefined;
      const told = { item: waiting.item, event, recordId: line.recordId, tenantCode, state, nextAt, outcome };
      attempts.push(reason === undefined ? told : { ...told, reason });
    }
  return attempts;
}
