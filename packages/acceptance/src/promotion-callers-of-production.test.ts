/** Who calls production: its users, builders who look at it, and servers with keys. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import {
  type AppUser,
  act,
  allow,
  create,
  defineEntity,
  definition,
  deny,
  exchangeToken,
  joinOrg,
  list,
  manage,
  memberWith,
  newEmail,
  type Org,
  signIn,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { deploy, inProduction, prodFounder, provisionedOrg } from './promotion.ts';

const gateways = await platformForTests();

async function orgInProduction(): Promise<{ org: Org; founder: AppUser }> {
  const org = await provisionedOrg(gateways);
  await defineEntity(org, definition('note', [{ name: 'title' }]));
  await deploy(org);
  return { org, founder: await prodFounder(org) };
}

test('policies decide in production, of the people there', async () => {
  const { founder } = await orgInProduction();
  const reader = await memberWith(founder, [allow(['listnote', 'getnote']), deny('getnote', '/item/note/*')]);
  const note = await create(founder, 'note', { title: 'a' });
  assertProblem(await act(reader, 'POST', '/create/note', { body: { title: 'x' } }), 'access_denied');
  assert.equal(
    assertProblem(await act(reader, 'GET', `/item/note/${note.id}`), 'access_denied').reason,
    'explicit_deny',
  );
  assert.equal((await act(reader, 'GET', '/list/note')).status, 200);
});

test('policies of test say nothing in production', async () => {
  const { org, founder } = await orgInProduction();
  const inTest = await signIn(org, founder.email, founder.password);
  await create(inTest, 'aclpolicy', { name: 'of-test', statements: [allow('*')] });
  assert.deepEqual((await list(founder, 'aclpolicy', '?name=of-test')).items, []);
  const second = await signIn(await inProduction(org), newEmail('second'));
  assertProblem(await act(second, 'POST', '/create/note', { body: { title: 'x' } }), 'access_denied');
});

interface Impersonation {
  readonly token: string;
  readonly user_id: string;
  readonly tenant_code: string;
}

function impersonate(org: Org, body: object) {
  return manage<Impersonation>(org, 'POST', '/org/impersonate', {
    body: { env: 'prod', tenant_code: 'main', ...body },
  });
}

test('a builder sees production as one of its people does, and changes nothing of it', async () => {
  const { org, founder } = await orgInProduction();
  const member = await memberWith(founder, [allow('*'), deny('listuser')]);
  const note = await create(founder, 'note', { title: 'a' });
  const reply = await impersonate(org, { user_id: member.id });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.body.user_id, member.id);
  const seen: AppUser = { ...member, token: reply.body.token };
  assert.deepEqual((await list(seen, 'note')).items, [note]);
  assertProblem(await act(seen, 'GET', '/list/user'), 'access_denied');
  const path = `/update/note/${note.id}`;
  assertProblem(await act(seen, 'POST', '/create/note', { body: { title: 'x' } }), 'prod_read_only');
  assertProblem(await act(seen, 'PUT', path, { body: { title: 'x' } }), 'prod_read_only');
  assertProblem(await act(seen, 'DELETE', `/delete/note/${note.id}`), 'prod_read_only');
  assertProblem(await act(seen, 'PUT', '/user/me', { body: { fn: 'Eve' } }), 'prod_read_only');
  assert.deepEqual((await list(founder, 'note')).items, [note]);
  assertProblem(await exchangeToken(seen.org, seen.token), 'access_denied');
});

test('a token for production ends with the role of the builder', async () => {
  const { org, founder } = await orgInProduction();
  const admin = await joinOrg(org, 'org_admin');
  const request = { env: 'prod', tenant_code: 'main', user_id: founder.id };
  const reply = await manage<Impersonation>(org, 'POST', '/org/impersonate', { body: request, token: admin.token });
  const seen: AppUser = { ...founder, token: reply.body.token };
  assert.equal((await act(seen, 'GET', '/list/note')).status, 200);
  assert.equal((await manage(org, 'PUT', `/org/users/${admin.id}`, { body: { role: 'developer' } })).status, 200);
  assertProblem(await act(seen, 'GET', '/list/note'), 'token_invalid');
  assertProblem(await manage(org, 'POST', '/org/impersonate', { body: request, token: admin.token }), 'role_required');
});

test('in production a builder impersonates a user of production and of this org', async () => {
  const { org, founder } = await orgInProduction();
  const inTest = await signIn(org);
  const other = await orgInProduction();
  assert.deepEqual(pointers(assertProblem(await impersonate(org, {}), 'validation_failed')), ['/user_id']);
  assertProblem(await impersonate(org, { user_id: inTest.id }), 'not_found');
  assertProblem(await impersonate(org, { user_id: other.founder.id }), 'not_found');
  assertProblem(await impersonate(org, { env: 'test', user_id: founder.id }), 'not_found');
  const log = await manage<{ items: unknown[] }>(org, 'GET', '/audit?action=impersonation.started');
  assert.deepEqual(log.body.items, []);
  assert.equal((await impersonate(org, { user_id: founder.id })).status, 200);
});

interface ServiceKey {
  readonly id: string;
  readonly key: string;
  readonly env: string;
}

function makeKey(org: Org, body: object = {}) {
  const request = { env: 'prod', tenant_code: 'main', name: 'Nightly sync', ...body };
  return manage<ServiceKey>(org, 'POST', '/org/service-keys', { body: request });
}

test('a server has a key of production, which does what its policies say, there alone, until it is removed', async () => {
  const { org, founder } = await orgInProduction();
  await create(founder, 'aclpolicy', { name: 'writers', statements: [allow(['createnote', 'getnote'])] });
  const made = await makeKey(org, { policies: ['writers'] });
  assert.equal(made.status, 201, made.text);
  assert.match(made.body.key, /^fhk_prod_/);
  const server: AppUser = { ...founder, id: made.body.id, token: made.body.key };
  const note = await create(server, 'note', { title: 'by a server' });
  assert.equal(note.created_by, made.body.id);
  assertProblem(await act(server, 'GET', '/list/note'), 'access_denied');
  const inTest = await signIn(org);
  assert.deepEqual((await list(inTest, 'note')).items, []);
  const listed = async (env: string) => {
    const shown = await manage<{ items: readonly { id: string }[] }>(org, 'GET', `/org/service-keys?env=${env}`);
    return shown.body.items.map(({ id }) => id);
  };
  assert.deepEqual([await listed('prod'), await listed('test')], [[made.body.id], []]);
  assert.equal((await manage(org, 'DELETE', `/org/service-keys/${made.body.id}`)).status, 204);
  assertProblem(await act(server, 'GET', `/item/note/${note.id}`), 'token_invalid');
  assert.deepEqual(await listed('prod'), []);
});

test('a key of test opens nothing of production, also of the same workspace and policy names', async () => {
  const { org, founder } = await orgInProduction();
  await signIn(org);
  const made = await makeKey(org, { env: 'test', policies: ['adminacl'] });
  assert.equal(made.status, 201, made.text);
  const record = await create(founder, 'note', { title: 'of production' });
  const server: AppUser = { ...founder, id: made.body.id, token: made.body.key };
  assertProblem(await act(server, 'GET', `/item/note/${record.id}`), 'not_found');
  assert.deepEqual((await list(server, 'note')).items, []);
});

test('who is removed or suspended in production is out of production', async () => {
  const { founder } = await orgInProduction();
  const [one, two] = [await memberWith(founder, [allow('*')]), await memberWith(founder, [allow('*')])];
  await act(founder, 'PUT', `/update/user/${one.id}`, { body: { status: 'suspended' } });
  assertProblem(await act(one, 'GET', '/list/note'), 'token_invalid');
  assert.equal((await act(founder, 'DELETE', `/delete/user/${two.id}`)).status, 204);
  assertProblem(await act(two, 'GET', '/list/note'), 'token_invalid');
});

test('the client id of production is replaced with a time for both, and test keeps its own', async () => {
  const { org, founder } = await orgInProduction();
  const reply = await manage<{ client_id: string }>(org, 'POST', '/org/environments/prod/rotate-client-id');
  assert.equal(reply.status, 200, reply.text);
  const rotated = { ...founder.org, clientId: reply.body.client_id };
  assert.notEqual(rotated.clientId, founder.org.clientId);
  for (const clientId of [founder.org.clientId, rotated.clientId])
    assert.equal((await signIn({ ...rotated, clientId }, founder.email)).id, founder.id);
  assert.notEqual((await signIn(org)).tenantId, founder.tenantId);
});
