/** Every route against every kind of caller: who is let in is decided the same way on all of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProblemCode } from '@freehold/contract/problem';
import { assertProblem, assertRefusal } from './assert-problem.ts';
import { call } from './call.ts';
import { act, create, defineEntity, definition, foundedOrg, list, manage, memberWith } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const acme = await foundedOrg(gateways);
const beta = await foundedOrg(gateways);
for (const { org } of [acme, beta])
  await defineEntity(org, definition('order', [{ name: 'title', colType: 'string' }]));
const { id } = await create(acme.founder, 'order', { title: 'standing' });
const nobody = await memberWith(acme.founder, []);

interface Route {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

const batch = { mode: 'atomic', operations: [{ action: 'create', entity: 'order', data: {} }] };

/** Routes that a policy decides about. */
const dataRoutes: readonly Route[] = [
  ...['order', 'aclpolicy', 'group', 'useraclpolicy', 'usergroup', 'userrole', 'user'].flatMap((entity) => [
    { method: 'GET', path: `/list/${entity}` },
    { method: 'GET', path: `/count/${entity}` },
    { method: 'GET', path: `/item/${entity}/${id}` },
    { method: 'POST', path: `/create/${entity}`, body: {} },
    { method: 'PUT', path: `/update/${entity}/${id}`, body: {} },
    { method: 'DELETE', path: `/delete/${entity}/${id}` },
  ]),
  { method: 'POST', path: '/batch', body: batch },
];

/** Routes about the caller itself, which need a token and no policy. */
const selfRoutes: readonly Route[] = [
  { method: 'GET', path: '/user/me' },
  { method: 'GET', path: '/user/tenants' },
  { method: 'GET', path: '/user/permissions' },
  { method: 'PUT', path: '/user/me', body: {} },
];

/** The same, which end or replace tokens. */
const tokenRoutes: readonly Route[] = [
  { method: 'POST', path: '/user/password', body: {} },
  { method: 'POST', path: '/user/logout' },
];

const managementRoutes: readonly Route[] = [
  { method: 'GET', path: '/auth/me' },
  { method: 'POST', path: '/auth/logout' },
  { method: 'GET', path: '/org' },
  { method: 'GET', path: '/auth/sessions' },
  { method: 'DELETE', path: '/auth/sessions/x' },
  { method: 'POST', path: '/auth/switch-org', body: { org: 'x' } },
  { method: 'POST', path: '/api/create-planted', body: definition('planted', []) },
  { method: 'PUT', path: '/api/create-order', body: { UpdateParams: [] } },
  { method: 'GET', path: '/api/entities' },
  { method: 'GET', path: '/api/entity?entityName=order' },
  { method: 'GET', path: '/api/entity/endpoints?entity=order' },
  { method: 'DELETE', path: '/api/entity?entityname=order' },
  { method: 'GET', path: '/acl/decisions?request_id=x' },
  { method: 'GET', path: '/org/settings' },
  { method: 'PUT', path: '/org/settings', body: { group: 'acl', name: 'cache_seconds', value: 0 } },
  { method: 'GET', path: '/org/refused-origins' },
  { method: 'GET', path: '/acl/decisions/x' },
];

const badTokens: readonly (readonly [string, string | undefined, ProblemCode])[] = [
  ['no token', undefined, 'token_missing'],
  ['a token that is none', 'abc', 'token_invalid'],
  ['a token with three parts that are none', 'aaa.bbb.ccc', 'token_invalid'],
];

for (const { method, path, body } of [...dataRoutes, ...selfRoutes, ...tokenRoutes]) {
  const send = (token: string | undefined) =>
    call(method, `${gateways.app}/app/${acme.org.code}${path}`, {
      ...(token === undefined ? {} : { token }),
      ...(body === undefined ? {} : { body }),
    });
  test(`B11: ${method} ${path.replace(id, '{id}')} lets in none but a caller with an app JWT of this org`, async () => {
    for (const [, token, code] of badTokens) assertProblem(await send(token), code);
    assertRefusal(await send(acme.org.builder.token), [401]);
    assertRefusal(await send(beta.founder.token), [401, 403]);
  });
}

for (const { method, path, body } of dataRoutes) {
  test(`B11: ${method} ${path.replace(id, '{id}')} is denied to a member without a policy`, async () => {
    const problem = assertProblem(await act(nobody, method, path, body === undefined ? {} : { body }), 'access_denied');
    assert.equal(problem.reason, 'implicit_deny');
  });
}

for (const { method, path, body } of selfRoutes) {
  test(`${method} ${path} is open to a member without a policy`, async () => {
    const reply = await act(nobody, method, path, body === undefined ? {} : { body });
    assert.equal(reply.status, 200, reply.text);
  });
}

for (const { method, path, body } of managementRoutes) {
  const send = (token: string | undefined) =>
    call(method, `${gateways.management}${path}`, {
      ...(token === undefined ? {} : { token }),
      ...(body === undefined ? {} : { body }),
    });
  test(`B11: ${method} ${path} lets in none but a builder with a management token`, async () => {
    for (const [, token, code] of badTokens) assertProblem(await send(token), code);
    assertRefusal(await send(acme.founder.token), [401]);
  });
}

test('nothing was changed by any of the refused calls', async () => {
  assert.deepEqual(
    (await list(acme.founder, 'order')).items.map((record) => record.id),
    [id],
  );
  const entities = await manage<{ items: readonly { name: string }[] }>(acme.org, 'GET', '/api/entities');
  assert.deepEqual(
    entities.body.items.map((item) => item.name),
    ['order'],
  );
  assert.equal((await manage(acme.org, 'GET', '/auth/me')).status, 200);
});

test('a route of one gateway does not exist on the other', async () => {
  for (const { method, path, body } of managementRoutes) {
    const options = { token: acme.org.builder.token, ...(body === undefined ? {} : { body }) };
    assertProblem(await call(method, `${gateways.app}${path}`, options), 'not_found');
  }
  for (const { method, path, body } of [...dataRoutes.slice(0, 6), ...selfRoutes]) {
    const options = { token: acme.founder.token, ...(body === undefined ? {} : { body }) };
    assertProblem(await call(method, `${gateways.management}/app/${acme.org.code}${path}`, options), 'not_found');
  }
  assertProblem(await call('GET', `${gateways.management}/.well-known/jwks.json`), 'not_found');
});

for (const gateway of ['app', 'management'] as const) {
  test(`the ${gateway} gateway says that it lives and that it is ready, without a token`, async () => {
    assert.equal((await call('GET', `${gateways[gateway]}/healthz`)).status, 200);
    const ready = await call<{ status: string; store: { kind: string; synchronous: string } }>(
      'GET',
      `${gateways[gateway]}/readyz`,
    );
    assert.equal(ready.status, 200, ready.text);
    assert.equal(ready.body.store.kind, 'sqlite');
    assert.equal(ready.body.store.synchronous, 'full');
  });
}

test('every reply carries an id of its own', async () => {
  const seen = new Set<string>();
  for (const path of ['/healthz', '/nothing', '/.well-known/jwks.json', `/app/${acme.org.code}/list/order`]) {
    for (let time = 0; time < 2; time++)
      seen.add((await call('GET', gateways.app + path)).headers.get('x-request-id') ?? '');
  }
  assert.equal(seen.size, 8);
});

test('a refusal’s `type` is a page that the platform itself serves', async () => {
  const problem = assertProblem(await call('GET', `${gateways.app}/nothing`), 'not_found');
  const { pathname } = new URL(problem.type, gateways.app);
  const pages = [await call('GET', gateways.app + pathname), await call('GET', gateways.management + pathname)];
  assert.ok(
    pages.some((page) => page.status === 200),
    problem.type,
  );
});
