import { Type } from '@sinclair/typebox';
import { environment, nexttoken, pagesize } from '../parameters.ts';
import { reply, route } from '../route.ts';
import { closed, guid, lineTitle, named, oneOf, orNull, pageOf, reason, text, time } from '../schema.ts';

const policyName = Type.String({ description: 'Name of a policy of the workspace.' });

export const ServiceKeyRequest = named(
  'ServiceKeyRequest',
  closed({
    env: oneOf(['test', 'prod']),
    tenant_code: text,
    name: lineTitle,
    policies: Type.Optional(Type.Array(policyName, { maxItems: 90 })),
    expires_at: Type.Optional(time),
  }),
);

const keyMembers = {
  id: guid,
  env: oneOf(['test', 'prod']),
  tenant_code: text,
  name: text,
  created_at: time,
  expires_at: orNull(time),
};

export const ServiceKey = named(
  'ServiceKey',
  Type.Object({
    ...keyMembers,
    state: oneOf(['making', 'ready', 'removing'], { description: 'Only a `ready` key is accepted.' }),
    created_by: Type.String({ format: 'uuid', description: 'The org user.' }),
    last_used_at: orNull(time),
  }),
);

export const CreatedServiceKey = named(
  'CreatedServiceKey',
  Type.Object({
    ...keyMembers,
    key: Type.String({ pattern: '^fhk_(test|prod)_[A-Za-z0-9_-]{43}$', description: 'Shown in this response only.' }),
    policies: Type.Array(policyName),
  }),
);

export const Impersonation = named(
  'Impersonation',
  Type.Object({ token: text, expires_at: time, user_id: guid, tenant_id: guid, tenant_code: text }),
);

export const serviceKeysApi = {
  listServiceKeys: route({
    method: 'GET',
    path: '/org/service-keys',
    access: 'org_admin',
    tag: 'service keys',
    summary: 'The keys of the org’s servers, the oldest first',
    query: closed({
      env: environment,
      pagesize,
      nexttoken,
    }),
    compressed: 'reply',
    replies: { 200: reply('A page.', pageOf(ServiceKey)) },
    problems: ['invalid_cursor'],
  }),
  createServiceKey: route({
    method: 'POST',
    path: '/org/service-keys',
    access: 'org_admin',
    tag: 'service keys',
    summary: 'Creates a service key for a server',
    description: 'A principal of one workspace, with the named policies only.',
    body: ServiceKeyRequest,
    replies: { 201: reply('Made.', CreatedServiceKey) },
    problems: ['not_found', 'conflict'],
  }),
  removeServiceKey: route({
    method: 'DELETE',
    path: '/org/service-keys/:id',
    access: 'org_admin',
    tag: 'service keys',
    summary: 'Revokes a key, and removes its principal',
    replies: { 204: reply('Removed.') },
    problems: ['not_found', 'dangling_reference', 'last_admin', 'conflict'],
  }),
  impersonate: route({
    method: 'POST',
    path: '/org/impersonate',
    access: 'developer',
    tag: 'impersonation',
    summary: 'Issues an app JWT to see the app as a user does',
    description:
      'For a builder, valid for 15 minutes. In the test environment `user_id` may be left out: the builder then acts in his own name and may do everything. In production it is required, and the token is read-only. The token ends with the session that it is issued in. The audit log keeps the `reason`.',
    body: closed({
      env: oneOf(['test', 'prod']),
      tenant_code: text,
      user_id: Type.Optional(guid),
      reason: Type.Optional(reason),
    }),
    replies: { 200: reply('The token.', Impersonation) },
    problems: ['not_found', 'conflict'],
    production: { refused: 'always' },
    repeats: { notRemembered: 'returns a token, which is never stored; every call may return another one' },
  }),
};
