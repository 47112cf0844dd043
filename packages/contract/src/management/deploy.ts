import { Type } from '@sinclair/typebox';
import { environment } from '../parameters.ts';
import { reply, route } from '../route.ts';
import { anyObject, closed, count, guid, itemsOf, named, oneOf, orNull, text, time } from '../schema.ts';

const itemKind = oneOf(['entity', 'logicblock', 'event', 'settings', 'crew']);

export const ConfigItem = named('ConfigItem', Type.Object({ kind: itemKind, name: text }));

export const ProvisionedProd = named(
  'ProvisionedProd',
  Type.Object({
    environment: oneOf(['prod']),
    client_id: text,
    provisioned_at: time,
    created: Type.Boolean({ description: 'Whether it was this call that made it.' }),
  }),
);

export const ConfigDifference = named(
  'ConfigDifference',
  Type.Object({
    kind: itemKind,
    name: text,
    change: oneOf(['added', 'modified', 'removed']),
    staged: Type.Boolean(),
    edited_since_staged: Type.Optional(
      Type.Boolean({ description: 'Whether test has gone on since it was published.' }),
    ),
    changes: Type.Array(anyObject(), { description: 'A JSON Patch (RFC 6902).' }),
    summary: Type.Array(text, { description: 'The same in words.' }),
    depends_on: Type.Array(
      Type.Object({
        kind: itemKind,
        name: text,
        pointer: text,
        reason: text,
        in_production: Type.Boolean(),
      }),
    ),
  }),
);

export const PublishRequest = named(
  'PublishRequest',
  closed(
    {
      items: Type.Optional(
        Type.Array(closed({ kind: itemKind, name: Type.String({ minLength: 1 }) }), {
          minItems: 1,
          maxItems: 10000,
        }),
      ),
      all: Type.Optional(Type.Literal(true)),
      note: Type.Optional(Type.String({ maxLength: 1000 })),
    },
    { description: 'Either `items` or `all`.' },
  ),
);

export const DeployCheck = named(
  'DeployCheck',
  Type.Object(
    {
      kind: Type.Optional(itemKind),
      name: Type.Optional(text),
      check: oneOf(['definition', 'references', 'switch', 'plan', 'records', 'indexes', 'access', 'impact']),
      level: oneOf(['error', 'warning', 'info'], { description: 'An error keeps it from becoming live.' }),
      message: text,
    },
    { description: 'Further members say what was found.' },
  ),
);

export const Published = named(
  'Published',
  Type.Object({
    release_id: text,
    staged: Type.Array(ConfigItem),
    added_dependencies: Type.Array(Type.Object({ kind: itemKind, name: text, reason: text })),
    checks: Type.Array(DeployCheck),
  }),
);

export const StagedItem = named(
  'StagedItem',
  Type.Object({
    kind: itemKind,
    name: text,
    change: oneOf(['put', 'remove']),
    test_version: count,
    release_id: text,
    staged_at: time,
    staged_by: Type.Object({ kind: text, id: text }),
    note: Type.Optional(Type.String({ maxLength: 1000 })),
    reason: Type.Optional(Type.String({ description: 'Why it was staged though nobody named it.' })),
  }),
);

export const Activated = named(
  'Activated',
  Type.Object({
    version: Type.Integer({ minimum: 1 }),
    activated: Type.Array(
      Type.Object({
        kind: itemKind,
        name: text,
        change: oneOf(['added', 'modified', 'removed']),
      }),
    ),
    checks: Type.Array(DeployCheck),
  }),
);

export const RolledBack = named(
  'RolledBack',
  Type.Object({
    version: Type.Integer({ minimum: 1 }),
    restored: Type.Integer({ minimum: 1, description: 'The release whose configuration is live again.' }),
  }),
);

export const Release = named(
  'Release',
  Type.Object({
    version: Type.Integer({ minimum: 1 }),
    action: oneOf(['activate', 'rollback']),
    at: time,
    actor: Type.Object({ kind: text, id: text }),
    note: Type.Optional(Type.String({ maxLength: 1000 })),
    live: Type.Boolean({ description: 'Whether its configuration is live.' }),
    restored: Type.Optional(Type.Integer({ minimum: 1 })),
    previous: Type.Optional(Type.Integer({ minimum: 1 })),
    items: Type.Array(
      Type.Object({
        kind: itemKind,
        name: text,
        change: oneOf(['added', 'modified', 'removed']),
      }),
    ),
    diff: Type.Array(
      Type.Object({
        kind: itemKind,
        name: text,
        changes: Type.Array(anyObject(), { description: 'A JSON Patch (RFC 6902).' }),
        summary: Type.Array(text, { description: 'The same in words.' }),
      }),
    ),
  }),
);

export const ConfigImportProblem = named(
  'ConfigImportProblem',
  Type.Object(
    {
      kind: Type.Optional(itemKind),
      name: Type.Optional(text),
      code: text,
      message: text,
    },
    { description: 'What is more is told as the refusal itself would tell it.', additionalProperties: true },
  ),
);

export const ConfigImport = named(
  'ConfigImport',
  Type.Object({
    base: Type.String({ description: 'Names the configuration of test that was compared.' }),
    applied: Type.Boolean(),
    problems: Type.Optional(
      Type.Array(ConfigImportProblem, { description: 'Without a `base`: all that the change would be refused for.' }),
    ),
    version: Type.Optional(Type.Integer({ minimum: 1 })),
    warnings: Type.Optional(
      Type.Array(text, {
        description: 'Of a change that was made: fields that are hidden from then on, whose values records keep.',
      }),
    ),
    items: Type.Array(
      Type.Object({
        kind: itemKind,
        name: text,
        change: oneOf(['added', 'modified', 'removed']),
        changes: Type.Array(anyObject(), { description: 'A JSON Patch (RFC 6902).' }),
        summary: Type.Array(text, { description: 'The same in words.' }),
      }),
    ),
  }),
);

export const DeployKey = named(
  'DeployKey',
  Type.Object({
    id: guid,
    name: text,
    scope: oneOf(['publish', 'activate']),
    created_at: time,
    created_by: guid,
    expires_at: orNull(time),
    last_used_at: orNull(time),
  }),
);

export const CreatedDeployKey = named(
  'CreatedDeployKey',
  Type.Object({
    id: guid,
    name: text,
    scope: oneOf(['publish', 'activate']),
    created_at: time,
    created_by: guid,
    expires_at: orNull(time),
    key: Type.String({ pattern: '^fhd_[A-Za-z0-9_-]{43}$', description: 'Told this once.' }),
  }),
);

export const RetiredEntity = named(
  'RetiredEntity',
  Type.Object({ name: text, records: Type.Integer(), retired_at: time }),
);

export const deployApi = {
  provisionProd: route({
    method: 'POST',
    path: '/user/provision-prod',
    access: 'org_admin',
    tag: 'deploy',
    summary: 'Gives the org its production; however often it is called there is one',
    replies: { 200: reply('It is there.', ProvisionedProd) },
    refusedAs: 'environment.provision_refused',
  }),
  readDiff: route({
    method: 'GET',
    path: '/deploy/diff',
    access: 'watch',
    tag: 'deploy',
    summary: 'The config items of test that are not the same in production',
    replies: { 200: reply('All of them.', itemsOf(ConfigDifference)) },
    problems: ['conflict'],
  }),
  publish: route({
    method: 'POST',
    path: '/deploy/publish',
    access: 'publish',
    tag: 'deploy',
    summary: 'Freezes items of test as they are and stages them for production',
    description: 'What the items refer to and production lacks is staged with them, and told with its reason.',
    body: PublishRequest,
    replies: { 201: reply('Staged.', Published) },
    problems: ['conflict'],
    refusedAs: 'deploy.publication_refused',
  }),
  readStaged: route({
    method: 'GET',
    path: '/deploy/staged',
    access: 'watch',
    tag: 'deploy',
    summary: 'What waits for its activation, and what is to be known of it',
    replies: {
      200: reply(
        'The items and the checks.',
        Type.Object({ base: text, items: Type.Array(StagedItem), checks: Type.Array(DeployCheck) }),
      ),
    },
    problems: ['conflict'],
  }),
  withdrawAll: route({
    method: 'DELETE',
    path: '/deploy/staged',
    access: 'publish',
    tag: 'deploy',
    summary: 'Takes everything back that is staged',
    replies: { 204: reply('Nothing is staged.') },
    problems: ['conflict'],
    refusedAs: 'deploy.withdrawal_refused',
  }),
  withdraw: route({
    method: 'DELETE',
    path: '/deploy/staged/:kind/:name',
    access: 'publish',
    tag: 'deploy',
    summary: 'Takes one staged item back',
    replies: { 204: reply('It is not staged any more.') },
    problems: ['not_found', 'conflict'],
    refusedAs: 'deploy.withdrawal_refused',
  }),
  activate: route({
    method: 'POST',
    path: '/deploy/activate',
    access: 'activate',
    tag: 'deploy',
    summary: 'Makes everything that is staged live in production, all at once or not at all',
    body: closed({
      note: Type.Optional(Type.String({ maxLength: 1000 })),
      force: Type.Optional(Type.Boolean({ default: false })),
      base: Type.Optional(text),
    }),
    isBodyOptional: true,
    replies: { 200: reply('Live.', Activated) },
    problems: ['version_mismatch', 'conflict', 'dangling_reference', 'plan_limit_exceeded'],
    refusedAs: 'deploy.activation_refused',
  }),
  rollback: route({
    method: 'POST',
    path: '/deploy/rollback',
    access: 'activate',
    tag: 'deploy',
    summary: 'Makes an earlier release live again, without a version the one before; a later one by its version',
    body: closed({
      version: Type.Optional(Type.Integer({ minimum: 1, maximum: 999_999_999_999 })),
      note: Type.Optional(Type.String({ maxLength: 1000 })),
    }),
    isBodyOptional: true,
    replies: { 200: reply('Live.', RolledBack) },
    problems: ['not_found', 'conflict', 'no_previous_version'],
    refusedAs: 'deploy.rollback_refused',
  }),
  listReleases: route({
    method: 'GET',
    path: '/deploy/history',
    access: 'watch',
    tag: 'deploy',
    summary: 'The activations and rollbacks of production, the latest first',
    query: closed({
      pagesize: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
      nexttoken: Type.Optional(Type.String({ description: 'Where the page before has ended.' })),
    }),
    replies: { 200: reply('A page.', Type.Object({ items: Type.Array(Release), nexttoken: orNull(text) })) },
    problems: ['invalid_cursor', 'conflict'],
  }),
  readRelease: route({
    method: 'GET',
    path: '/deploy/history/:version',
    access: 'watch',
    tag: 'deploy',
    summary: 'One activation or rollback',
    replies: { 200: reply('The release.', Release) },
    problems: ['not_found', 'conflict'],
  }),
  listRetired: route({
    method: 'GET',
    path: '/deploy/retired',
    access: 'watch',
    tag: 'deploy',
    summary: 'The entities that production had and serves no more, whose records are kept',
    replies: { 200: reply('All of them.', itemsOf(RetiredEntity)) },
    problems: ['conflict'],
  }),
  removeRetired: route({
    method: 'DELETE',
    path: '/deploy/retired/:name',
    access: 'org_admin',
    tag: 'deploy',
    summary: 'Removes the records of a retired entity for good, in the background',
    replies: { 204: reply('They are being removed.') },
    problems: ['not_found', 'conflict'],
    refusedAs: 'deploy.removal_refused',
  }),
  exportConfig: route({
    method: 'GET',
    path: '/deploy/export',
    access: 'watch',
    tag: 'deploy',
    summary:
      'The configuration of an environment as a folder of files in a tar archive, the same bytes for the same items',
    query: closed({ env: environment }),
    replies: {
      200: {
        description: 'The archive.',
        content: { 'application/x-tar': Type.Unknown() },
        headers: ['Content-Disposition'],
      },
    },
    problems: ['conflict'],
  }),
  importConfig: route({
    method: 'POST',
    path: '/deploy/import',
    access: 'publish',
    tag: 'deploy',
    summary: 'What an archive would change in test, and with the `base` of that answer the change itself',
    query: closed({
      env: environment,
      base: Type.Optional(
        Type.String({
          description: 'What the comparison was called that is agreed to. Without it nothing is written.',
        }),
      ),
      remove: Type.Boolean({ default: false, description: 'Takes items of test away that are not in the archive.' }),
      force: Type.Boolean({
        default: false,
        description: 'Takes definitions also where records of test would fail by them.',
      }),
    }),
    takesStreamOf: ['application/x-tar'],
    replies: { 200: reply('What changes.', ConfigImport) },
    problems: [
      'validation_failed',
      'body_too_large',
      'prod_read_only',
      'role_required',
      'version_mismatch',
      'conflict',
      'dangling_reference',
      'plan_limit_exceeded',
    ],
    refusedAs: 'deploy.import_refused',
    repeats: { notRemembered: 'takes a stream; its `base` makes it once, since it names what stood before' },
  }),
  listDeployKeys: route({
    method: 'GET',
    path: '/deploy/keys',
    access: 'org_admin',
    tag: 'deploy',
    summary: 'The keys of the org’s pipelines, the oldest first',
    replies: { 200: reply('All of them.', itemsOf(DeployKey)) },
  }),
  createDeployKey: route({
    method: 'POST',
    path: '/deploy/keys',
    access: 'org_admin',
    tag: 'deploy',
    summary: 'Makes a key for a pipeline, which may publish, or activate and roll back, and nothing else',
    body: closed({ name: text, scope: oneOf(['publish', 'activate']), expires_at: Type.Optional(time) }),
    replies: { 201: reply('Made.', CreatedDeployKey) },
    problems: ['conflict'],
  }),
  removeDeployKey: route({
    method: 'DELETE',
    path: '/deploy/keys/:id',
    access: 'org_admin',
    tag: 'deploy',
    summary: 'Ends a key',
    replies: { 204: reply('Ended.') },
    problems: ['not_found'],
  }),
};
