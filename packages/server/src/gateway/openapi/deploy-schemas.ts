import { configItemKinds } from '../../config/port.ts';
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

export const deployNote: JsonSchema = { ...text, maxLength: 1000 };
export const deployKeyScope: JsonSchema = { ...text, enum: ['publish', 'activate'] };

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
  scope: deployKeyScope,
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
        note: deployNote,
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
      note: deployNote,
      reason: { ...text, description: 'Why it was staged though nobody named it.' },
    },
    ['note', 'reason'],
  ),
  DeployCheck: {
    ...objectOf(
      {
        ...item,
        check: {
          ...text,
          enum: ['definition', 'references', 'switch', 'plan', 'records', 'indexes', 'access', 'impact'],
        },
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
      note: deployNote,
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
      warnings: {
        ...arrayOf(text),
        description: 'Of a change that was made: fields that are hidden from then on, whose values records keep.',
      },
      items: arrayOf(objectOf({ ...item, change, changes, summary })),
    },
    ['problems', 'version', 'warnings'],
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
