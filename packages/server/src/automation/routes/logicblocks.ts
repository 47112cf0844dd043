import { logicBlocksApi } from '@freehold/contract/app/logicblocks';
import { json } from '../../api/reply.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serve, serveReply } from '../../api/serve.ts';
import { requireWorkspace, workUserOf } from '../../identity/port.ts';
import { notFound } from '../../lib/problem.ts';
import { mayBeId } from '../../records/port.ts';
import type { LogicBlocks } from '../blocks/logic-blocks.ts';
import type { RunCaller } from '../callers.ts';
import type { Runs } from '../runs/open-runs.ts';

/** Logic blocks are run. */
export function logicBlockRoutes(blocks: LogicBlocks): readonly AnyRoute[] {
  interface Asked {
    readonly requestId: string;
    readonly params: { readonly name: string; readonly path?: string };
    readonly body: object | undefined;
  }
  const run = async ({ requestId, params: { name, path = '' }, body: input = {} }: Asked, caller: RunCaller) => {
    const outcome = await blocks.run(caller, { name, path, input, requestId, config: caller.config });
    // A request that is sent again must not do once more what a run did before it was refused, so this is an answer.
    if ('refusal' in outcome) return caller.refusal(outcome.refusal);
    return 'run' in outcome ? json(202, outcome) : json(200, outcome.returns);
  };
  return [serveReply(logicBlocksApi.runLogicBlock, run), serveReply(logicBlocksApi.runLogicBlockAt, run)];
}

/** The runs that a caller has begun, for the caller. */
export function ownRunRoutes(runs: Pick<Runs, 'own'>): readonly AnyRoute[] {
  return [
    serve(logicBlocksApi.readOwnRun, ({ params: { id } }, caller) => {
      if (!mayBeId(id)) throw notFound();
      return runs.own(requireWorkspace(caller).workspace, id, workUserOf(caller));
    }),
  ];
}
