import { logicBlocksApi } from '@freehold/contract/app/logicblocks';
import type { LogicBlocks } from '../../../automation/port.ts';
import type { RunCaller, RunRoute } from '../../routing/app-route.ts';
import { serve } from '../../serve.ts';

/** Logic blocks are run. */
export function logicBlockRoutes(blocks: LogicBlocks): readonly RunRoute[] {
  interface Asked {
    readonly requestId: string;
    readonly params: { readonly name: string; readonly path?: string };
    readonly body: object | undefined;
  }
  const run = ({ requestId, params: { name, path = '' }, body: input = {} }: Asked, caller: RunCaller) =>
    blocks.run(caller, { name, path, input, requestId, config: caller.config });
  return [serve(logicBlocksApi.runLogicBlock, run), serve(logicBlocksApi.runLogicBlockAt, run)];
}
