/** Which pages may read what the app gateway answers to a browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { type CallOptions, call, type Reply } from './call.ts';
import { assertNow } from './moments.ts';
import { appUrl, create, defineEntity, definition, foundedOrg, list, manage, memberWith, type Org } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { rawCall } from './raw-call.ts';
import { putSetting } from './workspaces.ts';

const gateways = await platformForTests();
const acme = await foundedOrg(gateways);
const beta = await foundedOrg(gateways);
const { org, founder } = acme;
await defineEntity(org, definition('order', [{ name: 'title', validate: true }]));
const order = await create(founder, 'order', { title: 'standing' });
const unprivileged = await memberWith(founder, []);

const page = 'https://app.example.com';
const stranger = 'https://stranger.example';
await putSetting(org, 'auth', 'allowed_domains', [page, 'localhost']);

interface BrowserCall extends CallOptions {
  readonly of?: Org;
}

/** A call as a browser makes it for a page of the origin. */
function from(origin: string, method: string, path: string, { of = org, ...options }: BrowserCall = {}) {
  return call(method, appUrl(of, path), { ...options, headers: { ...options.headers, origin } });
}

function preflight(origin: string, path: string, of = org) {
  const requestedMethod = { 'access-control-request-method': 'PUT', 'access-control-request-headers': 'authorization' };
  return from(origin, 'OPTIONS', path, { of, headers: requestedMethod });
}

/** Every header of a reply that a browser goes by. */
function corsHeaders({ headers }: Reply<unknown>): Readonly<Record<string, string>> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));
}

function assertLetIn(reply: Reply<unknown>, origin: string): void {
  assert.equal(reply.headers.get('access-control-allow-origin'), origin, reply.text);
  assert.equal(reply.headers.get('access-control-allow-credentials'), null);
  assertVaries(reply);
}

function assertVaries({ headers }: Reply<unknown>): void {
  assert.ok((headers.get('vary') ?? '').split(', ').includes('Origin'), `Vary: ${headers.get('vary')}`);
}

function assertKeptOut(reply: Reply<unknown>): void {
  assert.deepEqual(corsHeaders(reply), {}, reply.text);
  assertVaries(reply);
}

const token = founder.token;
const { clientId } = org;

/** Answers of all sorts, with the status that each has. */
const answers: readonly (readonly [number, string, string, CallOptions])[] = [
  [200, 'GET', '/list/order', { token }],
  [200, 'GET', '/export/order', { token }],
  [200, 'GET', '/user/me', { token }],
  [200, 'GET', '/openapi.json', { token }],
  [200, 'GET', '/token', { headers: { client_id: clientId, oauthtoken: token } }],
  [201, 'POST', '/create/order', { token, body: { title: 'made' } }],
  [304, 'GET', `/item/order/${order.id}`, { token, headers: { 'if-none-match': '*' } }],
  [400, 'POST', '/create/order', { token, body: {} }],
  [400, 'GET', '/list/order?pagesize=0', { token }],
  [400, 'GET', '/list//order', { token }],
  [401, 'GET', '/list/order', {}],
  [401, 'GET', '/list/order', { token: 'junk' }],
  [401, 'GET', '/token', { headers: { client_id: 'test_unknown', oauthtoken: 'x' } }],
  [401, 'GET', '/token', {}],
  [401, 'POST', '/login', { headers: { client_id: 'unknown' }, body: { email: 'a@b.example', password: 'x' } }],
  [403, 'GET', '/list/order', { token: unprivileged.token }],
  [404, 'GET', '/item/order/nothing', { token }],
  [404, 'GET', '/nothing', {}],
  [405, 'PATCH', '/list/order', { token }],
  [204, 'OPTIONS', '/list/order', {}],
  [412, 'PUT', `/update/order/${order.id}`, { token, body: { title: 'x' }, headers: { 'if-match': '"0"' } }],
  [413, 'POST', '/create/order', { token, body: ' '.repeat(1024 * 1024 + 1) }],
  [415, 'POST', '/create/order', { token, body: 'x', headers: { 'content-type': 'text/plain' } }],
];

for (const [status, method, path, options] of answers) {
  const name = `${status} to ${method} ${path.replace(order.id, '{id}')}`;

  test(`${name}: a page of a listed origin may read it, refusal or not`, async () => {
    const reply = await from(page, method, path, options);
    assert.equal(reply.status, status, reply.text);
    assertLetIn(reply, page);
  });

  test(`G06: ${name}: a page of an origin that is not listed gets no CORS header`, async () => {
    const reply = await from(stranger, method, path, options);
    assert.equal(reply.status, status, reply.text);
    assertKeptOut(reply);
  });

  test(`G06: ${name}: the answer varies by origin also where none is sent`, async () => {
    const reply = await call(method, appUrl(org, path), options);
    assert.equal(reply.status, status);
    assertVaries(reply);
    assert.equal(reply.headers.get('access-control-allow-origin'), null);
  });
}

/** Pages of the machine that the browser runs on. */
const local = [
  ...['http://localhost', 'http://localhost:3000', 'http://localhost:65535'],
  ...['http://127.0.0.1', 'http://127.0.0.1:5173', 'http://[::1]', 'http://[::1]:65535'],
];

test('localhost is let in from any of its ports, also by its addresses, and by the scheme that was said', async () => {
  for (const origin of local) {
    assertLetIn(await from(origin, 'GET', '/user/me', { token }), origin);
    assertLetIn(await preflight(origin, '/user/me'), origin);
  }
  const others = ['https://127.0.0.1:3000', 'http://127.0.0.2', 'http://127.0.0.1.example', 'http://[::2]:3000'];
  for (const origin of ['https://localhost:3000', 'http://localhost.example', ...others])
    assertKeptOut(await from(origin, 'GET', '/user/me', { token }));
});

test('an org that has settled nothing lets in pages of localhost, and no others', async () => {
  const { org: of } = beta;
  for (const origin of local) {
    assertLetIn(await from(origin, 'GET', '/token', { of }), origin);
    assertLetIn(await preflight(origin, '/token', of), origin);
  }
  for (const origin of ['https://localhost', 'http://app.example.com'])
    assertKeptOut(await from(origin, 'GET', '/token', { of }));
});

test('G04: a page of an international name is let in by the one spelling that browsers send', async () => {
  const { org: of, founder: user } = await foundedOrg(gateways);
  await putSetting(of, 'auth', 'allowed_domains', ['https://bücher.example', 'https://Shop.Example:443']);
  const ask = (origin: string) => from(origin, 'GET', '/user/me', { of, token: user.token });
  for (const origin of ['https://xn--bcher-kva.example', 'https://shop.example'])
    assertLetIn(await ask(origin), origin);
  const kept = [
    'https://xn--bcher-kva.example.evil.io',
    'https://XN--BCHER-KVA.example',
    'https://xn--bcher-kvb.example',
  ];
  for (const origin of [...kept, 'https://bucher.example', 'https://Shop.Example', 'https://shop.example:443'])
    assertKeptOut(await ask(origin));
  const target = `/app/${of.code}/user/me`;
  for (const host of ['b\u00fccher.example', 'bu\u0308cher.example', 'xn--bcher-kva.example\u3002evil.io']) {
    const headers = [`Origin: https://${host}`, `Authorization: Bearer ${user.token}`];
    assertKeptOut(await rawCall(gateways.app, { method: 'GET', target, headers }));
  }
});

test('G04: an app of a web view is let in by its own origin, and mails do not lead to it', async () => {
  const { org: of, founder: user } = await foundedOrg(gateways);
  const ofApps = ['capacitor://localhost', 'ionic://localhost', 'tauri://localhost'];
  const ask = (origin: string) => from(origin, 'GET', '/user/me', { of, token: user.token });
  for (const origin of ofApps) assertKeptOut(await ask(origin));
  await putSetting(of, 'auth', 'allowed_domains', [...ofApps, page]);
  for (const origin of ofApps) {
    assertLetIn(await ask(origin), origin);
    assertLetIn(await preflight(origin, '/user/me', of), origin);
  }
  for (const origin of [
    'capacitor://localhost:3000',
    'capacitor://evil.example',
    'app://localhost',
    'http://localhost',
  ])
    assertKeptOut(await ask(origin));
  const body = { email: 'guest@example.com' };
  const invited = await call<{ readonly url: string }>('POST', appUrl(of, '/user/invitations'), {
    token: user.token,
    body,
  });
  assert.equal(invited.status, 201, invited.text);
  assert.ok(invited.body.url.startsWith(`${page}/#invitation=`), invited.body.url);
});

test('G04: what is no origin cannot be listed: `null`, wildcards, user names, paths, other schemes', async () => {
  const { org: of } = await foundedOrg(gateways);
  const bad: readonly unknown[] = [
    ...['null', '*', 'https://*', 'https://*.example.com', 'https://user@example.com', 'https://user:pw@example.com'],
    ...['https://example.com/', 'https://example.com/path', 'https://example.com?q', 'https://example.com#f', ''],
    ...[
      'https://example.com\\.evil.com',
      'https://example.com.',
      'file:///etc',
      'javascript:alert(1)',
      'ftp://a.example',
    ],
    ...[
      'https://a.example, https://b.example',
      'https://a.example https://b.example',
      ' https://a.example',
      7,
      null,
      {},
    ],
    ...[
      'https://exa%6dple.com',
      'https://example.com:99999',
      'https://',
      'https://example .com',
      ['https://a.example'],
    ],
  ];
  for (const entry of bad) {
    const body = { group: 'auth', name: 'allowed_domains', value: [entry] };
    const reply = await manage(of, 'PUT', '/org/settings', { body });
    assert.equal(reply.status, 400, `${JSON.stringify(entry)}: ${reply.text}`);
  }
  for (const origin of ['null', '*', 'https://example.com', 'https://evil.com'])
    assertKeptOut(await from(origin, 'GET', '/token', { of }));
});

const lookalikes: readonly (readonly [string, string])[] = [
  ['G01', 'https://evil-app.example.com'],
  ['G01', 'https://app.example.com.evil.io'],
  ['G01', 'https://appXexample.com'],
  ['G01', 'https://example.com'],
  ['G01', 'https://sub.app.example.com'],
  ['G03', 'http://app.example.com'],
  ['G03', 'https://app.example.com:8443'],
  ['G03', 'https://app.example.com:443'],
  ['G04', 'https://app.example.com@evil.com'],
  ['G04', 'https://app.example.com\\.evil.com'],
  ['G04', 'https://app.example.com#.evil.com'],
  ['G04', 'https://app.example.com.'],
  ['G04', 'https://app.example.com/'],
  ['G04', 'https://APP.example.com'],
  ['G04', 'HTTPS://app.example.com'],
  ['G04', 'https://xn--pp-cja.example.com'],
  ['G04', 'app.example.com'],
  ['G04', 'https://app.example.com, https://app.example.com'],
  ['G04', 'https://app.example.com https://evil.com'],
  ['G06', 'null'],
  ['G06', '*'],
  ['G06', `https://${'a'.repeat(2000)}.example`],
];

for (const [row, origin] of lookalikes)
  test(`${row}: the origin ${origin.slice(0, 60)} is not ${page}`, async () => {
    assertKeptOut(await from(origin, 'GET', '/user/me', { token }));
    assertKeptOut(await preflight(origin, '/user/me'));
  });

test('G04: two `Origin` headers are no origin that is listed', async () => {
  const target = `/app/${org.code}/user/me`;
  const headers = [`Origin: ${page}`, `Origin: ${page}`, `Authorization: Bearer ${token}`];
  assertKeptOut(await rawCall(gateways.app, { method: 'GET', target, headers }));
});

test('a preflight is answered before anyone has signed in, for whatever a call may send', async () => {
  const reply = await preflight(page, `/update/order/${order.id}`);
  assert.deepEqual([reply.status, reply.text], [204, '']);
  assertLetIn(reply, page);
  const listed = (name: string) => (reply.headers.get(name) ?? '').toLowerCase().split(/, */).sort();
  assert.deepEqual(listed('access-control-allow-methods'), ['delete', 'get', 'post', 'put']);
  const sent = [
    'authorization',
    'client-id',
    'client_id',
    'content-type',
    'idempotency-key',
    'if-match',
    'if-none-match',
  ];
  assert.deepEqual(listed('access-control-allow-headers'), [
    ...sent,
    ...['oauthtoken', 'prefer', 'traceparent', 'tracestate', 'x-service-token'],
  ]);
  assert.match(reply.headers.get('access-control-max-age') ?? '', /^\d+$/);
});

test('G06: the preflight of an origin that is not listed gets no CORS headers', async () => {
  const reply = await preflight(stranger, '/list/order');
  assert.equal(reply.status, 204);
  assertKeptOut(reply);
});

test('there is nothing for pages outside of the apps, nor for those of an app that does not exist', async () => {
  for (const path of [
    '/healthz',
    '/.well-known/jwks.json',
    '/.well-known/openid-configuration',
    '/app/absent/token',
    '/app',
    '/app/',
    '/',
  ]) {
    const headers = { origin: 'http://localhost:3000', 'access-control-request-method': 'GET' };
    assertKeptOut(await call('OPTIONS', gateways.app + path, { headers }));
    assertKeptOut(await call('GET', gateways.app + path, { headers }));
  }
});

test('a page may read the headers that a client goes by', async () => {
  const { headers } = await from(page, 'GET', `/item/order/${order.id}`, { token });
  const exposed = (headers.get('access-control-expose-headers') ?? '').split(/, */);
  for (const name of ['ETag', 'Location', 'Retry-After', 'X-Request-Id', 'Idempotency-Replayed'])
    assert.ok(exposed.includes(name), name);
});

test('A41 G06: a page may read the token of an exchange, and no cache may store it', async () => {
  const exchange = { headers: { client_id: clientId, oauthtoken: token } };
  for (const reply of [
    await from(page, 'GET', '/token', exchange),
    await call('GET', appUrl(org, '/token'), exchange),
  ]) {
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.headers.get('access-control-expose-headers'), 'x-service-token');
    assert.equal(reply.headers.get('cache-control'), 'no-store');
    assertVaries(reply);
  }
  assertKeptOut(await from(stranger, 'GET', '/token', exchange));
});

test('G07: an origin that one org lets in is let in by no other', async () => {
  assertKeptOut(await from(page, 'GET', '/user/me', { of: beta.org, token: beta.founder.token }));
  assertKeptOut(await preflight(page, '/user/me', beta.org));
  // The token is of the other org, but the path says whose answer it is.
  assertKeptOut(await from(page, 'GET', '/user/me', { of: beta.org, token }));
  assertLetIn(await from(page, 'GET', '/user/me', { token: beta.founder.token }), page);
});

test('what is listed for the test environment lets no page into production', async () => {
  const headers = { client_id: 'prod_unknown', oauthtoken: 'x' };
  for (const origin of [page, 'http://localhost:3000']) assertKeptOut(await from(origin, 'GET', '/token', { headers }));
});

test('an origin is let in, and kept out again, as soon as that is settled', async () => {
  const { org: of } = await foundedOrg(gateways);
  for (const listed of [false, true, false]) {
    await putSetting(of, 'auth', 'allowed_domains', listed ? [page] : []);
    const reply = await from(page, 'GET', '/token', { of });
    assert.deepEqual(corsHeaders(reply)['access-control-allow-origin'], listed ? page : undefined);
  }
});

test('a call of an origin that is not listed is done like that of any client: only its page cannot read the answer', async () => {
  const { status } = await from(stranger, 'POST', '/create/order', { token, body: { title: 'from afar' } });
  assert.equal(status, 201);
  assert.equal((await list(founder, 'order', '?title=from afar')).items.length, 1);
});

interface Refused {
  readonly items: readonly { readonly origin: string; readonly count: number; readonly last_at: string }[];
}

test('the builder sees which origins were refused and how often, of the own org, the last one first', async () => {
  const { org: of } = await foundedOrg(gateways);
  const refused = async () => (await manage<Refused>(of, 'GET', '/org/refused-origins')).body.items;
  assert.deepEqual(await refused(), []);
  await preflight('https://one.example', '/list/order', of);
  await from('https://two.example', 'GET', '/token', { of });
  await from('https://one.example', 'GET', '/token', { of });
  await from('http://localhost:3000', 'GET', '/token', { of });
  const items = await refused();
  assert.deepEqual(
    items.map(({ origin, count }) => [origin, count]),
    [
      ['https://one.example', 2],
      ['https://two.example', 1],
    ],
  );
  for (const { last_at } of items) assertNow(last_at);
  const others = await manage<Refused>(beta.org, 'GET', '/org/refused-origins');
  assert.ok(others.body.items.every(({ origin }) => !/one|two/.test(origin)));
});

test('refused origins are shown to builders alone', async () => {
  assertProblem(await call('GET', `${gateways.management}/org/refused-origins`), 'token_missing');
  assertProblem(await manage(org, 'GET', '/org/refused-origins', { token }), 'token_invalid');
});
