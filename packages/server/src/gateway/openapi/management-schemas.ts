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
import { definitionSchemas } from '../../schema/port.ts';
import { aclSchemas } from './acl-operations.ts';
import { alertWebhookSchemas } from './alert-webhook-operations.ts';
import { auditSchemas } from './audit-operations.ts';
import { configItemSchemas } from './config-item-operations.ts';
import { deploySchemas } from './deploy-schemas.ts';
import { inboxSchemas } from './inbox-operation.ts';
import { orgSchemas } from './org-operations.ts';
import { serviceKeySchemas } from './service-key-operations.ts';
import { settingSchemas } from './setting-operations.ts';
import { suspendedAccountSchemas } from './suspended-account-operations.ts';
import { usageSchemas } from './usage-operations.ts';

const definitions = definitionSchemas(schemaReference);
const session = { token: { ...text, description: 'Not where it comes in a cookie.' }, expires_at: time };
const version = { type: 'integer' };
const count = { type: 'integer', minimum: 0 };

const accountSchemas: Readonly<Record<string, JsonSchema>> = {
  Email: { ...text, format: 'email', maxLength: 254 },
  Password: { ...text, format: 'password', minLength: 1 },
  OrgCode: { ...text, pattern: '^[a-z][a-z0-9]{1,31}$' },
  OrgRole: { ...text, enum: ['org_admin', 'developer'] },
  OrgUser: objectOf({ id: guid, email: text, name: text }),
  OrgName: objectOf({ code: schemaReference('OrgCode'), name: text }),
  Environments: objectOf({
    test: schemaReference('EnvironmentAccess'),
    prod: orNull(schemaReference('EnvironmentAccess')),
  }),
  EnvironmentAccess: objectOf(
    {
      client_id: { ...text, description: 'What apps send as `client_id`.' },
      previous: { ...objectOf({ client_id: text, until: time }), description: 'The id before, for a while.' },
      provisioned_at: { ...time, description: 'Of production: since when it is there.' },
    },
    ['previous', 'provisioned_at'],
  ),
  Org: objectOf({
    code: schemaReference('OrgCode'),
    name: text,
    plan: text,
    environments: schemaReference('Environments'),
  }),
  SignedUp: objectOf(
    {
      ...session,
      user: schemaReference('OrgUser'),
      org: objectOf({ code: schemaReference('OrgCode'), name: text, environments: schemaReference('Environments') }),
    },
    ['token'],
  ),
  LoggedIn: objectOf(
    {
      ...session,
      user: schemaReference('OrgUser'),
      org: schemaReference('OrgName'),
      orgs: arrayOf(objectOf({ code: schemaReference('OrgCode'), name: text, role: schemaReference('OrgRole') })),
    },
    ['token'],
  ),
  Caller: objectOf({
    user: schemaReference('OrgUser'),
    org: schemaReference('OrgName'),
    role: schemaReference('OrgRole'),
  }),
};

const config = schemaReference('ApiConfig');

/** What is not a config's to change may be sent as it stands; `null` takes out what a definition may be without. */
const changeableMembers: Readonly<Record<string, JsonSchema>> = {
  ...Object.fromEntries(
    Object.entries(definitions.EntityDefinition.properties).map(([name, schema]) => [
      name,
      name === 'entityName' ? schema : orNull(schema),
    ]),
  ),
  UpdateParams: {
    ...arrayOf({ ...objectOf({ name: text }), additionalProperties: true }),
    description:
      'Fields as in `EntityDefinition`, merged by their names: a field that is not sent stays, and so does each member that is not sent with a field. `null` takes a member out.',
  },
  removeFields: { ...arrayOf(text), description: 'Fields that go, with the values that records have of them.' },
  key: text,
  version,
  action: text,
  method: text,
  path: text,
};

const entitySchemas: Readonly<Record<string, JsonSchema>> = {
  ...definitions,
  DefinedEntity: objectOf({ entityName: text, apis: arrayOf(text), version, warnings: arrayOf(text) }, ['warnings']),
  EntitySummary: objectOf({ name: text, apis: arrayOf(text), records: { type: 'integer' }, updated_at: time }),
  EntityConfigs: objectOf({
    entityName: text,
    create: schemaReference('CreateConfig'),
    get: config,
    list: config,
    update: config,
    delete: config,
    indexes: arrayOf(schemaReference('EntityIndex')),
  }),
  EntityIndex: objectOf(
    {
      name: text,
      kind: { ...text, enum: ['field', 'unique', 'owner', 'parent', 'search'] },
      state: { ...text, enum: ['building', 'ready', 'failed'] },
      done: { ...count, description: 'Records that are done, while it is being built.' },
      total: count,
      duplicates: arrayOf(objectOf({ tenant_code: text, ids: { ...arrayOf(guid), minItems: 2, maxItems: 2 } })),
    },
    ['done', 'total', 'duplicates'],
  ),
  ConfigChange: closedObjectOf(changeableMembers, Object.keys(changeableMembers)),
  ChangedApi: objectOf(
    {
      entityName: text,
      api: text,
      version,
      indexes: arrayOf(schemaReference('EntityIndex')),
      warnings: arrayOf(text),
    },
    ['indexes', 'warnings'],
  ),
  CreateConfig: {
    ...objectOf({ key: text, version, ...definitions.EntityDefinition.properties }),
    required: ['key', 'version', 'entityName', 'UpdateParams'],
    description: 'The definition as it was supplied.',
  },
  ApiConfig: objectOf({
    key: text,
    version,
    entityName: text,
    action: text,
    method: text,
    path: text,
    Views: schemaReference('Views'),
  }),
  EntityEndpoint: objectOf({
    action: text,
    method: text,
    path: text,
    api: text,
    params: arrayOf(
      objectOf({
        name: text,
        in: { ...text, enum: ['path', 'query', 'body'] },
        type: text,
        required: { type: 'boolean' },
      }),
    ),
    example: { ...text, description: 'The call as a shell takes it.' },
  }),
};

/** What the management gateway takes and gives. */
export const managementSchemas = {
  ...accountSchemas,
  ...orgSchemas,
  ...inboxSchemas,
  ...entitySchemas,
  ...aclSchemas,
  ...settingSchemas,
  ...auditSchemas,
  ...usageSchemas,
  ...alertWebhookSchemas,
  ...configItemSchemas,
  ...deploySchemas,
  ...serviceKeySchemas,
  ...suspendedAccountSchemas,
};
