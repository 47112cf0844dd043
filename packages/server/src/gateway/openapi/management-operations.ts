import { arrayOf, closedObjectOf, objectOf, schemaReference, text } from '../../lib/json-schema.ts';
import { aclOperations } from './acl-operations.ts';
import { alertWebhookOperations } from './alert-webhook-operations.ts';
import { auditOperations } from './audit-operations.ts';
import { configItemOperations } from './config-item-operations.ts';
import { deployOperations } from './deploy-operations.ts';
import { inboxOperation } from './inbox-operation.ts';
import { jsonContent, type Operation } from './operation.ts';
import { orgOperations, sessionHeader } from './org-operations.ts';
import { env, idempotencyKey, ifMatch, ifNoMatch, queryParameter, required } from './parameters.ts';
import { passwordOperations } from './password-operations.ts';
import { pipelineOperations } from './pipeline-operations.ts';
import { serviceKeyOperations } from './service-key-operations.ts';
import { settingOperations } from './setting-operations.ts';
import { documentOperation, sharedOperations } from './shared-operations.ts';
import { suspendedAccountOperations } from './suspended-account-operations.ts';
import { usageOperations } from './usage-operations.ts';

/** Every route of the management gateway. */
export function managementOperations(): readonly Operation[] {
  return [
    ...accountOperations,
    ...passwordOperations,
    ...orgOperations,
    ...entityOperations,
    ...configItemOperations,
    ...aclOperations,
    ...settingOperations,
    ...deployOperations,
    ...pipelineOperations,
    ...auditOperations,
    ...usageOperations,
    ...alertWebhookOperations,
    ...serviceKeyOperations,
    ...suspendedAccountOperations,
    inboxOperation,
    documentOperation({ path: '/openapi.json', access: 'public' }),
    ...sharedOperations,
  ];
}

const newPassword = { ...text, minLength: 10, description: 'At least 10 characters, at most 256 bytes.' };
const personName = { ...text, minLength: 1, maxLength: 128 };

/** `handlers/management/accounts.ts` */
const accountOperations: readonly Operation[] = [
  {
    method: 'POST',
    path: '/auth/signup',
    operationId: 'signUp',
    tag: 'account',
    summary: 'Makes a builder’s account and an org, and a session',
    access: 'public',
    parameters: [sessionHeader],
    body: jsonContent(
      closedObjectOf(
        {
          email: schemaReference('Email'),
          password: newPassword,
          name: personName,
          org_name: personName,
          org_code: schemaReference('OrgCode'),
        },
        ['org_code'],
      ),
    ),
    replies: [{ status: 201, description: 'Signed up.', content: jsonContent(schemaReference('SignedUp')) }],
    problems: ['validation_failed', 'unknown_field', 'signup_closed', 'conflict', 'rate_limited'],
  },
  {
    method: 'POST',
    path: '/auth/login',
    operationId: 'logIn',
    tag: 'account',
    summary: 'Makes a session',
    access: 'public',
    parameters: [sessionHeader],
    body: jsonContent(
      closedObjectOf({ email: schemaReference('Email'), password: schemaReference('Password'), org: text }, ['org']),
    ),
    replies: [{ status: 200, description: 'Logged in.', content: jsonContent(schemaReference('LoggedIn')) }],
    problems: ['validation_failed', 'unknown_field', 'credentials_invalid', 'rate_limited'],
  },
  {
    method: 'POST',
    path: '/auth/logout',
    operationId: 'logOut',
    tag: 'account',
    summary: 'Ends the session',
    access: 'token',
    replies: [{ status: 204, description: 'Ended.' }],
    problems: ['origin_refused'],
  },
  {
    method: 'GET',
    path: '/auth/me',
    operationId: 'readMe',
    tag: 'account',
    summary: 'Who is calling',
    access: 'token',
    replies: [
      {
        status: 200,
        description: 'The caller.',
        content: jsonContent(schemaReference('Caller')),
      },
    ],
  },
  {
    method: 'GET',
    path: '/org',
    operationId: 'readOrg',
    tag: 'account',
    summary: 'The org, its environments and their client ids',
    access: 'token',
    replies: [{ status: 200, description: 'The org.', content: jsonContent(schemaReference('Org')) }],
  },
];

const flag = { type: 'boolean', default: false };

/** `handlers/management/entities.ts` */
const entityOperations: readonly Operation[] = [
  {
    method: 'POST',
    path: '/api/:apiname',
    operationId: 'defineEntity',
    tag: 'entity',
    summary: 'Defines an entity, and with it five APIs',
    access: 'token',
    parameters: [env, idempotencyKey],
    body: jsonContent(schemaReference('EntityDefinition')),
    replies: [
      {
        status: 201,
        description: 'Defined.',
        content: jsonContent(schemaReference('DefinedEntity')),
        headers: ['Idempotency-Replayed'],
      },
    ],
    problems: [
      'validation_failed',
      'unknown_field',
      'prod_read_only',
      'conflict',
      'idempotency_key_reused',
      'plan_limit_exceeded',
    ],
  },
  {
    method: 'PUT',
    path: '/api/:apiname',
    operationId: 'changeApi',
    tag: 'entity',
    summary: 'Changes one of the five configs of an entity',
    description:
      'The members that are sent take the place of those that stand; `null` takes out what a config may be without. Fields of `UpdateParams` are merged by their names, and go where `removeFields` names them: 409 with `would_lose` where records have values of them. The create config is the definition, the others have `Views` of their own.',
    access: 'token',
    parameters: [
      env,
      queryParameter('force', flag, 'Makes a change also where records would fail by it, or lose values.'),
      { ...ifMatch, description: 'Entity tags, one of which must be the config’s; else 412.' },
      ifNoMatch,
    ],
    body: jsonContent(schemaReference('ConfigChange')),
    replies: [
      {
        status: 200,
        description: 'Changed.',
        content: jsonContent(schemaReference('ChangedApi')),
        headers: ['ETag'],
      },
    ],
    problems: [
      'validation_failed',
      'unknown_field',
      'prod_read_only',
      'not_found',
      'conflict',
      'version_mismatch',
      'plan_limit_exceeded',
    ],
  },
  {
    method: 'GET',
    path: '/api/entities',
    operationId: 'listEntities',
    tag: 'entity',
    summary: 'The entities of the org',
    access: 'token',
    parameters: [env],
    replies: [
      {
        status: 200,
        description: 'All of them.',
        content: jsonContent(objectOf({ items: arrayOf(schemaReference('EntitySummary')) })),
      },
    ],
  },
  {
    method: 'GET',
    path: '/api/entity',
    operationId: 'readEntity',
    tag: 'entity',
    summary: 'The five configs of an entity, and how far its indexes are',
    access: 'token',
    parameters: [env, required(queryParameter('entityName', text))],
    replies: [{ status: 200, description: 'The configs.', content: jsonContent(schemaReference('EntityConfigs')) }],
    problems: ['not_found'],
  },
  {
    method: 'GET',
    path: '/api/entity/endpoints',
    operationId: 'readEntityEndpoints',
    tag: 'entity',
    summary: 'The routes that apps have for an entity, each with a call to copy',
    access: 'token',
    parameters: [env, required(queryParameter('entity', text))],
    replies: [
      {
        status: 200,
        description: 'The routes.',
        content: jsonContent(objectOf({ endpoints: arrayOf(schemaReference('EntityEndpoint')) })),
      },
    ],
    problems: ['not_found'],
  },
  {
    method: 'DELETE',
    path: '/api/entity',
    operationId: 'removeEntity',
    tag: 'entity',
    summary: 'Removes an entity and its records',
    description: 'The records are unreachable at once and removed in the background; until then the name answers 409.',
    access: 'token',
    parameters: [
      env,
      required(queryParameter('entityname', text)),
      queryParameter('if_empty', flag, 'Refuses while there are records.'),
    ],
    replies: [{ status: 204, description: 'Removed.' }],
    problems: ['not_found', 'prod_read_only', 'conflict', 'dangling_reference', 'in_use'],
  },
];
