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
    status: orNull(Type.Integer(), { description: 'The status of the answer; null if there was none.' }),
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
    summary: 'The org’s alert webhook',
    description: 'With the outcome of the last delivery.',
    replies: { 200: reply('It.', AlertWebhook) },
    problems: ['not_found'],
  }),
  setAlertWebhook: route({
    method: 'PUT',
    path: '/org/alerts/webhook',
    access: 'org_admin',
    tag: 'usage',
    summary: 'Sets the address that alerts are sent to',
    description: 'Returns the secret that signs them (Standard Webhooks).',
    body: closed({ url: Type.String({ format: 'uri', maxLength: 2048 }) }),
    replies: { 200: reply('Set.', CreatedAlertWebhook) },
  }),
  removeAlertWebhook: route({
    method: 'DELETE',
    path: '/org/alerts/webhook',
    access: 'org_admin',
    tag: 'usage',
    summary: 'Removes the alert webhook',
    replies: { 204: reply('Removed.') },
    problems: ['not_found'],
  }),
  testAlertWebhook: route({
    method: 'POST',
    path: '/org/alerts/webhook/test',
    access: 'org_admin',
    tag: 'usage',
    summary: 'Sends a test message to the alert webhook',
    description: 'A message of the type `webhook.test`, whose outcome is shown with the webhook.',
    replies: { 202: reply('The message is queued.', Type.Object({ id: text })) },
    problems: ['not_found'],
  }),
};
