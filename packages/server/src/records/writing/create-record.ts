import { timestamp } from '../../lib/clock.ts';
import { invalidBody } from '../../lib/problem.ts';
import type { FieldValue } from '../../schema/port.ts';
import { checkRecord, makeRecord, type RecordData, readCreate, type StoredRecord } from '../record.ts';
import { newRecordKey } from '../record-keys.ts';
import { checkLookups } from '../references/lookup-checks.ts';
import { assertWriteAllowed } from './checks/record-checks.ts';
import { revisedBefore } from './events/before-events.ts';
import { eventChanges } from './events/record-events.ts';
import { recordChanges } from './record-changes.ts';
import type { RecordWriteDeps } from './record-write-deps.ts';
import { sealValues } from './sealed-values.ts';
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

/** A new record, and the changes that make it. */
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
  const ruled = rules === undefined ? [] : await rules.changes({ workspace, actor, config: call.config, after: data });
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
