import { type Actor, callApp } from '../../api/app.ts';
import { ApiProblem } from '../../api/problem.ts';
import { queryClient } from '../../api/query-client.ts';
import type { RecordValues } from './form/inputs.ts';
import { pathOf, recordsKey } from './record-queries.ts';

interface Change {
  readonly id: string;
  /** The version that was changed, as `If-Match` takes it. */
  readonly tag: string | undefined;
  readonly body: RecordValues;
}

/** Changes the sent fields of a record. @throws ApiProblem, `version_mismatch` if it was changed meanwhile. */
export async function changeRecord(actor: Actor, entity: string, { id, tag, body }: Change): Promise<void> {
  const headers = tag === undefined ? {} : { 'If-Match': tag };
  await callApp(actor, 'PUT', pathOf('update', entity, id), { body, headers });
}

/** @param key Holds repeats of one attempt to a single record. @returns the id of the new record. @throws ApiProblem. */
export async function createRecord(actor: Actor, entity: string, body: RecordValues, key: string): Promise<string> {
  const headers = { 'Idempotency-Key': key, Prefer: 'return=minimal' };
  const { body: reply } = await callApp(actor, 'POST', pathOf('create', entity), { body, headers });
  return String((reply as RecordValues).id);
}

/** Reads again what is shown of the entity's records. */
export async function forgetRecords(actor: Actor, entity: string): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: recordsKey(actor, entity) });
}

/** Whether a call is answered as if there were no such record, which also hides what a policy refuses. */
export function isHidden(error: unknown): boolean {
  return error instanceof ApiProblem && error.code === 'not_found';
}

export function isConflict(error: unknown): boolean {
  return error instanceof ApiProblem && error.code === 'version_mismatch';
}
