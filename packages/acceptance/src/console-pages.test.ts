/** The headers that a builder's browser gets: pages that no site can frame, a cookie that no other site can use. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { assertProblem, assertRefusal } from './assert-problem.ts';
import { type CallOptions, call, type Reply } from './call.ts';
import { documentedApp, documentedManagement } from './documented-gateway.ts';
import { foundedOrg, newEmail, password, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { rawCall } from './raw-call.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
const { token } = org.builder;
const stranger = 'https://stranger.example';

/** The browser's session of the builder. */
async function cookieSession(): Promise<string> {
  const body = { email: org.builder.email, password };
  const login = await call('POST', `${org.management}/auth/login`, { body, headers: { 'x-session': 'cookie' } });
  assert.equal(login.status, 200, login.text);
  const [cookie = ''] = (login.headers.get('set-cookie') ?? '').split(';');
  return cookie;
}

function managed(method: string, path: string, options: CallOptions = {}): Promise<Reply> {
  return call(method, org.management + path, options);
}

function assertNoCors({ headers }: Reply<unknown>): void {
  const names = [...headers.keys()].filter((name) => name.startsWith('access-control-'));
  assert.deepEqual(names, []);
}

test('G09: the management gateway gives no page of another origin a CORS header, whatever it answers', async () => {
  const answers: readonly (readonly [number, string, string, CallOptions])[] = [
    [200, 'GET', '/org', { token }],
    [200, 'GET', '/healthz', {}],
    [200, 'GET', '/openapi.json', {}],
    [200, 'GET', '/problems/not_found', {}],
    [200, 'POST', '/auth/login', { body: { email: org.builder.email, password } }],
    [400, 'POST', '/auth/login', { body: {} }],
    [401, 'GET', '/org', {}],
    [401, 'GET', '/org', { token: 'junk' }],
    [401, 'POST', '/auth/login', { body: { email: newEmail('absent'), password } }],
    [404, 'GET', '/nothing', { token }],
    [405, 'PATCH', '/org', { token }],
    [405, 'OPTIONS', '/org', {}],
    [405, 'OPTIONS', '/auth/login', {}],
    [413, 'POST', '/auth/login', { body: ' '.repeat(1024 * 1024 + 1) }],
    [415, 'POST', '/auth/login', { body: 'x', headers: { 'content-type': 'text/plain' } }],
  ];
  for (const origin of [stranger, 'null', 'http://localhost:3000', org.app, org.management])
    for (const [status, method, path, options] of answers) {
      const requestedMethod = {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-session',
      };
      const reply = await managed(method, path, { ...options, headers: { ...options.headers, ...requestedMethod } });
      assert.equal(reply.status, status, `${method} ${path}: ${reply.text}`);
      assertNoCors(reply);
    }
});

test('G09: no page of either gateway can be framed, run a script or be taken for another type', async () => {
  for (const gateway of [org.app, org.management]) {
    const page = await call('GET', `${gateway}/problems/not_found`);
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /script-src|unsafe-eval/);
    assert.equal(page.headers.get('x-content-type-options'), 'nosniff');
    for (const name of ['script', '__proto__', 'constructor', '%3Cscript%3E'])
      assertRefusal(await call('GET', `${gateway}/problems/${name}`), [400, 404]);
  }
});

test('G09: every page that either gateway serves for its routes says that it cannot be framed', async () => {
  const reported = [
    [org.app, (await documentedApp(founder)).document, founder.token],
    [org.management, (await documentedManagement(org)).document, token],
  ] as const;
  let pages = 0;
  for (const [gateway, document, bearer] of reported)
    for (const { path } of document.operations.filter(({ method }) => method === 'GET')) {
      const url = gateway + path.replace('{code}', 'not_found').replaceAll(/\{\w+\}/g, 'nothing');
      const reply = await call('GET', url, { token: bearer, headers: { accept: 'text/html' } });
      if (!(reply.headers.get('content-type') ?? '').startsWith('text/html')) continue;
      pages++;
      assert.match(reply.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/, path);
    }
  assert.ok(pages >= 2);
});

test('G09: a form of another site, which sends the cookie and no script’s headers, changes nothing', async () => {
  const cookie = await cookieSession();
  const invitation = { email: newEmail('x'), role: 'org_admin' };
  const forms: readonly CallOptions[] = [
    { body: JSON.stringify(invitation), headers: { 'content-type': 'text/plain' } },
    { body: `{"email":"${invitation.email}","role":"org_admin","x":"="}`, headers: { 'content-type': 'text/plain' } },
    { body: 'email=a&role=org_admin', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    { body: '--b\r\n\r\n--b--', headers: { 'content-type': 'multipart/form-data; boundary=b' } },
    { body: invitation },
  ];
  for (const { body, headers } of forms)
    for (const origin of [
      stranger,
      'null',
      `${org.management}.evil.example`,
      org.management.replace('http:', 'https:'),
    ])
      assertProblem(
        await managed('POST', '/org/users', { body, headers: { ...headers, cookie, origin } }),
        'origin_refused',
      );
  for (const [method, path] of [
    ['POST', '/auth/logout'],
    ['PUT', '/org/settings'],
    ['DELETE', '/api/entity?entityname=order'],
    ['POST', '/org/environments/test/rotate-client-id'],
  ] as const)
    for (const headers of [{ cookie }, { cookie, origin: stranger }, { cookie, referer: `${org.management}/` }])
      assertProblem(await managed(method, path, { headers }), 'origin_refused');
  const users = await managed('GET', '/org/users', { headers: { cookie } });
  assert.doesNotMatch(users.text, new RegExp(invitation.email));
});

test('G09: a method is what the request line says: no header and no parameter turns a read into a write', async () => {
  const cookie = await cookieSession();
  const headers = { cookie, 'x-http-method-override': 'POST', 'x-http-method': 'POST', 'x-method-override': 'POST' };
  for (const path of ['/auth/logout', '/auth/logout?_method=POST'])
    assertProblem(await managed('GET', path, { headers }), 'method_not_allowed');
  assert.equal((await managed('HEAD', '/auth/logout', { headers })).status, 405);
  assert.equal((await managed('GET', '/auth/me', { headers: { cookie } })).status, 200);
});

test('G09: the cookie is of this host alone, read by no script, sent from no other site, and opens no app', async () => {
  const body = { email: org.builder.email, password };
  const login = await managed('POST', '/auth/login', { body, headers: { 'x-session': 'cookie' } });
  const [pair = '', ...attributes] = (login.headers.get('set-cookie') ?? '').split('; ');
  for (const needed of ['HttpOnly', 'SameSite=Strict', 'Path=/']) assert.ok(attributes.includes(needed), needed);
  assert.ok(!attributes.some((attribute) => /^domain=/i.test(attribute)));
  const app = await call('GET', `${org.app}/app/${org.code}/user/me`, { headers: { cookie: pair } });
  assertProblem(app, 'token_missing');
});

test('G09: what is open in development answers under no name that another domain may have pointed at this machine', async () => {
  const { port } = new URL(org.management);
  for (const target of ['/inbox', '/inbox?to=a@b.example', '/metrics']) {
    for (const host of [`evil.example:${port}`, 'evil.example', '127.0.0.1.evil.example', 'localhost.evil.example'])
      assertProblem(await rawCall(org.management, { method: 'GET', target, host }), 'origin_refused');
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`])
      assert.equal((await rawCall(org.management, { method: 'GET', target, host })).status, 200);
  }
});

test('a call with a cookie under a `Host` that is no address is refused, and is no fault of ours', async () => {
  for (const host of ['[', 'a b', ':', '%', 'x:99999', '@', '']) {
    const reply = await rawPost('/auth/logout', [`Host: ${host}`, 'Cookie: freehold=x', 'Origin: http://x']);
    assert.match(reply, /^HTTP\/1\.1 4\d\d /, `${JSON.stringify(host)}: ${reply}`);
  }
});

test('G10: nothing sends a browser elsewhere: no answer is a redirect, whatever address a request names', async () => {
  const elsewhere = 'https://evil.example/';
  const names = ['returnTo', 'return_to', 'redirect', 'redirect_uri', 'next', 'url', 'continue', 'callback'];
  const query = new URLSearchParams(names.map((name) => [name, elsewhere])).toString();
  const paths = ['/', '//evil.example', '//evil.example/%2e%2e', '/\\evil.example', '/auth/login', '/healthz', '/org'];
  const ofApp = ['/token', '/login', '/list/order', '/user/me', ''].map((path) => `/app/${org.code}${path}`);
  const headers = { 'x-forwarded-host': 'evil.example', referer: elsewhere };
  for (const [gateway, all] of [
    [org.management, paths],
    [org.app, [...paths, ...ofApp]],
  ] as const)
    for (const path of all)
      for (const method of ['GET', 'POST']) {
        const body = method === 'POST' ? Object.fromEntries(names.map((name) => [name, elsewhere])) : undefined;
        const reply = await call(method, `${gateway}${path}?${query}`, { headers, ...(body ? { body } : {}) });
        assert.ok(reply.status < 300 || reply.status >= 400, `${method} ${path} answered ${reply.status}`);
        assert.equal(reply.headers.get('location'), null);
        assert.equal(reply.headers.get('refresh'), null);
      }
});

test('G10: the address of an invitation is not taken from headers that a caller adds', async () => {
  const other = await signUp(gateways);
  const headers = {
    'x-forwarded-host': 'evil.example',
    forwarded: 'host=evil.example',
    origin: 'https://evil.example',
  };
  const body = { email: newEmail('ina'), role: 'developer' };
  const invited = await call('POST', `${other.management}/org/users`, { token: other.builder.token, body, headers });
  assert.equal(invited.status, 201, invited.text);
  assert.doesNotMatch(invited.text, /evil\.example/);
});

/** The head of what is answered to a request with these lines alone. */
function rawPost(target: string, lines: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(org.management);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      socket.write(
        [`POST ${target} HTTP/1.1`, ...lines, 'Content-Length: 0', 'Connection: close', '', ''].join('\r\n'),
      );
    });
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', reject).on('close', () => resolve(text));
  });
}
