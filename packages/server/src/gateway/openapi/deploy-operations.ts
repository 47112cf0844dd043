import { configItemKinds } from '../../entities/config-item.ts';
import {
  arrayOf,
  closedObjectOf,
  guid,
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
import { env, queryParameter } from './parameters.ts';

const tag = 'deploy';
const binary: JsonSchema = {};
const flag: JsonSchema = { type: 'boolean', default: false };
const keyScope: JsonSchema = { ...text, enum: ['publish', 'activate'] };
const note: JsonSchema = { ...text, maxLength: 1000 };
const itemsOf = (name: string) => jsonContent(objectOf({ items: arrayOf(schemaReference(name)) }));

/** `handlers/management/deploy.ts`: production, and what is on its way there. */
const stagingOperations: readonly Operation[] = [
  {
    method: 'POST',
    path: '/user/provision-prod',
    operationId: 'provisionProd',
    tag,
    summary: 'Gives the org its production; however often it is called there is one',
    access: 'token',
    replies: [{ status: 200, description: 'It is there.', content: jsonContent(schemaReference('ProvisionedProd')) }],
    problems: ['role_required', 'origin_refused'],
  },
  {
    method: 'GET',
    path: '/deploy/diff',
    operationId: 'readDiff',
    tag,
    summary: 'The config items of test that are not the same in production',
    access: 'token',
    replies: [{ status: 200, description: 'All of them.', content: itemsOf('ConfigDifference') }],
    problems: ['conflict'],
  },
  {
    method: 'POST',
    path: '/deploy/publish',
    operationId: 'publish',
    tag,
    summary: 'Freezes items of test as they are and stages them for production',
    description: 'What the items refer to and production lacks is staged with them, and told with its reason.',
    access: 'token',
    body: jsonContent(schemaReference('PublishRequest')),
    replies: [{ status: 201, description: 'Staged.', content: jsonContent(schemaReference('Published')) }],
    problems: ['validation_failed', 'unknown_field', 'origin_refused', 'conflict'],
  },
  {
    method: 'GET',
    path: '/deploy/staged',
    operationId: 'readStaged',
    tag,
    summary: 'What waits for its activation, and what is to be known of it',
    access: 'token',
    replies: [
      {
        status: 200,
        description: 'The items and the checks.',
        content: jsonContent(
          objectOf({ items: arrayOf(schemaReference('StagedItem')), checks: arrayOf(schemaReference('DeployCheck')) }),
        ),
      },
    ],
    problems: ['conflict'],
  },
  {
    method: 'DELETE',
    path: '/deploy/staged',
    operationId: 'withdrawAll',
    tag,
    summary: 'Takes everything back that is staged',
    access: 'token',
    replies: [{ status: 204, description: 'Nothing is staged.' }],
    problems: ['origin_refused', 'conflict'],
  },
  {
    method: 'DELETE',
    path: '/deploy/staged/:kind/:name',
    operationId: 'withdraw',
    tag,
    summary: 'Takes one staged item back',
    access: 'token',
    replies: [{ status: 204, description: 'It is not staged any more.' }],
    problems: ['origin_refused', 'not_found', 'conflict'],
  },
];

/** `handlers/management/deploy.ts`: what is live in production, and was. */
const releaseOperations: readonly Operation[] = [
  {
    method: 'POST',
    path: '/deploy/activate',
    operationId: 'activate',
    tag,
    summary: 'Makes everything that is staged live in production, all at once or not at all',
    access: 'token',
    body: jsonContent(closedObjectOf({ note, force: { type: 'boolean', default: false } }, ['note', 'force'])),
    isBodyOptional: true,
    replies: [{ status: 200, description: 'Live.', content: jsonContent(schemaReference('Activated')) }],
    problems: [
      'validation_failed',
      'unknown_field',
      'role_required',
      'origin_refused',
      'conflict',
      'dangling_reference',
    ],
  },
  {
    method: 'POST',
    path: '/deploy/rollback',
    operationId: 'rollback',
    tag,
    summary: 'Makes an earlier release live again, without a version the one before; a later one by its version',
    access: 'token',
    body: jsonContent(closedObjectOf({ version: { type: 'integer', minimum: 1 }, note }, ['version', 'note'])),
    isBodyOptional: true,
    replies: [{ status: 200, description: 'Live.', content: jsonContent(schemaReference('RolledBack')) }],
    problems: [
      'validation_failed',
      'unknown_field',
      'role_required',
      'origin_refused',
      'not_found',
      'conflict',
      'no_previous_version',
    ],
  },
  {
    method: 'GET',
    path: '/deploy/history',
    operationId: 'listReleases',
    tag,
    summary: 'The activations and rollbacks of production, the latest first',
    access: 'token',
    parameters: [managementPageSize, nexttoken],
    replies: [
      {
        status: 200,
        description: 'A page.',
        content: jsonContent(objectOf({ items: arrayOf(schemaReference('Release')), nexttoken: orNull(text) })),
      },
    ],
    problems: ['invalid_cursor', 'conflict'],
  },
  {
    method: 'GET',
    path: '/deploy/history/:version',
    operationId: 'readRelease',
    tag,
    summary: 'One activation or rollback',
    access: 'token',
    replies: [{ status: 200, description: 'The release.', content: jsonContent(schemaReference('Release')) }],
    problems: ['not_found', 'conflict'],
  },
  {
    method: 'GET',
    path: '/deploy/retired',
    operationId: 'listRetired',
    tag,
    summary: 'The entities that production had and serves no more, whose records are kept',
    access: 'token',
    replies: [{ status: 200, description: 'All of them.', content: itemsOf('RetiredEntity') }],
    problems: ['conflict'],
  },
  {
    method: 'DELETE',
    path: '/deploy/retired/:name',
    operationId: 'removeRetired',
    tag,
    summary: 'Removes the records of a retired entity for good, in the background',
    access: 'token',
    replies: [{ status: 204, description: 'They are being removed.' }],
    problems: ['role_required', 'origin_refused', 'not_found', 'conflict'],
  },
];

/** `handlers/management/deploy-archive.ts` */
const archiveOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/deploy/export',
    operationId: 'exportConfig',
    tag,
    summary:
      'The configuration of an environment as a folder of files in a tar archive, the same bytes for the same items',
    access: 'token',
    parameters: [env],
    replies: [
      {
        status: 200,
        description: 'The archive.',
        content: { 'application/x-tar': binary },
        headers: ['Content-Disposition'],
      },
    ],
    problems: ['conflict'],
  },
  {
    method: 'POST',
    path: '/deploy/import',
    operationId: 'importConfig',
    tag,
    summary: 'What an archive would change in test, and with the `base` of that answer the change itself',
    access: 'token',
    parameters: [
      env,
      queryParameter('base', text, 'What the comparison was called that is agreed to. Without it nothing is written.'),
      queryParameter('remove', flag, 'Takes items of test away that are not in the archive.'),
      queryParameter('force', flag, 'Takes definitions also where records of test would fail by them.'),
    ],
    body: { 'application/x-tar': binary },
    replies: [{ status: 200, description: 'What changes.', content: jsonContent(schemaReference('ConfigImport')) }],
    problems: [
      'validation_failed',
      'body_too_large',
      'prod_read_only',
      'role_required',
      'origin_refused',
      'version_mismatch',
      'conflict',
      'dangling_reference',
    ],
  },
];

/** `handlers/management/deploy-keys.ts` */
const keyOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/deploy/keys',
    operationId: 'listDeployKeys',
    tag,
    summary: 'The keys of the org’s pipelines, the oldest first',
    access: 'token',
    replies: [{ status: 200, description: 'All of them.', content: itemsOf('DeployKey') }],
    problems: ['role_required'],
  },
  {
    method: 'POST',
    path: '/deploy/keys',
    operationId: 'createDeployKey',
    tag,
    summary: 'Makes a key for a pipeline, which may publish, or activate and roll back, and nothing else',
    access: 'token',
    body: jsonContent(closedObjectOf({ name: text, scope: keyScope, expires_at: time }, ['expires_at'])),
    replies: [{ status: 201, description: 'Made.', content: jsonContent(schemaReference('CreatedDeployKey')) }],
    problems: ['validation_failed', 'unknown_field', 'role_required', 'origin_refused', 'conflict'],
  },
  {
    method: 'DELETE',
    path: '/deploy/keys/:id',
    operationId: 'removeDeployKey',
    tag,
    summary: 'Ends a key',
    access: 'token',
    replies: [{ status: 204, description: 'Ended.' }],
    problems: ['role_required', 'origin_refused', 'not_found'],
  },
];

export const deployOperations: readonly Operation[] = [
  ...stagingOperations,
  ...releaseOperations,
  ...archiveOperations,
  ...keyOperations,
];

const kind: JsonSchema = { ...text, enum: [...configItemKinds] };
const item = { kind, name: text };
const change: JsonSchema = { ...text, enum: ['added', 'modified', 'removed'] };
const who: JsonSchema = objectOf({ kind: text, id: text });
const changes: JsonSchema = { ...arrayOf({ type: 'object' }), description: 'A JSON Patch (RFC 6902).' };
const summary: JsonSchema = { ...arrayOf(text), description: 'The same in words.' };
const version: JsonSchema = { type: 'integer', minimum: 1 };
const checks = arrayOf(schemaReference('DeployCheck'));

const deployKey = {
  id: guid,
  name: text,
  scope: keyScope,
  created_at: time,
  created_by: guid,
  expires_at: orNull(time),
};

export const deploySchemas: Readonly<Record<string, JsonSchema>> = {
  ConfigItem: objectOf(item),
  ProvisionedProd: objectOf({
    environment: { ...text, enum: ['prod'] },
    client_id: text,
    provisioned_at: time,
    created: { type: 'boolean', description: 'Whether it was this call that made it.' },
  }),
  ConfigDifference: objectOf(
    {
      ...item,
      change,
      staged: { type: 'boolean' },
      edited_since_staged: { type: 'boolean', description: 'Whether test has gone on since it was published.' },
      changes,
      summary,
      depends_on: arrayOf(objectOf({ ...item, pointer: text, reason: text, in_production: { type: 'boolean' } })),
    },
    ['edited_since_staged'],
  ),
  PublishRequest: {
    ...closedObjectOf(
      {
        items: { ...arrayOf(closedObjectOf(item)), minItems: 1, maxItems: 10_000 },
        all: { type: 'boolean', const: true },
        note,
      },
      ['items', 'all', 'note'],
    ),
    description: 'Either `items` or `all`.',
  },
  Published: objectOf({
    release_id: text,
    staged: arrayOf(schemaReference('ConfigItem')),
    added_dependencies: arrayOf(objectOf({ ...item, reason: text })),
    checks,
  }),
  StagedItem: objectOf(
    {
      ...item,
      change: { ...text, enum: ['put', 'remove'] },
      test_version: { type: 'integer', minimum: 0 },
      release_id: text,
      staged_at: time,
      staged_by: who,
      note,
      reason: { ...text, description: 'Why it was staged though nobody named it.' },
    },
    ['note', 'reason'],
  ),
  DeployCheck: {
    ...objectOf(
      {
        ...item,
        check: { ...text, enum: ['definition', 'references', 'switch', 'records', 'indexes', 'access', 'impact'] },
        level: { ...text, enum: ['error', 'warning', 'info'], description: 'An error keeps it from becoming live.' },
        message: text,
      },
      ['kind', 'name'],
    ),
    description: 'Further members say what was found.',
  },
  Activated: objectOf({ version, activated: arrayOf(objectOf({ ...item, change })), checks }),
  RolledBack: objectOf({
    version,
    restored: { ...version, description: 'The release whose configuration is live again.' },
  }),
  Release: objectOf(
    {
      version,
      action: { ...text, enum: ['activate', 'rollback'] },
      at: time,
      actor: who,
      note,
      live: { type: 'boolean', description: 'Whether its configuration is live.' },
      restored: version,
      previous: version,
      items: arrayOf(objectOf({ ...item, change })),
      diff: arrayOf(objectOf({ ...item, changes, summary })),
    },
    ['note', 'restored', 'previous'],
  ),
  ConfigImport: objectOf(
    {
      base: { ...text, description: 'Names the configuration of test that was compared.' },
      applied: { type: 'boolean' },
      problems: {
        ...arrayOf(schemaReference('ConfigImportProblem')),
        description: 'Without a `base`: all that the change would be refused for.',
      },
      version,
      items: arrayOf(objectOf({ ...item, change, changes, summary })),
    },
    ['problems', 'version'],
  ),
  ConfigImportProblem: {
    ...objectOf({ ...item, code: text, message: text }, ['kind', 'name']),
    description: 'What is more is told as the refusal itself would tell it.',
    additionalProperties: true,
  },
  DeployKey: objectOf({ ...deployKey, last_used_at: orNull(time) }),
  CreatedDeployKey: objectOf({
    ...deployKey,
    key: { ...text, pattern: '^fhd_[A-Za-z0-9_-]{43}$', description: 'Told this once.' },
  }),
  RetiredEntity: objectOf({ name: text, records: { type: 'integer' }, retired_at: time }),
};
