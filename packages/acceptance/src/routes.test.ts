/** Every route against every kind of caller: who is let in is decided the same way on all of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProblemCode } from '@freehold/contract/problem';
import { assertProblem, assertRefusal } from './assert-problem.ts';
import { call } from './call.ts';
import { documentedApp, documentedManagement } from './documented-gateway.ts';
import type { Operation } from './openapi-document.ts';
import {
  act,
  appUrl,
  create,
  defineEntity,
  definition,
  foundedOrg,
  list,
  logIn,
  manage,
  memberWith,
  password,
  signIn,
} from './org.ts';
import { storeKind } from './platform.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const acme = await foundedOrg(gateways);
const beta = await foundedOrg(gateways);
for (const { org } of [acme, beta])
  await defineEntity(org, definition('order', [{ name: 'title', colType: 'string' }]));
const { id } = await create(acme.founder, 'order', { title: 'standing' });
const unprivileged = await memberWith(acme.founder, []);
const loginToken = (await logIn(acme.org, unprivileged.email)).body.token;
/** Good once, of a person who has signed out. */
const oldToken = (await signIn(acme.org, unprivileged.email)).token;
await call('POST', appUrl(acme.org, '/user/logout'), { token: oldToken });
const oldSession = (
  await call<{ readonly token: string }>('POST', `${gateways.management}/auth/login`, {
    body: { email: acme.org.builder.email, password },
  })
).body.token;
await manage(acme.org, 'POST', '/auth/logout', { token: oldSession });

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

const app = (await documentedApp(acme.founder)).document;
const management = (await documentedManagement(acme.org)).document;

/** What opens nothing anywhere, and the code that it is answered with. */
const badCredentials: readonly (readonly [Readonly<Record<string, string>>, ProblemCode])[] = [
  [{}, 'token_missing'],
  [{ cookie: `token=${acme.founder.token}` }, 'token_missing'],
  ...[
    'Bearer ',
    'Bearer abc',
    'Bearer aaa.bbb.ccc',
    'Bearer eyJhbGciOiJFUzI1NiJ9.e30.AAAA',
    `Basic ${btoa('a:a')}`,
  ].map((authorization) => [{ authorization }, 'token_invalid'] as const),
];

/** Routes of the operator, which accept no token of an org. */
function isOperators(path: string): boolean {
  return path.startsWith('/platform/');
}

/** The operation, of things that stand where it names any. */
function askFor({ method, path, body }: Operation, gateway: string, headers: Readonly<Record<string, string>>) {
  const target = path
    .replace('{id}', id)
    .replace('{entity}', 'order')
    .replaceAll(/\{\w+\}/g, 'nothing');
  return call(method, gateway + target, { headers, ...(body === undefined ? {} : { body: {} }) });
}

for (const operation of app.operations.filter(({ isPublic }) => !isPublic)) {
  const ask = (headers: Readonly<Record<string, string>>) => askFor(operation, gateways.app, headers);
  const name = `${operation.method} ${operation.path.replace(acme.org.code, '{org}')}`;
  test(`B11 A19: ${name} lets in none but a caller with an app JWT of this org`, async () => {
    for (const [headers, code] of badCredentials) assertProblem(await ask(headers), code);
    for (const token of [acme.org.builder.token, beta.org.builder.token, beta.founder.token, loginToken, oldToken])
      for (const headers of [
        { authorization: `Bearer ${token}` },
        { authorization: token },
        { 'x-service-token': token },
      ])
        assertProblem(await ask(headers), 'token_invalid');
    assertProblem(await ask({ oauthtoken: acme.founder.token, client_id: acme.org.clientId }), 'token_missing');
  });
}

for (const operation of management.operations.filter(({ isPublic, path }) => !isPublic && !isOperators(path))) {
  const ask = (headers: Readonly<Record<string, string>>) => askFor(operation, gateways.management, headers);
  test(`B11: ${operation.method} ${operation.path} lets in none but a builder with a management token`, async () => {
    for (const [headers, code] of badCredentials) assertProblem(await ask(headers), code);
    for (const token of [acme.founder.token, beta.founder.token, loginToken, oldSession])
      assertProblem(await ask({ authorization: `Bearer ${token}` }), 'token_invalid');
    for (const cookie of [`freehold=${acme.founder.token}`, `freehold=${oldSession}`])
      assertRefusal(await ask({ cookie, origin: gateways.management }), [401]);
    assertProblem(await ask({ 'x-service-token': acme.org.builder.token }), 'token_missing');
  });
}

for (const { method, path, body } of dataRoutes) {
  test(`B11: ${method} ${path.replace(id, '{id}')} is denied to a member without a policy`, async () => {
    const problem = assertProblem(
      await act(unprivileged, method, path, body === undefined ? {} : { body }),
      'access_denied',
    );
    assert.equal(problem.reason, 'implicit_deny');
  });
}

for (const { method, path, body } of selfRoutes) {
  test(`${method} ${path} is open to a member without a policy`, async () => {
    const reply = await act(unprivileged, method, path, body === undefined ? {} : { body });
    assert.equal(reply.status, 200, reply.text);
  });
}

const nonsense = ["'", '";--', '%00', '%2e%2e%2f', '{}', '[object Object]', '\u{1F600}', '-1', 'x'.repeat(2000), 'NaN'];

for (const [gateway, { operations }, token] of [
  ['app', app, unprivileged.token],
  ['management', management, beta.org.builder.token],
] as const)
  test(`C18: whatever nonsense the routes of the ${gateway} gateway are sent, no refusal reveals internals`, async () => {
    const endsTokens = /logout|password|sessions/;
    for (const { method, path, body } of operations.filter((operation) => !endsTokens.test(operation.path)))
      for (const junk of nonsense) {
        const part = junk.startsWith('%') ? junk : encodeURIComponent(junk);
        const target = `${path.replaceAll(/\{\w+\}/g, part)}?${part}=${part}&q=${part}&cursor=${part}&pagesize=${part}`;
        const headers = { 'if-match': part, 'idempotency-key': part, client_id: part };
        const sent = body === undefined ? {} : { body: { [junk]: junk } };
        const reply = await call(method, gateways[gateway] + target, { token, headers, ...sent });
        if (reply.status >= 400) assertRefusal(reply);
        assert.ok(reply.status < 500, `${method} ${target.slice(0, 200)}: ${reply.text}`);
      }
  });

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
  const shared = /^\/(healthz|readyz|problems\/\{code\})$/;
  const own = (operations: readonly Operation[]) => operations.filter(({ path }) => !shared.test(path));
  for (const operation of own(management.operations))
    assertProblem(
      await askFor(operation, gateways.app, { authorization: `Bearer ${acme.org.builder.token}` }),
      'not_found',
    );
  for (const operation of own(app.operations))
    assertProblem(
      await askFor(operation, gateways.management, { authorization: `Bearer ${acme.founder.token}` }),
      'not_found',
    );
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
    assert.equal(ready.body.store.kind, storeKind);
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
