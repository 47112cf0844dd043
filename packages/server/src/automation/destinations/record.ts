import { Problem } from '../../lib/problem.ts';
import type { PlannedChange } from '../../records/port.ts';
import { type AllowedWrite, allowedWrite, type WriteStep } from '../runs/entity-steps.ts';
import type { ContentOf, Delivery, Destination } from './destination.ts';
import { doneMarks, markDone } from './done-marks.ts';
import { attempt, evaluated, type InsideDeps, NotDelivered, originOf, workspaceOf, writerOf } from './inside.ts';

const doneText = 'it was written before';

/** Writes a record of another entity in the name of the writer, by the rights that the writer has then. */
export function recordDestination(deps: InsideDeps): Destination<'record'> {
  return {
    deliver: (delivery) => attempt(deps, () => writeRecord(deps, delivery)),
    test: (delivery) =>
      attempt(deps, async () => {
        const { action, entity } = delivery.content.destination_config;
        await evaluated(delivery, { id: delivery.item.user.id });
        return `would ${action} a record of \`${entity}\``;
      }),
  };
}

async function writeRecord(deps: InsideDeps, delivery: Delivery<ContentOf<'record'>>): Promise<string> {
  const { work, now } = deps;
  const { item, content } = delivery;
  const workspace = await workspaceOf(delivery);
  if ((await doneMarks.read(workspace.scope, item.id)) !== undefined) return doneText;
  const { callers, runtime } = work();
  const caller = await callers.as(writerOf(item), workspace, item.id);
  const step = stepOf(content.destination_config, await evaluated(delivery, caller.user));
  const { operation }: AllowedWrite = await allowedWrite({ caller, origin: originOf(delivery) }, step);
  let isDone = false;
  const mark: PlannedChange = {
    change: markDone(item.id, now()),
    onConflict: () => {
      isDone = true;
      return new Problem('conflict', doneText);
    },
  };
  try {
    await runtime.write([operation], { along: () => [mark] });
  } catch (error) {
    if (isDone) return doneText;
    throw error;
  }
  return 'written';
}

function stepOf(
  { action, entity }: ContentOf<'record'>['destination_config'],
  { record, values }: Readonly<Record<string, unknown>>,
): WriteStep {
  const of = { id: 'record', entity } as const;
  if (action === 'create') return { ...of, type: action, values };
  if (typeof record !== 'string' || record === '')
    throw new NotDelivered('refused', 'the template of the record gives no id');
  return action === 'delete' ? { ...of, type: action, record } : { ...of, type: action, record, values };
}
