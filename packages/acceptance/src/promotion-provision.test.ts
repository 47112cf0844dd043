/** Production, before anything has come there. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAppToken } from './app-token.ts';
import { assertProblem } from './assert-problem.ts';
import {
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
  signIn,
  signUp,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { change, deploy, inProduction, type Provisioned, prodFounder, provision } from './promotion.ts';

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
  for (const { body } of replies)
    assert.deepEqual(body, { environment, client_id, provisioned_at, created: body.created });
  const shown = await manage<Environments>(org, 'GET', '/org');
  assert.deepEqual(shown.body.environments, { test: { client_id: org.clientId }, prod: { client_id, provisioned_at } });
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
