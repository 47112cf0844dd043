import type { Preconditions } from '../../api/headers/preconditions.ts';
import { timestamp } from '../../lib/clock.ts';
import { invalidBody, notFound, Problem } from '../../lib/problem.ts';
import { sealedKey } from '../indexes/derive.ts';
import { findRecord } from '../listing/find-record.ts';
import { checkRecord, entityTag, isTagOf, makeRecord, readUpdate, type StoredRecord } from '../record.ts';
import { updatedRecordKey } from '../record-keys.ts';
import { checkLookups } from '../references/lookup-checks.ts';
import { assertFieldsAllowed, assertUpdateAllowed, assertVisible } from './checks/record-checks.ts';
import { readableFields, readableUnchangedFields, updatedValue } from './checks/unchanged-values.ts';
import { revisedBefore } from './events/before-events.ts';
import { eventChanges } from './events/record-events.ts';
import { recordChanges } from './record-changes.ts';
import type { RecordWriteDeps } from './record-write-deps.ts';
import { readSealed, sealValues } from './sealed-values.ts';
import type { RecordCall, WritePlan } from './write-loop.ts';

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
  // What is wrong with a record tells of its values: to a caller who may not change it so, that is not told.
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
  const rules = parts.rules.get(entity.name);
  const write = { workspace, actor, config: call.config, before: before.data, after: data };
  const ruled = rules === undefined ? [] : await rules.changes(write);
  const place = { scope: workspace.scope.name, entity, id: data.id };
  const sealed = sealValues(parts.sealer, place, { fields, held: await heldSealed(call, data.id) });
  const written = await recordChanges(workspace.scope, entity, { before, after: { key, data }, sealed });
  const left = await eventChanges(parts.events, { call, before, after: data });
  return { key, version: before.version, data, before, changes: [...written, ...lookups.changes, ...ruled, ...left] };
}

async function heldSealed({ workspace, entity }: RecordCall, id: string): Promise<Readonly<Record<string, string>>> {
  if (!entity.hasSealed) return {};
  const [item] = await workspace.scope.get([sealedKey(entity.name, id)]);
  return readSealed(item?.value);
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
export function requireMatch(stored: StoredRecord, preconditions: Preconditions): void {
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
