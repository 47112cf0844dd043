/** Settings come to production with what they are there. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { call } from './call.ts';
import { act, appUrl, list, logIn, manage, newEmail, type Org, signIn } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import {
  activate,
  deploy,
  inProduction,
  provisionedOrg,
  publish,
  rollback,
  settings,
  staged,
  tryActivate,
} from './promotion.ts';
import { founderOf, putSetting } from './workspaces.ts';

const gateways = await platformForTests();

async function settle(
  org: Org,
  key: string,
  content: { readonly value: unknown; readonly prod_value?: unknown },
): Promise<void> {
  const [group, name] = key.split('.');
  const reply = await manage(org, 'PUT', '/org/settings', { body: { group, name, ...content } });
  assert.equal(reply.status, 200, reply.text);
}

/** Whether a page of the origin may read what the app answers. */
async function isLetIn(org: Org, origin: string): Promise<boolean> {
  const reply = await call('GET', appUrl(org, '/providers'), { headers: { origin, client_id: org.clientId } });
  return reply.headers.get('access-control-allow-origin') === origin;
}

test('production goes by `prod_value`, and by its defaults until a setting is activated', async () => {
  const org = await provisionedOrg(gateways);
  const prod = await inProduction(org);
  const short = 'short pw';
  await settle(org, 'auth.password_login', { value: { min_length: 8 }, prod_value: { min_length: 12 } });
  await signIn(org, newEmail('a'), short);
  const eleven = 'eleven char';
  await publish(org);
  await signIn(prod, newEmail('a'), eleven);
  assertProblem(await logIn(prod, newEmail('a'), short), 'validation_failed');
  await activate(org);
  assertProblem(await logIn(prod, newEmail('b'), eleven), 'validation_failed');
  await signIn(prod, newEmail('b'), 'twelve chars');
  await signIn(org, newEmail('b'), short);
});

test('a rolled back setting is what it was', async () => {
  const org = await provisionedOrg(gateways);
  const prod = await inProduction(org);
  await settle(org, 'acl.cache_seconds', { value: 1, prod_value: 2 });
  await deploy(org);
  await settle(org, 'auth.password_login', { value: { enabled: false } });
  await deploy(org);
  assert.notEqual((await logIn(prod, newEmail('a'))).status, 200);
  await rollback(org);
  await signIn(prod, newEmail('a'));
  const shown = await manage<{ items: { group: string; name: string; value: unknown; prod_value?: unknown }[] }>(
    org,
    'GET',
    '/org/settings?env=prod&group=acl',
  );
  const cache = shown.body.items.find(({ name }) => name === 'cache_seconds');
  assert.deepEqual([cache?.value, cache?.prod_value], [1, 2]);
});

test('E08: pages of localhost are let into production only by `prod_value`', async () => {
  const org = await provisionedOrg(gateways);
  const prod = await inProduction(org);
  const [page, local] = ['https://app.example.com', 'http://localhost:3000'];
  const addresses = ['http://127.0.0.1:3000', 'http://[::1]:3000'];
  const notified: boolean[][] = [];
  const notify = async () => notified.push([await isLetIn(prod, page), await isLetIn(prod, local)]);
  await notify();
  await settle(org, 'auth.allowed_domains', { value: [page, 'localhost:3000', ...addresses] });
  await deploy(org);
  await notify();
  for (const origin of [local, ...addresses]) assert.ok(await isLetIn(org, origin), 'test lets it in');
  for (const origin of addresses) assert.equal(await isLetIn(prod, origin), false, origin);
  await settle(org, 'auth.allowed_domains', { value: [page, 'localhost:3000'], prod_value: [page] });
  await deploy(org);
  await notify();
  await settle(org, 'auth.allowed_domains', { value: [page], prod_value: [page, 'localhost:3000'] });
  await deploy(org);
  await notify();
  for (const origin of addresses) assert.ok(await isLetIn(prod, origin), origin);
  assert.deepEqual(notified, [
    [false, false],
    [true, false],
    [true, false],
    [true, true],
  ]);
});

test('the kind of tenancy comes to production, and what each workspace starts with to those founded from then on', async () => {
  const org = await provisionedOrg(gateways);
  const prod = await inProduction(org);
  await putSetting(org, 'tenancy', 'tenancy_type', 'multi');
  await deploy(org);
  const early = await founderOf(prod, 'Early');
  const shoppers = { name: 'shoppers', statements: [{ Effect: 'Allow', Action: ['listuser'], Resource: ['*'] }] };
  await settle(org, 'tenancy.workspace_templates', {
    value: { policies: [shoppers], groups: [{ name: 'everyone', acl_policies: ['shoppers'] }] },
  });
  await deploy(org);
  const late = await founderOf(prod, 'Late');
  const policies = async (user: typeof early) => (await list(user, 'aclpolicy')).items.map(({ name }) => name).sort();
  assert.deepEqual(await policies(early), ['adminacl', 'vieweracl']);
  assert.deepEqual(await policies(late), ['adminacl', 'shoppers', 'vieweracl']);
  assert.deepEqual((await list(late, 'group')).items.map(({ name }) => name).sort(), ['default-admins', 'everyone']);
});

test('a setting whose value names another one takes it along, and does not go without it', async () => {
  const org = await provisionedOrg(gateways);
  const shoppers = { name: 'shoppers', statements: [{ Effect: 'Allow', Action: ['listuser'], Resource: ['*'] }] };
  await settle(org, 'tenancy.workspace_templates', { value: { policies: [shoppers] } });
  await settle(org, 'tenancy.default_member_access', { value: 'shoppers' });
  const published = await publish(org, [settings('tenancy.default_member_access')]);
  assert.deepEqual(
    published.added_dependencies.map(({ kind, name }) => [kind, name]),
    [['settings', 'tenancy.workspace_templates']],
  );
  await manage(org, 'DELETE', '/deploy/staged/settings/tenancy.workspace_templates');
  assert.equal((await staged(org)).checks.filter(({ level }) => level === 'error').length, 1);
  assertProblem(await tryActivate(org), 'dangling_reference');
  await publish(org, [settings('tenancy.workspace_templates')]);
  await activate(org);
  const prod = await inProduction(org);
  await signIn(prod);
  const member = await signIn(prod);
  assert.equal((await act(member, 'GET', '/list/user')).status, 200);
  assertProblem(await act(member, 'GET', '/list/group'), 'access_denied');
});
