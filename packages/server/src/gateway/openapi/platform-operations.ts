import { arrayOf, type JsonSchema, objectOf, schemaReference, text, time } from '../../lib/json-schema.ts';
import { operatorAuditOperations } from './audit-operations.ts';
import { jsonContent, type Operation } from './operation.ts';

const tag = 'platform';
const key = jsonContent(schemaReference('SigningKey'));

/** `handlers/management/platform.ts` */
export const platformOperations: readonly Operation[] = [
  ...operatorAuditOperations,
  {
    method: 'GET',
    path: '/platform/keys',
    operationId: 'listSigningKeys',
    tag,
    summary: 'The keys that app JWTs are signed and verified by, in the order they sign',
    access: 'token',
    replies: [
      {
        status: 200,
        description: 'The keys.',
        content: jsonContent(objectOf({ items: arrayOf(schemaReference('SigningKey')) })),
      },
    ],
    problems: ['rate_limited'],
  },
  {
    method: 'POST',
    path: '/platform/keys/rotate',
    operationId: 'rotateSigningKeys',
    tag,
    summary: 'Publishes a new key, which signs ten minutes later; tokens of the one before go on holding',
    access: 'token',
    replies: [
      { status: 201, description: 'Made and published.', content: key },
      { status: 200, description: 'One is published already and waits to sign.', content: key },
    ],
    problems: ['rate_limited', 'conflict'],
  },
  {
    method: 'DELETE',
    path: '/platform/keys/:kid',
    operationId: 'revokeSigningKey',
    tag,
    summary: 'Revokes a key: every token that it signed ends. Where it was the one that signs, another signs at once',
    access: 'token',
    replies: [{ status: 204, description: 'Revoked.' }],
    problems: ['rate_limited', 'not_found'],
  },
  {
    method: 'GET',
    path: '/metrics',
    operationId: 'readMetrics',
    tag,
    summary: 'What this node has counted and measured since it started, for Prometheus',
    access: 'token',
    replies: [{ status: 200, description: 'The text format 0.0.4.', content: { 'text/plain': text } }],
    problems: ['rate_limited', 'origin_refused'],
  },
];

export const platformSchemas: Readonly<Record<string, JsonSchema>> = {
  SigningKey: objectOf(
    {
      kid: text,
      state: { ...text, enum: ['published', 'signing', 'retiring'] },
      created_at: time,
      signs_from: time,
      verifies_until: { ...time, description: 'Where another key follows.' },
    },
    ['verifies_until'],
  ),
};
