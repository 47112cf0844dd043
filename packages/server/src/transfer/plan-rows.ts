import type { InputError } from '@freehold/contract/problem';
import { Problem } from '../lib/problem.ts';
import { createYielder } from '../lib/scheduling/event-loop.ts';
import type { RecordCall, RecordPolicy, RecordWrite, RecordWriteDeps, WritePlan } from '../records/port.ts';
import {
  assertNotDenied,
  type CreatePlan,
  errorsAsSent,
  mergeChanges,
  namedBody,
  type PlannedChange,
  planCreate,
  planUpdate,
  type UpdatePlan,
  unconditional,
} from '../records/port.ts';
import type { CompiledUnique } from '../schema/port.ts';
import { type Key, limits } from '../store/port.ts';
import { laneOf } from '../tenancy/port.ts';
import { apartWrites, placeText } from './apart-writes.ts';
import type { ImportRow } from './import-row.ts';
import { missingValues, upsertIndex, upsertKey } from './upsert.ts';

export interface RowsRequest {
  readonly rows: readonly ImportRow[];
  /** The unique index by which rows find the records that they change; undefined makes each row a new record. */
  readonly upsert: string | undefined;
  readonly access: RowsAccess;
}

/** What the caller may do by a row. */
export interface RowsAccess {
  toCreate(body: unknown): RecordPolicy | undefined;
  toUpdate(id: string, body: unknown): RecordPolicy | undefined;
}

/** What became of a row. */
export type SettledRow =
  | { readonly row: number; readonly write: RecordWrite }
  | { readonly row: number; readonly errors: readonly InputError[] };

export interface RowsPlan extends WritePlan {
  readonly settled: readonly SettledRow[];
  /** Rows that have to be planned on what this commit leaves. */
  readonly rest: readonly ImportRow[];
}

/**
 * One commit of the first of these rows, as many as do not get in each other's way. Rows that are refused are left out
 * of it. What comes of the rows is what would come of writing them one after the other.
 */
export async function planRows(parts: RecordWriteDeps, call: RecordCall, request: RowsRequest): Promise<RowsPlan> {
  const unique = request.upsert === undefined ? undefined : upsertIndex(call.entity, request.upsert);
  const pause = createYielder(laneOf(call.workspace));
  const planned: PlannedRow[] = [];
  const { access, isJudging } = watched(request.access);
  let size = 0;
  while (planned.length < request.rows.length && size <= limits.commitBytesMax) {
    // To judge a row may take long, and others go first in between. The first one tells.
    const atOnce = planned.length === 0 || isJudging() ? 1 : rowsAtOnce;
    const rows = request.rows.slice(planned.length, planned.length + atOnce);
    const next = await Promise.all(rows.map((row) => planRow(parts, call, { row, unique, access })));
    planned.push(...next);
    size += sizeOf(next);
    await pause();
  }
  const taken = await takenPlaces(call, planned);
  const apart = apartWrites();
  const settled: SettledRow[] = [];
  const changes: PlannedChange[] = [];
  for (const { row, place, outcome } of planned) {
    const wanted = 'plan' in outcome ? outcome.plan.changes : [];
    if (!apart.hasRoomFor(wanted, place)) break;
    const errors = 'errors' in outcome ? outcome.errors : refusalByWhatStands(wanted, taken);
    if (errors !== undefined)
      settled.push({ row: row.row, errors: errorsAsSent(call.entity, row.creation.body, errors) });
    else if ('plan' in outcome) {
      apart.add(wanted, place);
      changes.push(...wanted);
      settled.push({ row: row.row, write: writeOf(call, outcome.plan) });
    }
  }
  return { settled, rest: request.rows.slice(settled.length), changes: mergeChanges(changes) };
}

const rowsAtOnce = 10;

/** In units, of which each takes a byte at least: once it is more than a commit takes, the other rows have another one. */
function sizeOf(planned: readonly PlannedRow[]): number {
  let size = 0;
  for (const { outcome } of planned)
    for (const { change } of 'plan' in outcome ? outcome.plan.changes : [])
      if (change.kind === 'put') size += change.value.length;
  return size;
}

/** The same access, and whether it has had a row judged. */
function watched({ toCreate, toUpdate }: RowsAccess): { readonly access: RowsAccess; isJudging(): boolean } {
  let isJudging = false;
  const noted = (rows: RecordPolicy | undefined): RecordPolicy | undefined => {
    isJudging ||= rows !== undefined;
    return rows;
  };
  const access: RowsAccess = {
    toCreate: (body) => noted(toCreate(body)),
    toUpdate: (id, body) => noted(toUpdate(id, body)),
  };
  return { access, isJudging: () => isJudging };
}

interface PlannedRow {
  readonly row: ImportRow;
  /** Where the unique index notes the record that the row is about. */
  readonly place: Key | undefined;
  readonly outcome: { readonly plan: CreatePlan | UpdatePlan } | { readonly errors: readonly InputError[] };
}

interface RecordPolicyRequest extends Pick<RowsRequest, 'access'> {
  readonly row: ImportRow;
  readonly unique: CompiledUnique | undefined;
}

async function planRow(parts: RecordWriteDeps, call: RecordCall, request: RecordPolicyRequest): Promise<PlannedRow> {
  const { row, unique } = request;
  const { body } = namedBody(call.entity, row.creation.body);
  const place = unique === undefined ? undefined : upsertKey(call.entity, unique, body);
  const missing = unique === undefined ? [] : missingValues(unique, body);
  try {
    // A row that names no record is refused with all that would be wrong with a new one.
    const plan = await (place === undefined
      ? planNew(parts, call, request)
      : planUpsert(parts, call, { ...request, place }));
    return { row, place, outcome: missing.length === 0 ? { plan } : { errors: missing } };
  } catch (error) {
    const isMissing = ({ pointer }: InputError): boolean => missing.some((one) => one.pointer === pointer);
    const others = refusalErrors(error).filter((other) => !isMissing(other));
    return { row, place, outcome: { errors: [...missing, ...others] } };
  }
}

function planNew(
  parts: RecordWriteDeps,
  call: RecordCall,
  { row: { creation }, access }: Pick<RecordPolicyRequest, 'row' | 'access'>,
): Promise<CreatePlan> {
  return planCreate(parts, { ...call, rows: assertNotDenied(access.toCreate(creation.body)) }, creation);
}

async function planUpsert(
  parts: RecordWriteDeps,
  call: RecordCall,
  { place, ...request }: RecordPolicyRequest & { readonly place: Key },
): Promise<CreatePlan | UpdatePlan> {
  const { creation, base } = request.row;
  const body = Object.hasOwn(base, 'version') ? Object.assign({}, creation.body, base) : creation.body;
  for (let attempt = 1; ; attempt++) {
    const [held] = await call.workspace.scope.get([place]);
    if (held === undefined) return replannedAt(place, await planNew(parts, call, request));
    const id = held.value;
    const rows = assertNotDenied(request.access.toUpdate(id, body));
    try {
      return await planUpdate(parts, { ...call, rows }, { id, body });
    } catch (error) {
      // It was removed between the two reads.
      const isGone = error instanceof Problem && error.code === 'not_found';
      if (!isGone || attempt === attemptsMax) throw error;
    }
  }
}

const attemptsMax = 8;

/** Where another writer makes a record of the same values first, the row is about that one. */
function replannedAt(place: Key, plan: CreatePlan): CreatePlan {
  const isThere = ({ change }: PlannedChange): boolean => 'sk' in change && placeText(change) === placeText(place);
  return { ...plan, changes: plan.changes.map((one) => (isThere(one) ? unconditional(one.change) : one)) };
}

/** The error of a row. @throws what is none. */
export function refusalErrors(error: unknown): readonly InputError[] {
  if (!(error instanceof Problem)) throw error;
  return error.details.errors ?? [{ pointer: '', code: error.code, message: error.message }];
}

function writeOf({ workspace, actor, config }: RecordCall, plan: CreatePlan | UpdatePlan): RecordWrite {
  const after = plan.data;
  return 'before' in plan
    ? { workspace, actor, config, before: plan.before.data, after }
    : { workspace, actor, config, after };
}

/** Which of the places are taken that the rows would be the first to take: values and keys that one record may have. */
async function takenPlaces({ workspace }: RecordCall, planned: readonly PlannedRow[]): Promise<ReadonlySet<string>> {
  const keys: Key[] = [];
  for (const { outcome } of planned)
    for (const { change, onConflict } of 'plan' in outcome ? outcome.plan.changes : [])
      if (change.kind === 'put' && change.if === 'absent' && onConflict !== 'replan')
        keys.push({ pk: change.pk, sk: change.sk });
  const items = await workspace.scope.get(keys);
  return new Set(keys.filter((_, index) => items[index] !== undefined).map(placeText));
}

function refusalByWhatStands(
  changes: readonly PlannedChange[],
  taken: ReadonlySet<string>,
): readonly InputError[] | undefined {
  for (const { change, onConflict } of changes)
    if (onConflict !== 'replan' && 'sk' in change && taken.has(placeText(change))) return refusalErrors(onConflict());
  return undefined;
}
