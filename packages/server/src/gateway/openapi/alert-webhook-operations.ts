import {
  closedObjectOf,
  type JsonSchema,
  objectOf,
  orNull,
  schemaReference,
  text,
  time,
} from '../../lib/json-schema.ts';
import { urlLengthMax } from '../../webhooks/read-webhook.ts';
import { jsonContent, type Operation } from './operation.ts';

const path = '/org/alerts/webhook';
const shared = { tag: 'usage', access: 'token' } as const;
const url: JsonSchema = { ...text, format: 'uri', maxLength: urlLengthMax };

/** `handlers/management/alert-webhook.ts` */
export const alertWebhookOperations: readonly Operation[] = [
  {
    ...shared,
    method: 'GET',
    path,
    operationId: 'showAlertWebhook',
    summary: 'Where the org wants its alerts sent, and what became of the last one',
    replies: [{ status: 200, description: 'It.', content: jsonContent(schemaReference('AlertWebhook')) }],
    problems: ['role_required', 'not_found'],
  },
  {
    ...shared,
    method: 'PUT',
    path,
    operationId: 'setAlertWebhook',
    summary: 'Has alerts sent to an address, signed as Standard Webhooks are by a secret that is told this once',
    body: jsonContent(closedObjectOf({ url })),
    replies: [{ status: 200, description: 'Set.', content: jsonContent(schemaReference('CreatedAlertWebhook')) }],
    problems: ['validation_failed', 'unknown_field', 'role_required', 'origin_refused'],
  },
  {
    ...shared,
    method: 'DELETE',
    path,
    operationId: 'removeAlertWebhook',
    summary: 'Has alerts sent nowhere any more',
    replies: [{ status: 204, description: 'Removed.' }],
    problems: ['role_required', 'origin_refused', 'not_found'],
  },
  {
    ...shared,
    method: 'POST',
    path: `${path}/test`,
    operationId: 'testAlertWebhook',
    summary: 'Sends a message of the type `webhook.test`, once; what became of it is told with the webhook',
    replies: [{ status: 202, description: 'It will be sent.', content: jsonContent(objectOf({ id: text })) }],
    problems: ['role_required', 'origin_refused', 'not_found'],
  },
];

const webhook = { url, created_at: time, created_by: text };

export const alertWebhookSchemas: Readonly<Record<string, JsonSchema>> = {
  AlertWebhook: objectOf({ ...webhook, last_delivery: orNull(schemaReference('AlertDelivery')) }),
  CreatedAlertWebhook: objectOf({ ...webhook, secret: { ...text, pattern: '^whsec_' } }),
  AlertDelivery: objectOf({
    id: text,
    type: text,
    state: { ...text, enum: ['delivered', 'retrying', 'failed'] },
    attempts: { type: 'integer', minimum: 1 },
    at: time,
    status: { ...orNull({ type: 'integer' }), description: 'Of the answer; null where there was none.' },
    failure: orNull(text),
    next_attempt_at: orNull(time),
  }),
};
