import { Type } from '@sinclair/typebox';
import { environment } from '../../parameters.ts';
import { reply, route } from '../../route.ts';
import { closed, named, oneOf } from '../../schema.ts';

export const Hook = named(
  'Hook',
  Type.Object({
    name: Type.String({ description: 'The name of the logic block.' }),
    signature: oneOf(['standard', 'hmac']),
    url_path: Type.String({ description: 'Where messages are sent, below the address of the app gateway.' }),
    tenant_code: Type.String({ description: 'The workspace in which its runs begin.' }),
    paused: Type.Boolean(),
    ready: Type.Boolean({ description: 'Whether a message that is signed begins a run.' }),
    reason: Type.Optional(oneOf(['paused', 'no_workspace', 'no_secret', 'short_secret'])),
  }),
);

const byEnvironment = closed({ env: environment });

export const hooksApi = {
  listHooks: route({
    method: 'GET',
    path: '/hooks',
    access: 'developer',
    tag: 'automation',
    summary: 'The hooks of the live logic blocks',
    query: byEnvironment,
    replies: { 200: reply('The hooks, by name.', Type.Object({ items: Type.Array(Hook) })) },
  }),
  setHook: route({
    method: 'PUT',
    path: '/hooks/:name',
    access: 'org_admin',
    tag: 'automation',
    summary: 'Says in which workspace the runs of a hook begin, and whether it is paused',
    description: 'What is left out stays as it is. Both belong to the environment: no publication changes them.',
    query: byEnvironment,
    body: closed({
      tenant_code: Type.Optional(Type.String({ minLength: 1, maxLength: 63 })),
      paused: Type.Optional(Type.Boolean()),
    }),
    replies: { 200: reply('The hook.', Hook) },
    problems: ['not_found', 'conflict'],
    refusedAs: 'hook.change_refused',
  }),
};
