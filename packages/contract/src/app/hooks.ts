import { Type } from '@sinclair/typebox';
import { reply, route } from '../route.ts';
import { closed, guid, oneOf } from '../schema.ts';

export const inboundHooksApi = {
  receiveHook: route({
    method: 'POST',
    path: '/app/:org/hooks/:name',
    access: 'public',
    tag: 'automation',
    summary: 'Starts a logic block by a signed message of another system',
    description:
      'The message is signed as the `hook` of the block says, with a secret of the environment. The body is the input of the block, at most 256 KB: JSON, in which integers beyond 2^53 are read as texts, a form, or a CloudEvent, structured or with headers `ce-*`. A message that was received before is answered with its run.',
    query: closed({ env: oneOf(['test', 'prod'], { default: 'prod', description: 'The environment.' }) }),
    takesStreamOf: ['application/json', 'application/x-www-form-urlencoded', 'application/cloudevents+json'],
    replies: { 202: reply('The run that the message began.', Type.Object({ run: guid })) },
    problems: [
      'signature_invalid',
      'workspace_suspended',
      'not_found',
      'conflict',
      'validation_failed',
      'unknown_field',
      'block_failed',
      'plan_limit_exceeded',
    ],
    repeats: { notRemembered: 'the id of the message counts it once' },
  }),
};
