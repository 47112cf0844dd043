/** What a plan caps: entities and indexes of each environment, policies of each workspace. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { call, type Reply } from './call.ts';
import { bring, download, tryImport } from './deploy.ts';
import { documentedApp, documentedManagement } from './documented-gateway.ts';
import {
  type AppUser,
  act,
  allow,
  count,
  create,
  defineEntity,
  definition,
  exchangeToken,
  foundedOrg,
  list,
  logIn,
  manage,
  newEmail,
  type Org,
  signIn,
  signUp,
} from './org.ts';
import { askPlan, givePlan, observe, withOperator } from './plans.ts';
import { commandToEnd, startPlatform } from './platform.ts';
import {
  activate,
  change,
  deploy,
  entity,
  history,
  names,
  prodFounder,
  provisionedOrg,
  publish,
  removeEntity,
  rollback,
  staged,
  tryActivate,
} from './promotion.ts';
import { founderOf, makeWorkspace, multiOrg, putSetting } from './workspaces.ts';

const gateways = await startPlatform(withOperator);
after(() => gateways.kill());

const plain = (name: string) => definition(name, [{ name: 'title' }]);
/** Beside the one on `updated_at` that every entity has. */
const indexed = (name: string, fields: number) =>
  definition(
    name,
    Array.from({ length: fields }, (_, index) => ({ name: `f${index}`, index: true })),
  );
const content = (name: string) => ({ definition: plain(name), views: {} });
const policy = (name: string) => ({ name, statements: [allow('getorder')] });

async function entityNames(org: Org, env = 'test'): Promise<readonly string[]> {
  const reply = await manage<{ items: readonly { name: string }[] }>(org, 'GET', `/api/entities?env=${env}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items.map(({ name }) => name).sort();
}

async function shownIndexes(org: Org, name: string): Promise<number> {
  const reply = await manage<{ indexes: readonly unknown[] }>(org, 'GET', `/api/entity?entityName=${name}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.indexes.length;
}

/** Everything that the API shows of test's configuration and of who changed it. */
async function everything(org: Org): Promise<string> {
  const paths = ['/api/entities', '/config/entity', '/audit?pagesize=200'];
  const replies = await Promise.all(paths.map((path) => manage(org, 'GET', path)));
  for (const { status, text } of replies) assert.equal(status, 200, text);
  return replies.map(({ text }) => text.replace(/"request_id":"[^"]*"/g, '')).join('\n');
}

function assertCapped(reply: Reply<unknown>, expected: object): void {
  const { metric, used, limit, window, resets_at, flags, env, tenant_code, upgrade_url } = assertProblem(
    reply,
    'plan_limit_exceeded',
  );
  const reported = { metric, used, limit, env, ...(tenant_code === undefined ? {} : { tenant_code }) };
  assert.deepEqual(reported, expected, reply.text);
  assert.deepEqual([window, resets_at], ['total', null]);
  assert.deepEqual(Object.values(flags as object), [false, false, false]);
  assert.ok(String(upgrade_url).startsWith('http'));
  assert.ok(Number(reply.headers.get('retry-after')) > 1);
}

test('D11: of 32 who define an entity at once as many get in as the plan has room for, and another org is not held', async () => {
  const org = await signUp(gateways);
  const other = await signUp(gateways);
  await givePlan(org, { entities: 5 });
  const replies = await Promise.all(
    Array.from({ length: 32 }, (_, index) =>
      manage(org, 'POST', `/api/create-e${index}`, { body: plain(`e${index}`) }),
    ),
  );
  const statuses = replies.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [...Array(5).fill(201), ...Array(27).fill(429)]);
  for (const reply of replies.filter(({ status }) => status === 429))
    assertCapped(reply, { metric: 'entities', used: 5, limit: 5, env: 'test' });
  assert.equal((await entityNames(org)).length, 5);
  assert.deepEqual((await observe(org)).caps.entities, { limit: 5, test: 5, prod: null });
  for (let index = 0; index < 6; index++) await defineEntity(other, plain(`e${index}`));
});

test('no way of configuring an entity leads past the cap, and what is refused writes nothing', async () => {
  const donor = await signUp(gateways);
  for (const name of ['one', 'two', 'three']) await defineEntity(donor, plain(name));
  const archive = await download(donor);
  const org = await signUp(gateways);
  await defineEntity(org, plain('gone'));
  const { version } = (await manage<{ version: number }>(org, 'GET', '/config/entity/gone')).body;
  await removeEntity(org, 'gone');
  await defineEntity(org, plain('one'));
  await givePlan(org, { entities: 1 });
  const { base, problems } = await bring(org, archive);
  assert.deepEqual(
    problems?.map(({ code, metric, used, limit }) => ({ code, metric, used, limit })),
    [{ code: 'plan_limit_exceeded', metric: 'entities', used: 1, limit: 1 }],
  );
  const before = await everything(org);
  const refused = [
    await manage(org, 'POST', '/api/create-two', { body: plain('two') }),
    await manage(org, 'POST', '/api/create-two', { body: plain('two'), headers: { 'idempotency-key': 'k' } }),
    await manage(org, 'POST', '/config/entity', { body: { name: 'two', content: content('two') } }),
    await manage(org, 'POST', '/config/entity/gone/restore', { body: { version } }),
    await tryImport(org, archive, `?base=${base}`),
  ];
  for (const reply of refused) assertCapped(reply, { metric: 'entities', used: 1, limit: 1, env: 'test' });
  assert.equal(await everything(org), before);
  await givePlan(org, { entities: 3 });
  await bring(org, archive, `?base=${base}`);
  assert.deepEqual(await entityNames(org), ['one', 'three', 'two']);
});

test('a request that made the last entity is answered again as the first time', async () => {
  const org = await signUp(gateways);
  await givePlan(org, { entities: 1 });
  const options = { body: plain('one'), headers: { 'idempotency-key': 'once' } };
  const first = await manage(org, 'POST', '/api/create-one', options);
  const again = await manage(org, 'POST', '/api/create-one', options);
  assert.deepEqual([first.status, again.status, again.headers.get('idempotency-replayed')], [201, 201, 'true']);
});

test('indexes are capped over all entities, as many as each of them shows; no way leads past it', async () => {
  const org = await signUp(gateways);
  await defineEntity(org, indexed('one', 2));
  await defineEntity(org, indexed('two', 1));
  const sum = (await shownIndexes(org, 'one')) + (await shownIndexes(org, 'two'));
  assert.equal((await observe(org)).caps.indexes.test, sum);
  await givePlan(org, { indexes: sum + 1 });
  const grown = indexed('one', 4);
  const before = await everything(org);
  const refused = [
    await manage(org, 'PUT', '/api/create-one', { body: grown }),
    await manage(org, 'PUT', '/config/entity/one', { body: { definition: grown, views: {} } }),
    await manage(org, 'POST', '/api/create-three', { body: indexed('three', 1) }),
  ];
  for (const reply of refused) assertCapped(reply, { metric: 'indexes', used: sum, limit: sum + 1, env: 'test' });
  assert.equal(await everything(org), before);
  await change(org, 'create-one', indexed('one', 3));
  assert.deepEqual((await observe(org)).caps.indexes, { limit: sum + 1, test: sum + 1, prod: null });
  await change(org, 'create-one', indexed('one', 1));
  await change(org, 'create-two', indexed('two', 3));
  assert.equal((await observe(org)).caps.indexes.test, sum + 1);
});

test('what is more than a smaller plan has room for stays, works and goes; only what would add is refused', async () => {
  const org = await provisionedOrg(gateways);
  for (const name of ['one', 'two', 'three']) await defineEntity(org, indexed(name, 1));
  await deploy(org);
  const user = await prodFounder(org);
  await givePlan(org, { entities: 1, indexes: 1, policies: 1 });
  await create(user, 'one', { f0: 'a' });
  assert.equal((await list(user, 'one', '?f0=a')).items.length, 1);
  assert.deepEqual((await observe(org)).caps.entities, { limit: 1, test: 3, prod: 3 });
  await change(org, 'create-one', { UpdateParams: [{ name: 'f0', index: true, maxlength: 9 }] });
  await removeEntity(org, 'three');
  await deploy(org);
  assert.deepEqual(await entityNames(org, 'prod'), ['one', 'two']);
  assertCapped(await manage(org, 'POST', '/api/create-four', { body: plain('four') }), {
    metric: 'entities',
    used: 2,
    limit: 1,
    env: 'test',
  });
});

test('an activation over a cap of production is reported at the publication, and changes nothing', async () => {
  const org = await provisionedOrg(gateways);
  await defineEntity(org, plain('one'));
  await deploy(org);
  for (const name of ['two', 'three']) await defineEntity(org, plain(name));
  await givePlan(org, { entities: 2 });
  const { checks } = await publish(org);
  assert.deepEqual(
    checks
      .filter(({ level }) => level === 'error')
      .map(({ check, metric, used, limit }) => [check, metric, used, limit]),
    [['plan', 'entities', 1, 2]],
  );
  const before = await staged(org);
  const reply = await tryActivate(org);
  assertCapped(reply, { metric: 'entities', used: 1, limit: 2, env: 'prod' });
  assertCapped(await tryActivate(org, { force: true }), { metric: 'entities', used: 1, limit: 2, env: 'prod' });
  assert.deepEqual([await entityNames(org, 'prod'), (await history(org)).length], [['one'], 1]);
  assert.deepEqual(await staged(org), before);
  const withdrawn = await manage(org, 'DELETE', '/deploy/staged/entity/three');
  assert.equal(withdrawn.status, 204, withdrawn.text);
  assert.deepEqual(names((await activate(org)).activated), ['entity two']);
});

test('an activation whose indexes have no room is refused as a whole', async () => {
  const org = await provisionedOrg(gateways);
  await defineEntity(org, indexed('one', 3));
  await defineEntity(org, indexed('two', 3));
  await givePlan(org, { indexes: 7 });
  await publish(org);
  assertCapped(await tryActivate(org), { metric: 'indexes', used: 0, limit: 7, env: 'prod' });
  assert.deepEqual(await entityNames(org, 'prod'), []);
  await givePlan(org, { indexes: 8 });
  await activate(org);
  assert.equal((await observe(org)).caps.indexes.prod, 8);
});

test('a rollback goes back to what was live, however little the plan has room for by then', async () => {
  const org = await provisionedOrg(gateways);
  for (const name of ['one', 'two']) await defineEntity(org, plain(name));
  await deploy(org);
  await removeEntity(org, 'two');
  await deploy(org);
  await givePlan(org, { entities: 1 });
  await rollback(org);
  assert.deepEqual(await entityNames(org, 'prod'), ['one', 'two']);
  assert.deepEqual((await observe(org)).caps.entities, { limit: 1, test: 1, prod: 2 });
  await change(org, 'create-one', { UpdateParams: [{ name: 'title' }, { name: 'more' }] });
  await publish(org, [entity('one')]);
  await activate(org);
});

async function policiesOf(user: AppUser): Promise<number> {
  const counted = await count(user, 'aclpolicy');
  assert.equal((await list(user, 'aclpolicy', '?pagesize=200')).items.length, counted);
  return counted;
}

const batch = (user: AppUser, mode: string, operations: readonly object[]) =>
  act<{ results: readonly { status: number; error?: { code: string } }[] }>(user, 'POST', '/batch', {
    body: { mode, operations },
  });
const makes = (name: string) => ({ action: 'create', entity: 'aclpolicy', data: policy(name) });

test('D11: of 32 who make a policy at once as many get in as the plan has room for', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await givePlan(org, { policies: 6 });
  const replies = await Promise.all(
    Array.from({ length: 32 }, (_, index) => act(founder, 'POST', '/create/aclpolicy', { body: policy(`p${index}`) })),
  );
  const refused = replies.filter(({ status }) => status === 429);
  assert.equal(refused.length, 28);
  for (const reply of refused)
    assertCapped(reply, { metric: 'policies', used: 6, limit: 6, env: 'test', tenant_code: 'main' });
  assert.equal(await policiesOf(founder), 6);
  assert.deepEqual((await observe(org)).caps.policies, {
    limit: 6,
    test: 6,
    prod: null,
    workspaces: [{ env: 'test', tenant_code: 'main', used: 6 }],
  });
});

test('no way of making a policy leads past the cap; what adds none, and all else, stays open', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const { id } = await create(founder, 'aclpolicy', policy('own'));
  await givePlan(org, { policies: 4 });
  const rows = ['a', 'b', 'c'].map((name) => `${JSON.stringify(policy(name))}\n`).join('');
  const headers = { 'content-type': 'application/x-ndjson' };
  const path = '/import/aclpolicy';
  const imported = await act<{ created: number; failed: number; errors: { errors: { code: string }[] }[] }>(
    founder,
    'POST',
    path,
    { headers, body: rows },
  );
  assert.deepEqual([imported.body.created, imported.body.failed], [1, 2], imported.text);
  assert.ok(imported.body.errors.every(({ errors: [error] }) => error?.code === 'plan_limit_exceeded'));
  const each = await batch(founder, 'independent', [
    makes('d'),
    { action: 'delete', entity: 'aclpolicy', id },
    makes('e'),
    makes('f'),
  ]);
  assert.deepEqual(
    each.body.results.map(({ status }) => status),
    [429, 204, 201, 429],
  );
  const full = { metric: 'policies', used: 4, limit: 4, env: 'test', tenant_code: 'main' };
  assertCapped(await act(founder, 'POST', '/create/aclpolicy', { body: policy('g') }), full);
  await defineEntity(org, plain('order'));
  const order = { action: 'create', entity: 'order', data: { title: 'One' } };
  assertCapped(await batch(founder, 'atomic', [order, makes('g')]), full);
  assert.equal(await count(founder, 'order'), 0);
  const upserted = await act<{ updated: number; failed: number }>(founder, 'POST', `${path}?upsert=name`, {
    headers,
    body: rows,
  });
  assert.deepEqual([upserted.body.updated, upserted.body.failed], [1, 2], upserted.text);
  assert.equal(await policiesOf(founder), 4);
  await create(founder, 'group', { name: 'g', acl_policies: [] });
  await create(founder, 'order', { title: 'One' });
});

test('each workspace has room of its own for policies', async () => {
  const org = await multiOrg(gateways);
  const [one, other] = [await founderOf(org, 'One'), await founderOf(org, 'Other')];
  await givePlan(org, { policies: 3 });
  for (const user of [one, other]) {
    await create(user, 'aclpolicy', policy('own'));
    const { tenantCode } = user;
    assertCapped(await act(user, 'POST', '/create/aclpolicy', { body: policy('more') }), {
      metric: 'policies',
      used: 3,
      limit: 3,
      env: 'test',
      tenant_code: tenantCode,
    });
  }
  const { workspaces } = (await observe(org)).caps.policies;
  assert.deepEqual(
    workspaces?.map(({ used }) => used),
    [3, 3],
  );
});

test('a workspace is not founded whose templates have no room, and is once they have', async () => {
  const org = await multiOrg(gateways);
  const policies = ['a', 'b'].map(policy);
  await putSetting(org, 'tenancy', 'workspace_templates', { policies, groups: [] });
  const user = await signIn(org, newEmail('user'));
  await givePlan(org, { policies: 3 });
  const reported = { metric: 'policies', used: 0, limit: 3, env: 'test', tenant_code: 'team' };
  assertCapped(await makeWorkspace(user, { name: 'Team', code: 'team' }), reported);
  await givePlan(org, { policies: 4 });
  assert.equal((await makeWorkspace(user, { name: 'Team', code: 'team' })).status, 201);
});

test('under single tenancy the first sign-in gets the error; without templates every workspace is founded', async () => {
  const org = await signUp(gateways);
  await putSetting(org, 'tenancy', 'workspace_templates', { policies: [policy('a')], groups: [] });
  await givePlan(org, { policies: 0 });
  const email = newEmail('first');
  const exchange = async () => exchangeToken(org, (await logIn(org, email)).body.token);
  const reported = { metric: 'policies', used: 0, limit: 0, env: 'test', tenant_code: 'main' };
  assertCapped(await exchange(), reported);
  await putSetting(org, 'tenancy', 'workspace_templates', { policies: [], groups: [] });
  assert.equal((await exchange()).status, 200);
});

test('named plans have caps, and an own plan has those that it says', async () => {
  const org = await signUp(gateways);
  const caps = async () => {
    const { entities, indexes, policies } = (await observe(org)).caps;
    return [entities.limit, indexes.limit, policies.limit];
  };
  assert.deepEqual(await caps(), [null, null, null]);
  for (const name of ['free', 'pro']) {
    const { status, body } = await askPlan(org, 'PUT', org.code, { body: { name } });
    assert.equal(status, 200);
    const { entities = 0, indexes = 0, policies = 0 } = body.limits;
    assert.ok(entities > 0 && indexes >= entities && policies > 22);
    assert.deepEqual(await caps(), [entities, indexes, policies]);
  }
  await givePlan(org, { entities: 7 });
  assert.deepEqual(await caps(), [7, null, null]);
  for (const cap of ['entities', 'indexes', 'policies'])
    for (const wrong of [-1, 1.5, '1', null]) {
      const { status } = await askPlan(org, 'PUT', org.code, { body: { name: 'own', limits: { [cap]: wrong } } });
      assert.equal(status, 400);
    }
  assert.deepEqual(await caps(), [7, null, null]);
  assert.equal((await call('GET', `${org.management}/observability`)).status, 401);
});

test('the command gives caps and shows them', async () => {
  const org = await signUp(gateways);
  const plan = (...words: readonly string[]) =>
    commandToEnd(['plan', ...words, '--url', org.management], { env: withOperator.env });
  const set = await plan('set', org.code, 'own', '--entities', '25', '--indexes', '100', '--policies', '50');
  assert.deepEqual([set.code, set.stderr], [0, '']);
  assert.equal(set.stdout, `${org.code}  own  entities 25  indexes 100  policies 50\n`);
  assert.equal((await plan('show', org.code)).stdout, set.stdout);
  assert.match((await plan('set', org.code, 'own', '--entities', 'x')).stderr, /--entities/);
});

test('the documents tell of caps and of what is refused for them', async () => {
  const org = await provisionedOrg(gateways);
  const founder = await signIn(org, newEmail('founder'));
  await defineEntity(org, plain('one'));
  await publish(org);
  await givePlan(org, { entities: 0, policies: 0 });
  const gateway = await documentedManagement(org);
  const { token } = org.builder;
  assert.equal((await gateway.send('showUsage', { token })).status, 200);
  const item = { name: 'two', content: content('two') };
  for (const reply of [
    await gateway.send('defineEntity', { token, path: { apiname: 'create-two' }, body: plain('two') }),
    await gateway.send('makeConfigItem', { token, path: { kind: 'entity' }, body: item }),
    await gateway.send('activate', { token, body: {} }),
  ])
    assert.equal(reply.status, 429, reply.text);
  const app = await documentedApp(founder);
  const refused = await app.send('createAclpolicy', { token: founder.token, body: policy('own') });
  assert.equal(refused.status, 429, refused.text);
});
