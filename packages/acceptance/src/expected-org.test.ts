/** A call names the org that it expects (`X-Org`), and does nothing where its session is of another. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { call } from './call.ts';
import { newKey } from './deploy.ts';
import { readOpenapi } from './openapi-document.ts';
import { manage, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { provisionedOrg } from './promotion.ts';
import { rawCall } from './raw-call.ts';

const gateways = await platformForTests();
const document = readOpenapi((await call('GET', `${gateways.management}/openapi.json`)).text);
const ofOrgs = document.operations.filter(({ isPublic, path }) => !isPublic && !path.startsWith('/platform'));

test('every route of builders refuses a call that expects another org, before it looks at anything else of it', async () => {
  const org = await signUp(gateways);
  const other = await signUp(gateways);
  for (const { method, path, parameters } of ofOrgs) {
    assert.ok(
      parameters.some(({ name }) => name === 'X-Org'),
      `${method} ${path} describes X-Org`,
    );
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: '{"junk":' };
    const options = { ...body, headers: { 'x-org': other.code } };
    const refused = await manage(org, method, path.replaceAll(/\{[^}]+\}/g, 'none'), options);
    const { detail } = assertProblem(refused, 'org_mismatch');
    assert.ok(!JSON.stringify(detail).includes(other.code), detail);
  }
});

test('a call that expects another org changes nothing and is in the log, a call that expects its own is done', async () => {
  const org = await signUp(gateways);
  const other = await signUp(gateways);
  const body = { entityName: 'order', UpdateParams: [{ name: 'title' }] };
  const define = (code: string) =>
    manage(org, 'POST', '/api/create-order', { body, headers: { 'x-org': code, 'idempotency-key': 'one' } });
  const refused = assertProblem(await define(other.code), 'org_mismatch');
  assertProblem(await manage(org, 'GET', '/api/entities', { headers: { 'x-org': other.code } }), 'org_mismatch');
  for (const headers of [{ 'x-org': other.code }, { 'x-org': '' }, { 'x-org': org.code.toUpperCase() }])
    assertProblem(await manage(org, 'POST', '/auth/logout', { headers }), 'org_mismatch');
  assert.deepEqual((await manage<{ items: unknown[] }>(org, 'GET', '/api/entities')).body.items, []);
  const { items } = (
    await manage<{ items: { action: string; detail: unknown; request_id: string }[] }>(org, 'GET', '/audit')
  ).body;
  const entries = items.filter(({ action }) => action === 'session.org_refused');
  assert.equal(entries.length, 4);
  assert.ok(entries.some(({ request_id }) => request_id === refused.request_id));
  assert.ok(!JSON.stringify(entries).includes(other.code));
  assert.equal((await define(org.code)).status, 201);
  assert.equal((await manage(other, 'GET', '/audit')).text.includes('org_refused'), false);
});

test('two names of orgs are none, and a key of a pipeline is held to the org as a session is', async () => {
  const org = await provisionedOrg(gateways);
  const { key } = await newKey(org, 'publish');
  for (const token of [key, org.builder.token]) {
    const ask = (...codes: readonly string[]) =>
      rawCall(org.management, {
        method: 'GET',
        target: '/deploy/staged',
        headers: [`Authorization: Bearer ${token}`, ...codes.map((code) => `X-Org: ${code}`)],
      });
    assert.equal((await ask(org.code)).status, 200);
    assertProblem(await ask(org.code, org.code), 'org_mismatch');
    assertProblem(await ask('other'), 'org_mismatch');
  }
});
