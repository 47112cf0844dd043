import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { decodePart, encodePart, publishedKeys, readAppToken } from './app-token.ts';
import { assertProblem, assertRefusal } from './assert-problem.ts';
import { type CallOptions, call, type Reply } from './call.ts';
import { documentedManagement } from './documented-gateway.ts';
import { type AppUser, act, exchangeToken, foundedOrg, logIn, manage, newEmail, signIn } from './org.ts';
import { type Gateways, keysToEnd, type Platform, runToEnd, whyNoDataDir } from './platform.ts';
import { platformForTests, platformOf } from './platform-for-tests.ts';

const operatorKey = 'g7Vt2kQx9LmZp4RwYb6NsHc3JdFe8TuA';
const env = { FREEHOLD_OPERATOR_KEY: operatorKey };

interface ShownKey {
  readonly kid: string;
  readonly state: string;
  readonly created_at: string;
  readonly signs_from: string;
  readonly verifies_until?: string;
}

const routes = [
  ['GET', '/platform/keys'],
  ['POST', '/platform/keys/rotate'],
  ['DELETE', '/platform/keys/nothing'],
] as const;

function startWithKey(t: TestContext): Promise<Platform> {
  return platformOf(t, { env });
}

function operate<Body = ShownKey>(
  { management }: Gateways,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Reply<Body>> {
  return call<Body>(method, management + path, { token: operatorKey, ...options });
}

async function keysOf(gateways: Gateways): Promise<readonly ShownKey[]> {
  const reply = await operate<{ readonly items: readonly ShownKey[] }>(gateways, 'GET', '/platform/keys');
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items;
}

/** The same user, where the platform now listens. */
function movedTo({ app, management }: Gateways, user: AppUser): AppUser {
  return { ...user, org: { ...user.org, app, management } };
}

function me(user: AppUser, token = user.token): Promise<Reply<unknown>> {
  return act(user, 'GET', '/user/me', { token });
}

test('without an operator key there are no such routes for any caller', async () => {
  const gateways = await platformForTests();
  const { org, founder } = await foundedOrg(gateways);
  for (const [method, path] of [...routes, ['PUT', '/platform/keys'], ['GET', '/platform']] as const)
    for (const token of [undefined, operatorKey, '', org.builder.token, founder.token])
      assertProblem(await call(method, gateways.management + path, token === undefined ? {} : { token }), 'not_found');
  assert.ok(!(await call('GET', `${gateways.management}/openapi.json`)).text.includes('/platform/keys'));
});

test('only the operator key opens them, as a bearer token', async (t) => {
  const platform = await startWithKey(t);
  const { org, founder } = await foundedOrg(platform);
  const before = await keysOf(platform);
  const wrong = [org.builder.token, founder.token, operatorKey.toLowerCase(), operatorKey.slice(1), `${operatorKey}A`];
  for (const [method, path] of routes) {
    assertProblem(await call(method, platform.management + path), 'token_missing');
    const headers = [
      { authorization: operatorKey },
      { authorization: `Basic ${Buffer.from(`operator:${operatorKey}`).toString('base64')}` },
      { 'x-service-token': operatorKey },
      { cookie: `freehold=${operatorKey}` },
    ];
    for (const each of headers) assertRefusal(await call(method, platform.management + path, { headers: each }), [401]);
  }
  for (const [index, token] of wrong.entries()) {
    const [method, path] = routes[index % routes.length] ?? routes[0];
    assertProblem(await call(method, platform.management + path, { token }), 'token_invalid');
  }
  assert.deepEqual(await keysOf(platform), before);
});

test('the operator key is good for nothing else', async (t) => {
  const platform = await startWithKey(t);
  const { org, founder } = await foundedOrg(platform);
  for (const [method, path] of [
    ['GET', '/auth/me'],
    ['GET', '/org'],
    ['GET', '/api/entities'],
    ['GET', '/org/users'],
  ] as const)
    assertProblem(await manage(org, method, path, { token: operatorKey }), 'token_invalid');
  assertProblem(await act(founder, 'GET', '/list/aclpolicy', { token: operatorKey }), 'token_invalid');
  assertProblem(await exchangeToken(org, operatorKey), 'token_invalid');
});

test('H05: after ten wrong keys an address waits, and others do not', async (t) => {
  const platform = await platformOf(t, { env: { ...env, FREEHOLD_TRUSTED_PROXIES: '127.0.0.1' } });
  const ask = (token: string, client: string) =>
    operate(platform, 'GET', '/platform/keys', { token, headers: { 'x-forwarded-for': client } });
  for (let tried = 0; tried < 10; tried++) assertProblem(await ask('wrong', '192.0.2.7'), 'token_invalid');
  for (const token of ['wrong', operatorKey]) {
    const reply = await ask(token, '192.0.2.7');
    assertProblem(reply, 'rate_limited');
    assert.ok(Number(reply.headers.get('retry-after')) > 0);
  }
  assert.equal((await ask(operatorKey, '192.0.2.8')).status, 200);
});

test('the keys are shown without anything private, and stay when nonsense is sent', {
  skip: whyNoDataDir,
}, async (t) => {
  const platform = await startWithKey(t);
  const [key, ...others] = await keysOf(platform);
  assert.deepEqual(others, []);
  assert.deepEqual(Object.keys(key ?? {}), ['kid', 'state', 'created_at', 'signs_from']);
  assert.equal(key?.state, 'signing');
  for (const [method, path] of [
    ['GET', '/platform/keys?state=signing'],
    ['POST', '/platform/keys/rotate?force=true'],
    ['DELETE', `/platform/keys/${key.kid}?force=true`],
  ] as const)
    assertProblem(await operate(platform, method, path), 'invalid_request');
  for (const kid of ['nothing', 'rotate', '%2e%2e', 'toString', '%F0%9F%94%91', 'a'.repeat(1000), key.kid.slice(1)])
    assertRefusal(await operate(platform, 'DELETE', `/platform/keys/${kid}`), [400, 404]);
  assertProblem(await operate(platform, 'PUT', '/platform/keys'), 'method_not_allowed');
  assert.deepEqual(await keysOf(platform), [key]);
  const { d: secret } = JSON.parse(readFileSync(join(platform.dataDir, 'secrets.json'), 'utf8')).signing_keys[0]
    .private_jwk;
  const { text } = await operate(platform, 'GET', '/platform/keys');
  const { text: rotated } = await operate(platform, 'POST', '/platform/keys/rotate');
  for (const shown of [text, rotated]) assert.ok(!shown.includes(secret) && !shown.includes('private'), shown);
});

test('J01: over 100 rotations under load no token is refused, and two keys are published', async (t) => {
  const platform = await startWithKey(t);
  const { org, founder } = await foundedOrg(platform);
  let isOver = false;
  let calls = 0;
  const read = async (): Promise<void> => {
    while (!isOver) {
      const reply = await me(founder);
      assert.equal(reply.status, 200, reply.text);
      calls += 1;
    }
  };
  const exchange = async (): Promise<void> => {
    let { token } = founder;
    while (!isOver) {
      const reply = await exchangeToken(org, token);
      assert.equal(reply.status, 200, reply.text);
      token = reply.body.token;
      assert.equal((await me(founder, token)).status, 200);
    }
  };
  const load = Promise.all([read(), read(), exchange(), exchange()]);
  const statuses: number[] = [];
  for (let turn = 0; turn < 25; turn++) {
    const replies = await Promise.all([1, 2, 3, 4].map(() => operate(platform, 'POST', '/platform/keys/rotate')));
    statuses.push(...replies.map(({ status }) => status));
  }
  isOver = true;
  await load;
  assert.ok(calls > 0);
  assert.deepEqual(
    statuses.toSorted((left, right) => right - left),
    [201, ...Array.from({ length: 99 }, () => 200)],
    'one key waits, and the others get it as the answer',
  );
  const [signing, waiting, ...others] = await keysOf(platform);
  assert.deepEqual([signing?.state, waiting?.state, others], ['signing', 'published', []]);
  const published = (await publishedKeys(platform.app)).map(({ kid }) => kid);
  assert.deepEqual(published, [signing?.kid, waiting?.kid]);
  assert.equal((await readAppToken(platform.app, (await signIn(org)).token)).header.kid, signing?.kid);
  const ahead = Date.parse(waiting?.signs_from ?? '') - Date.parse(waiting?.created_at ?? '');
  assert.ok(ahead > 300_000, 'verifiers keep the published keys for 300 seconds');
});

test('J02: revoking the key that signs ends every token of it at once, and another key signs', async (t) => {
  const platform = await startWithKey(t);
  const { org, founder } = await foundedOrg(platform);
  const { token: unexchanged } = (await logIn(org, newEmail('late'))).body;
  const unseen = (await exchangeToken(org, founder.token)).body.token;
  assert.equal((await me(founder)).status, 200);
  const [key] = await keysOf(platform);
  assert.equal((await operate(platform, 'DELETE', `/platform/keys/${key?.kid}`)).status, 204);
  for (const token of [founder.token, unseen, founder.token]) assertProblem(await me(founder, token), 'token_invalid');
  assertProblem(await exchangeToken(org, founder.token), 'token_invalid');
  const fresh = await exchangeToken(org, unexchanged);
  assert.equal(fresh.status, 200, 'a login token is nothing that a key has signed');
  assert.equal((await me(founder, fresh.body.token)).status, 200);
  const [next, ...others] = await keysOf(platform);
  assert.deepEqual([next?.state, others], ['signing', []]);
  assert.equal((await readAppToken(platform.app, fresh.body.token)).header.kid, next?.kid);
  assert.deepEqual(
    (await publishedKeys(platform.app)).map(({ kid }) => kid),
    [next?.kid],
  );
  assertProblem(await operate(platform, 'DELETE', `/platform/keys/${key?.kid}`), 'not_found');
});

test('J01: a token that names another key is refused, be it published or unheard of', async (t) => {
  const platform = await startWithKey(t);
  const { founder } = await foundedOrg(platform);
  const { body: waiting } = await operate(platform, 'POST', '/platform/keys/rotate');
  const [head = '', payload = '', signature = ''] = founder.token.split('.');
  for (const kid of [waiting.kid, 'a'.repeat(43), '', null]) {
    const header = encodePart({ ...decodePart<object>(head), kid });
    assertProblem(await me(founder, `${header}.${payload}.${signature}`), 'token_invalid');
  }
});

test('keys, those that wait and those that were revoked, outlive kill -9', async (t) => {
  const platform = await startWithKey(t);
  const { founder } = await foundedOrg(platform);
  const { body: waiting } = await operate(platform, 'POST', '/platform/keys/rotate');
  const keys = await keysOf(platform);
  await platform.kill();
  const second = await platformOf(t, { env, dataDir: platform.dataDir });
  assert.deepEqual(await keysOf(second), keys);
  assert.equal((await me(movedTo(second, founder))).status, 200);
  const [signing] = keys;
  assert.equal((await operate(second, 'DELETE', `/platform/keys/${signing?.kid}`)).status, 204);
  await second.kill();
  const third = await platformOf(t, { env, dataDir: platform.dataDir });
  assertProblem(await me(movedTo(third, founder)), 'token_invalid');
  const [next, ...others] = await keysOf(third);
  assert.deepEqual([next?.kid, next?.state, others], [waiting.kid, 'signing', []]);
});

test('the command lists, rotates and revokes, and says what is wrong', async (t) => {
  const platform = await startWithKey(t);
  const keys = (args: readonly string[], more: Readonly<Record<string, string>> = env) =>
    keysToEnd([...args, '--url', platform.management], more);
  const listed = await keys(['list']);
  assert.deepEqual([listed.code, listed.stderr], [0, '']);
  assert.match(listed.stdout, /^[\w-]{43} {2}signing {4}signs from \S+Z\n$/);
  const kid = listed.stdout.slice(0, 43);
  const rotated = await keys(['rotate']);
  assert.match(rotated.stdout, /^[\w-]{43} {2}published {2}signs from \S+Z\n$/);
  assert.match((await keys(['list'])).stdout, /verifies until \S+Z\n[\w-]{43} {2}published/);
  assert.deepEqual(await keys(['revoke', kid]), {
    code: 0,
    signal: null,
    stdout: 'revoked: no token that it signed is accepted any more\n',
    stderr: '',
  });
  assert.deepEqual(
    (await keysOf(platform)).map((key) => key.kid),
    [rotated.stdout.slice(0, 43)],
  );
  for (const args of [
    ['revoke', kid],
    ['revoke', `-${kid.slice(1)}`],
  ]) {
    const again = await keys(args);
    assert.equal(again.code, 1);
    assert.match(again.stderr, /^the platform answers 404/);
  }
  const stranger = await keys(['list'], { FREEHOLD_OPERATOR_KEY: 'wrong' });
  assert.deepEqual([stranger.code, stranger.stdout], [1, '']);
  assert.equal(stranger.stderr, 'the platform answers 401: the operator key is not valid\n');
});

test('the command explains itself, and ends with 2 where it cannot ask', async () => {
  for (const args of [[], ['--help'], ['list', '--help']]) {
    const reported = await keysToEnd(args, env);
    assert.equal(reported.code, 0, reported.stderr);
    for (const word of ['list', 'rotate', 'revoke <kid>', '--url', 'FREEHOLD_OPERATOR_KEY'])
      assert.ok(reported.stdout.includes(word), word);
  }
  const refused: readonly (readonly [
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    message: RegExp,
  ])[] = [
    [['list'], {}, /^FREEHOLD_OPERATOR_KEY is not set/],
    [['show'], env, /^`show` is not/],
    [['revoke'], env, /^`revoke` is not/],
    [['revoke', 'all'], env, /^`revoke all` is not/],
    [['list', '--force'], env, /--force/],
    [['list', '--url', 'http://127.0.0.1:1'], env, /^no platform can be reached at http:\/\/127\.0\.0\.1:1 /],
    [['list', '--url', 'nowhere'], env, /nowhere/],
  ];
  for (const [args, settings, expected] of refused) {
    const run = await keysToEnd(args, settings);
    assert.deepEqual([run.code, run.stdout], [2, ''], args.join(' '));
    assert.match(run.stderr, expected);
    assert.ok(!run.stderr.includes(operatorKey));
  }
});

test('the document tells of these routes, and of everything that they answer', async (t) => {
  const gateway = await documentedManagement({ ...(await foundedOrg(await startWithKey(t))).org });
  const token = operatorKey;
  for (const operationId of ['listSigningKeys', 'rotateSigningKeys', 'revokeSigningKey'])
    for (const request of [{}, { token: 'junk' }]) assert.equal((await gateway.send(operationId, request)).status, 401);
  assert.equal((await gateway.send('rotateSigningKeys', { token })).status, 201);
  assert.equal((await gateway.send('rotateSigningKeys', { token })).status, 200);
  const { body } = await gateway.send<{ readonly items: readonly ShownKey[] }>('listSigningKeys', { token });
  const path = { kid: body.items[0]?.kid ?? '' };
  assert.equal((await gateway.send('revokeSigningKey', { token, path })).status, 204);
  assert.equal((await gateway.send('revokeSigningKey', { token, path })).status, 404);
});

test('J04: no log and no file holds the operator key', async (t) => {
  const platform = await platformOf(t, { env: { ...env, FREEHOLD_LOG_LEVEL: 'trace' } });
  await keysOf(platform);
  await operate(platform, 'POST', '/platform/keys/rotate');
  await operate(platform, 'GET', `/platform/keys/${operatorKey}`);
  await platform.terminate();
  assert.ok(!platform.stderr().includes(operatorKey) && !platform.stdout().includes(operatorKey));
  const files = readdirSync(platform.dataDir, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((each) => statSync(join(platform.dataDir, each)).isFile()))
    assert.ok(!readFileSync(join(platform.dataDir, file)).includes(operatorKey), file);
});

test('production refuses an operator key that can be guessed, without repeating it', async () => {
  for (const guessable of ['changeme', 'changeme'.repeat(8), 'short']) {
    const run = await runToEnd([], { env: { FREEHOLD_MODE: 'production', FREEHOLD_OPERATOR_KEY: guessable } });
    assert.equal(run.code, 2);
    assert.match(run.stderr, /^FREEHOLD_OPERATOR_KEY must /);
    assert.ok(!run.stderr.includes(guessable));
  }
});

test('secrets that cannot be used end the start with a sentence, which repeats nothing of them', {
  skip: whyNoDataDir,
}, async (t) => {
  const platform = await startWithKey(t);
  await platform.kill();
  const path = join(platform.dataDir, 'secrets.json');
  const good = readFileSync(path, 'utf8');
  const { cursor_key } = JSON.parse(good);
  for (const content of ['', good.slice(0, good.length - 10), '{"signing_keys":[]}']) {
    writeFileSync(path, content);
    const run = await runToEnd([], { dataDir: platform.dataDir });
    assert.equal(run.code, 1);
    assert.match(run.stderr, /^freehold cannot start: the secrets in `\S+secrets\.json` cannot be used: [^\n]+\n$/);
    assert.ok(!run.stderr.includes(cursor_key));
    assert.equal(readFileSync(path, 'utf8'), content, 'they are left as they are');
  }
  writeFileSync(path, good);
  await platformOf(t, { env, dataDir: platform.dataDir });
});
