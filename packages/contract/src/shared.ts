import { Type } from '@sinclair/typebox';
import { reply, route } from './route.ts';
import { text } from './schema.ts';

export const sharedApi = {
  readHealth: route({
    method: 'GET',
    path: '/healthz',
    access: 'public',
    tag: 'operation',
    summary: 'Whether the process is running',
    replies: { 200: reply('It does.', Type.Object({ status: Type.Literal('ok') })) },
  }),
  readReadiness: route({
    method: 'GET',
    path: '/readyz',
    access: 'public',
    tag: 'operation',
    summary: 'Whether the node can serve now',
    description: 'Also how durable its writes are.',
    replies: {
      200: reply(
        'It can; `degraded`: but for the data of servers of a cluster that are `down`.',
        Type.Object({
          status: Type.Union([Type.Literal('ok'), Type.Literal('degraded')]),
          store: Type.Object({
            kind: text,
            synchronous: text,
            signals: Type.Optional(
              Type.Union([Type.Literal('heard'), Type.Literal('unheard')], {
                description:
                  'On PostgreSQL: whether the node hears at once what other nodes change. `unheard`: it learns of ended tokens and changed rights by `acl.cache_seconds`.',
              }),
            ),
            servers: Type.Optional(Type.Object({ all: Type.Integer(), down: Type.Integer(), relayed: Type.Integer() })),
          }),
        }),
      ),
    },
  }),
  readProblemPage: route({
    method: 'GET',
    path: '/problems/:code',
    access: 'public',
    tag: 'operation',
    summary: 'The page about the `type` of an error',
    replies: { 200: { description: 'A page that says what the code means.', content: { 'text/html': text } } },
    problems: ['not_found'],
  }),
};
