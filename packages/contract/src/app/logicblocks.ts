import { Type } from '@sinclair/typebox';
import { reply, route } from '../route.ts';
import { anyObject, guid, named, oneOf, text, time } from '../schema.ts';

export const OwnRun = named(
  'OwnRun',
  Type.Object({
    id: guid,
    block: text,
    state: oneOf(['running', 'waiting', 'done', 'failed', 'cancelled']),
    started_at: time,
    ended_at: Type.Optional(time),
    returns: Type.Optional(
      Type.Unknown({ description: 'What the block returns, without values that it wrote to encrypted fields.' }),
    ),
    error: Type.Optional(Type.Object({ code: text, step: Type.Optional(text), message: Type.Optional(text) })),
  }),
);

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
    summary: 'Runs a logic block with a path',
    description:
      'The block reads the path as `event.path`. Needs the action `run{name}` on `/logicblocks/{name}/{path}`; otherwise as without a path.',
  }),
  readOwnRun: route({
    method: 'GET',
    path: '/app/:org/runs/:id',
    access: 'self',
    tag: 'automation',
    summary: 'How a run stands that the caller has begun by a call',
    description:
      'For the caller in whose name it runs, in the workspace of the token; to all others it is not there. A run can be read until it is forgotten, days after its end.',
    replies: { 200: reply('The run.', OwnRun) },
    problems: ['workspace_required', 'not_found'],
    takesAnyone: true,
  }),
};
