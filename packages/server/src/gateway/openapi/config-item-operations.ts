import type { ProblemCode } from '@freehold/contract/problem';
import { configItemKinds } from '../../config/port.ts';
import {
  anyOf,
  arrayOf,
  closedObjectOf,
  type JsonSchema,
  objectOf,
  orNull,
  schemaReference,
  text,
  time,
} from '../../lib/json-schema.ts';
import { managementPageSize } from './audit-operations.ts';
import { nexttoken } from './list-parameters.ts';
import { jsonContent, type Operation } from './operation.ts';
import { env, ifMatch, ifNoMatch, ifNoneMatch, queryParameter } from './parameters.ts';

const tag = 'config';
const kind: JsonSchema = { ...text, enum: [...configItemKinds] };
const version: JsonSchema = { type: 'integer', minimum: 1 };
const who: JsonSchema = objectOf({ kind: text, id: text });
const content: JsonSchema = { description: 'By the schema of its kind, which `GET /config` shows.' };
const shown = jsonContent(schemaReference('ShownConfigItem'));
const itemTag = { ...ifMatch, description: 'Entity tags, one of which must be the item’s; else 412.' };
const force = queryParameter(
  'force',
  { type: 'boolean', default: false },
  'Changes an entity also where records would fail by it.',
);

const problemsOfWrites: readonly ProblemCode[] = [
  'validation_failed',
  'unknown_field',
  'role_required',
  'prod_read_only',
  'origin_refused',
  'not_found',
  'conflict',
  'dangling_reference',
  'plan_limit_exceeded',
];

function pageOf(name: string): ReturnType<typeof jsonContent> {
  return jsonContent(objectOf({ items: arrayOf(schemaReference(name)), nexttoken: orNull(text) }));
}

/** `handlers/management/config-items.ts`: items as they are. */
const readingOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/config',
    operationId: 'listConfigKinds',
    tag,
    summary: 'The kinds of config items, each with its schema and how many there are',
    access: 'token',
    parameters: [env],
    replies: [
      {
        status: 200,
        description: 'All of them.',
        content: jsonContent(objectOf({ items: arrayOf(schemaReference('ConfigKind')) })),
      },
    ],
  },
  {
    method: 'GET',
    path: '/config/:kind',
    operationId: 'listConfigItems',
    tag,
    summary: 'The live items of a kind, by name',
    access: 'token',
    parameters: [env, managementPageSize, nexttoken],
    replies: [{ status: 200, description: 'A page.', content: pageOf('ListedConfigItem') }],
    problems: ['not_found', 'invalid_cursor'],
  },
  {
    method: 'GET',
    path: '/config/:kind/:name',
    operationId: 'readConfigItem',
    tag,
    summary: 'An item with its content',
    access: 'token',
    parameters: [env, itemTag, ifNoneMatch],
    replies: [
      { status: 200, description: 'The item.', content: shown, headers: ['ETag'] },
      { status: 304, description: 'The caller’s copy is current.', headers: ['ETag'] },
    ],
    problems: ['not_found'],
  },
];

/** `handlers/management/config-items.ts`: items as they were. */
const versionOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/config/:kind/:name/versions',
    operationId: 'listItemVersions',
    tag,
    summary: 'The versions of an item of test, the latest first, also of one that was taken away',
    access: 'token',
    parameters: [managementPageSize, nexttoken],
    replies: [{ status: 200, description: 'A page.', content: pageOf('ItemVersion') }],
    problems: ['not_found', 'invalid_cursor'],
  },
  {
    method: 'GET',
    path: '/config/:kind/:name/versions/:version',
    operationId: 'readItemVersion',
    tag,
    summary: 'An item of test as it was at a version, compared with another where that is asked',
    access: 'token',
    parameters: [
      queryParameter(
        'compare',
        anyOf([version, { const: 'active' }]),
        'The version that `compared` leads from: a number, or `active` for the one that is live.',
      ),
    ],
    replies: [{ status: 200, description: 'The version.', content: jsonContent(schemaReference('ItemAtVersion')) }],
    problems: ['not_found'],
  },
];

/** `handlers/management/config-items.ts`: items of test as they are to be. */
const writingOperations: readonly Operation[] = [
  {
    method: 'POST',
    path: '/config/:kind',
    operationId: 'makeConfigItem',
    tag,
    summary: 'Makes an item; settings need the role `org_admin`',
    access: 'token',
    parameters: [env],
    body: jsonContent(closedObjectOf({ name: text, content })),
    replies: [{ status: 201, description: 'Made.', content: shown, headers: ['ETag', 'Location'] }],
    problems: problemsOfWrites,
  },
  {
    method: 'PUT',
    path: '/config/:kind/:name',
    operationId: 'replaceConfigItem',
    tag,
    summary: 'Gives an item another content as a whole; settings need the role `org_admin`',
    access: 'token',
    parameters: [env, force, itemTag, ifNoMatch],
    body: jsonContent(content),
    replies: [{ status: 200, description: 'Changed, or as it was.', content: shown, headers: ['ETag'] }],
    problems: [...problemsOfWrites, 'version_mismatch'],
  },
  {
    method: 'DELETE',
    path: '/config/:kind/:name',
    operationId: 'removeConfigItem',
    tag,
    summary: 'Takes an item away that no other refers to; its versions stay',
    access: 'token',
    parameters: [env, itemTag, ifNoMatch],
    replies: [{ status: 204, description: 'Taken away.' }],
    problems: [
      'role_required',
      'prod_read_only',
      'origin_refused',
      'not_found',
      'dangling_reference',
      'version_mismatch',
    ],
  },
  {
    method: 'POST',
    path: '/config/:kind/:name/restore',
    operationId: 'restoreConfigItem',
    tag,
    summary: 'Brings an earlier version back, as a version of its own, also of an item that was taken away',
    access: 'token',
    parameters: [env, force, itemTag, ifNoMatch],
    body: jsonContent(closedObjectOf({ version })),
    replies: [{ status: 200, description: 'Live again.', content: shown, headers: ['ETag'] }],
    problems: [...problemsOfWrites, 'version_mismatch'],
  },
];

export const configItemOperations: readonly Operation[] = [
  ...readingOperations,
  ...versionOperations,
  ...writingOperations,
];

const item = { kind, name: text };
const noted = {
  version,
  action: { ...text, enum: ['created', 'changed', 'removed', 'restored'] },
  at: time,
  actor: who,
  restored: { ...version, description: 'The version that was brought back.' },
  active: { type: 'boolean', description: 'Whether it is the one that is live.' },
};
const warnings = {
  type: 'array',
  items: { type: 'string' },
  description: 'What its author would not expect of it; of a change also fields that are hidden from then on.',
};
const listed = { ...item, version, updated_at: time, updated_by: who };

export const configItemSchemas: Readonly<Record<string, JsonSchema>> = {
  ConfigKind: objectOf({
    kind,
    schema: { type: 'object', description: 'JSON Schema (2020-12) of the contents.' },
    count: { type: 'integer', minimum: 0 },
  }),
  ListedConfigItem: objectOf(listed, ['updated_at', 'updated_by']),
  ShownConfigItem: objectOf({ ...listed, content, warnings }, ['updated_at', 'updated_by', 'warnings']),
  ItemVersion: objectOf(noted, ['restored']),
  ItemAtVersion: objectOf(
    {
      ...item,
      ...noted,
      content: { ...content, description: 'Not of a version by which the item was taken away.' },
      compared: objectOf({
        with: version,
        changes: { ...arrayOf({ type: 'object' }), description: 'A JSON Patch (RFC 6902).' },
        summary: { ...arrayOf(text), description: 'The same in words.' },
      }),
    },
    ['restored', 'content', 'compared'],
  ),
};
