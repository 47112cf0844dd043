import { timestamp } from '../lib/clock.ts';
import { notFound } from '../lib/problem.ts';
import type { RecordWrite } from './entity-rules.ts';
import { findRecord } from './find-record.ts';
import type { RuntimeParts } from './record-runtime.ts';
import { planRemoval } from './references/plan-removal.ts';
import { type IfMatch, requireMatch } from './update-record.ts';
import { callAt, type RecordCall, type WritePlan } from './write-loop.ts';

export interface DeleteInput {
  readonly id: string;
  readonly ifMatch?: IfMatch;
}

/** Removes a record and everything that was written for it. @throws Problem `not_found`, `version_mismatch`, … */
export async function deleteRecord(parts: RuntimeParts, call: RecordCall, input: DeleteInput): Promise<void> {
  const { plan } = await parts.writeLoop(call, [call.entity.name], async (config) =>
    planDelete(parts, await callAt(call, config), input),
  );
  parts.rules.get(call.entity.name)?.committed?.(plan.write);
}

export async function planDelete(
  parts: RuntimeParts,
  call: RecordCall,
  input: DeleteInput,
): Promise<WritePlan & { readonly write: RecordWrite }> {
  const before = await findRecord(call, input.id);
  if (before === undefined) throw notFound();
  requireMatch(before, input.ifMatch);
  const { workspace, actor, entity } = call;
  const write: RecordWrite = { workspace, actor, before: before.data };
  const ruled = (await parts.rules.get(entity.name)?.changes(write)) ?? [];
  const { changes, touches } = await planRemoval(call, before, timestamp(parts.clock.now()));
  return { write, changes: [...changes, ...ruled], ...(touches === undefined ? {} : { touches }) };
}
