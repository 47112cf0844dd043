/** Production, before anything has come there. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { readAppToken } from './app-token.ts';
import { assertProblem } from './assert-problem.ts';
import { allowIssuers, clientAtProvider, personAt, startIdentityProvider } from './identity-provider.ts';
import {
  type AppUser,
  act,
  create,
  defineEntity,
  definition,
  exchangeToken,
  foundedOrg,
  joinOrg,
  list,
  logIn,
  manage,
  newEmail,
  type Org,
  signIn,
  signUp,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import {
  change,
  deploy,
  inProduction,
  makeProdAdmin,
  type Provisioned,
  prodFounder,
  provision,
  provisionedOrg,
  publish,
  staged,
} from './promotion.ts';
import { putSetting } from './workspaces.ts';

const gateways = await platformForTests();
const note = definition('note', [{ name: 'title' }]);

interface Environments {
  readonly environments: {
    readonly test: { readonly client_id: string };
    readonly prod: { readonly client_id: string; readonly provisioned_at: string } | null;
  };
}

test('E11: of 50 provisions at once one makes production, and all tell of the same', async () => {
  const org = await signUp(gateways);
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => manage<Provisioned>(org, 'POST', '/user/provision-prod')),
  );
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
  const made = replies.filter(({ body }) => body.created);
  assert.equal(made.length, 1);
  const { environment, client_id, provisioned_at } = await provision(org);
  assert.equal(environment, 'prod');
  assert.match(client_id, /^prod_/);
  const awaited_founder = { email: org.builder.email };
  for (const { body } of replies)
    assert.deepEqual(body, { environment, client_id, provisioned_at, created: body.created, awaited_founder });
  const shown = await manage<Environments>(org, 'GET', '/org');
  const prod = { client_id, provisioned_at, awaited_founder };
  assert.deepEqual(shown.body.environments, { test: { client_id: org.clientId }, prod });
  const me = await manage<{ org: Environments }>(org, 'GET', '/auth/me');
  assert.deepEqual(me.body.org.environments.prod, { client_id, provisioned_at });
  const log = await manage<{ items: unknown[] }>(org, 'GET', '/audit?action=environment.provisioned');
  assert.equal(log.body.items.length, 1);
});

test('until it is provisioned an org has no production, and a developer does not provision it', async () => {
  const org = await signUp(gateways);
  const developer = await joinOrg(org, 'developer');
  const ask = { token: developer.token };
  assertProblem(await manage(org, 'POST', '/user/provision-prod', ask), 'role_required');
  assertProblem(await manage(org, 'POST', '/user/provision-prod?env=prod'), 'invalid_request');
  assert.equal((await manage<Environments>(org, 'GET', '/org')).body.environments.prod, null);
});

test('production starts with no data and no configuration', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, note);
  await create(founder, 'note', { title: 'of test' });
  await provision(org);
  const entities = await manage<{ items: unknown[] }>(org, 'GET', '/api/entities?env=prod');
  assert.deepEqual(entities.body.items, []);
  const user = await prodFounder(org);
  assertProblem(await act(user, 'GET', '/list/note'), 'not_found');
  assert.deepEqual(
    (await list(user, 'user')).items.map(({ id }) => id),
    [user.id],
  );
});

test('C21: what is in test is not in production, under the same code and the same name as little as by its id', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, note);
  const record = await create(founder, 'note', { title: 'of test' });
  await provision(org);
  await deploy(org);
  const user = await prodFounder(org);
  assert.equal(user.tenantCode, founder.tenantCode);
  assert.notEqual(user.tenantId, founder.tenantId);
  assert.deepEqual((await list(user, 'note')).items, []);
  assertProblem(await act(user, 'GET', `/item/note/${record.id}`), 'not_found');
  assertProblem(await act(user, 'PUT', `/update/note/${record.id}`, { body: { title: 'x' } }), 'not_found');
  assertProblem(await act(user, 'DELETE', `/delete/note/${record.id}`), 'not_found');
  assertProblem(await act(user, 'GET', `/item/user/${founder.id}`), 'not_found');
  const own = await create(user, 'note', { title: 'of production' });
  assertProblem(await act(founder, 'GET', `/item/note/${own.id}`), 'not_found');
  assert.deepEqual(
    (await list(founder, 'note')).items.map(({ title }) => title),
    ['of test'],
  );
});

test('C21: a token says which environment it is of, and cannot be had or used for the other', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const prod = await inProduction(org);
  const user = await signIn(prod);
  const { claims } = await readAppToken(gateways.app, user.token);
  assert.deepEqual([claims.env, claims.clientid, claims.org], ['prod', prod.clientId, org.code]);
  assert.equal((await readAppToken(gateways.app, founder.token)).claims.env, 'test');
  assertProblem(await exchangeToken(org, user.token), 'token_invalid');
  assertProblem(await exchangeToken(prod, founder.token), 'token_invalid');
  const login = await logIn(prod, user.email);
  assertProblem(await exchangeToken(org, login.body.token), 'token_invalid');
});

test('C21: a person of test is unknown in production until a sign-in there, and is another one then', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const prod = await inProduction(org);
  await signIn(prod, newEmail('first'));
  const same = await signIn(prod, founder.email, 'another long secret');
  assert.notEqual(same.id, founder.id);
  assertProblem(await logIn(prod, founder.email, founder.password), 'credentials_invalid');
  assertProblem(await act(same, 'POST', '/create/user', { body: {} }), 'access_denied');
});

test('production is changed by deploying alone', async () => {
  const { org } = await foundedOrg(gateways);
  await provision(org);
  await defineEntity(org, note);
  await deploy(org);
  const body = { UpdateParams: [{ name: 'title', index: true }] };
  assertProblem(
    await manage(org, 'POST', '/api/create-memo?env=prod', { body: { entityName: 'memo' } }),
    'prod_read_only',
  );
  assertProblem(await manage(org, 'PUT', '/api/create-note?env=prod', { body }), 'prod_read_only');
  assertProblem(await manage(org, 'DELETE', '/api/entity?entityname=note&env=prod'), 'prod_read_only');
  await change(org, 'create-note', body);
  const shown = await manage<{ indexes: unknown[] }>(org, 'GET', '/api/entity?entityName=note&env=prod');
  assert.ok(!JSON.stringify(shown.body).includes('"index":true'));
});

/** What a member of the default workspace of production holds, as the org admin sees it. */
async function heldInProduction(org: Org, user: AppUser): Promise<string> {
  const path = `/acl/members/${user.id}?env=prod&tenant_code=main`;
  const { body, text } = await manage<Member>(org, 'GET', path);
  assert.ok(body.policies !== undefined, text);
  const names = [...body.policies.map(({ name }) => name), ...body.groups.map(({ name }) => name)];
  return [body.role ?? '', ...names.sort()].join(' ');
}

interface Member {
  readonly role: string | null;
  readonly policies: readonly { readonly name: string }[];
  readonly groups: readonly { readonly name: string }[];
}

const asAdmin = 'admin adminacl default-admins vieweracl';
const asMember = ' vieweracl';

/** A token of the identity provider that an org trusts in production. */
async function providerOf(t: TestContext, org: Org) {
  const provider = await startIdentityProvider();
  t.after(() => provider.close());
  await allowIssuers(org, [{ issuer: provider.issuer, audiences: [clientAtProvider] }]);
  await deploy(org);
  return async (prod: Org, sub: string, claims: object): Promise<AppUser> => {
    const { body, text } = await exchangeToken(prod, provider.token(personAt(sub, claims)));
    assert.ok(body.token !== undefined, text);
    const { user_id: id, tenant_id: tenantId, tenant_code: tenantCode, token } = body;
    return { org: prod, email: '', password: '', id, tenantId, tenantCode, token };
  };
}

test('no stranger who signs in to a fresh production is its admin, however many come at once', async () => {
  const org = await provisionedOrg(gateways);
  const prod = await inProduction(org);
  const strangers = await Promise.all(Array.from({ length: 5 }, (_, nr) => signIn(prod, newEmail(`stranger${nr}`))));
  for (const stranger of strangers) {
    assert.equal(stranger.tenantCode, 'main');
    assert.equal(await heldInProduction(org, stranger), asMember);
    assertProblem(await act(stranger, 'POST', '/create/aclpolicy', { body: {} }), 'access_denied');
    assertProblem(
      await act(stranger, 'POST', '/user/invitations', { body: { email: newEmail('x') } }),
      'access_denied',
    );
  }
});

test('the address that was named is the first admin once it is verified, and a stranger who claims it before is not', async (t) => {
  const org = await signUp(gateways);
  const email = newEmail('founder');
  assert.deepEqual((await provision(org, email)).awaited_founder, { email });
  const prod = await inProduction(org);
  const claiming = await signIn(prod, email.toUpperCase());
  const byProvider = await providerOf(t, org);
  const unproved = await byProvider(prod, 'eve', { email, email_verified: false });
  const other = await byProvider(prod, 'bob', { email: newEmail('bob'), email_verified: true });
  for (const user of [claiming, unproved, other]) assert.equal(await heldInProduction(org, user), asMember);
  assert.deepEqual((await provision(org)).awaited_founder, { email });
  const founder = await byProvider(prod, 'ann', { email, email_verified: true });
  assert.equal(await heldInProduction(org, founder), asAdmin);
  assert.equal((await act(founder, 'GET', '/list/useraclpolicy')).status, 200);
  const { claims } = await readAppToken(gateways.app, founder.token);
  assert.equal(claims.role, 'admin');
  for (const user of [unproved, other]) assert.equal(await heldInProduction(org, user), asMember);
  assertProblem(await logIn(prod, email), 'credentials_invalid');
  assert.equal((await provision(org)).awaited_founder, undefined);
  const shown = await manage<Environments>(org, 'GET', '/org');
  assert.deepEqual(Object.keys(shown.body.environments.prod ?? {}), ['client_id', 'provisioned_at']);
  const next = { body: { founder_email: newEmail('next') } };
  assertProblem(await manage(org, 'POST', '/user/provision-prod', next), 'conflict');
});

test('a member whose address is verified later becomes the first admin with a token that is made after it', async (t) => {
  const org = await signUp(gateways);
  const email = newEmail('founder');
  await provision(org, email);
  const prod = await inProduction(org);
  const byProvider = await providerOf(t, org);
  const early = await byProvider(prod, 'ann', { email, email_verified: false });
  assert.equal(await heldInProduction(org, early), asMember);
  const later = await byProvider(prod, 'ann', { email, email_verified: true });
  assert.equal(later.id, early.id);
  assert.equal(await heldInProduction(org, later), asAdmin);
});

test('an org admin names another address until the first admin has come, and the former one is a member like others', async (t) => {
  const org = await signUp(gateways);
  const [former, next] = [newEmail('former'), newEmail('next')];
  await provision(org, former);
  const prod = await inProduction(org);
  const byProvider = await providerOf(t, org);
  await signIn(prod);
  const developer = await joinOrg(org, 'developer');
  const named = { body: { founder_email: next } };
  assertProblem(
    await manage(org, 'POST', '/user/provision-prod', { ...named, token: developer.token }),
    'role_required',
  );
  assert.deepEqual((await provision(org, next)).awaited_founder, { email: next });
  assert.equal(await heldInProduction(org, await byProvider(prod, 'former', { email: former })), asMember);
  assert.equal(await heldInProduction(org, await byProvider(prod, 'next', { email: next })), asAdmin);
  const log = await manage<{ items: readonly object[] }>(org, 'GET', '/audit?action=environment.founder_named');
  assert.equal(log.body.items.length, 1);
  assert.doesNotMatch(log.text, new RegExp(`${former}|${next}`));
  for (const founder_email of ['', 'ann', 'ann@', ['ann@example.com'], null])
    assertProblem(await manage(org, 'POST', '/user/provision-prod', { body: { founder_email } }), 'validation_failed');
});

test('an active `tenancy.founder_email` wins over the address of the provisioning, and others are refused until then', async (t) => {
  const org = await signUp(gateways);
  const [byProvisioning, bySetting] = [newEmail('provisioning'), newEmail('setting')];
  await provision(org, byProvisioning);
  await putSetting(org, 'tenancy', 'founder_email', bySetting);
  const byProvider = await providerOf(t, org);
  const prod = await inProduction(org);
  const early = await byProvider(prod, 'early', { email: byProvisioning });
  assert.equal(early.tenantId, null);
  assertProblem(await act(early, 'GET', '/list/user'), 'workspace_required');
  const founder = await byProvider(prod, 'founder', { email: bySetting });
  assert.equal(await heldInProduction(org, founder), 'admin adminacl default-admins');
  assert.equal(await heldInProduction(org, await byProvider(prod, 'early', { email: byProvisioning })), asMember);
});

test('the setting wins too where it becomes active after the platform has founded the workspace', async (t) => {
  const org = await signUp(gateways);
  const [byProvisioning, bySetting] = [newEmail('provisioning'), newEmail('setting')];
  await provision(org, byProvisioning);
  const prod = await inProduction(org);
  await signIn(prod);
  await putSetting(org, 'tenancy', 'founder_email', bySetting);
  const byProvider = await providerOf(t, org);
  assert.deepEqual((await provision(org)).awaited_founder, { email: bySetting });
  assert.equal(await heldInProduction(org, await byProvider(prod, 'a', { email: byProvisioning })), asMember);
  assert.equal(await heldInProduction(org, await byProvider(prod, 'b', { email: bySetting })), asAdmin);
});

test('the review of a release says who becomes the first admin, by the settings that it brings', async (t) => {
  const org = await signUp(gateways);
  await defineEntity(org, note);
  const email = newEmail('founder');
  await provision(org, email);
  const reviewed = async () => {
    await publish(org);
    return (await staged(org)).checks
      .filter(({ check }) => check === 'founder')
      .map(({ level, message }) => `${level}: ${message}`);
  };
  assert.deepEqual(await reviewed(), [
    `info: \`${email}\` becomes the first admin of production, by a sign-in in which the address is verified; others join with \`vieweracl\``,
  ]);
  await putSetting(org, 'tenancy', 'founder_email', 'setting@example.com');
  const [bySetting = ''] = await reviewed();
  assert.match(bySetting, /`setting@example.com` becomes the first admin .* others are refused until then/);
  await putSetting(org, 'tenancy', 'tenancy_type', 'multi');
  assert.deepEqual(await reviewed(), []);
  await putSetting(org, 'tenancy', 'tenancy_type', 'single');
  await putSetting(org, 'tenancy', 'founder_email', email);
  const byProvider = await providerOf(t, org);
  await byProvider(await inProduction(org), 'ann', { email });
  await change(org, 'create-note', { UpdateParams: [{ name: 'title', index: true }] });
  assert.deepEqual(await reviewed(), []);
});

test('an invitation of the org admin makes a member of production an admin, and one of a member does not', async () => {
  const org = await provisionedOrg(gateways);
  const prod = await inProduction(org);
  const user = await signIn(prod);
  await makeProdAdmin(org, user);
  assert.equal(await heldInProduction(org, user), ' adminacl vieweracl');
  assert.equal((await act(user, 'GET', '/list/useraclpolicy')).status, 200);
  assert.deepEqual((await provision(org)).awaited_founder, { email: org.builder.email });
  const other = await signIn(prod);
  const policies = await list(user, 'aclpolicy');
  const acl_policy_id = policies.items.find(({ name }) => name === 'adminacl')?.id;
  const invited = await act<{ code: string }>(user, 'POST', '/user/invitations', {
    body: { email: other.email, acl_policy_id },
  });
  const accepted = await act(other, 'POST', '/user/acceptinvitation', { body: { code: invited.body.code } });
  assertProblem(accepted, 'conflict');
  assert.equal(await heldInProduction(org, other), asMember);
});
