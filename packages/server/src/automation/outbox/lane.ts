/** The outbox of an event in a workspace: who has it, and how its lines of writes are read and left. */
import type { Clock } from '../../lib/clock.ts';
import { type Change, type Item, limits, type Scope } from '../../store/port.ts';
import { asRead, type Row } from '../../store/table.ts';
import { Lease, type LeaseTerms } from '../../work/lease.ts';
import { dues } from '../../work/visits.ts';
import { askedAt } from '../../work/work-queue.ts';
import type { OrgPlace } from '../config/live-events.ts';
import {
  heldItems,
  laneLeases,
  laneMark,
  type OutboxItem,
  outboxes,
  outboxPrefix,
  putLane,
  putRetry,
  recordIdOf,
  retryMark,
} from './outbox-rows.ts';

export interface Lane extends OrgPlace {
  readonly tenantCode: string;
  readonly scope: Scope;
  readonly orgScope: Scope;
  readonly event: string;
}

/** Where an outbox is. */
export type LanePlace = Pick<Lane, 'env' | 'scope' | 'event'>;

/** Names an outbox among all that this node knows. */
export function laneKey({ env, scope, event }: LanePlace): string {
  return `${env} ${scope.name} ${event}`;
}

/** Longer than any page takes. */
const leaseMilliseconds = 60_000;

/** The right to deliver what is in an outbox; until when another node has it, in milliseconds since the epoch, where one does. */
export async function takeLane(
  { scope, event }: LanePlace,
  node: string,
  clock: Clock,
): Promise<Lease | { readonly heldUntil: number }> {
  const row = await laneLeases.read(scope, event);
  const now = clock.now();
  if (row !== undefined && row.value.node !== node && row.value.until > now) return { heldUntil: row.value.until };
  const terms: LeaseTerms = {
    ...{ scope, clock, node, milliseconds: leaseMilliseconds, key: laneLeases.key(event) },
    put: ({ by, until }, condition) => [laneLeases.put(event, { node: by, until }, { if: condition })],
    options: { priority: 'background' },
  };
  return (await Lease.take(terms, row)) ?? { heldUntil: now + leaseMilliseconds };
}

/** How a visit ends. Times are milliseconds since the epoch. */
export interface Ending {
  readonly lane: Lane;
  readonly lease: Lease;
  /** When the outbox is visited again; undefined where nothing is left in it. */
  readonly at: number | undefined;
  /** Records with held items that are due. */
  readonly unsent: Iterable<string>;
  /** Records that the visit has put off after a failure. */
  readonly retried: Iterable<string>;
  /** The version of the outbox's mark when a visit that was asked for began. */
  readonly askedBy: number | undefined;
}

/**
 * Ends a visit. What a builder has asked for while it was going on is not put off: the outbox's mark stays, and what failed
 * before the ask is asked for too. @returns when it is visited again; undefined where nothing is
 * left; `filled` where something has come, and the visit goes on. @throws LeaseLost
 */
export async function endVisit({ lane, lease, at, ...ending }: Ending): Promise<number | 'filled' | undefined> {
  const { event, scope } = lane;
  for (;;) {
    const [mark] = await scope.get([laneMark(event)]);
    const isAsked = mark?.due?.at === askedAt && mark.version !== ending.askedBy;
    const records = isAsked ? new Set([...ending.unsent, ...ending.retried]) : ending.unsent;
    const next = isAsked ? askedAt : at;
    const retries = next === undefined ? [] : [...records].map((recordId) => putRetry(event, recordId, next));
    const left = [...retries, ...(isAsked ? [] : marked(event, mark, at))];
    if (await lease.end(laneLeases.remove(event, lease.condition), left)) return next;
    if (next === undefined) return 'filled';
  }
}

/** Sets the mark of an outbox, or takes it away where the outbox is empty. Refused where the mark is another one by now. */
function marked(event: string, mark: Item | undefined, at: number | undefined): readonly Change[] {
  const condition = asRead(mark);
  if (at !== undefined) return [{ ...putLane(event, at), if: condition }];
  const key = laneMark(event);
  return [
    mark === undefined ? { kind: 'check', ...key, if: condition } : { kind: 'remove', ...key, if: condition },
    { kind: 'check-empty', pk: `${outboxPrefix}${event}`, prefix: '' },
  ];
}

/** Something waiting, and what takes it away from where it waits. */
export interface Waiting {
  readonly item: OutboxItem & { readonly version: number };
  readonly sk: string;
  readonly removal: Change;
}

/** The writes of one record that wait, in their order. */
export interface Line {
  readonly recordId: string;
  readonly waiting: readonly Waiting[];
  /** Whether others of the record are held, so that these wait behind them. */
  readonly isBehind: boolean;
  /** Whether the first of them was held, and whether another one is, behind it. */
  readonly head?: { readonly hasNext: boolean };
}

const itemsPerPage = 128;
const pageBytesMax = limits.commitBytesMax / 4;

/** What is to be done next: new writes, and the first held one of each of these records. */
export async function readLines(lane: Lane, heads: ReadonlySet<string>): Promise<readonly Line[]> {
  const { scope, event } = lane;
  const pk = `${outboxPrefix}${event}`;
  const read = { limit: itemsPerPage, bytesMax: pageBytesMax };
  const [rows, [held]] = await Promise.all([
    outboxes.range(scope, pk, read),
    heads.size > 0 ? [true] : scope.range(heldItems.key({ event, sk: '' }).pk, { limit: 1 }),
  ]);
  const byRecord = new Map<string, Waiting[]>();
  for (const row of rows) {
    const waiting = waitingIn(row, outboxes.key({ event, sk: row.sk }).pk);
    const recordId = recordIdOf(row.sk);
    byRecord.set(recordId, [...(byRecord.get(recordId) ?? []), waiting]);
  }
  const ids = [...byRecord.keys()].filter((id) => !heads.has(id));
  const marks = held === undefined || ids.length === 0 ? [] : await scope.get(ids.map((id) => retryMark(event, id)));
  const isHeld = new Set(ids.filter((_, index) => marks[index] !== undefined));
  const lines: Line[] = [];
  for (const recordId of heads) lines.push(await headLine(lane, recordId));
  for (const [recordId, waiting] of byRecord)
    lines.push({ recordId, waiting, isBehind: heads.has(recordId) || isHeld.has(recordId) });
  return lines;
}

/** The first held item of a record; none where the last one has ended. */
async function headLine({ scope, event }: Lane, recordId: string): Promise<Line> {
  const { pk } = heldItems.key({ event, sk: '' });
  const [first, next] = await heldItems.range(scope, pk, { prefix: `${recordId};`, limit: 2 });
  const head = { hasNext: next !== undefined };
  return { recordId, waiting: first === undefined ? [] : [waitingIn(first, pk)], isBehind: false, head };
}

function waitingIn({ sk, version, value }: Row<OutboxItem>, pk: string): Waiting {
  const item = { ...value, version: value.version ?? version };
  return { item, sk, removal: { kind: 'remove', pk, sk, if: { version } } };
}

/** Moves what is due, unless it was moved meanwhile. */
export function moveDue(
  { sk, version }: { readonly sk: string; readonly version: number },
  job: string,
  at: number,
): Change {
  return dues.put(sk, { job }, { if: { version }, due: { at, queue: 'automation' } });
}

/** Goes through all that waits, a page at a time. @param after where the page before it ended. */
export async function sweepPage(
  { scope, event }: Lane,
  after: string | undefined,
  limit: number,
): Promise<{ readonly lines: readonly Line[]; readonly next: string | undefined }> {
  const [part = '0', from] = after?.split(' ') ?? [];
  const rowsOf = part === '0' ? outboxes : heldItems;
  const { pk } = rowsOf.key({ event, sk: '' });
  const behind = from === undefined || from === '' ? {} : { after: from };
  const rows = await rowsOf.range(scope, pk, { limit, bytesMax: pageBytesMax, ...behind });
  const lines = rows.map((row): Line => {
    return { recordId: recordIdOf(row.sk), waiting: [waitingIn(row, pk)], isBehind: false };
  });
  const last = rows.at(-1);
  if (last !== undefined) return { lines, next: `${part} ${last.sk}` };
  return { lines, next: part === '0' ? '1 ' : undefined };
}
