/** Builders see what became of the last messages to a hook; senders that are not known cause no write. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { call } from './call.ts';
import { documentedManagement } from './documented-gateway.ts';
import { allow, foundedOrg, joinOrg, manage, type Org, random } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { signMessage } from './standard-webhook.ts';

const gateways = await platformForTests();
const other = await foundedOrg(gateways);
const secret = `whsec_${Buffer.from('the key of this hook').toString('base64')}`;

interface Details {
  readonly calls: {
    readonly accepted: { readonly count: number; readonly last_at: string | null };
    readonly refused: readonly { readonly id: string; readonly code: string; readonly message: string }[];
    readonly unsigned: readonly { readonly reason: string; readonly count: number }[];
  };
}

async function hooked(): Promise<Org> {
  const { org } = await foundedOrg(gateways);
  await make(org, 'paid', { signature: 'standard', secrets: ['pay'] });
  const set = await manage(org, 'PUT', '/secrets/pay', { body: { value: secret, hosts: [] } });
  assert.equal(set.status, 200, set.text);
  return org;
}

async function make(org: Org, name: string, hook: object): Promise<void> {
  const input_schema = { type: 'object', properties: { amount: { type: 'integer' } } };
  const steps = [{ id: 'one', type: 'transform', value: 1 }];
  const content = { name, run_as: 'app', policies: [allow('getorder')], input_schema, hook, steps };
  const made = await manage(org, 'POST', '/config/logicblock', { body: { name, content } });
  assert.equal(made.status, 201, made.text);
}

function send(
  org: Org,
  body: string,
  { id = random(), by = secret, at = new Date(), headers = {}, name = 'paid' } = {},
) {
  const options = { body, headers: { ...signMessage(by, id, body, at), ...headers } };
  return call<{ run: string }>('POST', `${org.app}/app/${org.code}/hooks/${name}?env=test`, options);
}

async function callsOf(org: Org): Promise<Details['calls']> {
  const { send: ask } = await documentedManagement(org);
  const { status, text, body } = await ask<Details>('readHook', { token: org.builder.token, path: { name: 'paid' } });
  assert.equal(status, 200, text);
  return body.calls;
}

test('messages of strangers are counted by the reason, and what a known sender was refused is kept beside them', async () => {
  const org = await hooked();
  assert.equal((await send(org, '{"amount":1}')).status, 202);
  const wrong = { id: 'msg_wrong', headers: {} };
  assertProblem(await send(org, '{"amount":"much"}', wrong), 'validation_failed');
  assertProblem(await send(org, '{', { id: 'msg_broken' }), 'invalid_request');
  const stranger = `whsec_${Buffer.from('the key of a stranger').toString('base64')}`;
  const canary = `canary-${random()}`;
  for (let index = 0; index < 30; index++)
    assertProblem(await send(org, `{"note":"${canary}"}`, { by: stranger, id: canary }), 'signature_invalid');
  assertProblem(await send(org, '{}', { headers: { 'webhook-signature': '' } }), 'signature_invalid');
  assertProblem(await send(org, '{}', { at: new Date(Date.now() - 400_000) }), 'signature_invalid');
  const calls = await callsOf(org);
  assert.equal(calls.accepted.count, 1);
  assert.deepEqual(
    calls.refused.map(({ id, code }) => [id, code]),
    [
      ['msg_broken', 'invalid_request'],
      ['msg_wrong', 'validation_failed'],
    ],
  );
  assert.deepEqual(
    calls.unsigned.map(({ reason, count }) => [reason, count]),
    [
      ['signature_wrong', 30],
      ['signature_missing', 1],
      ['time_off', 1],
    ],
  );
  assert.ok(!JSON.stringify(calls).includes(canary));
  interface Hooks {
    readonly items: readonly { readonly name: string; readonly last_call?: { accepted: boolean; code?: string } }[];
  }
  const [listed] = (await manage<Hooks>(org, 'GET', '/hooks')).body.items;
  assert.deepEqual([listed?.last_call?.accepted, listed?.last_call?.code], [false, 'time_off']);
});

test('what keeps all messages out is told as their reason', async () => {
  const org = await hooked();
  const put = (body: object) => manage(org, 'PUT', '/hooks/paid', { body });
  assert.equal((await put({ paused: true })).status, 200);
  assertProblem(await send(org, '{}'), 'signature_invalid');
  assert.equal((await put({ paused: false })).status, 200);
  assert.equal((await manage(org, 'PUT', '/secrets/pay', { body: { value: 'short', hosts: [] } })).status, 200);
  assertProblem(await send(org, '{}'), 'signature_invalid');
  assert.equal((await manage(org, 'DELETE', '/secrets/pay')).status, 204);
  assertProblem(await send(org, '{}'), 'signature_invalid');
  assert.deepEqual(
    (await callsOf(org)).unsigned.map(({ reason }) => reason),
    ['paused', 'short_secret', 'no_secret'],
  );
});

test('a hook is shown with how its messages are signed, to builders of its org alone', async () => {
  const org = await hooked();
  const form = { header: 'X-Hub-Signature-256', prefix: 'sha256=', id_header: 'X-Id' };
  await make(org, 'hub', { signature: 'hmac', secrets: ['pay', 'old'], ...form });
  const shown = await manage<Record<string, unknown>>(org, 'GET', '/hooks/hub');
  const { calls, ...hook } = shown.body;
  assert.deepEqual(hook, {
    ...{ name: 'hub', signature: 'hmac', url_path: `/app/${org.code}/hooks/hub?env=test`, tenant_code: 'main' },
    ...{ paused: false, ready: true, secrets: ['pay', 'old'], ...form },
  });
  const { since, ...noted } = calls as { since: string };
  assert.ok(Date.parse(since) <= Date.now());
  assert.deepEqual(noted, { accepted: { count: 0, last_at: null }, refused: [], unsigned: [] });
  assert.ok(!shown.text.includes(secret));
  const { token } = await joinOrg(org, 'developer');
  assert.equal((await manage(org, 'GET', '/hooks/hub', { token })).status, 200);
  assertProblem(await manage(other.org, 'GET', '/hooks/hub'), 'not_found');
  assertProblem(await manage(org, 'GET', '/hooks/hub?env=prod'), 'not_found');
  for (const name of ['none', 'Paid', 'x'.repeat(200)])
    assertProblem(await manage(org, 'GET', `/hooks/${name}`), 'not_found');
  assertProblem(await manage(org, 'GET', '/hooks/hub?what=1'), 'invalid_request');
});
