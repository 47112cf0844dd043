import { Type } from '@sinclair/typebox';
import { configItemKinds } from '../config-kinds.ts';
import { anyObject, closed, count, guid, named, oneOf, orNull, text, time } from '../schema.ts';
import { AwaitedFounder } from './accounts.ts';

const itemKind = oneOf(configItemKinds);

export const ConfigItem = named('ConfigItem', Type.Object({ kind: itemKind, name: text }));

export const ProvisionedProd = named(
  'ProvisionedProd',
  Type.Object({
    environment: oneOf(['prod']),
    client_id: text,
    provisioned_at: time,
    created: Type.Boolean({ description: 'Whether this call created it.' }),
    awaited_founder: Type.Optional(AwaitedFounder),
  }),
);

/** The way an item goes from one content to another. */
export const itemChange = {
  changes: Type.Array(anyObject(), { description: 'A JSON Patch (RFC 6902).' }),
  summary: Type.Array(text, { description: 'The change as a sentence.' }),
  losses: Type.Array(text, { description: 'Those sentences of `summary` that say what is taken out.' }),
};

const ChangedItem = named(
  'ChangedItem',
  Type.Object({ kind: itemKind, name: text, change: oneOf(['added', 'modified', 'removed']), ...itemChange }),
);

export const ConfigDifference = named(
  'ConfigDifference',
  Type.Object({
    kind: itemKind,
    name: text,
    change: oneOf(['added', 'modified', 'removed']),
    staged: Type.Boolean(),
    edited_since_staged: Type.Optional(
      Type.Boolean({ description: 'Whether the item has changed in test since it was published.' }),
    ),
    ...itemChange,
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
      check: oneOf(['definition', 'references', 'switch', 'plan', 'records', 'indexes', 'access', 'impact', 'founder']),
      level: oneOf(['error', 'warning', 'info'], { description: 'An error blocks the activation.' }),
      message: text,
      loss: Type.Optional(Type.Literal(true, { description: 'Of an `impact`: it says what is taken out.' })),
    },
    { description: 'Further members hold the details.' },
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
    reason: Type.Optional(Type.String({ description: 'Why it was staged although the request does not name it.' })),
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
    template_application: Type.Optional(
      orNull(guid, {
        description:
          'With `apply_templates`: the id of the application, at `GET /org/workspace-template/applications/{id}?env=prod`; `null` if it could not begin, which `checks` says.',
      }),
    ),
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
        ...itemChange,
      }),
    ),
    compared: Type.Optional(
      Type.Object(
        {
          live: Type.Integer({ minimum: 1, description: 'The release whose configuration is live.' }),
          items: Type.Array(ChangedItem),
        },
        { description: 'What a rollback to this release would change in production now. Only with `compare`.' },
      ),
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
    { description: 'Further errors are cut as in the refusal itself.', additionalProperties: true },
  ),
);

export const ConfigImport = named(
  'ConfigImport',
  Type.Object({
    base: Type.String({ description: 'Names the configuration of test that was compared.' }),
    applied: Type.Boolean(),
    problems: Type.Optional(
      Type.Array(ConfigImportProblem, { description: 'Without a `base`: every error that would refuse the change.' }),
    ),
    refused: Type.Optional(
      Type.Array(ConfigImportProblem, {
        description: 'Items that the caller may not change. They stay as they are, and the others are changed.',
      }),
    ),
    version: Type.Optional(Type.Integer({ minimum: 1 })),
    warnings: Type.Optional(
      Type.Array(text, {
        description:
          'Policies of the template that are likely not to mean what they say, as by an action that no entity has. Of a change that was made also fields that are hidden from then on, whose values records keep.',
      }),
    ),
    items: Type.Array(ChangedItem),
  }),
);

/** `settings` is `publish` with the settings that belong to the configuration of an app. */
export const deployKeyScopes = ['publish', 'settings', 'activate'] as const;

const deployKeyMembers = {
  id: guid,
  name: text,
  scope: oneOf(deployKeyScopes),
  created_at: time,
  created_by: guid,
  expires_at: orNull(time),
};

export const DeployKey = named('DeployKey', Type.Object({ ...deployKeyMembers, last_used_at: orNull(time) }));

export const CreatedDeployKey = named(
  'CreatedDeployKey',
  Type.Object({
    ...deployKeyMembers,
    key: Type.String({ pattern: '^fhd_[A-Za-z0-9_-]{43}$', description: 'Shown in this response only.' }),
  }),
);

export const RetiredEntity = named(
  'RetiredEntity',
  Type.Object({ name: text, records: Type.Integer(), retired_at: time }),
);
