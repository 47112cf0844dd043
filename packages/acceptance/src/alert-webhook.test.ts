/** Alerts of limits, sent to where an org wants them. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { call } from './call.ts';
import { documentedManagement } from './documented-gateway.ts';
import { type Message, startReceiver } from './event-receiver.ts';
import { eventually } from './eventually.ts';
import { act, create, defineEntity, definition, foundedOrg, joinOrg, manage, type Org } from './org.ts';
import { auditOf, givePlan, observe, withOperator } from './plans.ts';
import { platformForTests, platformOf } from './platform-for-tests.ts';

const path = '/org/alerts/webhook';

interface ShownWebhook {
  readonly url: string;
  readonly secret: string;
  readonly last_delivery: { readonly id: string; readonly state: string; readonly status: number | null } | null;
}

async function setWebhook(org: Org, url: string): Promise<ShownWebhook> {
  const reply = await manage<ShownWebhook>(org, 'PUT', path, { body: { url } });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

async function lastDelivery(org: Org) {
  return eventually(
    'the outcome of a delivery',
    async () => (await manage<ShownWebhook>(org, 'GET', path)).body.last_delivery ?? undefined,
  );
}

function assertSigned({ headers, body }: Message, secret: string): void {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  assert.equal(key.length, 32);
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  assert.equal(headers['webhook-signature'], expected);
}

async function orgWithLimit(gateways: Awaited<ReturnType<typeof platformOf>>) {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  await givePlan(org, { records: 2 });
  return { org, founder };
}

test('an org that reaches a share of its limit gets one signed alert at its address, and sees a banner', async (t) => {
  const { org, founder } = await orgWithLimit(await platformOf(t, withOperator));
  const { url, arrived, messages } = await startReceiver(t);
  const { secret } = await setWebhook(org, url);
  for (const title of ['One', 'Two']) await create(founder, 'order', { title });
  const [message] = await arrived(1);
  assert.ok(message !== undefined);
  assertSigned(message, secret);
  const { id, type, data } = JSON.parse(message.body);
  assert.equal(message.headers['webhook-id'], id);
  const { upgrade_url, ...rest } = data;
  const shares = { metric: 'records', percent: 100, used: 2, limit: 2 };
  assert.deepEqual([type, rest], ['plan.limit_near', { org: org.code, ...shares, window: 'total', resets_at: null }]);
  assert.equal((await call('GET', upgrade_url)).status, 200);
  assert.equal(upgrade_url, (await observe(org)).plan.upgrade_url);
  assert.deepEqual(
    [(await lastDelivery(org)).id, (await lastDelivery(org)).state, (await lastDelivery(org)).status],
    [id, 'delivered', 200],
  );
  const [banner, ...others] = (await observe(org)).alerts;
  assert.deepEqual(others, []);
  const { since, message: sentence, ...alert } = banner ?? {};
  assert.deepEqual(alert, { ...shares, level: 'critical', resets_at: null });
  assert.ok(Date.parse(String(since)) <= Date.now());
  assert.match(String(sentence), /limit of 2 records is reached/);
  assert.equal((await auditOf(org)).filter((action) => action === 'plan.limit_near').length, 1);
  assert.equal(messages.length, 1);
});

test('what was being sent when the platform ended is sent when it starts again', async (t) => {
  const first = await platformOf(t, withOperator);
  const { org, founder } = await orgWithLimit(first);
  const receiver = await startReceiver(t);
  const { url, arrived } = receiver;
  receiver.answer = () => undefined;
  const { secret } = await setWebhook(org, url);
  for (const title of ['One', 'Two']) await create(founder, 'order', { title });
  await arrived(1);
  await first.terminate();
  receiver.answer = (reply) => void reply.end();
  await platformOf(t, { ...withOperator, dataDir: first.dataDir });
  const [before, after] = await arrived(2);
  assert.ok(before !== undefined && after !== undefined);
  assert.equal(after.body, before.body);
  assertSigned(after, secret);
});

test('an address is tried out, changed and taken away, each recorded in the audit log', async (t) => {
  const gateways = await platformForTests();
  const { org } = await foundedOrg(gateways);
  const { send } = await documentedManagement(org);
  const token = { token: org.builder.token };
  assertProblem(await send('showAlertWebhook', token), 'not_found');
  assertProblem(await send('testAlertWebhook', token), 'not_found');
  assertProblem(await send('removeAlertWebhook', token), 'not_found');
  const receiver = await startReceiver(t);
  const { url, arrived } = receiver;
  receiver.answer = (reply) => void reply.writeHead(500).end();
  const set = await send<ShownWebhook>('setAlertWebhook', { ...token, body: { url } });
  assert.equal(set.status, 200);
  const shown = await send<ShownWebhook>('showAlertWebhook', token);
  assert.deepEqual([shown.body.url, shown.body.last_delivery, shown.body.secret], [url, null, undefined]);
  const tested = await send<{ id: string }>('testAlertWebhook', token);
  assert.equal(tested.status, 202);
  const [message] = await arrived(1);
  assert.ok(message !== undefined);
  assertSigned(message, set.body.secret);
  assert.deepEqual([JSON.parse(message.body).id, JSON.parse(message.body).type], [tested.body.id, 'webhook.test']);
  assert.deepEqual([(await lastDelivery(org)).state, (await lastDelivery(org)).status], ['failed', 500]);
  assert.equal((await send('showAlertWebhook', token)).status, 200);
  assert.equal((await send('removeAlertWebhook', token)).status, 204);
  assertProblem(await send('showAlertWebhook', token), 'not_found');
  assert.deepEqual((await auditOf(org)).slice(0, 2), ['alert_webhook.removed', 'alert_webhook.set']);
});

test('an address is for org admins of the very org alone, and what is none changes nothing', async () => {
  const gateways = await platformForTests();
  const { org, founder } = await foundedOrg(gateways);
  const { org: other } = await foundedOrg(gateways);
  const url = 'https://receiver.example/alerts?key=1';
  await setWebhook(org, url);
  const { token } = await joinOrg(org, 'developer');
  const routes = [
    ['GET', path],
    ['PUT', path],
    ['DELETE', path],
    ['POST', `${path}/test`],
  ] as const;
  for (const [method, route] of routes) {
    const body = method === 'PUT' ? { body: { url: 'https://thief.example/' } } : {};
    const address = `${gateways.management}${route}`;
    assertProblem(await call(method, address, body), 'token_missing');
    for (const wrong of ['junk', founder.token])
      assertProblem(await call(method, address, { ...body, token: wrong }), 'token_invalid');
    assertProblem(await call(method, address, { ...body, token }), 'role_required');
    assertProblem(await manage(org, method, `${route}?org=${org.code}`, body), 'invalid_request');
    if (method !== 'PUT') assertProblem(await manage(other, method, route), 'not_found');
  }
  assertProblem(await act(founder, 'GET', path), 'not_found');
  for (const junk of [{}, [], { url: 1 }, { url: 'ftp://a.example/' }, { url: 'https://10.0.0.1/' }, { url: 'x' }])
    assertProblem(await manage(org, 'PUT', path, { body: junk }), 'validation_failed');
  assertProblem(await manage(org, 'PUT', path, { body: { url, secret: 'x' } }), 'unknown_field');
  assert.equal((await manage<ShownWebhook>(org, 'GET', path)).body.url, url);
  assert.equal((await auditOf(org)).filter((action) => action.startsWith('alert_webhook')).length, 1);
});
