import type { InputError } from '@freehold/contract/problem';
import { Problem } from '../../lib/problem.ts';
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import {
  type CompiledEntity,
  type FieldValue,
  fieldNamed,
  isPlatformField,
  isPlatformMade,
  readValue,
} from '../../schema/port.ts';
import { type Key, limits } from '../../store/port.ts';
import { shareKeyOf } from '../../tenancy/port.ts';
import { type CompiledUnique, sentinelKey } from '../indexes/derive.ts';
import { keyText } from '../record-keys.ts';
import type { RecordPolicy } from '../record-policy.ts';
import { errorsAsSent, namedBody } from '../writing/named-body.ts';
import { type CreatePlan, type Creation, planCreate, planUpdate, type UpdatePlan } from '../writing/plan-writes.ts';
import { mergeChanges, type PlannedChange, unconditional } from '../writing/planned-change.ts';
import { assertNotDenied } from '../writing/record-checks.ts';
import type { RecordWrite, RecordWriteDeps } from '../writing/record-write-deps.ts';
import type { RecordCall, WritePlan } from '../writing/write-loop.ts';

export interface RowsRequest {
  readonly rows: readonly ImportRow[];
  /** The unique index by which rows find the records that they change; undefined makes each row a new record. */
  readonly upsert: string | undefined;
  readonly access: RowsAccess;
}

export interface RowsAccess {
  toCreate(body: unknown): RecordPolicy | undefined;
  toUpdate(id: string, body: unknown): RecordPolicy | undefined;
}

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
  const pause = createYielder(shareKeyOf(call.workspace));
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
    const errors = 'errors' in outcome ? outcome.errors : refusalByCurrentState(wanted, taken);
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
  /** The key in the unique index of the record that the row is about. */
  readonly place: Key | undefined;
  readonly outcome: { readonly plan: CreatePlan | UpdatePlan } | { readonly errors: readonly InputError[] };
}

interface RowPolicyRequest extends Pick<RowsRequest, 'access'> {
  readonly row: ImportRow;
  readonly unique: CompiledUnique | undefined;
}

async function planRow(parts: RecordWriteDeps, call: RecordCall, request: RowPolicyRequest): Promise<PlannedRow> {
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
  { row: { creation }, access }: Pick<RowPolicyRequest, 'row' | 'access'>,
): Promise<CreatePlan> {
  return planCreate(parts, { ...call, rows: assertNotDenied(access.toCreate(creation.body)) }, creation);
}

async function planUpsert(
  parts: RecordWriteDeps,
  call: RecordCall,
  { place, ...request }: RowPolicyRequest & { readonly place: Key },
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

/** If another writer makes a record of the same values first, the row is about that one. */
function replannedAt(place: Key, plan: CreatePlan): CreatePlan {
  const isThere = ({ change }: PlannedChange): boolean => 'sk' in change && keyText(change) === keyText(place);
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
  return new Set(keys.filter((_, index) => items[index] !== undefined).map(keyText));
}

function refusalByCurrentState(
  changes: readonly PlannedChange[],
  taken: ReadonlySet<string>,
): readonly InputError[] | undefined {
  for (const { change, onConflict } of changes)
    if (onConflict !== 'replan' && 'sk' in change && taken.has(keyText(change))) return refusalErrors(onConflict());
  return undefined;
}

/** A row that could be read, on its way to be a record. If it makes a new one, that is `creation`. */
export interface ImportRow {
  readonly row: number;
  readonly creation: Creation;
  /** The row's part for an update beside the fields of a new record: the `version` that it is based on. */
  readonly base: { readonly version?: unknown };
}

/** The `version` of a row that may be about a record that is there. */
export function baseOf(record: unknown): ImportRow['base'] {
  const isNamed = typeof record === 'object' && record !== null && Object.hasOwn(record, 'version');
  return isNamed ? { version: Reflect.get(record, 'version') } : {};
}

/**
 * The values of a row that the client may set. Values that the platform sets and computes are passed over, so that an
 * export can be imported again.
 * @param ignored learns the names of the fields that were passed over.
 */
export function sentFields(entity: CompiledEntity, record: unknown, ignored: Set<string>): unknown {
  // Anything else is refused as the body of a create would be.
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return record;
  const sent: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record)) {
    const field = fieldNamed(entity, name);
    if (isPlatformField(name) || (field !== undefined && isPlatformMade(field.behaviour))) ignored.add(name);
    else Object.defineProperty(sent, name, { value, enumerable: true });
  }
  return sent;
}

/** The unique index that rows are to find their records by. @throws Problem `invalid_request`. */
export function upsertIndex(entity: CompiledEntity, name: string): CompiledUnique {
  const unique = entity.uniques.find((one) => one.name === name && !one.isErasing);
  const shown = name.slice(0, 100);
  if (unique === undefined) throw refusal(`entity \`${entity.name}\` has no unique index \`${shown}\``);
  if (!unique.isReady) throw refusal(`the unique index \`${shown}\` is still being built: try again in a moment`);
  const made = unique.fields.find(({ field }) => {
    const compiled = entity.fields.get(field);
    return compiled !== undefined && isPlatformMade(compiled.behaviour);
  });
  if (made !== undefined)
    throw refusal(`the platform itself sets \`${made.field}\` of the unique index \`${shown}\`, so no row can name it`);
  return unique;
}

function refusal(message: string): Problem {
  return new Problem('invalid_request', message, { errors: [{ pointer: '/upsert', code: 'invalid_upsert', message }] });
}

/** The index key of the record with a row's values; undefined where the row does not have all of them. */
function upsertKey(entity: CompiledEntity, unique: CompiledUnique, body: unknown): Key | undefined {
  const values: Record<string, FieldValue> = {};
  for (const { field } of unique.fields) {
    const input = memberOf(body, field);
    const read = input === undefined ? undefined : readField(entity, field, input);
    if (read !== undefined) values[field] = read;
  }
  return sentinelKey(unique, values);
}

/** The faults of a row that leaves out what it would be found by. */
function missingValues(unique: CompiledUnique, body: unknown): readonly InputError[] {
  const missing = unique.fields.filter(({ field }) => memberOf(body, field) === undefined);
  return missing.map(({ field }) => ({
    pointer: `/${field}`,
    code: 'required',
    message: `field \`${field}\` is required, because \`${unique.name}\` finds the record by it`,
  }));
}

/** A `null` says as little as what is left out. */
function memberOf(body: unknown, name: string): unknown {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return undefined;
  return (body as Readonly<Record<string, unknown>>)[name] ?? undefined;
}

function readField(entity: CompiledEntity, name: string, input: unknown): FieldValue | undefined {
  const field = entity.fields.get(name);
  const read = field === undefined ? undefined : readValue(field.behaviour, false, input);
  return read !== undefined && 'value' in read ? read.value : undefined;
}

/**
 * Writes that were planned on the same state and go into one commit because none changes what another looked at. All may
 * count, and look at the same things.
 */
interface ApartWrites {
  /** @param claimed what only one write of the commit may be about. */
  hasRoomFor(write: readonly PlannedChange[], claimed: Key | undefined): boolean;
  add(write: readonly PlannedChange[], claimed: Key | undefined): void;
}

function apartWrites(): ApartWrites {
  const places = new Map<string, 'looked at' | 'changed'>();
  const claims = new Set<string>();
  let changesLeft = limits.changesMax - checksOfTheCommit;
  const isFree = ({ change }: PlannedChange): boolean => {
    if (!isOfOnePlace(change)) return true;
    const known = places.get(keyText(change));
    return known === undefined || (known === 'looked at' && change.kind === 'check');
  };
  return {
    hasRoomFor: (write, claimed) => {
      if (places.size === 0) return true;
      const isClaimed = claimed !== undefined && claims.has(keyText(claimed));
      return write.length <= changesLeft && !isClaimed && write.every(isFree);
    },
    add: (write, claimed) => {
      changesLeft -= write.length;
      if (claimed !== undefined) claims.add(keyText(claimed));
      for (const { change } of write)
        if (isOfOnePlace(change)) places.set(keyText(change), change.kind === 'check' ? 'looked at' : 'changed');
    },
  };
}

type RecordChange = PlannedChange['change'];

function isOfOnePlace(change: RecordChange): change is Exclude<Extract<RecordChange, Key>, { kind: 'add' | 'tally' }> {
  return 'sk' in change && change.kind !== 'add' && change.kind !== 'tally';
}

/** A commit also checks a fence for each entity that it touches. */
const checksOfTheCommit = 10;
