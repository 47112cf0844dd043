/** The steps of a block that write records, each as the request would be decided and answered that does it alone. */
import {
  type AuthorizedCall,
  presentationOf,
  presentRecords,
  type RecordOperation,
  type StoredRecord,
  writtenText,
} from '../../records/port.ts';
import { apiNamesOf, type CompiledEntity } from '../../schema/port.ts';
import type { EntityStep } from '../blocks/effects.ts';
import type { OutputOf } from './journal.ts';
import type { RunPlace } from './run-caller.ts';

export type WriteStep = Exclude<EntityStep, { readonly type: 'get' | 'list' }>;

/** A write of a step that its caller may do, and what the step gives by the record that it leaves. */
export interface AllowedWrite {
  readonly operation: RecordOperation;
  readonly outputOf: OutputOf;
}

/** The id of a record that is made, and the numbers that it was given. */
export type Creating = Required<Pick<Extract<RecordOperation, { readonly action: 'create' }>, 'id' | 'numbers'>>;

/** The values that a step writes to encrypted fields, whether its caller may or not. */
export async function secretsOf({ caller }: Pick<RunPlace, 'caller'>, step: WriteStep): Promise<readonly unknown[]> {
  return step.type === 'delete' ? [] : secretsIn(await caller.entity(step.entity), step.values);
}

/** @param creating of a record to be made, where that is known before. @throws Problem `access_denied`, `not_found`. */
export async function allowedWrite(
  { caller, origin }: RunPlace,
  step: WriteStep,
  creating?: Creating,
): Promise<AllowedWrite> {
  const { entity: entityName } = step;
  if (step.type === 'delete') {
    const call = { ...(await caller.authorize({ verb: 'delete', entityName, id: step.record })), origin };
    const output = { id: step.record };
    return { operation: { action: 'delete', call, input: output }, outputOf: async () => output };
  }
  const body = step.values;
  if (step.type === 'create') {
    const call = { ...(await caller.authorize({ verb: 'create', entityName, body })), origin };
    const operation = { action: 'create', call, body, ...creating } as const;
    return { operation, outputOf: (record) => written(call, record, operation) };
  }
  const call = { ...(await caller.authorize({ verb: 'update', entityName, id: step.record, body })), origin };
  const ifMatch = step.if_version === undefined ? {} : { ifMatch: [`"${step.if_version}"`] };
  const operation = { action: 'update', call, input: { id: step.record, body, ...ifMatch } } as const;
  return { operation, outputOf: (record) => written(call, record, { action: 'update', body }) };
}

/** As the reply to the write shows it, without the version, which is that of the commit. */
async function written(
  call: AuthorizedCall,
  record: StoredRecord | undefined,
  { action, body }: { readonly action: 'create' | 'update'; readonly body: unknown },
): Promise<unknown> {
  if (record === undefined) throw new TypeError('the write leaves no record');
  const [text = '{}'] = await presentRecords(call, presentationOf(call, action), [writtenText(call, record, body)]);
  const reply: unknown = JSON.parse(text);
  if (typeof reply !== 'object' || reply === null) throw new TypeError('a record is shown as an object');
  return Object.fromEntries(Object.entries(reply).filter(([name]) => name !== 'version'));
}

function secretsIn(entity: CompiledEntity | undefined, body: unknown): readonly unknown[] {
  if (entity === undefined || typeof body !== 'object' || body === null) return [];
  const secret = [...entity.fields.values()].filter(({ behaviour }) => behaviour.isSecret === true);
  const names = new Set(secret.flatMap(({ definition }) => apiNamesOf(definition)));
  return Object.entries(body).flatMap(([name, value]) => (names.has(name) ? [value] : []));
}
