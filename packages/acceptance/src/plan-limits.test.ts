import assert from 'node:assert/strict';
import { assertProblem } from './assert-problem.ts';
import { call, type Reply } from './call.ts';
import { documentedApp, documentedManagement } from './documented-gateway.ts';
import { eventually } from './eventually.ts';
import { testOnOneDay as test } from './on-one-day.ts';
import {
  type AppUser,
  act,
  count,
  create,
  defineEntity,
  definition,
  exchangeToken,
  foundedOrg,
  list,
  manage,
  newEmail,
  type Org,
  signIn,
} from './org.ts';
import { askPlan, auditOf, givePlan, observe, operatorKey, type ShownPlan, withOperator } from './plans.ts';
import { commandToEnd } from './platform.ts';
import { platformForTests, platformOfFile } from './platform-for-tests.ts';

const order = {
  ...definition('order', [{ name: 'title', colType: 'string' }]),
  UniqueIndexes: [{ indexName: 'byTitle', fields: ['title'] }],
};

const gateways = await platformOfFile(withOperator);

async function orgWithOrders(): Promise<{ readonly org: Org; readonly founder: AppUser }> {
  const founded = await foundedOrg(gateways);
  await defineEntity(founded.org, order);
  return founded;
}

const add = (user: AppUser, title: string) => act(user, 'POST', '/create/order', { body: { title } });

function importRows(user: AppUser, titles: readonly string[], query = '') {
  const body = titles.map((title) => `${JSON.stringify({ title })}\n`).join('');
  const headers = { 'content-type': 'application/x-ndjson' };
  return act<{
    created: number;
    updated: number;
    failed: number;
    errors: readonly { errors: readonly { code: string }[] }[];
  }>(user, 'POST', `/import/order${query}`, { headers, body });
}

const flags = { apiLimitExceeded: false, dailyLimitExceeded: false, recordLimitExceeded: false };

test('D11: of 64 who write at once exactly as many make a record as the plan has room for', async () => {
  const { org, founder } = await orgWithOrders();
  await givePlan(org, { records: 10 });
  const replies = await Promise.all(Array.from({ length: 64 }, (_, index) => add(founder, `Order ${index}`)));
  const statuses = replies.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [...Array(10).fill(201), ...Array(54).fill(429)]);
  assert.equal(await count(founder, 'order'), 10);
  assert.equal((await observe(org)).usage.records.total, 10);
  const [first] = (await list(founder, 'order')).items;
  assert.equal((await act(founder, 'DELETE', `/delete/order/${first?.id}`)).status, 204);
  const again = await Promise.all(Array.from({ length: 8 }, (_, index) => add(founder, `Again ${index}`)));
  assert.deepEqual(again.map(({ status }) => status).sort(), [201, ...Array(7).fill(429)]);
});

test('a transaction counts as a whole: beyond the limit of records it writes nothing', async () => {
  const { org, founder } = await orgWithOrders();
  const make = (id: string) => ({ id, type: 'create', entity: 'order', values: { title: `{{ input.title }} ${id}` } });
  const content = { name: 'three', transaction: true, steps: ['a', 'b', 'c'].map(make) };
  const defined = await manage(org, 'POST', '/config/logicblock', { body: { name: 'three', content } });
  assert.equal(defined.status, 201, defined.text);
  const three = (title: string) => act(founder, 'POST', '/logicblocks/three', { body: { title } });
  await givePlan(org, { records: 5 });
  assert.equal((await three('first')).status, 200);
  assertProblem(await three('second'), 'plan_limit_exceeded');
  assert.equal(await count(founder, 'order'), 3);
  assert.equal((await observe(org)).usage.records.total, 3);
  assert.equal((await add(founder, 'fourth')).status, 201);
});

test('a refused write names the metric, the usage, the limit, the window and the upgrade address', async () => {
  const { org, founder } = await orgWithOrders();
  await givePlan(org, { records: 1 });
  await create(founder, 'order', { title: 'One' });
  const refused = await add(founder, 'Two');
  const { metric, used, limit, window, resets_at, upgrade_url, ...rest } = assertProblem(
    refused,
    'plan_limit_exceeded',
  );
  assert.deepEqual([metric, used, limit, window, resets_at], ['records', 1, 1, 'total', null]);
  assert.deepEqual(rest.flags, { ...flags, recordLimitExceeded: true });
  assert.equal((await call('GET', String(upgrade_url))).status, 200);
  assert.equal(upgrade_url, `${gateways.management}/problems/plan_limit_exceeded`);
  assert.equal(upgrade_url, (await observe(org)).plan.upgrade_url);
  assert.ok(Number(refused.headers.get('retry-after')) > 1);
  await givePlan(org, { api_calls_per_day: 1 });
  const daily = assertProblem(await add(founder, 'Two'), 'plan_limit_exceeded');
  assert.deepEqual([daily.metric, daily.window, daily.limit], ['api_calls_per_day', 'day', 1]);
  assert.deepEqual(daily.flags, { ...flags, dailyLimitExceeded: true });
  assert.ok(Date.parse(String(daily.resets_at)) > Date.now());
  await givePlan(org, { api_calls_per_month: 1 });
  const monthly = assertProblem(await add(founder, 'Two'), 'plan_limit_exceeded');
  assert.deepEqual([monthly.metric, monthly.window], ['api_calls_per_month', 'month']);
  assert.deepEqual(monthly.flags, { ...flags, apiLimitExceeded: true });
  assert.match(String(monthly.resets_at), /-01T00:00:00\.000Z$/);
});

test('the call after the last that the plan has is refused, if it writes; at once after another plan it is not', async () => {
  const { org, founder } = await orgWithOrders();
  const { today } = (await observe(org)).usage.api_calls;
  await givePlan(org, { api_calls_per_day: today + 3 });
  for (const title of ['One', 'Two', 'Three']) assert.equal((await add(founder, title)).status, 201);
  assertProblem(await add(founder, 'Four'), 'plan_limit_exceeded');
  assert.deepEqual((await observe(org)).flags, { ...flags, dailyLimitExceeded: true });
  await givePlan(org, { api_calls_per_day: today + 5 });
  assert.equal((await add(founder, 'Four')).status, 201);
  assertProblem(await add(founder, 'Five'), 'plan_limit_exceeded');
  await givePlan(org, {});
  assert.equal((await add(founder, 'Five')).status, 201);
});

for (const [name, limits] of [
  ['apiLimitExceeded', { api_calls_per_month: 0 }],
  ['dailyLimitExceeded', { api_calls_per_day: 0 }],
  ['recordLimitExceeded', { records: 0 }],
] as const)
  test(`${name} closes every write, and nothing else`, async () => {
    const { org, founder } = await orgWithOrders();
    const { id } = await create(founder, 'order', { title: 'One' });
    const { id: second } = await create(founder, 'order', { title: 'Two' });
    const email = newEmail('guest');
    const guest = await signIn(org, email);
    const invited = await act<{ code: string }>(founder, 'POST', '/user/invitations', { body: { email } });
    await givePlan(org, limits);
    const write = { title: 'More' };
    const operations = [{ action: 'create', entity: 'order', data: write }];
    const closed: readonly Reply<unknown>[] = [
      await add(founder, 'More'),
      await act(founder, 'POST', '/create/order', { body: write, headers: { 'idempotency-key': 'k' } }),
      await act(founder, 'PUT', `/update/order/${id}`, { body: write }),
      await importRows(founder, ['More']),
      await act(founder, 'POST', '/batch', { body: { mode: 'atomic', operations } }),
      await act(founder, 'POST', '/create/group', { body: { name: 'g', acl_policies: [] } }),
      await act(founder, 'POST', '/user/invitations', { body: { email: newEmail('guest') } }),
      await act(founder, 'PUT', '/user/workspace', { body: { name: 'Other' } }),
      await act(founder, 'POST', '/user/workspace', { body: { name: 'Another', code: 'another' } }),
      await act(founder, 'PUT', '/user/me', { body: { fn: 'Fee' } }),
      await act(guest, 'POST', '/user/acceptinvitation', { body: { code: invited.body.code } }),
    ];
    for (const reply of closed) assertProblem(reply, 'plan_limit_exceeded');
    const each = await act<{ results: readonly { status: number }[] }>(founder, 'POST', '/batch', {
      body: { mode: 'independent', operations: [...operations, { action: 'delete', entity: 'order', id: second }] },
    });
    assert.deepEqual(
      each.body.results.map(({ status }) => status),
      [429, 204],
    );
    const open: readonly Reply<unknown>[] = [
      await act(founder, 'GET', '/list/order'),
      await act(founder, 'GET', `/item/order/${id}`),
      await act(founder, 'GET', '/count/order'),
      await act(founder, 'GET', '/export/order'),
      await act(founder, 'GET', '/user/me'),
      await exchangeToken(org, founder.token),
      await act(founder, 'POST', '/user/switch-tenant', { body: { tenant_code: founder.tenantCode } }),
      await manage(org, 'PUT', '/api/list-order', { body: { Views: { small: { fields: [{ name: 'title' }] } } } }),
    ];
    for (const { status, text } of open) assert.equal(status, 200, text);
    const left = await act(guest, 'POST', '/user/leave', { body: { tenant_code: guest.tenantCode } });
    assert.equal(left.status, 204);
    assert.equal((await signIn(org)).tenantCode, founder.tenantCode);
    assert.equal((await act(founder, 'DELETE', `/delete/order/${id}`)).status, 204);
    assert.deepEqual((await observe(org)).flags, { ...flags, [name]: true });
    assert.equal(await count(founder, 'order'), 0);
  });

test('an import makes as many rows as there is room for, and says why it makes no more', async () => {
  const { org, founder } = await orgWithOrders();
  await givePlan(org, { records: 7 });
  const titles = Array.from({ length: 20 }, (_, index) => `Order ${index}`);
  const { status, body } = await importRows(founder, titles);
  assert.deepEqual([status, body.created, body.failed], [200, 7, 13]);
  assert.ok(body.errors.every(({ errors: [error] }) => error?.code === 'plan_limit_exceeded'));
  assert.equal(await count(founder, 'order'), 7);
  await givePlan(org, { records: 9 });
  const upsert = await importRows(founder, titles, '?upsert=byTitle');
  assert.deepEqual([upsert.body.updated, upsert.body.created], [7, 2]);
  assert.equal(await count(founder, 'order'), 9);
});

test('a batch that has no room writes nothing of it, one whose operations stand alone as many as there is room for', async () => {
  const { org, founder } = await orgWithOrders();
  await givePlan(org, { records: 3 });
  const operations = Array.from({ length: 5 }, (_, index) => ({
    action: 'create',
    entity: 'order',
    data: { title: `Order ${index}` },
  }));
  const atomic = await act(founder, 'POST', '/batch', { body: { mode: 'atomic', operations } });
  assertProblem(atomic, 'plan_limit_exceeded');
  assert.equal(await count(founder, 'order'), 0);
  const { body } = await act<{ results: readonly { status: number; error?: { code: string } }[] }>(
    founder,
    'POST',
    '/batch',
    { body: { mode: 'independent', operations } },
  );
  assert.deepEqual(
    body.results.map(({ status }) => status),
    [201, 201, 201, 429, 429],
  );
  assert.equal(body.results[4]?.error?.code, 'plan_limit_exceeded');
  assert.equal(await count(founder, 'order'), 3);
});

test('a request that is sent again is answered as the first time, also when its record was the last', async () => {
  const { org, founder } = await orgWithOrders();
  await givePlan(org, { records: 1 });
  const options = { body: { title: 'One' }, headers: { 'idempotency-key': 'once' } };
  const first = await act(founder, 'POST', '/create/order', options);
  const again = await act(founder, 'POST', '/create/order', options);
  assert.deepEqual([first.status, again.status, again.body.id], [201, 201, first.body.id]);
  assert.equal(again.headers.get('idempotency-replayed'), 'true');
});

test('the workspaces of an org share its limit', async () => {
  const { org, founder } = await orgWithOrders();
  await manage(org, 'PUT', '/org/settings', { body: { group: 'tenancy', name: 'tenancy_type', value: 'multi' } });
  const made = await act(founder, 'POST', '/user/workspace', { body: { name: 'Second', code: 'second' } });
  assert.equal(made.status, 201, made.text);
  assert.equal((await act(founder, 'POST', '/user/switch-tenant', { body: { tenant_code: 'second' } })).status, 200);
  const { token } = (await exchangeToken(org, founder.token)).body;
  const inSecond = { ...founder, token, tenantCode: 'second' };
  await givePlan(org, { records: 6 });
  const replies = await Promise.all(
    Array.from({ length: 16 }, (_, index) => add(index % 2 === 0 ? founder : inSecond, `Order ${index}`)),
  );
  assert.equal(replies.filter(({ status }) => status === 201).length, 6);
  const { usage } = await observe(org);
  assert.equal(usage.records.total, 6);
  const parts = usage.by_workspace.map(({ records }) => records.total);
  assert.equal(
    parts.reduce((sum, part) => sum + part, 0),
    6,
  );
  assert.equal(
    usage.by_workspace.find(({ tenant_code }) => tenant_code === 'second')?.records.total,
    await count(inSecond, 'order'),
  );
});

test('80, 95 and 100 % of a limit are reported once, in the log and to builders', async () => {
  const { org, founder } = await orgWithOrders();
  await givePlan(org, { records: 20 });
  const titles = Array.from({ length: 16 }, (_, index) => `Order ${index}`);
  assert.equal((await importRows(founder, titles)).body.created, 16);
  const [alert, ...others] = (await observe(org)).alerts;
  assert.deepEqual([alert?.metric, alert?.percent, alert?.used, alert?.limit], ['records', 80, 16, 20]);
  assert.deepEqual(others, []);
  const alerts = async () => (await auditOf(org)).filter((action) => action === 'plan.limit_near').length;
  await eventually('the alert of 80 %', async () => (await alerts()) > 0);
  await importRows(founder, ['a', 'b', 'c']);
  await eventually('the alert of 95 %', async () => (await alerts()) > 1);
  await create(founder, 'order', { title: 'Last' });
  await eventually('the alert of 100 %', async () => (await alerts()) > 2);
  assert.deepEqual(
    (await observe(org)).alerts.map(({ percent }) => percent),
    [100],
  );
  assert.equal(await alerts(), 3);
});

test('an operator gives an org a plan, and its builders see it', async () => {
  const { org } = await orgWithOrders();
  const before = await askPlan(org, 'GET', org.code);
  assert.deepEqual(before.body, { org: org.code, name: 'unlimited', limits: {}, updated_at: null });
  const free = await askPlan(org, 'PUT', org.code, { body: { name: 'free' } });
  assert.equal(free.status, 200, free.text);
  assert.ok((free.body.limits.records ?? 0) > 0);
  const own = await askPlan(org, 'PUT', org.code, { body: { name: 'own-7', limits: { records: 5 } } });
  assert.deepEqual([own.body.name, own.body.limits], ['own-7', { records: 5 }]);
  assert.deepEqual((await askPlan(org, 'GET', org.code)).body, own.body);
  assert.equal((await manage<{ plan: string }>(org, 'GET', '/org')).body.plan, 'own-7');
  const { upgrade_url: _, ...plan } = (await observe(org)).plan;
  assert.deepEqual({ org: org.code, ...plan }, own.body);
  assert.deepEqual((await auditOf(org)).slice(0, 2), ['plan.changed', 'plan.changed']);
});

test('only the operator gives plans, and an invalid one is refused and changes nothing', async () => {
  const { org, founder } = await orgWithOrders();
  const { org: other } = await foundedOrg(org);
  const body = { name: 'pro' };
  for (const method of ['GET', 'PUT']) {
    const options = method === 'PUT' ? { body } : {};
    const path = `${org.management}/platform/orgs/${org.code}/plan`;
    assertProblem(await call(method, path, options), 'token_missing');
    for (const token of [org.builder.token, other.builder.token, founder.token, `${operatorKey}x`])
      assertProblem(await askPlan(org, method, org.code, { token, ...options }), 'token_invalid');
    for (const code of ['absent', 'a'.repeat(40), 'acme-main', '%2e%2e', 'toString'])
      assert.ok([400, 404].includes((await askPlan(org, method, code, options)).status), code);
  }
  for (const [wrong, pointer] of [
    [{}, '/name'],
    [{ name: 'Free' }, '/name'],
    [{ name: '' }, '/name'],
    [{ name: 7 }, '/name'],
    [{ name: 'own' }, '/limits'],
    [{ name: 'own', limits: [] }, '/limits'],
    [{ name: 'own', limits: { records: -1 } }, '/limits/records'],
    [{ name: 'own', limits: { records: 1.5 } }, '/limits/records'],
    [{ name: 'own', limits: { records: '1' } }, '/limits/records'],
    [{ name: 'own', limits: { records: null } }, '/limits/records'],
    [{ name: 'own', limits: { calls: 1 } }, '/limits/calls'],
    [{ name: 'own', limits: {}, more: 1 }, '/more'],
    [[], ''],
    ['"free"', ''],
  ] as const) {
    const reply = await askPlan<ShownPlan & { errors: readonly { pointer: string }[] }>(org, 'PUT', org.code, {
      body: wrong,
    });
    assert.equal(reply.status, 400, JSON.stringify(wrong));
    assert.deepEqual(
      reply.body.errors.map((error) => error.pointer),
      [pointer],
      reply.text,
    );
  }
  assert.equal((await askPlan(org, 'GET', org.code)).body.name, 'unlimited');
  const { management } = await platformForTests();
  assertProblem(await askPlan({ app: '', management }, 'GET', org.code), 'not_found');
});

test('the command shows and gives plans, and says what is wrong', async () => {
  const { org } = await orgWithOrders();
  const plan = (words: readonly string[], env: Readonly<Record<string, string>> = withOperator.env) =>
    commandToEnd(['plan', ...words, '--url', org.management], { env });
  const shown = await plan(['show', org.code]);
  assert.deepEqual([shown.code, shown.stdout, shown.stderr], [0, `${org.code}  unlimited\n`, '']);
  const set = await plan(['set', org.code, 'own', '--records', '10', '--api-calls-per-day', '1000']);
  assert.deepEqual([set.code, set.stderr], [0, '']);
  assert.equal(set.stdout, `${org.code}  own  api_calls_per_day 1000  records 10\n`);
  assert.deepEqual((await askPlan(org, 'GET', org.code)).body.limits, { api_calls_per_day: 1000, records: 10 });
  assert.match((await plan(['set', org.code, 'unlimited'])).stdout, /unlimited\n$/);
  for (const [words, code, expected] of [
    [['show', 'absent'], 1, /^the platform answers 404/],
    [['set', org.code, 'own'], 1, /`limits` is required/],
    [['set', org.code, 'own', '--records', 'x'], 2, /--records/],
    [['give'], 2, /^`give` is not/],
    [['show'], 2, /^`show` is not/],
  ] as const) {
    const refused = await plan(words);
    assert.deepEqual([refused.code, refused.stdout], [code, ''], words.join(' '));
    assert.match(refused.stderr, expected);
  }
  assert.match((await plan(['show', org.code], {})).stderr, /^FREEHOLD_OPERATOR_KEY is not set/);
  const help = await commandToEnd(['plan', '--help']);
  for (const word of ['show', 'set', '--records', '--url']) assert.ok(help.stdout.includes(word), word);
});

test('the documents tell of plans and of what is refused for them', async () => {
  const { org, founder } = await orgWithOrders();
  const gateway = await documentedManagement(org);
  const path = { org: org.code };
  const token = operatorKey;
  assert.equal((await gateway.send('showPlan', { token, path })).status, 200);
  const changed = await gateway.send('changePlan', { token, path, body: { name: 'own', limits: { records: 0 } } });
  assert.equal(changed.status, 200);
  assert.equal((await gateway.send('changePlan', { token, path, body: { name: 'own' } })).status, 400);
  assert.equal(
    (await gateway.send('changePlan', { token, path: { org: 'absent' }, body: { name: 'free' } })).status,
    404,
  );
  assert.equal((await gateway.send('showPlan', { token: 'junk', path })).status, 401);
  assert.equal((await gateway.send('changePlan', { token: 'junk', path, body: {} })).status, 401);
  const app = await documentedApp(founder);
  const refused = await app.send('createOrder', { token: founder.token, body: { title: 'One' } });
  assert.equal(refused.status, 429, refused.text);
});
