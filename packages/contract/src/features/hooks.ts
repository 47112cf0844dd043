import { Type } from '@sinclair/typebox';
import { environment } from '../parameters.ts';
import { reply, route } from '../route.ts';
import { closed, count, guid, itemsOf, named, ofRecords, oneOf, orNull, text, time } from '../schema.ts';

/** Why a message of a sender that is not known began no run. */
export const hookRefusals = [
  'paused',
  'no_secret',
  'short_secret',
  'signature_missing',
  'signature_wrong',
  'time_off',
  'id_missing',
] as const;

const shown = {
  name: Type.String({ description: 'The name of the logic block.' }),
  signature: oneOf(['standard', 'hmac', 'stripe', 'slack']),
  url_path: Type.String({ description: 'Where messages are sent, below the address of the app gateway.' }),
  tenant_code: Type.String({ description: 'The workspace in which its runs begin.' }),
  paused: Type.Boolean(),
  ready: Type.Boolean({ description: 'Whether a message that is signed begins a run.' }),
  reason: Type.Optional(oneOf(['paused', 'no_workspace', 'workspace_suspended', 'no_secret', 'short_secret'])),
};

export const Hook = named('Hook', Type.Object(shown));

const ofNode = 'As the node knows that answers, since it was started.';

export const ListedHook = named(
  'ListedHook',
  Type.Object({
    ...shown,
    last_call: Type.Optional(
      Type.Object(
        { at: time, accepted: Type.Boolean(), code: Type.Optional(text) },
        { description: `The last message. ${ofNode}` },
      ),
    ),
  }),
);

export const HookDetails = named(
  'HookDetails',
  Type.Object({
    ...shown,
    secrets: Type.Array(text, { description: 'The names of the secrets, by either of which messages are signed.' }),
    header: Type.Optional(text),
    encoding: Type.Optional(oneOf(['hex', 'base64'])),
    prefix: Type.Optional(text),
    signature_key: Type.Optional(text),
    timestamp_key: Type.Optional(text),
    timestamp_header: Type.Optional(text),
    signed: Type.Optional(text),
    id_header: Type.Optional(text),
    id_field: Type.Optional(text),
    tolerance_seconds: Type.Optional(count),
    calls: Type.Object(
      {
        since: Type.String({ format: 'date-time', description: 'Since when calls are remembered.' }),
        accepted: Type.Object({ count, last_at: orNull(time) }),
        refused: Type.Array(Type.Object({ at: time, id: text, code: text, message: ofRecords(text) }), {
          description: 'The last 20 messages that were signed and began no run, the latest first.',
        }),
        unsigned: Type.Array(Type.Object({ reason: oneOf(hookRefusals), count, first_at: time, last_at: time }), {
          description: 'Messages that were answered `signature_invalid`, by the reason.',
        }),
      },
      { description: ofNode },
    ),
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
    replies: { 200: reply('The hooks, by name.', itemsOf(ListedHook)) },
  }),
  readHook: route({
    method: 'GET',
    path: '/hooks/:name',
    access: 'developer',
    tag: 'automation',
    summary: 'A hook and its last messages',
    description:
      'How its messages are signed, and what became of the last ones. The runs that it has begun are at `GET /runs?block={name}&trigger=hook`.',
    query: byEnvironment,
    replies: { 200: reply('The hook.', HookDetails) },
    problems: ['not_found'],
    production: { leftOut: 'what was wrong with refused messages' },
  }),
  setHook: route({
    method: 'PUT',
    path: '/hooks/:name',
    access: 'org_admin',
    tag: 'automation',
    summary: 'Sets where the runs of a hook begin',
    description:
      'In which workspace, and whether the hook is paused. What is left out stays as it is. Both belong to the environment: no publication changes them.',
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

/** Messages of other systems that start logic blocks. */
export const hooks = { app: inboundHooksApi, management: hooksApi };
