import type { Preconditions } from '../../api/headers/preconditions.ts';
import { timestamp } from '../../lib/clock.ts';
import { invalidBody, notFound, Problem } from '../../lib/problem.ts';
import type { FieldValue } from '../../schema/port.ts';
import { findRecord } from '../listing/find-record.ts';
import {
  checkRecord,
  entityTag,
  isTagOf,
  makeRecord,
  type RecordData,
  readCreate,
  readUpdate,
  type StoredRecord,
} from '../record.ts';
import { newRecordKey, updatedRecordKey } from '../record-keys.ts';
import { checkLookups } from '../references.ts';
import type { PlannedChange } from './planned-change.ts';
import { recordChanges } from './record-changes.ts';
import {
  assertFieldsAllowed,
  assertUpdateAllowed,
  assertVisible,
  assertWriteAllowed,
  readableFields,
  readableUnchangedFields,
  updatedValue,
} from './record-checks.ts';
import { askBeforeRemoval, eventChanges, revisedBefore } from './record-events.ts';
import type { RecordWrite, RecordWriteDeps } from './record-write-deps.ts';
import { heldSealed, sealValues } from './sealed-values.ts';
import type { RecordCall, WritePlan } from './write-loop.ts';

/** One record to be made, however often it has to be planned: it keeps its id and its numbers. */
export interface Creation {
  readonly id: string;
  readonly body: unknown;
  /** By fields as they are stored. */
  readonly numbers: Map<string, number>;
}

/** @param known its id and its numbers, where it has them already. */
export function newCreation(
  { newId }: Pick<RecordWriteDeps, 'newId'>,
  body: unknown,
  { id = newId(), numbers = new Map() }: Partial<Omit<Creation, 'body'>> = {},
): Creation {
  return { id, body, numbers };
}

export type CreatePlan = StoredRecord & WritePlan;

/** @throws Problem `access_denied`, `validation_failed`, `unknown_field`, or what the entity's rules refuse. */
export async function planCreate(
  parts: Pick<RecordWriteDeps, 'clock' | 'rules' | 'numbering' | 'sealer' | 'events' | 'before'>,
  call: RecordCall,
  creation: Creation,
): Promise<CreatePlan> {
  const { workspace, entity, actor } = call;
  const { id } = creation;
  const { changes: fields, errors, body } = readCreate(entity, creation.body, actor.userId);
  const now = timestamp(parts.clock.now());
  const stamps = { id, created_at: now, updated_at: now, created_by: actor.userId, updated_by: actor.userId };
  const sent = makeRecord(entity, (name) => fields.get(name), stamps);
  const draft =
    errors.length > 0
      ? sent
      : await revisedBefore(parts.before, { call, after: sent }, (values) =>
          makeRecord(entity, (name) => (values.has(name) ? values.get(name) : fields.get(name)), stamps),
        );
  const lookups = await checkLookups(call, undefined, draft, { call, body, record: sent });
  const wrong = [...errors, ...lookups.errors];
  if (wrong.length === 0) wrong.push(...checkRecord(entity, draft));
  if (wrong.length > 0) throw invalidBody(wrong);
  const data = await numbered(parts, call, { creation, draft });
  assertWriteAllowed(call, { data, body, states: { after: data } });
  const key = newRecordKey(entity, data, workspace, actor);
  const rules = parts.rules.get(entity.name);
  const ruled = (await rules?.changes({ workspace, actor, config: call.config, after: data })) ?? [];
  const sealed = sealValues(parts.sealer, { scope: workspace.scope.name, entity, id }, { fields, held: {} });
  const written = await recordChanges(workspace.scope, entity, { after: { key, data }, sealed });
  const left = await eventChanges(parts.events, { call, after: data });
  return { key, version: 0, data, changes: [...written, ...lookups.changes, ...ruled, ...left] };
}

/** Numbers are taken once everything else is known to hold, so that a refused record costs none. */
async function numbered(
  { numbering }: Pick<RecordWriteDeps, 'numbering'>,
  { workspace, beneath = workspace, entity }: RecordCall,
  { creation, draft }: { readonly creation: Creation; readonly draft: RecordData },
): Promise<RecordData> {
  const { numbers } = creation;
  const fields = [...entity.fields.values()].filter(({ behaviour }) => behaviour.isNumbered === true);
  if (fields.length === 0) return draft;
  const { inStore } = entity.stored;
  for (const field of fields.map(({ name }) => inStore(name)))
    if (!numbers.has(field)) numbers.set(field, await numbering.next(beneath.scope, entity.name, field));
  const value = (name: string): FieldValue | undefined => numbers.get(inStore(name)) ?? draft[name];
  return makeRecord(entity, value, draft);
}

export interface UpdateInput extends Preconditions {
  readonly id: string;
  readonly body: unknown;
}

/** A record as it is to be, the record as it was, and the changes between them. */
export type UpdatePlan = StoredRecord & WritePlan & { readonly before: StoredRecord };

/** @throws Problem `not_found`, `version_mismatch`, `access_denied`, `validation_failed`, `unknown_field`, … */
export async function planUpdate(
  parts: Pick<RecordWriteDeps, 'clock' | 'rules' | 'sealer' | 'events' | 'before'>,
  call: RecordCall,
  input: UpdateInput,
): Promise<UpdatePlan> {
  const { workspace, entity, actor } = call;
  const before = await findRecord(call, input.id);
  if (before === undefined) throw notFound();
  const visible = assertVisible(call, before.data, { before: before.data, after: 'open' });
  requireMatch(before, input);
  requireVersion(before, input.body);
  const mayCompare = readableFields(call, before);
  const read = readUpdate(entity, input.body, before, mayCompare);
  const { changes: fields, errors, body } = read;
  const isUnchanged = readableUnchangedFields(call, before, read);
  assertFieldsAllowed(call.rows, visible, { data: before.data, body, isUnchanged });
  const stamps = { ...before.data, updated_at: timestamp(parts.clock.now()), updated_by: actor.userId };
  const value = updatedValue(before.data, fields, isUnchanged);
  const sent = makeRecord(entity, value, stamps);
  let data = sent;
  const assertAllowed = () => assertUpdateAllowed(call, { before: before.data, visible }, { data, body, isUnchanged });
  // The mistakes of a record reveal its values: a caller who may not change it so does not learn them.
  if (visible.isProvisional === true && errors.length === 0) assertAllowed();
  if (errors.length === 0)
    data = await revisedBefore(parts.before, { call, before, after: data }, (values) =>
      makeRecord(entity, (name) => (values.has(name) ? values.get(name) : value(name)), stamps),
    );
  const lookups = await checkLookups(call, before.data, data, { call, body, record: sent, mayCompare });
  const wrong = [...errors, ...lookups.errors];
  if (wrong.length === 0) wrong.push(...checkRecord(entity, data));
  if (wrong.length > 0) throw invalidBody(wrong);
  assertAllowed();
  const key = updatedRecordKey(entity, before, data);
  const write = { workspace, actor, config: call.config, before: before.data, after: data };
  const ruled = (await parts.rules.get(entity.name)?.changes(write)) ?? [];
  const place = { scope: workspace.scope.name, entity, id: data.id };
  const sealed = sealValues(parts.sealer, place, { fields, held: await heldSealed(workspace.scope, entity, data.id) });
  const written = await recordChanges(workspace.scope, entity, { before, after: { key, data }, sealed });
  const left = await eventChanges(parts.events, { call, before, after: data });
  return { key, version: before.version, data, before, changes: [...written, ...lookups.changes, ...ruled, ...left] };
}

/** Whether something whose tags are those named may be changed. A weak tag names what a strong one does, and never matches. */
export function holdsFor({ ifMatch, ifNoneMatch }: Preconditions, isTag: (tag: string) => boolean): boolean {
  const matches = ifMatch === undefined || ifMatch === '*' || ifMatch.some(isTag);
  if (!matches || ifNoneMatch === undefined) return matches;
  return ifNoneMatch !== '*' && !ifNoneMatch.some((tag) => isTag(tag.replace(/^W\//, '')));
}

/**
 * A caller who sends a record back says by its `version` on which state the change is based. Its other members are of
 * that state, so nothing is said of them.
 * @throws Problem `version_mismatch`
 */
function requireVersion(stored: StoredRecord, body: unknown): void {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'version')) return;
  if (Reflect.get(body, 'version') !== stored.version) throw overtaken(stored);
}

/** @throws Problem `version_mismatch` where the caller's preconditions do not hold for the record. */
function requireMatch(stored: StoredRecord, preconditions: Preconditions): void {
  if (holdsFor(preconditions, (tag) => isTagOf(stored.version, tag))) return;
  if (preconditions.ifNoneMatch !== undefined && preconditions.ifMatch === undefined)
    throw new Problem('version_mismatch', '`If-None-Match` names the current version of the record', {
      etag: entityTag(stored.version),
    });
  throw overtaken(stored);
}

function overtaken({ version }: StoredRecord): Problem {
  return new Problem('version_mismatch', 'the record has changed since it was read', { etag: entityTag(version) });
}

export interface DeleteInput extends Preconditions {
  readonly id: string;
  /** For entities whose rules know of it: what holds the record lets it go in the same commit. */
  readonly force?: boolean | undefined;
}

interface Deletion {
  readonly record: StoredRecord;
  readonly ruled: readonly PlannedChange[];
}

/** @throws Problem `not_found`, `version_mismatch`, or what the entity's rules refuse. */
export async function readDeletion(
  parts: Pick<RecordWriteDeps, 'rules' | 'before'>,
  call: RecordCall,
  input: DeleteInput,
): Promise<Deletion> {
  const record = await findRecord(call, input.id);
  if (record === undefined) throw notFound();
  assertVisible(call, record.data, { before: record.data });
  requireMatch(record, input);
  await askBeforeRemoval(parts.before, { call, before: record });
  const { workspace, actor, config, entity } = call;
  const write: RecordWrite = { workspace, actor, config, before: record.data, force: input.force };
  return { record, ruled: (await parts.rules.get(entity.name)?.changes(write)) ?? [] };
}
