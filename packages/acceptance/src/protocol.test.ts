/** HTTP as it goes over the wire (RFC 9110, RFC 9112): what any client or proxy may send, written byte by byte. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { call, type Reply } from './call.ts';
import { documentedApp, documentedManagement } from './documented-gateway.ts';
import { assertNow } from './moments.ts';
import {
  act,
  appUrl,
  create,
  defineEntity,
  definition,
  exchangeToken,
  foundedOrg,
  logIn,
  newEmail,
  password,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { rawCall } from './raw-call.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(org, definition('note', [{ name: 'title' }]));
const note = await create(founder, 'note', { title: 'one' });
const bearer = (token: string): string => `Authorization: Bearer ${token}`;

/** Of each answer its own, or counted by what was called before. */
const ownHeaders = new Set(['date', 'x-request-id', 'connection', 'keep-alive', 'transfer-encoding']);
const counted = new Set([
  '/metrics',
  '/observability',
  '/observability/export',
  '/org/audit',
  '/auth/sessions',
  '/org/users',
]);

/** A refusal names its request, by an id of any length. */
function comparable({ headers, status }: Reply<unknown>, path: string): readonly (readonly [string, string])[] {
  const left = counted.has(path) || status >= 400 ? new Set([...ownHeaders, 'content-length', 'etag']) : ownHeaders;
  return [...headers].filter(([name]) => !left.has(name));
}

test('HEAD is answered on every GET of both gateways as GET is, without the body', async () => {
  const reported = [
    [org.app, (await documentedApp(founder)).document, founder.token],
    [org.management, (await documentedManagement(org)).document, org.builder.token],
  ] as const;
  const statuses = new Set<number>();
  for (const [gateway, document, token] of reported)
    for (const { path } of document.operations.filter(({ method }) => method === 'GET')) {
      const target = path
        .replace('{code}', 'not_found')
        .replace('{org}', org.code)
        .replace('{entity}', 'note')
        .replace('{id}', note.id)
        .replaceAll(/\{\w+\}/g, 'nothing');
      const headers = [bearer(token), `client_id: ${org.clientId}`];
      const got = await rawCall(gateway, { method: 'GET', target, headers });
      const head = await rawCall(gateway, { method: 'HEAD', target, headers });
      assert.equal(head.status, got.status, target);
      assert.equal(head.text, '', target);
      assert.deepEqual(comparable(head, path), comparable(got, path), target);
      statuses.add(got.status);
    }
  assert.ok(statuses.has(200) && statuses.has(404));
});

test('HEAD answers 405 where there is no GET, and 405 names HEAD where there is one', async () => {
  const headers = [bearer(founder.token)];
  const target = `/app/${org.code}/create/note`;
  assert.equal((await rawCall(org.app, { method: 'HEAD', target, headers })).status, 405);
  const other = await rawCall(org.app, { method: 'PATCH', target: `/app/${org.code}/list/note`, headers });
  assert.equal(other.headers.get('allow'), 'GET, HEAD, OPTIONS');
});

test('OPTIONS answers 204 with what a route takes, without a token, and 404 where there is no route', async () => {
  const ofApp = `/app/${org.code}`;
  for (const [gateway, target, allow] of [
    [org.app, `${ofApp}/list/note`, 'GET, HEAD, OPTIONS'],
    [org.app, `${ofApp}/update/note/${note.id}`, 'PUT, OPTIONS'],
    [org.app, `${ofApp}/user/workspace`, 'POST, PUT, DELETE, OPTIONS'],
    [org.app, '/app/absent/list/absent', 'GET, HEAD, OPTIONS'],
    [org.management, '/org/users', 'GET, HEAD, POST, OPTIONS'],
    [org.management, '/openapi.json', 'GET, HEAD, OPTIONS'],
  ] as const)
    for (const headers of [[], ['Origin: https://stranger.example'], [bearer('junk'), 'Content-Length: 0']]) {
      const reply = await rawCall(gateway, { method: 'OPTIONS', target, headers });
      assert.deepEqual([reply.status, reply.text, reply.headers.get('allow')], [204, '', allow], target);
      assert.equal(reply.headers.get('access-control-allow-origin'), null, target);
    }
  for (const [gateway, target] of [
    [org.app, `${ofApp}/nothing`],
    [org.app, '/'],
    [org.management, '/nothing'],
    [org.management, '/assets/nothing.js'],
  ] as const)
    assertProblem(await call('OPTIONS', gateway + target), 'not_found');
});

test('HEAD of an export is answered at once and ends it: a thousand leave the platform as it was', async () => {
  const url = appUrl(org, '/export/note');
  for (let round = 0; round < 20; round++) {
    const replies = await Promise.all(Array.from({ length: 50 }, () => call('HEAD', url, { token: founder.token })));
    assert.ok(replies.every(({ status, text }) => status === 200 && text === ''));
  }
  assert.equal((await call('GET', url, { token: founder.token })).text.trim().split('\n').length, 1);
});

test('HEAD is decided by policies as the GET that it asks about', async () => {
  const [method, target] = ['HEAD', `/app/${org.code}/item/note/${note.id}`];
  assert.equal((await rawCall(org.app, { method, target })).status, 401);
  const found = await rawCall(org.app, { method, target, headers: [bearer(founder.token)] });
  assert.equal(found.headers.get('etag'), (await act(founder, 'GET', `/item/note/${note.id}`)).headers.get('etag'));
});

test('a target in absolute form is the one that it names, and must name the host of `Host`', async () => {
  const { host, port } = new URL(org.app);
  const headers = [bearer(founder.token)];
  const path = `/app/${org.code}/list/note`;
  for (const [target, named] of [
    [`http://${host}${path}`, host],
    [`HTTP://${host}${path}?pagesize=1`, host],
    [`http://APP.example:${port}${path}`, `app.example:${port}`],
    [`http://app.example${path}`, 'app.example:80'],
    [`https://app.example:443${path}`, 'app.example'],
    [`http://[::1]:${port}${path}`, `[::1]:${port}`],
  ] as const)
    assert.equal((await rawCall(org.app, { method: 'GET', target, headers, host: named })).status, 200, target);
  for (const [target, named] of [
    [`http://elsewhere.example${path}`, host],
    [`http://${host}${path}`, 'elsewhere.example'],
    [`http://127.0.0.1:1${path}`, host],
    [`http://user@${host}${path}`, host],
    [`http://${path}`, host],
    [`http://${host}/x/..${path}`, host],
    [`http://${host}/${path}`, host],
    [`ftp://${host}${path}`, host],
    [`http:${path}`, host],
    [`//${host}${path}`, host],
    [`${host}${path}`, host],
  ] as const)
    assertProblem(await rawCall(org.app, { method: 'GET', target, headers, host: named }), 'invalid_request');
  assert.equal((await rawCall(org.app, { method: 'GET', target: `http://${host}`, headers })).status, 404);
  const denied = await rawCall(org.app, { method: 'GET', target: `http://${host}${path}` });
  assertProblem(denied, 'token_missing');
});

test('a `Host` that is missing, doubled or names no host is refused by both gateways, with a problem', async () => {
  const bad = ['', ' ', '[', '[]', '[::1', '::1', ':', ':80', 'a b', 'a,b', 'x:99999', 'x:8a', 'u@x', '%', 'x/y', 'é'];
  for (const gateway of [org.app, org.management]) {
    for (const host of [null, ...bad])
      assertProblem(await rawCall(gateway, { method: 'GET', target: '/healthz', host }), 'invalid_request');
    for (const other of ['Host: x', 'host: 127.0.0.1'])
      assertProblem(await rawCall(gateway, { method: 'GET', target: '/healthz', headers: [other] }), 'invalid_request');
    for (const host of ['localhost', 'freehold', 'my_service:4000', '[::1]', '127.0.0.1:', 'x.example:65535'])
      assert.equal((await rawCall(gateway, { method: 'GET', target: '/healthz', host })).status, 200, host);
  }
});

test('what is no HTTP is refused with a problem that says when it was', async () => {
  for (const request of [
    { method: 'GET', target: '/a b' },
    { method: 'GET', target: '/healthz', headers: ['no header'] },
    { method: 'GET', target: '/healthz', headers: [`x: ${'y'.repeat(20_000)}`] },
    { method: 'GE T', target: '/' },
  ]) {
    const reply = await rawCall(org.app, request);
    assert.ok([400, 431].includes(reply.status), reply.text);
    const date = reply.headers.get('date') ?? '';
    assert.equal(new Date(date).toUTCString(), date);
    assertNow(date);
    assert.equal(reply.headers.get('cache-control'), 'no-store');
  }
});

test('what is chosen by `Accept` says so, and a type that there is none of gets the one by default', async () => {
  const exported = (accept: string) => act(founder, 'GET', '/export/note', { headers: { accept } });
  for (const [accept, type] of [
    ['text/csv', /^text\/csv/],
    ['application/x-ndjson', /^application\/x-ndjson/],
    ['image/png', /^application\/x-ndjson/],
  ] as const) {
    const reply = await exported(accept);
    assert.equal(reply.status, 200);
    assert.match(reply.headers.get('content-type') ?? '', type);
    assert.deepEqual((reply.headers.get('vary') ?? '').split(', ').sort(), ['Accept', 'Origin']);
  }
  const mails = await call('GET', `${org.management}/inbox`, { headers: { accept: 'text/html' } });
  assert.match(mails.headers.get('vary') ?? '', /\bAccept\b/);
  assert.equal((await act(founder, 'GET', `/item/note/${note.id}`)).headers.get('vary'), 'Origin');
});

test('a challenge speaks of a token where one was wrong, and not of a wrong password', async () => {
  const challenge = ({ headers }: { readonly headers: Headers }) => headers.get('www-authenticate');
  const builder = { email: org.builder.email, password: 'a wrong password' };
  assert.equal(challenge(await call('POST', `${org.management}/auth/login`, { body: builder })), 'Bearer');
  assert.equal(challenge(await logIn(org, founder.email, 'a wrong password')), 'Bearer');
  const body = { email: newEmail('x'), password };
  const unknown = await call('POST', appUrl(org, '/login'), { headers: { client_id: 'test_x' }, body });
  assert.equal(challenge(assertCode(unknown, 'client_unknown')), 'Bearer');
  assert.equal(challenge(await call('GET', appUrl(org, '/list/note'))), 'Bearer');
  const invalid = 'Bearer error="invalid_token"';
  assert.equal(challenge(await call('GET', appUrl(org, '/list/note'), { token: 'junk' })), invalid);
  assert.equal(challenge(await exchangeToken(org, 'junk')), invalid);
});

test('`If-Match` and `If-None-Match` hold for every change of a record, and for reading it', async () => {
  const made = await create(founder, 'note', { title: 'tagged' });
  const path = { get: `/item/note/${made.id}`, put: `/update/note/${made.id}`, remove: `/delete/note/${made.id}` };
  const read = await act(founder, 'GET', path.get);
  const tag = read.headers.get('etag') ?? '';
  const refused: readonly Readonly<Record<string, string>>[] = [
    { 'if-match': '"0"' },
    { 'if-match': `W/${tag}` },
    { 'if-none-match': '*' },
    { 'if-none-match': tag },
    { 'if-none-match': `"0", W/${tag}` },
    { 'if-match': tag, 'if-none-match': tag },
  ];
  for (const headers of refused) {
    assertProblem(await act(founder, 'PUT', path.put, { body: { title: 'x' }, headers }), 'version_mismatch');
    assertProblem(await act(founder, 'DELETE', path.remove, { headers }), 'version_mismatch');
  }
  for (const headers of [{ 'if-match': '5' }, { 'if-none-match': 'x' }]) {
    assertProblem(await act(founder, 'PUT', path.put, { body: { title: 'x' }, headers }), 'invalid_request');
    assertProblem(await act(founder, 'DELETE', path.remove, { headers }), 'invalid_request');
  }
  for (const method of ['GET', 'HEAD']) {
    assert.equal((await act(founder, method, path.get, { headers: { 'if-match': '"0"' } })).status, 412);
    assert.equal((await act(founder, method, path.get, { headers: { 'if-match': tag } })).status, 200);
    const current = await act(founder, method, path.get, { headers: { 'if-match': tag, 'if-none-match': `W/${tag}` } });
    assert.deepEqual([current.status, current.text], [304, '']);
  }
  assert.equal((await act(founder, 'GET', path.get)).text, read.text);
  const headers = { 'if-match': `"0", ${tag}`, 'if-none-match': '"0"' };
  const changed = await act(founder, 'PUT', path.put, { body: { title: 'y' }, headers });
  assert.equal(changed.status, 200, changed.text);
  assert.equal((await act(founder, 'DELETE', path.remove, { headers: { 'if-none-match': tag } })).status, 204);
});

test('`If-Match` and `If-None-Match` hold for configuration, and for reading it', async () => {
  const path = '/config/entity/note';
  const request = (method: string, headers: Readonly<Record<string, string>>, body?: unknown, at = path) =>
    call<Readonly<Record<string, unknown>>>(method, org.management + at, {
      token: org.builder.token,
      headers,
      ...(body === undefined ? {} : { body }),
    });
  const read = await request('GET', {});
  const tag = read.headers.get('etag') ?? '';
  assert.equal((await request('GET', { 'if-none-match': tag })).status, 304);
  assertProblem(await request('GET', { 'if-match': '"0"' }), 'version_mismatch');
  const { content, version } = read.body;
  for (const headers of [{ 'if-match': '"0"' }, { 'if-none-match': tag }, { 'if-none-match': '*' }]) {
    assertProblem(await request('PUT', headers, content), 'version_mismatch');
    assertProblem(await request('DELETE', headers), 'version_mismatch');
    assertProblem(await request('POST', headers, { version }, `${path}/restore`), 'version_mismatch');
    assertProblem(await request('PUT', headers, { UpdateParams: [] }, '/api/create-note'), 'version_mismatch');
  }
  const again = await request('PUT', { 'if-match': tag, 'if-none-match': '"0"' }, content);
  assert.equal(again.status, 200, again.text);
});

test('a change of what has no entity tag is not made where `If-Match` names one', async () => {
  const headers = { 'if-match': '"1"' };
  const body = { title: 'never' };
  const before = (await act(founder, 'GET', '/list/note')).text;
  assertProblem(await act(founder, 'POST', '/create/note', { body, headers }), 'version_mismatch');
  const setting = { group: 'acl', name: 'cache_seconds', value: 1 };
  const manager = { token: org.builder.token, headers };
  assertProblem(await call('PUT', `${org.management}/org/settings`, { ...manager, body: setting }), 'version_mismatch');
  const entity = '/api/entity?entityname=note';
  assertProblem(await call('DELETE', org.management + entity, manager), 'version_mismatch');
  assert.equal((await act(founder, 'GET', '/list/note')).text, before);
  const fresh = { 'if-none-match': '*' };
  assert.equal((await act(founder, 'POST', '/create/note', { body, headers: fresh })).status, 201);
});

function assertCode<R extends Parameters<typeof assertProblem>[0]>(
  reply: R,
  code: Parameters<typeof assertProblem>[1],
): R {
  assertProblem(reply, code);
  return reply;
}
