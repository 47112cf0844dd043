import { storedRuns } from '../runs/run-rows.ts';
import type { ContentOf, Delivery, Destination } from './destination.ts';
import { doneMarks, markDone } from './done-marks.ts';
import { attempt, eventOf, type InsideDeps, originOf, workspaceOf, writerOf } from './inside.ts';

/** Starts a run of the block. Its id is that of the delivery, so it is one run however often this is delivered. */
export function logicBlockDestination(deps: InsideDeps): Destination<'logicblock'> {
  return {
    deliver: (delivery) => attempt(deps, () => startRunOf(deps, delivery)),
    test: ({ content }) =>
      attempt(deps, async () => `would run the logic block \`${content.destination_config.logicblock}\``),
  };
}

async function startRunOf({ work, now }: InsideDeps, delivery: Delivery<ContentOf<'logicblock'>>): Promise<string> {
  const { item, event, content, config, record, before } = delivery;
  const workspace = await workspaceOf(delivery);
  // The block may be another one by now, and the run is one of that which was live then.
  if ((await storedRuns.read(workspace.scope, item.id)) !== undefined) return startedText;
  // The run may be forgotten before its delivery is.
  if ((await doneMarks.read(workspace.scope, item.id)) !== undefined) return startedText;
  const ask = {
    ...{ workspace, config, block: content.destination_config.logicblock, id: item.id, input: {} },
    trigger: { kind: 'event', id: item.id, name: event },
    given: { event: eventOf(item), record, ...(before === undefined ? {} : { before }) },
    origin: originOf(delivery),
    user: writerOf(item),
  } as const;
  await work().start(ask, [markDone(item.id, now())]);
  return startedText;
}

const startedText = 'the run has been started';
