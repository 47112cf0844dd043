/** What became of each delivery, in the scope of its org. Receipts hold no values of records. */
import type { AuditActor } from '../../audit/audit-entry.ts';
import { timestamp } from '../../lib/clock.ts';
import type { Change, Due, Scope } from '../../store/port.ts';
import { json, type Row, table } from '../../store/table.ts';
import type { Outcome } from '../../work/send.ts';
import type { OutboxItem, WriteKind } from './outbox-rows.ts';

/** `waiting` is what was asked to be sent again; what was never sent has no receipt yet. */
export type DeliveryState = 'waiting' | 'retrying' | 'delivered' | 'dead';

export interface Attempt {
  /** RFC 3339. */
  readonly at: string;
  readonly status: number | null;
  readonly ms: number;
  readonly answer: string;
}

export interface Receipt {
  readonly id: string;
  readonly event: string;
  readonly entity: string;
  readonly op: WriteKind;
  /** The id of the record. */
  readonly record: string;
  readonly tenant_code: string;
  readonly by?: AuditActor;
  readonly state: DeliveryState;
  /** How often it was sent; the last of them are listed. */
  readonly count: number;
  readonly attempts: readonly Attempt[];
  /** When it is sent again. RFC 3339. */
  readonly next_at: string | null;
}

/** The time of the write, in RFC 3339: ids are UUIDs of version 7, whose first 48 bits are their time. */
export function writtenAt({ id }: Pick<Receipt, 'id'>): string {
  return timestamp(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}

const attemptsKept = 20;
const day = 24 * 3600 * 1000;
/** For how long what may still be sent again is kept: the receipt of a delivery under way is written again long before. */
const openMilliseconds = 30 * day;

/** @param byPlan for how long the plan keeps receipts. */
function keptMilliseconds(state: DeliveryState, byPlan: number): number {
  return state === 'delivered' ? byPlan : Math.max(openMilliseconds, byPlan);
}

/** By id, so that they are in the order of the writes. */
export const receipts = table(
  (id: string) => ({ pk: 'delivery', sk: id }),
  json<Receipt>('receipt of a delivery', { id: 'string', event: 'string', state: 'string' }),
);

/** The ids of receipts, by event, and by state if it is not delivered. They expire with the receipts. */
const listed = table(
  ({ list, id }: { readonly list: string; readonly id: string }) => ({ pk: list, sk: id }),
  json<object>('entry of a list of deliveries', {}),
);

export function listOfEvent(event: string): string {
  return `delivery-event;${event}`;
}

export function listOfState(state: DeliveryState): string | undefined {
  return state === 'delivered' ? undefined : `delivery-state;${state}`;
}

/** What is written of a delivery, in the place of what is known of it. `kept` is for how long the plan keeps receipts. */
export function receiptChanges(
  receipt: Receipt,
  before: Row<Receipt> | undefined,
  { now, kept }: { readonly now: number; readonly kept: number },
): readonly Change[] {
  const { id, event, state } = receipt;
  const due: Due = { at: now + keptMilliseconds(state, kept), queue: 'expire' };
  const entry = (list: string): Change => listed.put({ list, id }, {}, { if: 'any', due });
  const [wasIn, isIn] = [before === undefined ? undefined : listOfState(before.value.state), listOfState(state)];
  return [
    receipts.put(id, receipt, { if: 'any', due }),
    entry(listOfEvent(event)),
    ...(wasIn === undefined || wasIn === isIn ? [] : [listed.remove({ list: wasIn, id }, 'any')]),
    ...(isIn === undefined ? [] : [entry(isIn)]),
  ];
}

export interface Attempted {
  readonly item: OutboxItem;
  readonly event: string;
  readonly recordId: string;
  readonly tenantCode: string;
  readonly state: DeliveryState;
  readonly nextAt: number | undefined;
  /** Undefined where it came to its end without being sent once more. */
  readonly outcome: (Outcome & { readonly at: number }) | undefined;
  /** Why it is dead, where no answer says it. */
  readonly reason?: string;
}

export function receiptOf(attempted: Attempted, before: Receipt | undefined, now: number): Receipt {
  const { item, event, recordId, tenantCode, state, nextAt, outcome, reason } = attempted;
  const last = outcome ?? (reason === undefined ? undefined : { at: now, status: null, ms: 0, answer: reason });
  const attempts = [...(before?.attempts ?? []), ...(last === undefined ? [] : [attemptOf(last)])];
  return {
    ...{ id: item.id, event, entity: item.entity, op: item.op, record: recordId, tenant_code: tenantCode },
    ...(item.user.actor === undefined ? {} : { by: item.user.actor }),
    state,
    count: (before?.count ?? 0) + (outcome === undefined ? 0 : 1),
    attempts: attempts.slice(-attemptsKept),
    next_at: nextAt === undefined ? null : timestamp(nextAt),
  };
}

function attemptOf({ at, status, ms, answer }: Omit<Attempt, 'at'> & { readonly at: number }): Attempt {
  return { at: timestamp(at), status, ms, answer };
}

/** The receipts that are there, by id. */
export async function readReceipts(scope: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, Row<Receipt>>> {
  const rows = ids.length === 0 ? [] : await receipts.readMany(scope, ids);
  return new Map(rows.flatMap((row) => (row === undefined ? [] : [[row.value.id, row] as const])));
}
