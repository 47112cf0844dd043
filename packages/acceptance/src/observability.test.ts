import assert from 'node:assert/strict';
import { assertProblem, assertRefusal } from './assert-problem.ts';
import { call } from './call.ts';
import { documentedManagement } from './documented-gateway.ts';
import { eventually } from './eventually.ts';
import { testOnOneDay as test } from './on-one-day.ts';
import { act, appUrl, create, defineEntity, definition, foundedOrg, joinOrg, manage } from './org.ts';
import { auditOf, givePlan, type Observability, observe, type ShownUsage, withOperator } from './plans.ts';
import type { Gateways } from './platform.ts';
import { platformForTests, platformOf } from './platform-for-tests.ts';

const order = definition('order', [{ name: 'title', colType: 'string' }]);

test('every call of a route with a token counts, whatever comes of it, and so does signing in; nothing else does', async () => {
  const { org, founder } = await foundedOrg(await platformForTests());
  await defineEntity(org, order);
  const before = (await observe(org)).usage.api_calls.today;
  assert.equal(before, 2, 'a login and an exchange');
  const { id } = await create(founder, 'order', { title: 'One' });
  assert.equal((await act(founder, 'GET', `/item/order/${id}`)).status, 200);
  assert.equal((await act(founder, 'GET', '/item/order/nothing')).status, 404);
  assert.equal((await act(founder, 'POST', '/create/order', { body: { wrong: 1 } })).status, 400);
  assert.equal((await act(founder, 'GET', '/list/nothing')).status, 404);
  assert.equal((await act(founder, 'GET', '/user/me')).status, 200);
  for (const path of ['/list/order', '/nothing'])
    assertRefusal(await act(founder, 'GET', path, { token: 'junk' }), [401, 404]);
  assertRefusal(
    await call('GET', appUrl(org, '/token'), { headers: { oauthtoken: 'x', client_id: org.clientId } }),
    [401],
  );
  assert.equal((await call('GET', appUrl(org, '/providers'), { headers: { client_id: org.clientId } })).status, 200);
  // What is no route is refused before anybody looks at who calls.
  assert.equal((await act(founder, 'GET', '/nothing')).status, 404);
  assert.equal((await act(founder, 'POST', '/no/such/route', { body: {} })).status, 404);
  assert.equal((await act(founder, 'PATCH', '/list/order')).status, 405);
  assert.equal((await act(founder, 'DELETE', '/user/me')).status, 405);
  const preflight = { origin: 'http://localhost', 'access-control-request-method': 'GET' };
  await call('OPTIONS', appUrl(org, '/list/order'), { headers: preflight });
  const { usage, environments } = await observe(org);
  assert.equal(usage.api_calls.today, before + 6);
  assert.equal(usage.api_calls.month, usage.api_calls.today);
  const { by_workspace, ...shown } = usage;
  assert.deepEqual(environments, { test: shown, prod: null });
  assert.deepEqual(
    by_workspace.map(({ env, tenant_code, api_calls }) => [env, tenant_code, api_calls.today, api_calls.month]),
    [
      ['test', founder.tenantCode, 6, 6],
      ['test', null, 2, 2],
    ],
  );
});

test('records are reported by entity and workspace as they are counted, without those of access control', async () => {
  const { org, founder } = await foundedOrg(await platformForTests());
  for (const name of ['order', 'item']) await defineEntity(org, { ...order, ...definition(name, [{ name: 'title' }]) });
  const { id } = await create(founder, 'order', { title: 'One' });
  for (const title of ['Two', 'Three']) await create(founder, 'order', { title });
  await create(founder, 'item', { title: 'One' });
  assert.equal((await act(founder, 'DELETE', `/delete/order/${id}`)).status, 204);
  const { usage } = await observe(org, '?explain=records.total');
  assert.deepEqual(usage.records, { total: 3, by_entity: { item: 1, order: 2 } });
  assert.deepEqual(
    usage.by_workspace.find(({ tenant_code }) => tenant_code === founder.tenantCode)?.records,
    usage.records,
  );
  assert.equal(usage.api_calls.by_day.at(-1)?.records_added, 3);
});

test('a figure is the sum of the parts that it is explained by', async () => {
  const { org, founder } = await foundedOrg(await platformForTests());
  await defineEntity(org, order);
  await create(founder, 'order', { title: 'One' });
  const figures: readonly (readonly [string, (usage: ShownUsage) => number])[] = [
    ['api_calls.today', ({ api_calls }) => api_calls.today],
    ['api_calls.month', ({ api_calls }) => api_calls.month],
    ['records.total', ({ records }) => records.total],
  ];
  for (const [figure, of] of figures) {
    const { explain, usage } = await observe(org, `?explain=${figure}`);
    const sum = explain?.parts.reduce((before, { value }) => before + value, 0);
    assert.deepEqual([explain?.figure, explain?.value, sum], [figure, of(usage), of(usage)]);
    assert.ok(of(usage) > 0);
  }
});

test('an org without a plan is unlimited, and its usage says so', async () => {
  const { org } = await foundedOrg(await platformForTests());
  const { plan, flags, alerts, forecast, resets_at, usage } = await observe(org, '?days=3');
  const { upgrade_url, ...rest } = plan;
  assert.deepEqual(rest, { name: 'unlimited', limits: {}, updated_at: null });
  assert.equal((await call('GET', upgrade_url)).status, 200);
  assert.deepEqual(flags, { apiLimitExceeded: false, dailyLimitExceeded: false, recordLimitExceeded: false });
  assert.deepEqual(alerts, []);
  assert.deepEqual(forecast, { api_calls_per_day: null, api_calls_per_month: null, records: null });
  assert.match(resets_at, /T00:00:00\.000Z$/);
  assert.equal(usage.api_calls.by_day.length, 3);
  assert.equal((await manage<{ plan: string }>(org, 'GET', '/org')).body.plan, 'unlimited');
});

test('a builder sees the usage of the own org alone, a developer too', async () => {
  const gateways = await platformForTests();
  const { org, founder } = await foundedOrg(gateways);
  const { org: other } = await foundedOrg(gateways);
  const { token } = await joinOrg(org, 'developer');
  assert.equal((await manage<Observability>(org, 'GET', '/observability', { token })).body.org, org.code);
  assert.equal((await observe(other)).usage.api_calls.today, 2);
  const path = `${gateways.management}/observability`;
  assertProblem(await call('GET', path), 'token_missing');
  for (const wrong of ['junk', founder.token])
    assertProblem(await call('GET', path, { token: wrong }), 'token_invalid');
  assertProblem(await manage(org, 'POST', '/observability'), 'method_not_allowed');
  for (const query of ['?days=0', '?days=401', '?days=x', '?explain=nothing', `?org=${other.code}`, '?env=prod'])
    assertProblem(await manage(org, 'GET', `/observability${query}`), 'invalid_request');
});

test('what was counted outlives a drain, and kill -9 once a second has stored it', async (t) => {
  const first = await platformOf(t, withOperator);
  const { org, founder } = await foundedOrg(first);
  const calls = async (gateways: Gateways) => (await observe({ ...org, ...gateways })).usage.api_calls.today;
  const measure = ({ app, management }: Gateways) =>
    act({ ...founder, org: { ...org, app, management } }, 'GET', '/user/me');
  for (let sent = 0; sent < 20; sent++) await measure(first);
  assert.equal(await calls(first), 22);
  await first.terminate();
  const second = await platformOf(t, { ...withOperator, dataDir: first.dataDir });
  assert.equal(await calls(second), 22);
  await givePlan({ ...org, management: second.management }, { api_calls_per_day: 40 });
  const there = { ...org, management: second.management };
  const alerts = async () => (await auditOf(there)).filter((action) => action === 'plan.limit_near').length;
  for (let sent = 0; sent < 10; sent++) await measure(second);
  await eventually('the alert of 80 %', async () => (await alerts()) === 1);
  // An alert counts calls that are not stored yet; the next one comes after they were.
  for (let sent = 0; sent < 6; sent++) await measure(second);
  await eventually('the alert of 95 %', async () => (await alerts()) === 2);
  await second.kill();
  const counted = await calls(await platformOf(t, { ...withOperator, dataDir: first.dataDir }));
  assert.ok(counted >= 32 && counted <= 38, String(counted));
});

test('the document tells all of it', async () => {
  const { org, founder } = await foundedOrg(await platformForTests());
  await defineEntity(org, order);
  await create(founder, 'order', { title: 'One' });
  const gateway = await documentedManagement(org);
  const { token } = org.builder;
  assert.equal((await gateway.send('showUsage', { token })).status, 200);
  for (const explain of ['api_calls.today', 'api_calls.month', 'records.total', 'runs.today', 'mails.today'])
    assert.equal((await gateway.send('showUsage', { token, query: { explain, days: '400' } })).status, 200);
  assert.equal((await gateway.send('showUsage', { token: 'junk' })).status, 401);
});
