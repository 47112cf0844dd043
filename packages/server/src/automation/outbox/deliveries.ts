/** What builders see of deliveries, and what they may have sent again. */
import type { deliveriesApi } from '@freehold/contract/management/deliveries';
import type { BodyOf, ReplyOf } from '@freehold/contract/route';
import { type AuditContext, auditEntry } from '../../audit/audit-entry.ts';
import type { Clock } from '../../lib/clock.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import type { Cursors } from '../../records/port.ts';
import type { Change, Scope, Store } from '../../store/port.ts';
import { type Row, removeAsRead } from '../../store/table.ts';
import { transact, tryCommit } from '../../store/transact.ts';
import { type Environment, orgScopeName, workspaceScopeName } from '../../tenancy/port.ts';
import { askedAt } from '../../work/work-queue.ts';
import type { OrgPlace } from '../config/live-events.ts';
import { type OutboxItem, outboxes, pastItems, putLane } from './outbox-rows.ts';
import {
  listOfEvent,
  listOfState,
  type Receipt,
  readReceipts,
  receiptChanges,
  receipts,
  writtenAt,
} from './receipts.ts';

export interface DeliveriesDeps {
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly clock: Clock;
  readonly cursors: Cursors;
  /** Has deliveries begin. */
  readonly wake: () => void;
}

export interface AskedDeliveries extends OrgPlace {
  readonly event?: string | undefined;
  readonly state?: Receipt['state'] | undefined;
  /** In UTC with milliseconds. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly pagesize: number;
  readonly nexttoken?: string | undefined;
}

type Page = ReplyOf<typeof deliveriesApi.listDeliveries>;
type ManyAgain = ReplyOf<typeof deliveriesApi.redeliverMany>;

/** Receipts that are looked at for one page. */
const scanMax = 2000;
const scanStep = 200;

/** @throws Problem `invalid_cursor`. */
export async function listDeliveries({ stores, cursors }: DeliveriesDeps, asked: AskedDeliveries): Promise<Page> {
  const { env, orgCode, event, state, since, until, pagesize, nexttoken } = asked;
  const scope = stores[env].scope(orgScopeName(orgCode));
  // The end is part of it only where there is one, so that cursors of before stay good.
  const end = until === undefined ? [] : [until];
  const binding = ['deliveries', env, orgCode, event ?? '', state ?? '', since ?? '', ...end];
  const before = nexttoken === undefined ? endOf(until) : cursors.open(nexttoken, binding);
  const items: Page['items'][number][] = [];
  let left = scanMax;
  for await (const page of newestReceipts(scope, asked, before)) {
    for (const receipt of page) {
      left -= 1;
      if (isAsked(receipt, asked)) items.push(shown(receipt));
      if (items.length === pagesize || left <= 0) return { items, nexttoken: cursors.seal(receipt.id, binding) };
    }
  }
  return { items, nexttoken: null };
}

type Filters = Pick<AskedDeliveries, 'event' | 'state' | 'since'>;

function isAsked({ event, state }: Receipt, asked: Filters): boolean {
  return (asked.event === undefined || event === asked.event) && (asked.state === undefined || state === asked.state);
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
  const least = since === undefined ? {} : { after: idBefore(since) };
  for (let from = before; ; ) {
    const upTo = from === undefined ? {} : { before: from };
    const rows = await scope.range(list ?? all, { reverse: true, limit: scanStep, ...least, ...upTo });
    const last = rows.at(-1);
    if (last === undefined) return;
    if (list === undefined) yield rows.map((row) => receipts.row(scope, row).value);
    else {
      const found = await readReceipts(
        scope,
        rows.map(({ sk }) => sk),
      );
      yield rows.flatMap(({ sk }) => found.get(sk)?.value ?? []);
    }
    if (rows.length < scanStep) return;
    from = last.sk;
  }
}

function endOf(until: string | undefined): string | undefined {
  return until === undefined ? undefined : idBefore(until);
}

/** A text before every id that was made at a time or later: ids are UUIDs of version 7. */
function idBefore(at: string): string {
  const time = Math.max(Date.parse(at), 0).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}`;
}

function shown({ by: _by, ...receipt }: Receipt): Page['items'][number] {
  return { ...receipt, written_at: writtenAt(receipt) };
}

/** @throws Problem `not_found`. */
export async function readDelivery(
  { stores }: Pick<DeliveriesDeps, 'stores'>,
  { env, orgCode }: OrgPlace,
  id: string,
): Promise<ReplyOf<typeof deliveriesApi.readDelivery>> {
  const row = await receipts.read(stores[env].scope(orgScopeName(orgCode)), id);
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
  const scope = deps.stores[command.env].scope(orgScopeName(command.orgCode));
  const row = await receipts.read(scope, id);
  if (row === undefined) throw notFound();
  const sent = await sendAgain(deps, command, [row]);
  if (sent.length === 0)
    throw new Problem('conflict', 'the delivery is under way, or what was delivered is not kept any more');
  await noteSent(deps, command, id, sent);
  return { id };
}

/** How many deliveries one call sends again. */
const redeliveredMax = 200;

type Filter = BodyOf<typeof deliveriesApi.redeliverMany>;

export async function redeliverMany(
  deps: DeliveriesDeps,
  command: RedeliverCommand,
  filter: Filter,
): Promise<ManyAgain> {
  const { rows, more } = await filtered(deps, command, filter);
  const sent = await sendAgain(deps, command, rows);
  await noteSent(deps, command, filter.event, sent);
  return { count: sent.length, more };
}

/** How many would be sent. */
export async function countRedelivered(deps: DeliveriesDeps, place: OrgPlace, filter: Filter): Promise<ManyAgain> {
  const { rows, more } = await filtered(deps, place, filter);
  const store = deps.stores[place.env];
  let count = 0;
  for (const { value } of rows) {
    const scope = store.scope(workspaceScopeName(place.orgCode, value.tenant_code));
    if ((await pastOf(scope, value.event, value.id)) !== undefined) count += 1;
  }
  return { count, more };
}

/** The deliveries that one call sends again, the newest first. */
async function filtered(
  { stores }: Pick<DeliveriesDeps, 'stores'>,
  { env, orgCode }: OrgPlace,
  { event, state, since, until }: Filter,
): Promise<{ readonly rows: readonly Row<Receipt>[]; readonly more: boolean }> {
  const scope = stores[env].scope(orgScopeName(orgCode));
  const ids: string[] = [];
  let left = scanMax;
  let more = false;
  for await (const page of newestReceipts(scope, { event, state, since }, endOf(until))) {
    for (const receipt of page) {
      left -= 1;
      more = ids.length === redeliveredMax || left < 0;
      if (more) break;
      if (isAsked(receipt, { event, state })) ids.push(receipt.id);
    }
    if (more) break;
  }
  return { rows: [...(await readReceipts(scope, ids)).values()], more };
}

/** Puts deliveries that have ended back into their outboxes, and gives those for which that was possible. */
async function sendAgain(
  { stores, clock }: DeliveriesDeps,
  { env, orgCode }: OrgPlace,
  rows: readonly Row<Receipt>[],
): Promise<readonly Row<Receipt>[]> {
  const sent: Row<Receipt>[] = [];
  for (const row of rows) {
    const { id, event, tenant_code } = row.value;
    const scope = stores[env].scope(workspaceScopeName(orgCode, tenant_code));
    const past = await pastOf(scope, event, id);
    if (past === undefined) continue;
    const now = clock.now();
    const item: OutboxItem = { ...past.value, attempts: 0, from: now };
    const changes: readonly Change[] = [
      removeAsRead(past),
      outboxes.put({ event, sk: past.sk.slice(id.length + 1) }, item, { if: 'absent' }),
      putLane(event, askedAt),
    ];
    if (await tryCommit(scope, changes)) sent.push(row);
  }
  return sent;
}

/** Says of what was sent again that it waits, unless it has been delivered meanwhile. */
async function noteSent(
  { stores, clock, wake }: DeliveriesDeps,
  { env, orgCode, auditContext }: RedeliverCommand,
  target: string,
  sent: readonly Row<Receipt>[],
): Promise<void> {
  const scope = stores[env].scope(orgScopeName(orgCode));
  const detail = { deliveries: sent.length };
  const entry = { action: 'delivery.sent_again', target: { kind: 'delivery', id: target }, env, detail };
  await transact(scope, async () => {
    const known = await readReceipts(
      scope,
      sent.map(({ sk }) => sk),
    );
    const changes = sent.flatMap((row): readonly Change[] => {
      if (known.get(row.sk)?.version !== row.version) return [];
      const receipt: Receipt = { ...row.value, state: 'waiting', next_at: null };
      const version = { version: row.version };
      return receiptChanges(receipt, row, { now: clock.now(), kept: 0 }).map((change) =>
        change.kind === 'put' && change.pk === row.pk ? { ...change, if: version } : change,
      );
    });
    return { changes: [...changes, auditEntry(auditContext, entry)] };
  });
  wake();
}

async function pastOf(scope: Scope, event: string, id: string): Promise<Row<OutboxItem> | undefined> {
  const { pk } = pastItems.key({ event, sk: '' });
  const [past] = await pastItems.range(scope, pk, { prefix: `${id};`, limit: 1 });
  return past;
}
