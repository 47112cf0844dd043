import { Type } from '@sinclair/typebox';
import { reply, route } from '../route.ts';
import { closed, named, oneOf, orNull, text, time } from '../schema.ts';

export const AlertDelivery = named(
  'AlertDelivery',
  Type.Object({
    id: text,
    type: text,
    state: oneOf(['delivered', 'retrying', 'failed']),
    attempts: Type.Integer({ minimum: 1 }),
    at: time,
    status: orNull(Type.Integer(), { description: 'Of the answer; null where there was none.' }),
    failure: orNull(text),
    next_attempt_at: orNull(time),
  }),
);

const webhookMembers = {
  url: Type.String({ format: 'uri', maxLength: 2048 }),
  created_at: time,
  created_by: text,
};

export const AlertWebhook = named(
  'AlertWebhook',
  Type.Object({ ...webhookMembers, last_delivery: orNull(AlertDelivery) }),
);

export const CreatedAlertWebhook = named(
  'CreatedAlertWebhook',
  Type.Object({ ...webhookMembers, secret: Type.String({ pattern: '^whsec_' }) }),
);

export const alertWebhookApi = {
  showAlertWebhook: route({
    method: 'GET',
    path: '/org/alerts/webhook',
    access: 'org_admin',
    tag: 'usage',
    summary: 'Where the org wants its alerts sent, and what became of the last one',
    replies: { 200: reply('It.', AlertWebhook) },
    problems: ['not_found'],
  }),
  setAlertWebhook: route({
    method: 'PUT',
    path: '/org/alerts/webhook',
    access: 'org_admin',
    tag: 'usage',
    summary: 'Has alerts sent to an address, signed as Standard Webhooks are by a secret that is shown this once',
    body: closed({ url: Type.String({ format: 'uri', maxLength: 2048 }) }),
    replies: { 200: reply('Set.', CreatedAlertWebhook) },
  }),
  removeAlertWebhook: route({
    method: 'DELETE',
    path: '/org/alerts/webhook',
    access: 'org_admin',
    tag: 'usage',
    summary: 'Has alerts sent nowhere any more',
    replies: { 204: reply('Removed.') },
    problems: ['not_found'],
  }),
  testAlertWebhook: route({
    method: 'POST',
    path: '/org/alerts/webhook/test',
    access: 'org_admin',
    tag: 'usage',
    summary: 'Sends a message of the type `webhook.test`, once; what became of it is told with the webhook',
    replies: { 202: reply('It will be sent.', Type.Object({ id: text })) },
    problems: ['not_found'],
  }),
};
