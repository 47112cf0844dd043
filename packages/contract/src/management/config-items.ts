import { Type } from '@sinclair/typebox';
import { configItemKinds } from '../config-kinds.ts';
import { environment, ifMatch, ifNoMatch, ifNoneMatch, nexttoken, pagesize } from '../parameters.ts';
import { reply, route } from '../route.ts';
import { anyObject, closed, count, itemsOf, madeByServer, named, oneOf, pageOf, text, time } from '../schema.ts';
import { itemChange } from './deploy-schemas.ts';

export const ConfigKind = named(
  'ConfigKind',
  Type.Object({
    kind: oneOf(configItemKinds),
    schema: anyObject({ description: 'JSON Schema (2020-12) of the contents.' }),
    count,
  }),
);

export const ListedConfigItem = named(
  'ListedConfigItem',
  Type.Object({
    kind: oneOf(configItemKinds),
    name: text,
    version: Type.Integer({ minimum: 1 }),
    updated_at: Type.Optional(time),
    updated_by: Type.Optional(Type.Object({ kind: text, id: text })),
  }),
);

const ConfigContent = madeByServer('ConfigContent');

const Referring = Type.Object({
  kind: oneOf(configItemKinds),
  name: text,
  reason: Type.String({ description: 'What goes after the name of the referring item.' }),
});

export const ShownConfigItem = named(
  'ShownConfigItem',
  Type.Object({
    kind: oneOf(configItemKinds),
    name: text,
    version: Type.Integer({ minimum: 1 }),
    updated_at: Type.Optional(time),
    updated_by: Type.Optional(Type.Object({ kind: text, id: text })),
    content: ConfigContent,
    warnings: Type.Optional(
      Type.Array(text, {
        description: 'Warnings about the item; after a change also fields that are hidden from then on.',
      }),
    ),
    references: Type.Optional(
      Type.Array(Referring, { description: 'The items that it cannot do without. Only if they were asked for.' }),
    ),
    referenced_by: Type.Optional(
      Type.Array(Referring, { description: 'The live items that cannot do without it. Only if they were asked for.' }),
    ),
  }),
);

export const ItemVersion = named(
  'ItemVersion',
  Type.Object({
    version: Type.Integer({ minimum: 1 }),
    action: oneOf(['created', 'changed', 'removed', 'restored']),
    at: time,
    actor: Type.Object({ kind: text, id: text }),
    restored: Type.Optional(Type.Integer({ minimum: 1, description: 'The version that was restored.' })),
    active: Type.Boolean({ description: 'Whether it is live.' }),
  }),
);

export const ItemAtVersion = named(
  'ItemAtVersion',
  Type.Object({
    kind: oneOf(configItemKinds),
    name: text,
    version: Type.Integer({ minimum: 1 }),
    action: oneOf(['created', 'changed', 'removed', 'restored']),
    at: time,
    actor: Type.Object({ kind: text, id: text }),
    restored: Type.Optional(Type.Integer({ minimum: 1, description: 'The version that was restored.' })),
    active: Type.Boolean({ description: 'Whether it is live.' }),
    content: Type.Optional({ ...ConfigContent, description: 'Left out of a version that removed the item.' }),
    compared: Type.Optional(
      Type.Object({
        with: Type.Integer({ minimum: 1 }),
        ...itemChange,
      }),
    ),
  }),
);

export const configItemsApi = {
  listConfigKinds: route({
    method: 'GET',
    path: '/config',
    access: 'developer',
    tag: 'config',
    summary: 'The kinds of config items',
    description: 'Each with its schema and how many items there are.',
    query: closed({ env: environment }),
    compressed: 'reply',
    replies: { 200: reply('All of them.', itemsOf(ConfigKind)) },
  }),
  listConfigItems: route({
    method: 'GET',
    path: '/config/:kind',
    access: 'developer',
    tag: 'config',
    summary: 'The live items of a kind, by name',
    query: closed({
      env: environment,
      pagesize,
      nexttoken,
    }),
    compressed: 'reply',
    replies: { 200: reply('A page.', pageOf(ListedConfigItem)) },
    problems: ['not_found', 'invalid_cursor'],
  }),
  readConfigItem: route({
    method: 'GET',
    path: '/config/:kind/:name',
    access: 'developer',
    tag: 'config',
    summary: 'An item with its content',
    query: closed({
      env: environment,
      references: Type.Boolean({
        default: false,
        description: 'Also shows `references` and `referenced_by`. Such a reply has no `ETag`.',
      }),
    }),
    headers: [ifMatch, ifNoneMatch],
    compressed: 'reply',
    replies: {
      200: reply('The item.', ShownConfigItem, ['ETag']),
      304: reply('The caller’s copy is current.', ['ETag']),
    },
    problems: ['not_found'],
  }),
  listItemVersions: route({
    method: 'GET',
    path: '/config/:kind/:name/versions',
    access: 'developer',
    tag: 'config',
    summary: 'The versions of an item of test, the latest first',
    description: 'Also of a removed item.',
    query: closed({
      env: environment,
      pagesize,
      nexttoken,
    }),
    compressed: 'reply',
    replies: { 200: reply('A page.', pageOf(ItemVersion)) },
    problems: ['not_found', 'invalid_cursor'],
  }),
  readItemVersion: route({
    method: 'GET',
    path: '/config/:kind/:name/versions/:version',
    access: 'developer',
    tag: 'config',
    summary: 'An item of test at a version',
    description: 'Compared with another version if `compare` is sent.',
    query: closed({
      env: environment,
      compare: Type.Optional(
        Type.Union([Type.Integer({ minimum: 1 }), Type.Literal('active')], {
          description: 'The version that `compared` leads from: a number, or `active` for the live version.',
        }),
      ),
    }),
    compressed: 'reply',
    replies: { 200: reply('The version.', ItemAtVersion) },
    problems: ['not_found'],
  }),
  makeConfigItem: route({
    method: 'POST',
    path: '/config/:kind',
    access: 'developer',
    tag: 'config',
    summary: 'Creates an item; settings need the role `org_admin`',
    query: closed({ env: environment }),
    body: closed({
      name: text,
      content: ConfigContent,
    }),
    replies: { 201: reply('Made.', ShownConfigItem, ['ETag', 'Location']) },
    problems: ['role_required', 'prod_read_only', 'not_found', 'conflict', 'dangling_reference', 'plan_limit_exceeded'],
  }),
  replaceConfigItem: route({
    method: 'PUT',
    path: '/config/:kind/:name',
    access: 'developer',
    tag: 'config',
    summary: 'Replaces the content of an item',
    description: 'Settings need the role `org_admin`.',
    query: closed({
      env: environment,
      force: Type.Boolean({
        default: false,
        description: 'Changes an entity even if stored records would fail its checks.',
      }),
    }),
    headers: [ifMatch, ifNoMatch],
    body: ConfigContent,
    replies: { 200: reply('The item, changed or unchanged.', ShownConfigItem, ['ETag']) },
    problems: [
      'role_required',
      'prod_read_only',
      'not_found',
      'conflict',
      'dangling_reference',
      'plan_limit_exceeded',
      'version_mismatch',
    ],
    takesTags: true,
  }),
  removeConfigItem: route({
    method: 'DELETE',
    path: '/config/:kind/:name',
    access: 'developer',
    tag: 'config',
    summary: 'Removes an item that no other item refers to',
    description: 'Its versions are kept.',
    query: closed({ env: environment }),
    headers: [ifMatch, ifNoMatch],
    replies: { 204: reply('Removed.') },
    problems: ['role_required', 'prod_read_only', 'not_found', 'dangling_reference', 'version_mismatch'],
    takesTags: true,
  }),
  restoreConfigItem: route({
    method: 'POST',
    path: '/config/:kind/:name/restore',
    access: 'developer',
    tag: 'config',
    summary: 'Restores an earlier version of an item',
    description: 'As a new version; also of a removed item.',
    query: closed({
      env: environment,
      force: Type.Boolean({
        default: false,
        description: 'Changes an entity even if stored records would fail its checks.',
      }),
    }),
    headers: [ifMatch, ifNoMatch],
    body: closed({ version: Type.Integer({ minimum: 1 }) }),
    replies: { 200: reply('Live again.', ShownConfigItem, ['ETag']) },
    problems: [
      'role_required',
      'prod_read_only',
      'not_found',
      'conflict',
      'dangling_reference',
      'plan_limit_exceeded',
      'version_mismatch',
    ],
    takesTags: true,
  }),
};
