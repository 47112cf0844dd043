/** What builders download of what their org uses: the same ledger as `/observability`, in all its parts. */
import assert from 'node:assert/strict';
import { assertProblem } from './assert-problem.ts';
import { call } from './call.ts';
import { documentedManagement } from './documented-gateway.ts';
import { testOnOneDay as test } from './on-one-day.ts';
import { act, create, defineEntity, definition, foundedOrg, joinOrg, manage, type Org } from './org.ts';
import { observe } from './plans.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();

interface Part {
  readonly metric: string;
  readonly env: string;
  readonly date: string | null;
  readonly tenant_code: string | null;
  readonly entity: string | null;
  readonly value: number;
}

async function exported(org: Org, query = ''): Promise<readonly Part[]> {
  const reply = await manage(org, 'GET', `/observability/export${query}`);
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.headers.get('content-type'), 'application/x-ndjson');
  return reply.text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Part);
}

function sumOf(parts: readonly Part[], metric: string): number {
  return parts.filter((part) => part.metric === metric).reduce((sum, { value }) => sum + value, 0);
}

async function usedOrg() {
  const { org, founder } = await foundedOrg(gateways);
  for (const name of ['order', 'item']) await defineEntity(org, definition(name, [{ name: 'title' }]));
  for (const title of ['a', 'b']) await create(founder, 'order', { title });
  await create(founder, 'item', { title: 'c' });
  await act(founder, 'GET', '/list/order');
  return { org, founder };
}

test('the parts of an export come to what the report says, by day, workspace and entity', async () => {
  const { org, founder } = await usedOrg();
  const parts = await exported(org);
  const { usage } = await observe(org);
  assert.equal(sumOf(parts, 'api_calls'), usage.api_calls.month);
  assert.equal(sumOf(parts, 'records'), usage.records.total);
  const today = usage.api_calls.by_day.at(-1)?.date;
  assert.ok(today !== undefined);
  const calls = { metric: 'api_calls', env: 'test', date: today, entity: null };
  const record = { metric: 'records', env: 'test', date: null, tenant_code: founder.tenantCode };
  assert.deepEqual(parts, [
    { ...calls, tenant_code: null, value: 2 },
    { ...calls, tenant_code: founder.tenantCode, value: 4 },
    { ...record, entity: 'item', value: 1 },
    { ...record, entity: 'order', value: 2 },
  ]);
  for (const { tenant_code, api_calls, records } of usage.by_workspace) {
    const own: readonly Part[] = parts.filter((part) => part.tenant_code === tenant_code);
    assert.deepEqual([sumOf(own, 'api_calls'), sumOf(own, 'records')], [api_calls.month, records.total]);
  }
  assert.deepEqual(await exported(org, '?metric=records'), parts.slice(2));
  assert.deepEqual(await exported(org, `?metric=api_calls&from=${today}&to=${today}`), parts.slice(0, 2));
  assert.deepEqual(await exported(org, '?metric=api_calls&from=2001-01-01&to=2001-12-31'), []);
});

test('as CSV it has a line for each part, and is a file', async () => {
  const { org, founder } = await usedOrg();
  const [{ date } = { date: '' }] = await exported(org);
  const lines = [
    'metric,env,date,tenant_code,entity,value',
    `api_calls,test,${date},,,2`,
    `api_calls,test,${date},${founder.tenantCode},,4`,
    `records,test,,${founder.tenantCode},item,1`,
    `records,test,,${founder.tenantCode},order,2`,
  ];
  const byAccept = { headers: { accept: 'text/csv' } };
  for (const [query, options] of [
    ['?format=csv', {}],
    ['', byAccept],
  ] as const) {
    const reply = await manage(org, 'GET', `/observability/export${query}`, options);
    assert.equal(reply.text, lines.map((line) => `${line}\r\n`).join(''));
    assert.match(reply.headers.get('content-type') ?? '', /^text\/csv; charset=utf-8/);
    assert.equal(reply.headers.get('content-disposition'), 'attachment; filename="usage.csv"');
  }
});

test('only builders of the org get it, and it shows no other org', async () => {
  const { org, founder } = await usedOrg();
  const { org: other } = await foundedOrg(gateways);
  const { token } = await joinOrg(org, 'developer');
  assert.equal((await manage(org, 'GET', '/observability/export', { token })).status, 200);
  assert.deepEqual(
    (await exported(other)).map(({ value }) => value),
    [2],
  );
  const path = `${gateways.management}/observability/export`;
  assertProblem(await call('GET', path), 'token_missing');
  for (const wrong of ['junk', founder.token])
    assertProblem(await call('GET', path, { token: wrong }), 'token_invalid');
  assertProblem(await manage(org, 'POST', '/observability/export'), 'method_not_allowed');
});

test('what is no day, metric or format is refused by its name', async () => {
  const { org } = await foundedOrg(gateways);
  for (const [query, pointer] of [
    ['?format=xml', '/format'],
    ['?metric=calls', '/metric'],
    ['?from=yesterday', '/from'],
    ['?from=2026-02-30', '/from'],
    ['?to=2026-1-1', '/to'],
    ['?from=2026-02-01&to=2026-01-01', '/from'],
  ] as const) {
    const reply = await manage<{ errors: readonly { pointer: string }[] }>(org, 'GET', `/observability/export${query}`);
    assertProblem(reply, 'invalid_request');
    assert.deepEqual(
      reply.body.errors.map((error) => error.pointer),
      [pointer],
      query,
    );
  }
  for (const query of ['?env=prod', `?org=${org.code}`, '?days=3'])
    assertProblem(await manage(org, 'GET', `/observability/export${query}`), 'invalid_request');
});

test('the document tells all of it', async () => {
  const { org } = await usedOrg();
  const gateway = await documentedManagement(org);
  const { token } = org.builder;
  for (const format of ['csv', 'jsonl'])
    assert.equal((await gateway.send('exportUsage', { token, query: { format } })).status, 200);
  assert.equal((await gateway.send('exportUsage', { token, query: { from: 'x' } })).status, 400);
  assert.equal((await gateway.send('exportUsage', { token: 'junk' })).status, 401);
});
