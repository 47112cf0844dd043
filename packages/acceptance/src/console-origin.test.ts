/** What a page of the management gateway may read of an app: replies to tokens of builders who impersonate, and no others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodePart, encodePart } from './app-token.ts';
import { assertProblem } from './assert-problem.ts';
import { type CallOptions, call, type Reply } from './call.ts';
import { appUrl, create, defineEntity, definition, foundedOrg, manage, memberWith, password } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { putSetting } from './workspaces.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(org, definition('note', [{ name: 'title', validate: true }]));
// By default pages of this machine may call in test, and the console of this test is one of them.
await putSetting(org, 'auth', 'allowed_domains', ['https://app.example.com']);
const note = await create(founder, 'note', { title: 'standing' });
const unprivileged = await memberWith(founder, []);
const ownOrigin = new URL(org.management).origin;

async function acting(user_id?: string): Promise<string> {
  const body = { env: 'test', tenant_code: 'main', ...(user_id === undefined ? {} : { user_id }) };
  const reply = await manage<{ token: string }>(org, 'POST', '/org/impersonate', { body });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.token;
}

const [asBuilder, asDenied] = [await acting(), await acting(unprivileged.id)];

/** The same token with a signature that is none. */
function forged(token: string, change: object = {}): string {
  const [head = '', claims = ''] = token.split('.');
  return `${head}.${encodePart({ ...decodePart<object>(claims), ...change })}.${'A'.repeat(86)}`;
}

/** A call as a browser makes it for a page of the origin. */
function from(origin: string, method: string, path: string, options: CallOptions = {}) {
  return call(method, appUrl(org, path), { ...options, headers: { ...options.headers, origin } });
}

function readableFor({ headers }: Reply<unknown>): string | null {
  assert.equal(headers.get('access-control-allow-credentials'), null);
  assert.ok((headers.get('vary') ?? '').split(', ').includes('Origin'));
  return headers.get('access-control-allow-origin');
}

const actingCalls: readonly (readonly [number, string, string, CallOptions])[] = [
  [200, 'GET', '/list/note', { token: asBuilder }],
  [200, 'GET', '/export/note', { token: asBuilder }],
  [200, 'GET', '/user/me', { token: asBuilder }],
  [201, 'POST', '/create/note', { token: asBuilder, body: { title: 'made' } }],
  [400, 'POST', '/create/note', { token: asBuilder, body: {} }],
  [401, 'GET', '/list/note', { token: forged(asBuilder) }],
  [403, 'GET', '/list/note', { token: asDenied }],
  [403, 'POST', '/user/logout', { token: asDenied, body: {} }],
  [404, 'GET', '/item/note/nothing', { token: asBuilder }],
  [200, 'GET', `/item/note/${note.id}`, { headers: { 'x-service-token': asBuilder } }],
];

test('a page of the management gateway reads every reply to a token of a builder who impersonates', async () => {
  for (const [status, method, path, options] of actingCalls) {
    const reply = await from(ownOrigin, method, path, options);
    assert.equal(reply.status, status, `${method} ${path}: ${reply.text}`);
    assert.equal(readableFor(reply), ownOrigin, `${method} ${path} ${status}`);
    assert.match(reply.headers.get('access-control-expose-headers') ?? '', /X-Request-Id/);
  }
  const requestedMethod = {
    'access-control-request-method': 'PUT',
    'access-control-request-headers': 'authorization,if-match',
  };
  const preflight = await from(ownOrigin, 'OPTIONS', '/list/note', { headers: requestedMethod });
  assert.deepEqual([preflight.status, readableFor(preflight)], [204, ownOrigin]);
});

test('it reads nothing that another token, or none, is answered', async () => {
  const key = await manage<{ key: string }>(org, 'POST', '/org/service-keys', {
    body: { env: 'test', tenant_code: 'main', name: 'server', policies: ['adminacl'] },
  });
  const client = { client_id: org.clientId };
  const body = { email: founder.email, password };
  const calls: readonly (readonly [number, string, string, CallOptions])[] = [
    [200, 'GET', '/list/note', { token: founder.token }],
    [200, 'GET', '/list/note', { token: key.body.key }],
    [403, 'GET', '/list/note', { token: unprivileged.token }],
    [401, 'GET', '/list/note', {}],
    [401, 'GET', '/list/note', { token: 'nonsense' }],
    [401, 'GET', '/list/note', { token: forged(founder.token) }],
    [401, 'GET', '/list/note', { token: forged(asBuilder, { act: 'builder' }) }],
    [404, 'GET', '/nothing', { token: asBuilder }],
    // Routes that take no token, with one that is sent along.
    [200, 'GET', '/token', { token: asBuilder, headers: { ...client, oauthtoken: founder.token } }],
    [200, 'POST', '/login', { token: asBuilder, headers: client, body }],
    [200, 'GET', '/providers', { token: asBuilder, headers: client }],
  ];
  for (const [status, method, path, options] of calls) {
    const reply = await from(ownOrigin, method, path, options);
    assert.equal(reply.status, status, `${method} ${path}: ${reply.text}`);
    assert.equal(readableFor(reply), null, `${method} ${path} ${status}`);
  }
});

test('no other page reads replies to such a token, and the app does not list the console as refused', async () => {
  const { hostname, port } = new URL(org.management);
  const strangers = [
    'https://stranger.example',
    'null',
    org.app,
    `http://stranger.example:${port}`,
    `https://${hostname}:${port}`,
    `http://${hostname}`,
    `${ownOrigin}.stranger.example`,
  ];
  for (const origin of strangers) {
    const reply = await from(origin, 'GET', '/list/note', { token: asBuilder });
    assert.deepEqual([reply.status, readableFor(reply)], [200, null], origin);
  }
  await from(ownOrigin, 'GET', '/list/note', { token: asBuilder });
  const refused = await manage<{ items: { origin: string }[] }>(org, 'GET', '/org/refused-origins');
  const stranger = refused.body.items.some(({ origin }) => origin === 'https://stranger.example');
  assert.ok(stranger);
});

test('a console learns what it needs before sign-in, and then who calls and with which environments', async () => {
  const config = await call('GET', `${org.management}/console/config`);
  assert.deepEqual(config.body, { mode: 'development', sign_up: true, inbox: true });
  assertProblem(await call('GET', `${org.management}/console/config?x=1`), 'invalid_request');
  const me = await manage<{ org: object; role: string }>(org, 'GET', '/auth/me');
  const environments = { test: { client_id: org.clientId }, prod: null };
  assert.deepEqual(me.body.org, { code: org.code, name: `Org ${org.code}`, environments });
  assert.equal(me.body.role, 'org_admin');
});
