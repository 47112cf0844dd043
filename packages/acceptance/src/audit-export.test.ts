/** The audit log as a file, and how it is verified while the platform runs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, assertRefusal } from './assert-problem.ts';
import { call } from './call.ts';
import { documentedManagement } from './documented-gateway.ts';
import { defineEntity, definition, foundedOrg, joinOrg, manage, type Org, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();

interface Entry {
  readonly action: string;
  readonly target?: { readonly id: string; readonly name?: string };
}

interface Chain {
  readonly chain: string;
  readonly entries: number;
  readonly verified: number;
  readonly verified_at: string | null;
  readonly digest: string | null;
  readonly broken: unknown;
}

async function exported(org: Org, query = ''): Promise<readonly Entry[]> {
  const reply = await manage(org, 'GET', `/audit/export${query}`);
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.headers.get('content-type'), 'application/x-ndjson');
  return reply.text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Entry);
}

async function listed(org: Org, query = ''): Promise<readonly Entry[]> {
  const reply = await manage<{ items: readonly Entry[] }>(org, 'GET', `/audit${query}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items;
}

async function chainsOf(org: Org, query = ''): Promise<readonly Chain[]> {
  const reply = await manage<{ items: readonly Chain[] }>(org, 'GET', `/audit/chains${query}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items;
}

async function verified(org: Org, body: object = {}): Promise<readonly Chain[]> {
  const reply = await manage<{ items: readonly Chain[] }>(org, 'POST', '/audit/chains/verify', { body });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items;
}

test('a file has the entries that the list has, chosen in the same way', async () => {
  const { org, founder } = await foundedOrg(gateways);
  for (const name of ['order', 'item']) await defineEntity(org, definition(name, [{ name: 'title' }]));
  for (const query of [
    '',
    '?env=test',
    '?action=entity.',
    '?target=item',
    `?tenant_code=${founder.tenantCode}`,
    '?to=2001-01-01',
  ])
    assert.deepEqual(await exported(org, query), await listed(org, query), query);
});

test('as CSV it has a line for each entry, and no cell that a spreadsheet computes', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const body = { env: 'test', tenant_code: founder.tenantCode, name: '=1+1, "two"', policies: [] };
  const key = await manage<{ id: string }>(org, 'POST', '/org/service-keys', {
    body,
    headers: { 'x-request-id': '-cmd' },
  });
  assert.equal(key.status, 201, key.text);
  const reply = await manage(org, 'GET', '/audit/export?format=csv&action=service_key.');
  assert.match(reply.headers.get('content-type') ?? '', /^text\/csv; charset=utf-8/);
  assert.equal(reply.headers.get('content-disposition'), 'attachment; filename="audit.csv"');
  const [head, line, end] = reply.text.split('\r\n');
  assert.equal(
    head,
    'at,actor_kind,actor_id,action,target_kind,target_id,target_name,env,tenant_code,request_id,detail',
  );
  assert.ok(line?.includes(`,service_key,${key.body.id},"'=1+1, ""two""",test,${founder.tenantCode},`), reply.text);
  assert.equal(end, '');
  for (const cell of (line ?? '').split(',')) assert.doesNotMatch(cell, /^"?[=+\-@]/);
  const byAccept = await manage(org, 'GET', '/audit/export?action=none', { headers: { accept: 'text/csv' } });
  assert.equal(byAccept.text, `${head}\r\n`);
});

test('an admin verifies the chains of the org, and the platform remembers how far', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  const before = await chainsOf(org);
  assert.deepEqual(
    before.map(({ chain, entries, verified, verified_at, digest, broken }) => [
      chain,
      entries > 0,
      verified,
      verified_at,
      digest,
      broken,
    ]),
    [
      ['org', true, 0, null, null, null],
      ['test', true, 0, null, null, null],
      ['prod', false, 0, null, null, null],
    ],
  );
  const after = await verified(org);
  for (const { entries, verified: count, broken } of after) assert.deepEqual([count, broken], [entries, null]);
  assert.deepEqual(await chainsOf(org), after);
  await defineEntity(org, definition('item', [{ name: 'title' }]));
  const later = (await chainsOf(org)).find(({ chain }) => chain === 'test');
  assert.equal(later?.verified, (later?.entries ?? 0) - 1);
  const withWorkspace = await verified(org, { tenant_code: founder.tenantCode, restart: true });
  assert.deepEqual(
    withWorkspace.map(({ chain }) => chain),
    ['org', 'test', 'prod', 'workspace_test', 'workspace_prod'],
  );
  for (const { entries, verified: count, broken } of withWorkspace) assert.deepEqual([count, broken], [entries, null]);
  assert.ok((withWorkspace[3]?.entries ?? 0) > 0);
});

test('an org sees and verifies its own chains alone', async () => {
  const [{ org, founder }, other] = [await foundedOrg(gateways), await signUp(gateways)];
  await verified(org, { tenant_code: founder.tenantCode });
  assert.deepEqual(
    (await chainsOf(other, `?tenant_code=${founder.tenantCode}`)).map(({ chain, verified: count }) => [chain, count]),
    [
      ['org', 0],
      ['test', 0],
      ['prod', 0],
      ['workspace_test', 0],
      ['workspace_prod', 0],
    ],
  );
  const codes = new Set((await exported(other)).map(({ target }) => target?.id));
  assert.ok(!codes.has(org.code) && codes.has(other.code));
});

test('file and chains are for admins, and take what they know', async () => {
  const org = await signUp(gateways);
  const { token } = await joinOrg(org, 'developer');
  const routes = [
    ['GET', '/audit/export'],
    ['GET', '/audit/chains'],
    ['POST', '/audit/chains/verify'],
  ] as const;
  for (const [method, path] of routes) {
    const body = method === 'POST' ? { body: {} } : {};
    assertProblem(await call(method, `${org.management}${path}`, body), 'token_missing');
    assertProblem(await manage(org, method, path, { ...body, token: 'fm_nonsense' }), 'token_invalid');
    assertProblem(await manage(org, method, path, { ...body, token }), 'role_required');
  }
  for (const query of ['?format=xml', '?format=', '?pagesize=5', '?env=stage', '?from=x', '?tenant_code=A', '?x=1'])
    assertProblem(await manage(org, 'GET', `/audit/export${query}`), 'invalid_request');
  for (const nexttoken of ['x', 'a'.repeat(4000), '%00'])
    assertRefusal(await manage(org, 'GET', `/audit/export?format=csv&nexttoken=${nexttoken}`), [400]);
  for (const query of ['?tenant_code=A', '?tenant_code=', `?tenant_code=${'a'.repeat(64)}`, '?env=test'])
    assertProblem(await manage(org, 'GET', `/audit/chains${query}`), 'invalid_request');
  for (const body of [{ tenant_code: 'A/b' }, { restart: 'yes' }, { tenant_code: 5 }])
    assertProblem(await manage(org, 'POST', '/audit/chains/verify', { body }), 'validation_failed');
  assertProblem(await manage(org, 'POST', '/audit/chains/verify', { body: { from: 5 } }), 'unknown_field');
  const nowhere = await verified(org, { tenant_code: 'nowhere' });
  assert.deepEqual([nowhere[3]?.entries, nowhere[3]?.broken], [0, null]);
});

test('file and chains are as the document describes them', async () => {
  const org = await signUp(gateways);
  const gateway = await documentedManagement(org);
  const { token } = org.builder;
  for (const format of ['csv', 'jsonl'])
    assert.equal((await gateway.send('exportAuditEntries', { token, query: { format } })).status, 200);
  assert.equal((await gateway.send('exportAuditEntries', { token, query: { from: 'x' } })).status, 400);
  assert.equal((await gateway.send('verifyAuditChains', { token, body: {} })).status, 200);
  assert.equal((await gateway.send('listAuditChains', { token })).status, 200);
  assert.equal((await gateway.send('listAuditChains', { token: 'junk' })).status, 401);
});
