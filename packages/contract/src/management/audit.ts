import { Type } from '@sinclair/typebox';
import { nexttoken, pagesize } from '../parameters.ts';
import { reply, route } from '../route.ts';
import { anyObject, closed, named, oneOf, orNull, text, time } from '../schema.ts';

export const AuditEntry = named(
  'AuditEntry',
  Type.Object({
    at: time,
    actor: Type.Object({
      kind: oneOf(['org_user', 'service_key', 'deploy_key', 'operator', 'app_user', 'automation', 'platform']),
      id: text,
    }),
    request_id: text,
    action: Type.String({ examples: ['entity.changed'] }),
    target: Type.Optional(Type.Object({ kind: text, id: text, name: Type.Optional(text) })),
    env: Type.Optional(oneOf(['test', 'prod'])),
    tenant_code: Type.Optional(text),
    detail: Type.Optional(
      anyObject({ description: 'Ids, names of configuration, counts: never an email or a secret.' }),
    ),
  }),
);

const filters = closed({
  env: Type.Optional(oneOf(['test', 'prod'], { description: 'Only actions in this environment.' })),
  actor: Type.Optional(Type.String({ description: 'Only actions of the actor with this id.' })),
  action: Type.Optional(Type.String({ description: 'Only actions that start with this.' })),
  target: Type.Optional(Type.String({ description: 'Only actions on the object with this id.' })),
  tenant_code: Type.Optional(
    Type.String({
      description:
        'Only entries about this workspace. Entries from inside a workspace are shown with this parameter only.',
    }),
  ),
  request_id: Type.Optional(Type.String({ description: 'Only actions of this request.' })),
  from: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Only from this time on; a day counts from its beginning in UTC.',
    }),
  ),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Only before this time.' })),
  pagesize,
  nexttoken,
});

const page = reply(
  'A page. It may be short, and is marked then; with a `nexttoken` there may be more.',
  Type.Object({
    items: Type.Array(AuditEntry),
    nexttoken: orNull(text),
    partial: Type.Optional(
      Type.Literal(true, { description: 'The result is partial: the call reached its scan limit.' }),
    ),
  }),
);

export const auditApi = {
  listAuditEntries: route({
    method: 'GET',
    path: '/audit',
    access: 'org_admin',
    tag: 'audit',
    summary: 'Who did what to the org, its configuration, its keys and its workspaces, the latest first',
    query: filters,
    replies: { 200: page },
    problems: ['invalid_cursor'],
  }),
  listOperatorAuditEntries: route({
    method: 'GET',
    path: '/platform/audit',
    access: 'operator',
    tag: 'platform',
    summary: 'What the operator did to the platform as a whole, the latest first',
    query: filters,
    replies: { 200: page },
    problems: ['rate_limited', 'invalid_cursor'],
  }),
};
