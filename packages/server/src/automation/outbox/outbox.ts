/**
 * The items that wait for an event in a workspace: their keys, their timers, the lease of the node that delivers them,
 * and the reading and leaving of their lines of writes.
 */
import type { AuditActor } from '../../audit/audit-entry.ts';
import type { Clock } from '../../lib/clock.ts';
import { type Change, type Due, type Item, type Key, limits, type Put, type Scope } from '../../store/port.ts';
import { asRead, json, type Row, table } from '../../store/table.ts';
import { timers } from '../../work/due-work.ts';
import { Lease, type LeaseTerms } from '../../work/lease.ts';
import { immediately } from '../../work/work-queue.ts';
import type { TenantPlace } from '../automation-deps.ts';
import type { WriteOp } from '../events/live-events.ts';

/** One write for one event. Its id is the same each time that it is sent. */
export interface OutboxItem {
  readonly id: string;
  /** The time at which it was written, in milliseconds since the epoch. */
  readonly at: number;
  readonly op: WriteOp;
  readonly entity: string;
  /** By whom. Left out where a job of the platform finished what was asked for. */
  readonly user: { readonly id: string; readonly actor?: AuditActor };
  readonly request?: string;
  /** The config version that it was written by. */
  readonly config: number;
  /** The number of writes that it came of, itself included, and what was run for those before it. */
  readonly depth: number;
  readonly chain: readonly string[];
  /** The number of times that it was sent since `from`, which is `at` where it is left out. */
  readonly attempts: number;
  readonly from?: number;
  /** Of the record after the write. Left out as long as the item lies where the write has put it: it is the item's own. */
  readonly version?: number;
  /** A sample, which says so where it arrives. */
  readonly isTest?: true;
  readonly refused?: string;
  /** If the record is too long to lie here, its texts lie beside it. */
  readonly isApart?: true;
  /** The record as the write left it, and of a removal as it stood before. */
  readonly record?: Readonly<Record<string, unknown>>;
  /** The record before an update. */
  readonly before?: Readonly<Record<string, unknown>>;
}

/** Which write of a record, in the order of its writes: `before` is the version that the record had before it. */
export function placeText({ recordId, before }: { readonly recordId: string; readonly before: number }): string {
  return `${recordId};${String(before).padStart(16, '0')}`;
}

function recordIdOf(sk: string): string {
  return sk.slice(0, sk.lastIndexOf(';'));
}

const itemCodec = json<OutboxItem>('item of an outbox', { id: 'string', at: 'number', attempts: 'number' });
const at = (partition: string) =>
  table(
    ({ event, sk }: { readonly event: string; readonly sk: string }) => ({ pk: `${partition};${event}`, sk }),
    itemCodec,
  );

/** By write, of each event. A write puts its items here, in its own commit. */
export const outboxes = at('outbox');
/** By write: the head of a record's line, once it failed, and what came behind it. */
export const retryingItems = at('held');
/** Finished deliveries, by id, for as long as they may be sent again. */
export const settledItems = at('past');

export const outboxPrefix = 'outbox;';

/** Both long texts of a write, for all its events. */
export const apartTexts = table(
  ({ sk, of }: { readonly sk: string; readonly of: 'record' | 'before' }) => ({ pk: 'event-text', sk: `${sk};${of}` }),
  json<Readonly<Record<string, unknown>>>('text of an event', {}),
);

export const outboxJobs = { queue: 'lane', retry: 'retry' } as const;

/** Says that an outbox may hold something. */
export function queueMark(event: string): Key {
  return timers.key(`lane;${event}`);
}

export function putQueue(event: string, dueAt: number): Put {
  return timers.put(queueMark(event).sk, { job: outboxJobs.queue }, { if: 'any', due: inQueue(dueAt) });
}

/** Says that items of a record are held, and when the first of them is sent again. */
export function retryMark(event: string, recordId: string): Key {
  return timers.key(`retry;${event};${recordId}`);
}

export function putRetry(event: string, recordId: string, dueAt: number): Put {
  return timers.put(retryMark(event, recordId).sk, { job: outboxJobs.retry }, { if: 'any', due: inQueue(dueAt) });
}

/** Which event something due is about, and which record: its key says it, and nothing else does. */
export function readQueueMark(sk: string): { readonly event: string; readonly recordId: string | undefined } {
  const [, event = '', recordId] = sk.split(';');
  return { event, recordId };
}

function inQueue(dueAt: number): Due {
  return { at: dueAt, queue: 'automation' };
}

/** Which node delivers what is in an outbox, and until when, in milliseconds since the epoch. */
export const queueLeases = table(
  (event: string) => ({ pk: 'lease', sk: `lane;${event}` }),
  json<{ readonly node: string; readonly until: number }>('lease of an outbox', { node: 'string', until: 'number' }),
);

/** The node that delivers the outbox of a due item; undefined where no node does, or the item is none of an outbox. */
export async function leaseOfDue(scope: Scope, { sk }: Pick<Key, 'sk'>) {
  if (!sk.startsWith('lane;')) return undefined;
  return (await queueLeases.read(scope, readQueueMark(sk).event))?.value;
}

export interface DeliveryQueue extends TenantPlace {
  readonly scope: Scope;
  readonly orgScope: Scope;
  readonly event: string;
}

export type DeliveryQueueKey = Pick<DeliveryQueue, 'env' | 'scope' | 'event'>;

export function queueKeyText({ env, scope, event }: DeliveryQueueKey): string {
  return `${env} ${scope.name} ${event}`;
}

/** Longer than any page takes. */
const leaseMilliseconds = 60_000;

/** The right to deliver what is in an outbox; until when another node has it, in milliseconds since the epoch, where one does. */
export async function leaseQueue(
  { scope, event }: DeliveryQueueKey,
  node: string,
  clock: Clock,
): Promise<Lease | { readonly heldUntil: number }> {
  const row = await queueLeases.read(scope, event);
  const now = clock.now();
  if (row !== undefined && row.value.node !== node && row.value.until > now) return { heldUntil: row.value.until };
  const terms: LeaseTerms = {
    ...{ scope, clock, node, milliseconds: leaseMilliseconds, key: queueLeases.key(event) },
    put: ({ by, until }, condition) => [queueLeases.put(event, { node: by, until }, { if: condition })],
    options: { priority: 'background' },
  };
  return (await Lease.take(terms, row)) ?? { heldUntil: now + leaseMilliseconds };
}

/** The queue and lease that a pass of an outbox holds until it ends, and the records it has to do. */
export interface OutboxPass {
  readonly queue: DeliveryQueue;
  readonly lease: Lease;
  /** Records with held items that are due. */
  readonly heads: Set<string>;
  /** Records that the pass has deferred after a failure. */
  readonly retried: Set<string>;
  /** The version of the outbox's mark at the start of a requested pass. */
  readonly markVersion: number | undefined;
}

/**
 * Finishes a pass. A request of a builder during it is not deferred: the outbox's mark stays, and items that failed
 * before the request are due at once too. @param at the time of the next pass; undefined where nothing is left.
 * @returns that time, in milliseconds since the epoch; `filled` if items have come, and the pass continues. @throws
 * LeaseLost
 */
export async function finishPass(
  { queue, lease, heads, retried, markVersion }: OutboxPass,
  at: number | undefined,
): Promise<number | 'filled' | undefined> {
  const { event, scope } = queue;
  for (;;) {
    const [mark] = await scope.get([queueMark(event)]);
    const retriesNow = mark?.due?.at === immediately && mark.version !== markVersion;
    const records = retriesNow ? heads.union(retried) : heads;
    const next = retriesNow ? immediately : at;
    const retries = next === undefined ? [] : [...records].map((recordId) => putRetry(event, recordId, next));
    const left = [...retries, ...(retriesNow ? [] : marked(event, mark, at))];
    if (await lease.end(queueLeases.remove(event, lease.condition), left)) return next;
    if (next === undefined) return 'filled';
  }
}

/** Sets the mark of an outbox, or takes it away where the outbox is empty. Refused where the mark is another one by now. */
function marked(event: string, mark: Item | undefined, at: number | undefined): readonly Change[] {
  const condition = asRead(mark);
  if (at !== undefined) return [{ ...putQueue(event, at), if: condition }];
  const key = queueMark(event);
  return [
    mark === undefined ? { kind: 'check', ...key, if: condition } : { kind: 'remove', ...key, if: condition },
    { kind: 'check-empty', pk: `${outboxPrefix}${event}`, prefix: '' },
  ];
}

/** Something waiting, and what takes it away from where it waits. */
export interface PendingItem {
  readonly item: OutboxItem & { readonly version: number };
  readonly sk: string;
  readonly removal: Change;
}

/** The writes of one record that wait, in their order. */
export interface Line {
  readonly recordId: string;
  readonly waiting: readonly PendingItem[];
  /** Whether others of the record are held, so that these wait behind them. */
  readonly isBehind: boolean;
  /** Whether the first of them was held, and whether another one is, behind it. */
  readonly head?: { readonly hasNext: boolean };
}

const itemsPerPage = 128;
const pageBytesMax = limits.commitBytesMax / 4;

/** The lines to deliver next: new writes, and the first held one of each of these records. */
export async function readLines(queue: DeliveryQueue, heads: ReadonlySet<string>): Promise<readonly Line[]> {
  const { scope, event } = queue;
  const pk = `${outboxPrefix}${event}`;
  const read = { limit: itemsPerPage, bytesMax: pageBytesMax };
  const [rows, [held]] = await Promise.all([
    outboxes.range(scope, pk, read),
    heads.size > 0 ? [true] : scope.range(retryingItems.key({ event, sk: '' }).pk, { limit: 1 }),
  ]);
  const byRecord = new Map<string, PendingItem[]>();
  for (const row of rows) {
    const waiting = waitingIn(row, outboxes.key({ event, sk: row.sk }).pk);
    const recordId = recordIdOf(row.sk);
    byRecord.set(recordId, [...(byRecord.get(recordId) ?? []), waiting]);
  }
  const ids = [...byRecord.keys()].filter((id) => !heads.has(id));
  const marks = held === undefined || ids.length === 0 ? [] : await scope.get(ids.map((id) => retryMark(event, id)));
  const isHeld = new Set(ids.filter((_, index) => marks[index] !== undefined));
  const lines: Line[] = [];
  for (const recordId of heads) lines.push(await headLine(queue, recordId));
  for (const [recordId, waiting] of byRecord)
    lines.push({ recordId, waiting, isBehind: heads.has(recordId) || isHeld.has(recordId) });
  return lines;
}

/** The first held item of a record; none where the last one has ended. */
async function headLine({ scope, event }: DeliveryQueue, recordId: string): Promise<Line> {
  const { pk } = retryingItems.key({ event, sk: '' });
  const [first, next] = await retryingItems.range(scope, pk, { prefix: `${recordId};`, limit: 2 });
  const head = { hasNext: next !== undefined };
  return { recordId, waiting: first === undefined ? [] : [waitingIn(first, pk)], isBehind: false, head };
}

function waitingIn({ sk, version, value }: Row<OutboxItem>, pk: string): PendingItem {
  const item = { ...value, version: value.version ?? version };
  return { item, sk, removal: { kind: 'remove', pk, sk, if: { version } } };
}

/** Moves what is due, unless it was moved meanwhile. */
export function moveDue({ sk, version }: Pick<Item, 'sk' | 'version'>, job: string, at: number): Change {
  return timers.put(sk, { job }, { if: { version }, due: inQueue(at) });
}

/** Goes through all that waits, a page at a time. @param after where the page before it ended. */
export async function sweepPage({ scope, event }: DeliveryQueue, after: string | undefined, limit: number) {
  const [part = '0', from] = after?.split(' ') ?? [];
  const rowsOf = part === '0' ? outboxes : retryingItems;
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
