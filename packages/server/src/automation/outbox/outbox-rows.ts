/** What waits to be delivered, where it lies in its workspace, and what is due because of it. */
import type { AuditActor } from '../../audit/audit-entry.ts';
import type { Due, Key, Put, Scope } from '../../store/port.ts';
import { json, table } from '../../store/table.ts';
import { dues } from '../../work/visits.ts';
import type { WriteOp } from '../config/write-values.ts';

export type WriteKind = WriteOp;

/** One write for one event. Its id is the same each time that it is sent. */
export interface OutboxItem {
  readonly id: string;
  /** When it was written, in milliseconds since the epoch. */
  readonly at: number;
  readonly op: WriteKind;
  readonly entity: string;
  /** By whom. Left out where a job of the platform finished what was asked for. */
  readonly user: { readonly id: string; readonly actor?: AuditActor };
  readonly request?: string;
  /** The config version that it was written by. */
  readonly config: number;
  /** How many writes it came of, itself included, and what was run for those before it. */
  readonly depth: number;
  readonly chain: readonly string[];
  /** How often it was sent since `from`, which is `at` where it is left out. */
  readonly attempts: number;
  readonly from?: number;
  /** Of the record after the write. Left out as long as the item lies where the write has put it: it is the item's own. */
  readonly version?: number;
  /** A sample, which says so where it arrives. */
  readonly isTest?: true;
  /** Why it is not sent at all. */
  readonly refused?: string;
  /** Where the record is too long to lie here, its texts lie beside it. */
  readonly isApart?: true;
  /** The record as the write left it, and of a removal as it stood before. */
  readonly record?: Readonly<Record<string, unknown>>;
  /** The record before an update. */
  readonly before?: Readonly<Record<string, unknown>>;
}

/** Which write of a record, in the order of its writes: the version that the record had before it. */
export interface WritePlace {
  readonly recordId: string;
  readonly before: number;
}

export function placeText({ recordId, before }: WritePlace): string {
  return `${recordId};${String(before).padStart(16, '0')}`;
}

export function recordIdOf(sk: string): string {
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
export const heldItems = at('held');
/** By id: what has come to its end, for as long as it may be sent again. */
export const pastItems = at('past');

export const outboxPrefix = 'outbox;';

/** Both long texts of a write, for all its events. */
export const apartTexts = table(
  ({ sk, of }: { readonly sk: string; readonly of: 'record' | 'before' }) => ({ pk: 'event-text', sk: `${sk};${of}` }),
  json<Readonly<Record<string, unknown>>>('text of an event', {}),
);

const laneJob = 'lane';
const retryJob = 'retry';
export const laneJobs = { lane: laneJob, retry: retryJob } as const;

/** Says that an outbox may hold something. */
export function laneMark(event: string): Key {
  return dues.key(`${laneJob};${event}`);
}

export function putLane(event: string, dueAt: number): Put {
  return dues.put(`${laneJob};${event}`, { job: laneJob }, { if: 'any', due: inQueue(dueAt) });
}

/** Says that items of a record are held, and when the first of them is sent again. */
export function retryMark(event: string, recordId: string): Key {
  return dues.key(`${retryJob};${event};${recordId}`);
}

export function putRetry(event: string, recordId: string, dueAt: number): Put {
  return dues.put(`${retryJob};${event};${recordId}`, { job: retryJob }, { if: 'any', due: inQueue(dueAt) });
}

/** Which event something due is about, and which record: its key says it, and nothing else does. */
export function dueLane(sk: string): { readonly event: string; readonly recordId: string | undefined } {
  const [, event = '', recordId] = sk.split(';');
  return { event, recordId };
}

function inQueue(dueAt: number): Due {
  return { at: dueAt, queue: 'automation' };
}

export interface LaneLease {
  readonly node: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** Which node delivers what is in an outbox. */
export const laneLeases = table(
  (event: string) => ({ pk: 'lease', sk: `${laneJob};${event}` }),
  json<LaneLease>('lease of an outbox', { node: 'string', until: 'number' }),
);

/** Which node delivers what a due item stands for; undefined where no node does, or it is no item of an outbox. */
export async function leaseOfDue(scope: Scope, { sk }: Pick<Key, 'sk'>): Promise<LaneLease | undefined> {
  if (!sk.startsWith(`${laneJob};`)) return undefined;
  return (await laneLeases.read(scope, dueLane(sk).event))?.value;
}
