import { notFound } from '../lib/problem.ts';
import { unconditional } from './create-record.ts';
import type { RecordWrite } from './entity-rules.ts';
import { findRecord } from './find-record.ts';
import { removeRecords } from './record-changes.ts';
import type { RuntimeParts } from './record-runtime.ts';
import { type IfMatch, requireMatch } from './update-record.ts';
import type { RecordCall } from './write-loop.ts';

export interface DeleteInput {
  readonly id: string;
  readonly ifMatch?: IfMatch;
}

/** Removes a record and everything that was written for it. @throws Problem `not_found`, `version_mismatch`, … */
export async function deleteRecord(parts: RuntimeParts, call: RecordCall, input: DeleteInput): Promise<void> {
  const { plan } = await parts.writeLoop(call, async (current) => {
    const before = await findRecord(current, input.id);
    if (before === undefined) throw notFound();
    requireMatch(before, input.ifMatch);
    const rules = parts.rules.get(current.entity.name);
    const write: RecordWrite = { workspace: current.workspace, actor: current.actor, before: before.data };
    const ruled = rules === undefined ? [] : await rules.changes(write);
    return { write, changes: [...removeRecords(current.entity, [before]).map(unconditional), ...ruled] };
  });
  parts.rules.get(call.entity.name)?.committed?.(plan.write);
}
