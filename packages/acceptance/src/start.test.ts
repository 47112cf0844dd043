import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { call } from './call.ts';
import { foundedOrg, newEmail, password, signUp } from './org.ts';
import { runToEnd, startPlatform, temporaryDirectory, whyNoDataDir } from './platform.ts';
import { platformOf, platformOfFile } from './platform-for-tests.ts';

/** Of the tests that need no settings of their own, and leave it as it is. */
const platform = await platformOfFile();

function postSignUp(management: string) {
  return call('POST', `${management}/auth/signup`, {
    body: { email: newEmail('b'), password, name: 'Bea', org_name: 'Acme' },
  });
}

test('standard output says one line when both gateways accept, and nothing else', async () => {
  assert.match(platform.stdout(), /^ready app=http:\/\/127\.0\.0\.1:\d+ management=http:\/\/127\.0\.0\.1:\d+\n$/);
});

test('the log on standard error is JSON lines and holds no token, password or e-mail address', async (t) => {
  const platform = await platformOf(t, { env: { FREEHOLD_LOG_LEVEL: 'debug' } });
  const { org, founder } = await foundedOrg(platform);
  await call('GET', `${platform.app}/app/${org.code}/list/aclpolicy`, { token: founder.token });
  await call('GET', `${platform.app}/app/${org.code}/list/aclpolicy?name=${password}`, { token: 'bad-token-text' });
  assert.deepEqual(await platform.terminate(), { code: 0, signal: null });
  const log = platform.stderr();
  for (const line of log.split('\n').filter((each) => each !== '')) JSON.parse(line);
  const secrets = [
    founder.token,
    org.builder.token,
    password,
    encodeURIComponent(password),
    founder.email,
    'bad-token-text',
  ];
  for (const secret of secrets) assert.ok(!log.includes(secret), `the log holds ${secret}`);
});

test('`--help` explains every setting and ends well', async () => {
  const run = await runToEnd(['--help']);
  assert.equal(run.code, 0, run.stderr);
  for (const name of [
    'APP_PORT',
    'MANAGEMENT_PORT',
    'HOST',
    'MODE',
    'DATA_DIR',
    'STORE',
    'SIGNUP',
    'PUBLIC_URL',
    'MANAGEMENT_URL',
    'LOG_LEVEL',
    'DEMO',
  ]) {
    assert.match(run.stdout, new RegExp(`FREEHOLD_${name}\\b`));
  }
});

test('bad settings are all named at once, and the end is 2', async () => {
  const env = {
    FREEHOLD_APP_PORT: '70000',
    FREEHOLD_MANAGEMENT_PORT: 'x',
    FREEHOLD_MODE: 'prod',
    FREEHOLD_SIGNUP: 'maybe',
    FREEHOLD_LOG_LEVEL: 'loud',
    FREEHOLD_DEMO: 'yes',
  };
  const run = await runToEnd([], { env });
  assert.equal(run.code, 2, run.stderr);
  for (const name of Object.keys(env)) assert.match(run.stderr, new RegExp(name));
  assert.doesNotMatch(run.stderr, /\bat .+:\d+:\d+/);
});

test('a master key that can be guessed ends a start in production with 2, reported with every other mistake', async () => {
  for (const key of ['0'.repeat(64), '00', 'ab'.repeat(32)]) {
    const env = {
      FREEHOLD_MODE: 'production',
      FREEHOLD_STORE: 'postgres://127.0.0.1:1/nowhere',
      FREEHOLD_MASTER_KEY: key,
      FREEHOLD_SIGNUP: 'maybe',
    };
    const run = await runToEnd([], { env });
    assert.equal(run.code, 2, run.stderr);
    assert.match(run.stderr, /^FREEHOLD_MASTER_KEY must be /m);
    assert.match(run.stderr, /^FREEHOLD_SIGNUP must be /m);
  }
});

test('an unknown argument is refused with 2', async () => {
  const run = await runToEnd(['--nonsense']);
  assert.equal(run.code, 2, run.stderr);
  assert.match(run.stderr, /--nonsense/);
});

test('`npm start` that gets SIGTERM passes it on, and ends with 0 once the platform has drained', async (t) => {
  const platform = await startPlatform({ byWords: ['npm', 'start'] });
  t.after(() => platform.terminate());
  assert.deepEqual(await platform.terminate(), { code: 0, signal: null });
  assert.match(platform.stderr(), /"signal":"SIGTERM","msg":"draining"/);
  await platformOf(t, { dataDir: platform.dataDir });
});

test('a data directory is used by one process at a time', { skip: whyNoDataDir }, async () => {
  const second = await runToEnd([], { dataDir: platform.dataDir });
  assert.ok(second.code !== 0 && second.code !== null, second.stdout);
  assert.match(second.stderr, /another process|already|in use/i);
  assert.doesNotMatch(second.stdout, /^ready /m);
  assert.equal((await call('GET', `${platform.app}/healthz`)).status, 200);
});

test('a port that is taken ends the start with a sentence', async () => {
  const run = await runToEnd([], { env: { FREEHOLD_APP_PORT: new URL(platform.app).port } });
  assert.ok(run.code !== 0 && run.code !== null);
  assert.match(run.stderr, new RegExp(new URL(platform.app).port));
  assert.doesNotMatch(run.stdout, /^ready /m);
});

test('what is kept in the data directory is for its owner alone', { skip: whyNoDataDir }, async () => {
  await signUp(platform);
  const files = readdirSync(platform.dataDir, { recursive: true, encoding: 'utf8' });
  assert.ok(files.length > 0);
  for (const file of files) {
    const found = statSync(join(platform.dataDir, file));
    if (found.isFile()) assert.equal(found.mode & 0o077, 0, `${file} is open to others`);
  }
});

test('no password and no token stands in the data directory as it was sent', { skip: whyNoDataDir }, async (t) => {
  const platform = await platformOf(t);
  const { org, founder } = await foundedOrg(platform);
  await platform.terminate();
  const files = readdirSync(platform.dataDir, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((each) => statSync(join(platform.dataDir, each)).isFile())) {
    const bytes = readFileSync(join(platform.dataDir, file));
    for (const secret of [password, founder.token, org.builder.token]) assert.ok(!bytes.includes(secret), file);
  }
});

test('`FREEHOLD_SIGNUP=first` lets in one org, `closed` none', async (t) => {
  const first = await platformOf(t, { env: { FREEHOLD_SIGNUP: 'first' } });
  assert.equal((await postSignUp(first.management)).status, 201);
  assertProblem(await postSignUp(first.management), 'signup_closed');
  await first.kill();
  const closed = await platformOf(t, { env: { FREEHOLD_SIGNUP: 'closed' } });
  assertProblem(await postSignUp(closed.management), 'signup_closed');
});

test('a data directory that cannot be made ends the start with a sentence', { skip: whyNoDataDir }, async () => {
  const dataDir = temporaryDirectory();
  const file = join(dataDir, 'file');
  writeFileSync(file, '');
  const run = await runToEnd([], { env: { FREEHOLD_DATA_DIR: join(file, 'data') } });
  assert.ok(run.code !== 0 && run.code !== null);
  assert.doesNotMatch(run.stderr, /^\s+at /m);
});
