import type { Preconditions } from '../../api/headers/preconditions.ts';
import { notFound } from '../../lib/problem.ts';
import { findRecord } from '../listing/find-record.ts';
import type { StoredRecord } from '../record.ts';
import { assertVisible } from './checks/record-checks.ts';
import type { RecordWrite } from './entity-rules.ts';
import { askBeforeRemoval } from './events/before-events.ts';
import type { PlannedChange } from './planned-change.ts';
import type { RecordWriteDeps } from './record-write-deps.ts';
import { requireMatch } from './update-record.ts';
import type { RecordCall } from './write-loop.ts';

export interface DeleteInput extends Preconditions {
  readonly id: string;
  /** For entities whose rules know of it: what holds the record lets it go in the same commit. */
  readonly force?: boolean | undefined;
}

/** A record that may be removed, and what its entity's rules change with it. */
export interface Deletion {
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
