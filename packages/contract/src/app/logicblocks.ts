import { Type } from '@sinclair/typebox';
import { reply, route } from '../route.ts';
import { anyObject, guid } from '../schema.ts';

const shared = {
  method: 'POST',
  access: 'run',
  tag: 'automation',
  body: anyObject({ description: 'The input, which fits the `input_schema` of the block.' }),
  isBodyOptional: true,
  replies: {
    200: reply('What the block returns; `null` if it has no `returns`.', Type.Unknown()),
    202: reply('The run waits, and goes on without the caller.', Type.Object({ run: guid })),
  },
  problems: [
    'workspace_required',
    'not_found',
    'conflict',
    'search_unavailable',
    'unindexed_sort',
    'block_refused',
    'block_failed',
    'plan_limit_exceeded',
  ],
} as const;

export const logicBlocksApi = {
  runLogicBlock: route({
    ...shared,
    path: '/app/:org/logicblocks/:name',
    summary: 'Runs a logic block in the name of the caller',
    description:
      'Needs the action `run{name}` on `/logicblocks/{name}`. Each step on records is authorized like the call for it alone. An error that a step meets names the step in `step`.',
  }),
  runLogicBlockAt: route({
    ...shared,
    path: '/app/:org/logicblocks/:name/:path',
    summary: 'Runs a logic block with a path, which the block reads as `event.path`',
    description: 'Needs the action `run{name}` on `/logicblocks/{name}/{path}`; otherwise as without a path.',
  }),
};
