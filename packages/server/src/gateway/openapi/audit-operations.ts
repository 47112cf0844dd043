import { actorKinds } from '../../audit/audit-entry.ts';
import { arrayOf, type JsonSchema, objectOf, orNull, schemaReference, text, time } from '../../lib/json-schema.ts';
import { nexttoken, partial } from './list-parameters.ts';
import { jsonContent, type Operation } from './operation.ts';
import { queryParameter } from './parameters.ts';

/** Of the lists of the management gateway. */
export const managementPageSize = queryParameter('pagesize', {
  type: 'integer',
  minimum: 1,
  maximum: 200,
  default: 50,
});

const auditParameters = [
  queryParameter('env', { ...text, enum: ['test', 'prod'] }, 'Only what was done in this environment.'),
  queryParameter('actor', text, 'Only what this actor did, by id.'),
  queryParameter('action', text, 'Only actions that start with this.'),
  queryParameter('target', text, 'Only what was done to what has this id.'),
  queryParameter(
    'tenant_code',
    text,
    'Only what is about this workspace. What was done inside of it is told then alone.',
  ),
  queryParameter('request_id', text, 'Only what this request did.'),
  queryParameter('from', time, 'Only from this time on; a day counts from its beginning in UTC.'),
  queryParameter('to', time, 'Only before this time.'),
  managementPageSize,
  nexttoken,
] as const;

const auditPage = {
  status: 200,
  description: 'A page. It may end short, and is marked then; where it has a `nexttoken`, there may be more.',
  content: jsonContent(
    objectOf({ items: arrayOf(schemaReference('AuditEntry')), nexttoken: orNull(text), partial }, ['partial']),
  ),
} as const;

/** `handlers/management/audit.ts` */
export const auditOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/audit',
    operationId: 'listAuditEntries',
    tag: 'audit',
    summary: 'Who did what to the org, its configuration, its keys and its workspaces, the latest first',
    access: 'token',
    parameters: auditParameters,
    replies: [auditPage],
    problems: ['role_required', 'invalid_cursor'],
  },
];

/** For whoever runs the platform. */
export const operatorAuditOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/platform/audit',
    operationId: 'listOperatorAuditEntries',
    tag: 'platform',
    summary: 'What the operator did to the platform as a whole, the latest first',
    access: 'token',
    parameters: auditParameters,
    replies: [auditPage],
    problems: ['rate_limited', 'invalid_cursor'],
  },
];

export const auditSchemas: Readonly<Record<string, JsonSchema>> = {
  AuditEntry: objectOf(
    {
      at: time,
      actor: objectOf({
        kind: { ...text, enum: actorKinds },
        id: text,
      }),
      request_id: text,
      action: { ...text, examples: ['entity.changed'] },
      target: objectOf({ kind: text, id: text, name: text }, ['name']),
      env: { ...text, enum: ['test', 'prod'] },
      tenant_code: text,
      detail: { type: 'object', description: 'Ids, names of configuration, counts: never an email or a secret.' },
    },
    ['target', 'env', 'tenant_code', 'detail'],
  ),
};
