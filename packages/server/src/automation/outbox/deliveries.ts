/** The receipts of deliveries, and deliveries sent again on request. Receipts hold no values of records. */
import type { deliveriesApi } from '@freehold/contract/management/deliveries';
import type { BodyOf, QueryOf, ReplyOf } from '@freehold/contract/route';
import { type AuditActor, type AuditContext, auditEntry } from '../../audit/audit-entry.ts';
import { timestamp } from '../../lib/clock.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import type { Change, Due, Scope } from '../../store/port.ts';
import { asRead, json, type Row, removeAsRead, table } from '../../store/table.ts';
import { transact, tryCommit } from '../../store/transact.ts';
import { immediately } from '../../work/work-queue.ts';
import { idBefore, type OrgPlace, orgScope, type SharedDeps, workspaceScope } from '../automation-deps.ts';
import { type DeliveryQueue, type OutboxItem, outboxes, putQueue, settledItems } from './outbox.ts';
import type { Attempted } from './settle.ts';

/** `waiting` is what was asked to be sent again; what was never sent has no receipt yet. */
export interface Receipt extends Omit<ReplyOf<typeof deliveriesApi.readDelivery>, 'written_at'> {
  readonly by?: AuditActor;
}

type DeliveryState = Receipt['state'];

/** The time of the write, in RFC 3339: ids are UUIDs of version 7, whose first 48 bits are their time. */
export function writtenAt({ id }: Pick<Receipt, 'id'>): string {
  return timestamp(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}

const attemptsKept = 20;
const day = 24 * 3600 * 1000;
/** For how long what may still be sent again is kept: the receipt of a delivery under way is written again long before. */
const openMilliseconds = 30 * day;

/** By id, so that they are in the order of the writes. */
const receipts = table(
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

function listOfState(state: DeliveryState): string | undefined {
  return state === 'delivered' ? undefined : `delivery-state;${state}`;
}

/** The changes that write a receipt over an earlier one. `kept` is for how long the plan keeps receipts. */
export function receiptChanges(
  receipt: Receipt,
  before: Row<Receipt> | undefined,
  { now, kept }: { readonly now: number; readonly kept: number },
): readonly Change[] {
  const { id, event, state } = receipt;
  const forMilliseconds = state === 'delivered' ? kept : Math.max(openMilliseconds, kept);
  const due: Due = { at: now + forMilliseconds, queue: 'expire' };
  const entry = (list: string): Change => listed.put({ list, id }, {}, { if: 'any', due });
  const [wasIn, isIn] = [before === undefined ? undefined : listOfState(before.value.state), listOfState(state)];
  return [
    receipts.put(id, receipt, { if: 'any', due }),
    entry(listOfEvent(event)),
    ...(wasIn === undefined || wasIn === isIn ? [] : [listed.remove({ list: wasIn, id }, 'any')]),
    ...(isIn === undefined ? [] : [entry(isIn)]),
  ];
}

export function receiptOf(
  { event, tenantCode }: DeliveryQueue,
  { recordId, settled }: { readonly recordId: string; readonly settled: Attempted },
  before: Receipt | undefined,
  now: number,
): Receipt {
  const { waiting, state, outcome } = settled;
  const { item } = waiting;
  const nextAt = 'nextAt' in settled ? settled.nextAt : undefined;
  const reason = 'reason' in settled ? settled.reason : undefined;
  const last = outcome ?? (reason === undefined ? undefined : { at: now, status: null, ms: 0, answer: reason });
  const attempted = last && { at: timestamp(last.at), status: last.status, ms: last.ms, answer: last.answer };
  const attempts = [...(before?.attempts ?? []), ...(attempted === undefined ? [] : [attempted])];
  return {
    ...{ id: item.id, event, entity: item.entity, op: item.op, record: recordId, tenant_code: tenantCode },
    ...(item.user.actor === undefined ? {} : { by: item.user.actor }),
    state,
    count: (before?.count ?? 0) + (outcome === undefined ? 0 : 1),
    attempts: attempts.slice(-attemptsKept),
    next_at: nextAt === undefined ? null : timestamp(nextAt),
  };
}

export async function readReceipts(scope: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, Row<Receipt>>> {
  const rows = ids.length === 0 ? [] : await receipts.readMany(scope, ids);
  return new Map(rows.flatMap((row) => (row === undefined ? [] : [[row.value.id, row] as const])));
}

export type DeliveriesDeps = Pick<SharedDeps, 'stores' | 'clock' | 'cursors' | 'wake'>;

export type DeliveryQuery = OrgPlace & QueryOf<typeof deliveriesApi.listDeliveries>;

type DeliveryPage = ReplyOf<typeof deliveriesApi.listDeliveries>;
type ManyAgain = ReplyOf<typeof deliveriesApi.redeliverMany>;

const scanMax = 2000;
const scanStep = 200;

/** @throws Problem `invalid_cursor`. */
export async function listDeliveries(deps: DeliveriesDeps, query: DeliveryQuery): Promise<DeliveryPage> {
  const { env, orgCode, event, state, since, until, pagesize, nexttoken } = query;
  const { cursors } = deps;
  // The end is part of it only where there is one, so that cursors of before stay good.
  const end = until === undefined ? [] : [until];
  const binding = ['deliveries', env, orgCode, event ?? '', state ?? '', since ?? '', ...end];
  const before = nexttoken === undefined ? endOf(until) : cursors.open(nexttoken, binding);
  const items: DeliveryPage['items'][number][] = [];
  let left = scanMax;
  for await (const page of newestReceipts(orgScope(deps, query), query, before)) {
    for (const receipt of page) {
      left -= 1;
      if (matchesFilters(receipt, query)) items.push(shown(receipt));
      if (items.length === pagesize || left <= 0) return { items, nexttoken: cursors.seal(receipt.id, binding) };
    }
  }
  return { items, nexttoken: null };
}

type Filters = Pick<DeliveryQuery, 'event' | 'state' | 'since'>;

function matchesFilters(receipt: Receipt, { event = receipt.event, state = receipt.state }: Filters): boolean {
  return receipt.event === event && receipt.state === state;
}

/** Receipts in pages, the newest first, by the list that has the fewest others. */
async function* newestReceipts(
  scope: Scope,
  { event, state, since }: Filters,
  before: string | undefined,
): AsyncGenerator<readonly Receipt[]> {
  const ofState = state === undefined ? undefined : listOfState(state);
  const list = ofState ?? (event === undefined ? undefined : listOfEvent(event));
  const { pk: all } = receipts.key('');
  const least = since === undefined ? {} : { after: idBefore(Date.parse(since)) };
  for (let from = before; ; ) {
    const upTo = from === undefined ? {} : { before: from };
    const rows = await scope.range(list ?? all, { reverse: true, limit: scanStep, ...least, ...upTo });
    const last = rows.at(-1);
    if (last === undefined) return;
    const ids = rows.map(({ sk }) => sk);
    if (list === undefined) yield rows.map((row) => receipts.row(scope, row).value);
    else yield [...(await readReceipts(scope, ids)).values()].map(({ value }) => value);
    if (rows.length < scanStep) return;
    from = last.sk;
  }
}

function endOf(until: string | undefined): string | undefined {
  return until === undefined ? undefined : idBefore(Date.parse(until));
}

function shown({ by: _by, ...receipt }: Receipt): DeliveryPage['items'][number] {
  return { ...receipt, written_at: writtenAt(receipt) };
}

/** @throws Problem `not_found`. */
export async function readDelivery(
  deps: DeliveriesDeps,
  place: OrgPlace,
  id: string,
): Promise<DeliveryPage['items'][number]> {
  const row = await receipts.read(orgScope(deps, place), id);
  if (row === undefined) throw notFound();
  return shown(row.value);
}

export interface RedeliverCommand extends OrgPlace {
  readonly auditContext: AuditContext;
}

/** @throws Problem `not_found`, or `conflict` where it is under way, or is not kept any more. */
export async function redeliver(
  deps: DeliveriesDeps,
  command: RedeliverCommand,
  id: string,
): Promise<ReplyOf<typeof deliveriesApi.redeliver>> {
  const row = await receipts.read(orgScope(deps, command), id);
  if (row === undefined) throw notFound();
  const sent = await sendAgain(deps, command, [row]);
  if (sent.length === 0)
    throw new Problem('conflict', 'the delivery is under way, or what was delivered is not kept any more');
  await noteSent(deps, command, id, sent);
  return { id };
}

const redeliveredMax = 200;

export type RedeliveryFilter = BodyOf<typeof deliveriesApi.redeliverMany>;

export async function redeliverMany(
  deps: DeliveriesDeps,
  command: RedeliverCommand,
  filter: RedeliveryFilter,
): Promise<ManyAgain> {
  const { rows, more } = await filtered(deps, command, filter);
  const sent = await sendAgain(deps, command, rows);
  await noteSent(deps, command, filter.event, sent);
  return { count: sent.length, more };
}

export async function countRedelivered(
  deps: DeliveriesDeps,
  place: OrgPlace,
  filter: RedeliveryFilter,
): Promise<ManyAgain> {
  const { rows, more } = await filtered(deps, place, filter);
  let count = 0;
  for (const { value } of rows) {
    const scope = workspaceScope(deps, place, value.tenant_code);
    if ((await pastOf(scope, value.event, value.id)) !== undefined) count += 1;
  }
  return { count, more };
}

/** The deliveries that one call sends again, the newest first. */
async function filtered(deps: DeliveriesDeps, place: OrgPlace, filter: RedeliveryFilter) {
  const scope = orgScope(deps, place);
  const ids: string[] = [];
  let left = scanMax;
  let more = false;
  for await (const page of newestReceipts(scope, filter, endOf(filter.until))) {
    for (const receipt of page) {
      left -= 1;
      more = ids.length === redeliveredMax || left < 0;
      if (more) break;
      if (matchesFilters(receipt, filter)) ids.push(receipt.id);
    }
    if (more) break;
  }
  return { rows: [...(await readReceipts(scope, ids)).values()], more };
}

/** Puts deliveries that have ended back into their outboxes, and gives those for which that was possible. */
async function sendAgain(
  deps: DeliveriesDeps,
  place: OrgPlace,
  rows: readonly Row<Receipt>[],
): Promise<readonly Row<Receipt>[]> {
  const sent: Row<Receipt>[] = [];
  for (const row of rows) {
    const { id, event, tenant_code } = row.value;
    const scope = workspaceScope(deps, place, tenant_code);
    const past = await pastOf(scope, event, id);
    if (past === undefined) continue;
    const item: OutboxItem = { ...past.value, attempts: 0, from: deps.clock.now() };
    const changes: readonly Change[] = [
      removeAsRead(past),
      outboxes.put({ event, sk: past.sk.slice(id.length + 1) }, item, { if: 'absent' }),
      putQueue(event, immediately),
    ];
    if (await tryCommit(scope, changes)) sent.push(row);
  }
  return sent;
}

/** Says of what was sent again that it waits, unless it has been delivered meanwhile. */
async function noteSent(
  deps: DeliveriesDeps,
  command: RedeliverCommand,
  target: string,
  sent: readonly Row<Receipt>[],
): Promise<void> {
  const scope = orgScope(deps, command);
  const { env, auditContext } = command;
  const detail = { deliveries: sent.length };
  const entry = { action: 'delivery.sent_again', target: { kind: 'delivery', id: target }, env, detail };
  await transact(scope, async () => {
    const ids = sent.map(({ sk }) => sk);
    const known = await readReceipts(scope, ids);
    const changes = sent.flatMap((row): readonly Change[] => {
      if (known.get(row.sk)?.version !== row.version) return [];
      const receipt: Receipt = { ...row.value, state: 'waiting', next_at: null };
      return receiptChanges(receipt, row, { now: deps.clock.now(), kept: 0 }).map((change) =>
        change.kind === 'put' && change.pk === row.pk ? { ...change, if: asRead(row) } : change,
      );
    });
    return { changes: [...changes, auditEntry(auditContext, entry)] };
  });
  deps.wake();
}

async function pastOf(scope: Scope, event: string, id: string): Promise<Row<OutboxItem> | undefined> {
  const { pk } = settledItems.key({ event, sk: '' });
  const [past] = await settledItems.range(scope, pk, { prefix: `${id};`, limit: 1 });
  return past;
}
