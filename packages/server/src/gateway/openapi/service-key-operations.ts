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
import { env } from './parameters.ts';

const tag = 'service keys';
const environment: JsonSchema = { ...text, enum: ['test', 'prod'] };
const name: JsonSchema = { ...text, minLength: 1, maxLength: 128 };

/** `handlers/management/service-keys.ts` and `handlers/management/impersonation.ts` */
export const serviceKeyOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/org/service-keys',
    operationId: 'listServiceKeys',
    tag,
    summary: 'The keys of the org’s servers, the oldest first',
    access: 'token',
    parameters: [env, managementPageSize, nexttoken],
    replies: [
      {
        status: 200,
        description: 'A page.',
        content: jsonContent(objectOf({ items: arrayOf(schemaReference('ServiceKey')), nexttoken: orNull(text) })),
      },
    ],
    problems: ['role_required', 'invalid_cursor'],
  },
  {
    method: 'POST',
    path: '/org/service-keys',
    operationId: 'createServiceKey',
    tag,
    summary: 'Makes a key for a server: a principal of one workspace, with the policies named and no others',
    access: 'token',
    body: jsonContent(schemaReference('ServiceKeyRequest')),
    replies: [{ status: 201, description: 'Made.', content: jsonContent(schemaReference('CreatedServiceKey')) }],
    problems: ['validation_failed', 'unknown_field', 'role_required', 'origin_refused', 'not_found', 'conflict'],
  },
  {
    method: 'DELETE',
    path: '/org/service-keys/:id',
    operationId: 'removeServiceKey',
    tag,
    summary: 'Ends a key, and the membership of its principal',
    access: 'token',
    replies: [{ status: 204, description: 'Removed.' }],
    problems: ['role_required', 'origin_refused', 'not_found', 'dangling_reference', 'last_admin', 'conflict'],
  },
  {
    method: 'POST',
    path: '/org/impersonate',
    operationId: 'impersonate',
    tag: 'impersonation',
    summary: 'An app JWT of 15 minutes by which a builder sees the app as one of its users does',
    description:
      'In the test environment `user_id` may be left out: then the builder comes in his own name and may do everything. In production it is needed, takes the role `org_admin`, and the token only reads.',
    access: 'token',
    body: jsonContent(closedObjectOf({ env: environment, tenant_code: text, user_id: guid }, ['user_id'])),
    replies: [{ status: 200, description: 'The token.', content: jsonContent(schemaReference('Impersonation')) }],
    problems: ['validation_failed', 'unknown_field', 'role_required', 'origin_refused', 'not_found', 'conflict'],
  },
];

const known = { id: guid, env: environment, tenant_code: text, name, created_at: time, expires_at: orNull(time) };
const policies = arrayOf({ ...text, description: 'Names of policies of the workspace.' });

export const serviceKeySchemas: Readonly<Record<string, JsonSchema>> = {
  ServiceKeyRequest: closedObjectOf({ env: environment, tenant_code: text, name, policies, expires_at: time }, [
    'policies',
    'expires_at',
  ]),
  ServiceKey: objectOf({
    ...known,
    state: {
      ...text,
      enum: ['making', 'ready', 'removing'],
      description: 'Only a key that is `ready` opens anything.',
    },
    created_by: { ...guid, description: 'The org user.' },
    last_used_at: orNull(time),
  }),
  CreatedServiceKey: objectOf({
    ...known,
    key: { ...text, pattern: '^fhk_(test|prod)_[A-Za-z0-9_-]{43}$', description: 'Told this once.' },
    policies,
  }),
  Impersonation: objectOf({ token: text, expires_at: time, user_id: guid, tenant_id: guid, tenant_code: text }),
};
