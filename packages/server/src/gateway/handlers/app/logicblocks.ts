import { logicBlocksApi } from '@freehold/contract/app/logicblocks';
import type { LogicBlocks } from '../../../automation/port.ts';
import { json } from '../../reply.ts';
import type { RunCaller, RunRoute } from '../../routing/app-route.ts';
import { serveReply } from '../../serve.ts';

/** Logic blocks are run. */
export function logicBlockRoutes(blocks: LogicBlocks): readonly RunRoute[] {
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
