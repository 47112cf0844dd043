import { Type } from '@sinclair/typebox';
import { environment } from '../parameters.ts';
import { reply, route } from '../route.ts';
import { closed, guid, named, oneOf, text, time } from '../schema.ts';

/** A host, or all hosts below one. */
export const hostPattern =
  /^(?:(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*|\*\.(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

const host = Type.String({
  maxLength: 253,
  pattern: hostPattern.source,
  description: 'a host in lower case, such as `api.example.com`, or `*.example.com` for all hosts below it',
});

const hosts = Type.Array(host, { maxItems: 20, uniqueItems: true });

export const Secret = named(
  'Secret',
  Type.Object({
    name: text,
    hosts: Type.Array(text, { description: 'The hosts that the secret may be sent to.' }),
    created_at: time,
    updated_at: time,
    updated_by: guid,
  }),
);

export const ListedSecret = named(
  'ListedSecret',
  Type.Object({
    ...Secret.properties,
    referenced_by: Type.Optional(
      Type.Array(Type.Object({ logicblock: text, use: oneOf(['hook', 'http']) }), {
        description:
          'The live logic blocks that name it: in their hook, or in a step that sends it. Only if they were asked for.',
      }),
    ),
  }),
);

export const SecretRequest = named(
  'SecretRequest',
  closed({
    value: Type.String({
      minLength: 1,
      maxLength: 4096,
      pattern: '^[!-~](?:[ -~]*[!-~])?$',
      description: 'a text of printable ASCII characters without a space at its ends',
    }),
    hosts,
  }),
);

/** A value goes in and never comes out. */
export const secretsApi = {
  listSecrets: route({
    method: 'GET',
    path: '/secrets',
    access: 'org_admin',
    tag: 'secrets',
    summary: 'The secrets of an environment by name, without their values',
    query: closed({
      env: environment,
      references: Type.Boolean({ default: false, description: 'Whether to say which logic blocks name each secret.' }),
    }),
    replies: {
      200: reply(
        'All of them.',
        Type.Object({
          items: Type.Array(ListedSecret),
          partial: Type.Optional(
            Type.Literal(true, { description: 'Not all logic blocks were looked at: there are too many.' }),
          ),
        }),
      ),
    },
  }),
  setSecret: route({
    method: 'PUT',
    path: '/secrets/:name',
    access: 'org_admin',
    tag: 'secrets',
    summary: 'Sets a secret of an environment; no call returns its value',
    description:
      'The name starts with a letter and has at most 64 letters, digits, `_` and `-`. A new value takes the place of the previous one together with its hosts, so hosts are changed by a caller who knows the value. Secrets belong to their environment: no promotion, export or copy of a configuration contains them.',
    query: closed({ env: environment }),
    body: SecretRequest,
    replies: { 200: reply('Set.', Secret) },
    problems: ['conflict'],
    refusedAs: 'secret.change_refused',
  }),
  removeSecret: route({
    method: 'DELETE',
    path: '/secrets/:name',
    access: 'org_admin',
    tag: 'secrets',
    summary: 'Removes a secret of an environment',
    query: closed({ env: environment }),
    replies: { 204: reply('Removed.') },
    problems: ['not_found', 'conflict'],
    refusedAs: 'secret.removal_refused',
  }),
};
