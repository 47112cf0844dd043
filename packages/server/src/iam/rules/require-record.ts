import { invalidInput } from '../../lib/problem.ts';
import type { RecordData } from '../../records/port.ts';
import { findRecord } from '../../records/port.ts';
import { systemEntity } from '../../schema/port.ts';
import type { Workspace } from '../../tenancy/port.ts';

/** The record that an id sent by a caller names. @throws Problem `validation_failed`, pointing to the id. */
export async function requireRecord(
  workspace: Workspace,
  wanted: { readonly entity: string; readonly id: string; readonly pointer: string },
): Promise<RecordData> {
  const found = await findRecord({ workspace, entity: systemEntity(wanted.entity) }, wanted.id);
  if (found !== undefined) return found.data;
  throw invalidInput('validation_failed', [
    {
      pointer: wanted.pointer,
      code: 'unknown_reference',
      message: `there is no \`${wanted.entity}\` with the id \`${wanted.id.slice(0, 64)}\` in this workspace`,
    },
  ]);
}
