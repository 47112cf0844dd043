/** What a builder finds out about a sign-in provider: what it publishes, and whether a token of it would be accepted. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, type TestContext, test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { call, type Reply } from './call.ts';
import { allowIssuers, clientAtProvider, personAt, startIdentityProvider } from './identity-provider.ts';
import { act, exchangeToken, foundedOrg, joinOrg, list, manage, newEmail, type Org, password, signUp } from './org.ts';
import { platformForTests, platformOf } from './platform-for-tests.ts';
import { annsEmail, startRealProvider } from './real-provider.ts';

const gateways = await platformForTests();
const provider = await startIdentityProvider();
const redirectUri = `${gateways.management}/sign-in-test`;
const real = await startRealProvider(redirectUri);
after(() => {
  provider.close();
  real.close();
});

interface Check {
  readonly check: string;
  readonly state: string;
  readonly code?: string;
  readonly reason?: string;
}

interface Verdict {
  readonly accepted: boolean;
  readonly checks: readonly Check[];
  readonly claims: Readonly<Record<string, unknown>> | null;
  readonly identity: Readonly<Record<string, unknown>> | null;
  readonly account: string | null;
}

function discover(org: Org, issuer: unknown): Promise<Reply> {
  return manage(org, 'POST', '/org/providers/discover', { body: { issuer } });
}

function trial(org: Org, body: unknown, query = ''): Promise<Reply<Verdict>> {
  return manage<Verdict>(org, 'POST', `/org/providers/test${query}`, { body });
}

async function verdictOn(org: Org, body: unknown, query = ''): Promise<Verdict> {
  const reply = await trial(org, body, query);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

function failedOf({ checks }: Verdict): Check | undefined {
  return checks.find(({ state }) => state === 'failed');
}

/** A server on this machine that answers as configured, and counts the requests. */
async function startServer(t: TestContext, respond: (origin: string) => RequestListener) {
  const requests: string[] = [];
  const server = createServer((request, reply) => {
    requests.push(request.url ?? '');
    respond(origin)(request, reply);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin, requests };
}

type Documents = (origin: string) => Readonly<Record<string, unknown>>;

/** Answers each path with its document, and every other path with 404. */
function documents(of: Documents) {
  return (origin: string): RequestListener =>
    (request, reply) => {
      const found = of(origin)[request.url ?? ''];
      if (found === undefined) reply.writeHead(404).end();
      else reply.setHeader('content-type', 'application/json').end(JSON.stringify(found));
    };
}

const discoveryPath = '/.well-known/openid-configuration';
const rsaKey = { ...generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' }), kid: '1' };

test('what a real provider publishes is read and shown', async () => {
  const org = await signUp(gateways);
  const { status, body, text } = await discover(org, real.issuer);
  assert.equal(status, 200, text);
  const { scopes, claims, ...rest } = body;
  assert.deepEqual(rest, {
    issuer: real.issuer,
    jwks_uri: `${real.issuer}/jwks`,
    authorization_endpoint: `${real.issuer}/auth`,
    token_endpoint: `${real.issuer}/token`,
    algorithms: ['RS256'],
    keys: 1,
    pkce: true,
    public_clients: true,
  });
  for (const scope of ['openid', 'email', 'profile']) assert.ok((scopes as string[]).includes(scope));
  assert.ok((claims as string[]).includes('email_verified'));
});

/** The reply of a provider, and the error that says so. */
const failures: readonly (readonly [what: string, code: string, Documents | string, RegExp])[] = [
  ['no document', 'no_discovery_document', () => ({}), /status 404/],
  ['a page', 'no_discovery_document', '<html>', /no JSON/],
  [
    'another issuer',
    'issuer_mismatch',
    () => ({ [discoveryPath]: { issuer: 'https://evil.example' } }),
    /evil\.example/,
  ],
  ['no issuer', 'issuer_mismatch', () => ({ [discoveryPath]: {} }), /names no issuer/],
  ['no address of keys', 'no_key_set', (origin) => ({ [discoveryPath]: { issuer: origin } }), /names no key set/],
  [
    'an address of keys that has none',
    'no_key_set',
    (origin) => ({ [discoveryPath]: { issuer: origin, jwks_uri: `${origin}/keys` } }),
    /status 404/,
  ],
  [
    'keys in a private network',
    'address_refused',
    (origin) => ({ [discoveryPath]: { issuer: origin, jwks_uri: 'http://169.254.169.254/keys' } }),
    /not public/,
  ],
  [
    'no algorithm that is taken',
    'no_supported_algorithm',
    (origin) => ({
      [discoveryPath]: {
        issuer: origin,
        jwks_uri: `${origin}/keys`,
        id_token_signing_alg_values_supported: ['HS256', 'none'],
      },
    }),
    /`HS256`, `none` only/,
  ],
  [
    'no key that is taken',
    'no_supported_algorithm',
    (origin) => ({
      [discoveryPath]: { issuer: origin, jwks_uri: `${origin}/keys` },
      '/keys': { keys: [{ kty: 'oct', k: 'AAAA' }] },
    }),
    /has no key/,
  ],
];

for (const [what, code, answer, message] of failures)
  test(`a provider with ${what} is refused at /issuer with ${code}`, async (t) => {
    const org = await signUp(gateways);
    const isText = typeof answer === 'string';
    const { origin } = await startServer(t, isText ? () => (_, reply) => void reply.end(answer) : documents(answer));
    const problem = assertProblem(await discover(org, origin), 'validation_failed');
    assert.deepEqual(
      problem.errors?.map((error) => [error.pointer, error.code]),
      [['/issuer', code]],
    );
    assert.match(String(problem.errors?.[0]?.message), message);
  });

test('F04: a redirect, an answer that is too long and an answer that never ends lead nowhere', async (t) => {
  const org = await signUp(gateways);
  const inner = await startServer(
    t,
    documents((origin) => ({ [discoveryPath]: { issuer: origin } })),
  );
  const redirecting = await startServer(
    t,
    () => (_, reply) => void reply.writeHead(302, { location: `${inner.origin}${discoveryPath}` }).end(),
  );
  const redirected = assertProblem(await discover(org, redirecting.origin), 'validation_failed');
  assert.equal(redirected.errors?.[0]?.code, 'no_discovery_document');
  assert.deepEqual(inner.requests, []);
  const endless = await startServer(t, () => (_, reply) => {
    const more = (error?: Error | null): void => {
      if (error === undefined || error === null) reply.write('x'.repeat(65_536), more);
    };
    more();
  });
  const long = assertProblem(await discover(org, endless.origin), 'validation_failed');
  assert.match(String(long.errors?.[0]?.message), /too long/);
  const silent = await startServer(t, () => () => undefined);
  const late = assertProblem(await discover(org, silent.origin), 'validation_failed');
  assert.deepEqual(
    [late.errors?.[0]?.code, /within 5 s/.test(String(late.errors?.[0]?.message))],
    ['unreachable', true],
  );
});

/** Addresses that no platform calls, in any mode. */
const privateHosts: readonly string[] = [
  ...['10.0.0.1', '169.254.169.254', '192.168.1.1', '172.16.0.1', '100.64.0.1', '0.0.0.0', '[::]', '[fd00::1]'],
  ...['[::ffff:10.0.0.1]', '0xa9fea9fe', '2852039166', '[64:ff9b::a00:1]'],
];

test('F04 F05: an address that is not public is not called, however it is written', async () => {
  const org = await signUp(gateways);
  for (const host of privateHosts)
    for (const scheme of ['http', 'https']) {
      const problem = assertProblem(await discover(org, `${scheme}://${host}/realm`), 'validation_failed');
      assert.deepEqual(
        problem.errors?.map((error) => [error.pointer, error.code]),
        [['/issuer', 'address_refused']],
        host,
      );
    }
});

test('F04: in production no provider of this machine is called, and none by plain http', async (t) => {
  const production = await platformOf(t, {
    env: { FREEHOLD_MODE: 'production', FREEHOLD_HOST: '127.0.0.1', FREEHOLD_SIGNUP: 'open' },
  });
  const org = await signUp(production);
  const { origin, requests } = await startServer(
    t,
    documents((self) => ({ [discoveryPath]: { issuer: self } })),
  );
  const code = async (issuer: string) =>
    assertProblem(await discover(org, issuer), 'validation_failed').errors?.map((error) => error.code);
  assert.deepEqual(await code(origin), ['not_https']);
  assert.deepEqual(await code(origin.replace('http:', 'https:')), ['address_refused']);
  assert.deepEqual(await code(origin.replace('http://127.0.0.1', 'https://localhost')), ['address_refused']);
  const draft = { issuer: origin, audiences: ['a'], jwks_uri: `${origin}/keys` };
  const verdict = await verdictOn(org, { id_token: provider.token({ iss: origin, aud: 'a' }), provider: draft });
  assert.deepEqual([failedOf(verdict)?.check, failedOf(verdict)?.code], ['signature', 'issuer_not_allowed']);
  assert.deepEqual(requests, []);
});

test('nonsense for an issuer is refused before anything is called', async () => {
  const org = await signUp(gateways);
  for (const issuer of [
    '',
    'id.example',
    'ftp://id.example',
    'https://id.example?x=1',
    'https://ann@id.example',
    7,
    null,
    {},
  ])
    assert.deepEqual(pointers(assertProblem(await discover(org, issuer), 'validation_failed')), ['/issuer']);
  assertProblem(await discover(org, `https://id.example/${'a'.repeat(500)}`), 'validation_failed');
  assertProblem(await manage(org, 'POST', '/org/providers/discover', { body: {} }), 'validation_failed');
  assertProblem(
    await manage(org, 'POST', '/org/providers/discover', { body: { issuer: real.issuer, secret: 'x' } }),
    'unknown_field',
  );
});

test('a token that is accepted is shown with its claims, and the trial makes nothing', async () => {
  const org = await signUp(gateways);
  await allowIssuers(org, [{ issuer: provider.issuer, audiences: [clientAtProvider] }]);
  const email = newEmail('ann');
  const token = provider.token(personAt('ann', { email }));
  const before = (await manage<{ items: unknown[] }>(org, 'GET', '/audit')).body.items.length;
  for (let round = 0; round < 2; round++) {
    const { accepted, checks, claims, identity, account } = await verdictOn(org, { id_token: token });
    assert.deepEqual([accepted, account, claims?.email], [true, 'new', email]);
    assert.deepEqual(
      checks.map(({ check, state }) => [check, state]),
      ['form', 'issuer', 'signature', 'audience', 'times', 'identity', 'account', 'membership'].map((name) => [
        name,
        'passed',
      ]),
    );
    assert.deepEqual(identity, { iss: provider.issuer, sub: 'ann', email, email_verified: true, fn: 'Ann', ln: 'Lee' });
  }
  assert.equal((await manage<{ items: unknown[] }>(org, 'GET', '/audit')).body.items.length, before);
  const workspaces = await manage<{ items: unknown[] }>(org, 'GET', '/org/workspaces?env=test');
  assert.deepEqual(workspaces.body.items, []);
  assert.equal((await exchangeToken(org, token)).status, 200);
  assert.equal((await verdictOn(org, { id_token: token })).account, 'known');
  const twin = await startIdentityProvider();
  after(() => twin.close());
  const draft = { issuer: twin.issuer, audiences: [clientAtProvider] };
  const linked = await verdictOn(org, { id_token: twin.token(personAt('other', { email })), provider: draft });
  assert.deepEqual([linked.accepted, linked.account], [true, 'linked']);
  const unproved = { id_token: twin.token(personAt('other', { email, email_verified: false })), provider: draft };
  assert.equal((await verdictOn(org, unproved)).account, 'new');
});

const { privateKey: strangeKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const longAgo = Math.floor(Date.now() / 1000) - 3600;

/** A token, the check that it fails, and what the reason has in it. */
const tokens: readonly (readonly [what: string, () => string, check: string | undefined, RegExp?])[] = [
  ['good', () => provider.token(personAt('good')), undefined],
  ['no token', () => 'nonsense', 'form', /no JSON Web Token/],
  ['padded', () => `${provider.token(personAt('padded'))}=`, 'form'],
  ['without an issuer', () => provider.token(personAt('a', { iss: undefined })), 'form'],
  ['of another issuer', () => provider.token(personAt('a', { iss: 'https://evil.example' })), 'issuer'],
  ['signed by another key', () => provider.token(personAt('a'), { key: strangeKey }), 'signature', /does not fit/],
  [
    'of a key that is not published',
    () => provider.token(personAt('a'), { header: { kid: '2' } }),
    'signature',
    /no key/,
  ],
  ['without a signature', () => provider.token(personAt('a'), { header: { alg: 'none' } }), 'signature'],
  ['an access token', () => provider.token(personAt('a'), { header: { typ: 'at+jwt' } }), 'signature', /access token/],
  [
    'for another client',
    () => provider.token(personAt('a', { aud: 'another' })),
    'audience',
    /`another`.*`client-at-the-provider`/,
  ],
  ['for two clients', () => provider.token(personAt('a', { aud: [clientAtProvider, 'x'] })), 'audience', /azp/],
  ['expired', () => provider.token(personAt('a', { exp: longAgo })), 'times', /expired/],
  ['without an end', () => provider.token(personAt('a', { exp: undefined })), 'times', /`exp`/],
  ['of the future', () => provider.token(personAt('a', { iat: longAgo + 7200 })), 'times', /`iat`/],
  ['a notice', () => provider.token(personAt('a', { events: {} })), 'identity', /sign-out/],
  [
    'with a text for email_verified',
    () => provider.token(personAt('a', { email_verified: 'true' })),
    'identity',
    /boolean/,
  ],
  ['without a subject', () => provider.token(personAt('a', { sub: undefined })), 'identity', /`sub`/],
  ['without an email', () => provider.token({ sub: 'nameless' }), 'account', /scope `email`/],
];

test('the verdict on a token is what the exchange does with it, and says why', async () => {
  const org = await signUp(gateways);
  await allowIssuers(org, [{ issuer: provider.issuer, audiences: [clientAtProvider] }]);
  for (const [what, make, check, reason] of tokens) {
    const token = make();
    const verdict = await verdictOn(org, { id_token: token });
    const failed = failedOf(verdict);
    const exchanged = await exchangeToken(org, token);
    assert.equal(verdict.accepted, exchanged.status === 200, what);
    assert.equal(failed?.check, check, what);
    assert.match(failed?.reason ?? '', reason ?? /^/, what);
    if (check !== undefined) assert.equal((exchanged.body as unknown as { code: string }).code, failed?.code, what);
    const states = verdict.checks.map(({ state }) => state).join(' ');
    assert.match(states, check === undefined ? /^(passed ?)+$/ : /^(passed )*failed( not_reached)*$/, what);
  }
});

test('a token of the platform itself is no identity token', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const verdict = await verdictOn(org, { id_token: founder.token });
  assert.deepEqual([verdict.accepted, verdict.account], [false, null]);
  assert.match(failedOf(verdict)?.reason ?? '', /of this platform/);
});

test('a user who is suspended in the only workspace is refused, as the exchange refuses', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await allowIssuers(org, [{ issuer: provider.issuer, audiences: [clientAtProvider] }]);
  const token = provider.token(personAt('idle'));
  const { body } = await exchangeToken(org, token);
  const { items } = await list(founder, 'user', '?pagesize=200');
  const member = items.find(({ id }) => id === body.user_id);
  assert.ok(member !== undefined);
  assert.equal((await verdictOn(org, { id_token: token })).accepted, true);
  const suspended = await act(founder, 'PUT', `/update/user/${member.id}`, { body: { status: 'suspended' } });
  assert.equal(suspended.status, 200, suspended.text);
  assertProblem(await exchangeToken(org, token), 'token_invalid');
  const verdict = await verdictOn(org, { id_token: token });
  assert.deepEqual(failedOf(verdict), {
    check: 'membership',
    state: 'failed',
    code: 'token_invalid',
    reason: 'the membership is suspended',
  });
});

test('a draft stands in for the stored provider of its issuer, and each environment has its own', async () => {
  const org = await signUp(gateways);
  const token = provider.token(personAt('ann'));
  const entry = { issuer: provider.issuer, audiences: [clientAtProvider] };
  assert.equal(failedOf(await verdictOn(org, { id_token: token }))?.check, 'issuer');
  assert.equal((await verdictOn(org, { id_token: token, provider: entry })).accepted, true);
  await allowIssuers(org, [entry]);
  const narrowed = { ...entry, audiences: ['another'] };
  assert.equal(failedOf(await verdictOn(org, { id_token: token, provider: narrowed }))?.check, 'audience');
  assert.equal((await verdictOn(org, { id_token: token })).accepted, true);
  assert.equal(failedOf(await verdictOn(org, { id_token: token }, '?env=prod'))?.check, 'issuer');
  const wrong = await trial(org, { id_token: token, provider: { ...entry, audiences: [], secret: 'x' } });
  assert.deepEqual(pointers(assertProblem(wrong, 'validation_failed')), ['/provider/audiences', '/provider/secret']);
});

test('the code of a real provider is exchanged once, and held to the sign-in that began', async () => {
  const org = await signUp(gateways);
  const entry = { issuer: real.issuer, audiences: [real.clientId] };
  const code = await real.signIn();
  const verdict = await verdictOn(org, { code, provider: entry });
  assert.deepEqual([verdict.accepted, verdict.claims?.email, verdict.account], [true, annsEmail, 'new']);
  assert.equal(verdict.checks.find(({ check }) => check === 'nonce')?.state, 'passed');
  const again = assertProblem(await trial(org, { code, provider: entry }), 'validation_failed');
  assert.deepEqual(
    again.errors?.map((error) => [error.pointer, error.code]),
    [['/code', 'provider_refused']],
  );
  const strange = { ...(await real.signIn()), nonce: 'another' };
  assert.equal(failedOf(await verdictOn(org, { code: strange, provider: entry }))?.check, 'nonce');
  const foreign = { ...(await real.signIn()), verifier: 'a'.repeat(43) };
  assertProblem(await trial(org, { code: foreign, provider: entry }), 'validation_failed');
  const unlisted = assertProblem(await trial(org, { code: await real.signIn() }), 'validation_failed');
  assert.equal(unlisted.errors?.[0]?.code, 'issuer_not_allowed');
});

test('F04: a token endpoint in a private network is not called, and neither does a code go elsewhere', async (t) => {
  const org = await signUp(gateways);
  for (const [endpoint, code] of [
    ['http://169.254.169.254/token', 'unreachable'],
    ['file:///etc/passwd', 'no_token_endpoint'],
    [undefined, 'no_token_endpoint'],
  ] as const) {
    const { origin } = await startServer(
      t,
      documents((self) => ({
        [discoveryPath]: { issuer: self, jwks_uri: `${self}/keys`, token_endpoint: endpoint },
        '/keys': { keys: [rsaKey] },
      })),
    );
    const started = { value: 'c', verifier: 'v'.repeat(43), redirect_uri: redirectUri, nonce: 'n', client_id: 'a' };
    const body = { code: { ...started, issuer: origin }, provider: { issuer: origin, audiences: ['a'] } };
    const problem = assertProblem(await trial(org, body), 'validation_failed');
    assert.equal(problem.errors?.[0]?.code, code, String(endpoint));
  }
});

test('an address that would run a script is no page to sign in at (N12)', async (t) => {
  const org = await signUp(gateways);
  const { origin } = await startServer(
    t,
    documents((self) => ({
      [discoveryPath]: { issuer: self, jwks_uri: `${self}/keys`, authorization_endpoint: 'javascript:alert(1)' },
      '/keys': { keys: [rsaKey] },
    })),
  );
  const { body } = await discover(org, origin);
  assert.deepEqual([body.authorization_endpoint, body.token_endpoint, body.keys], [null, null, 1]);
});

test('an org waits for four providers at a time', async (t) => {
  const org = await signUp(gateways);
  const held: (() => void)[] = [];
  const arrived = Promise.withResolvers<void>();
  const { origin } = await startServer(t, () => (_, reply) => {
    held.push(() => void reply.writeHead(404).end());
    if (held.length === 4) arrived.resolve();
  });
  const waiting = Array.from({ length: 4 }, () => discover(org, origin));
  await arrived.promise;
  assertProblem(await discover(org, origin), 'rate_limited');
  assertProblem(await trial(org, { id_token: 'x' }), 'rate_limited');
  const neighbour = await signUp(gateways);
  assert.equal((await discover(neighbour, real.issuer)).status, 200);
  for (const release of held) release();
  for (const reply of await Promise.all(waiting)) assertProblem(reply, 'validation_failed');
  assert.equal((await discover(org, real.issuer)).status, 200);
});

for (const path of ['/org/providers/discover', '/org/providers/test'])
  test(`${path} is for admins of the org`, async () => {
    const { org, founder } = await foundedOrg(gateways);
    const developer = await joinOrg(org, 'developer');
    const body = path.endsWith('test') ? { id_token: 'x' } : { issuer: real.issuer };
    const url = `${gateways.management}${path}`;
    assertProblem(await call('POST', url, { body }), 'token_missing');
    assertProblem(await call('POST', url, { body, token: 'junk' }), 'token_invalid');
    assertProblem(await call('POST', url, { body, token: founder.token }), 'token_invalid');
    assertProblem(await call('POST', url, { body, token: developer.token }), 'role_required');
    assertProblem(await call('POST', `${gateways.app}${path}`, { body, token: founder.token }), 'not_found');
    assertProblem(await manage(org, 'POST', `${path}?org=other`, { body }), 'invalid_request');
    const other = await signUp(gateways);
    const foreign = { body, headers: { 'X-Org': other.code } };
    assertProblem(await manage(org, 'POST', path, foreign), 'org_mismatch');
  });

test('of token and code there is one, in a form that a provider could have given', async () => {
  const org = await signUp(gateways);
  const code = { issuer: 'https://id.example', client_id: 'a', value: 'c', redirect_uri: 'r', nonce: 'n' };
  for (const [body, wrong] of [
    [{}, ['']],
    [{ id_token: 'x', code: { ...code, verifier: 'v'.repeat(43) } }, ['']],
    [{ id_token: '' }, ['/id_token']],
    [{ id_token: 'x'.repeat(16_385) }, ['/id_token']],
    [{ id_token: 7 }, ['/id_token']],
    [{ code: { ...code, verifier: 'short' } }, ['/code/verifier']],
    [{ code: { ...code, verifier: 'v'.repeat(129) } }, ['/code/verifier']],
    [{ code: { ...code, verifier: 'v'.repeat(43), client_secret: password } }, ['/code/client_secret']],
    [{ id_token: 'x', provider: 'https://id.example' }, ['/provider']],
    [{ id_token: 'x', provider: {} }, ['/provider/audiences', '/provider/issuer']],
  ] as const) {
    const problem = await trial(org, body);
    assert.equal(problem.status, 400, problem.text);
    assert.deepEqual(pointers(problem.body as never), wrong, JSON.stringify(body).slice(0, 80));
  }
  const largest = await verdictOn(org, { id_token: 'x'.repeat(16_384) });
  assert.deepEqual([failedOf(largest)?.check, largest.claims], ['form', null]);
});
