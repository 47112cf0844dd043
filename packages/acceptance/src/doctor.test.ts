/** `freehold doctor` finds what was broken on purpose, says what to do, and changes nothing. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { commandToEnd, type Run, temporaryDirectory, whyNoDataDir } from './platform.ts';
import { platformOf } from './platform-for-tests.ts';

const bare = { FREEHOLD_STORE: 'sqlite:' };

function examine(
  env: Readonly<Record<string, string>> = {},
  dataDir = temporaryDirectory(),
  words: readonly string[] = [],
) {
  chmodSync(dataDir, 0o700);
  return commandToEnd(['doctor', ...words], { dataDir, env: { ...bare, ...env } });
}

function assertFault({ code, stdout, stderr }: Run, sentence: RegExp): void {
  assert.deepEqual([code, stderr], [1, ''], stdout);
  assert.match(stdout.split('\n').find((line) => line.startsWith('FAULT')) ?? '', sentence);
}

async function listenOnce(context: TestContext): Promise<number> {
  const server = createSocketServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

test('where nothing is wrong the doctor says so, ends with 0 and leaves nothing behind', async () => {
  const dataDir = temporaryDirectory();
  const run = await examine({}, dataDir);
  assert.deepEqual([run.code, run.stderr], [0, ''], run.stdout);
  assert.match(run.stdout, /no fault was found\n$/);
  assert.deepEqual(readdirSync(dataDir), []);
});

test('all mistakes of the settings are told', async () => {
  const run = await examine({ FREEHOLD_MODE: 'prod', FREEHOLD_SIGNUP: 'maybe' });
  assertFault(run, /FREEHOLD_/);
  assert.match(run.stdout, /FAULT FREEHOLD_MODE must be.*FAULT FREEHOLD_SIGNUP must be.*faults: 2\n$/s);
});

test('a port that is taken is a fault; one that a platform has is told as that', async (t) => {
  assertFault(
    await examine({ FREEHOLD_APP_PORT: `${await listenOnce(t)}` }),
    /is taken by another program: .*FREEHOLD_APP_PORT/,
  );
  const platform = await platformOf(t);
  const run = await examine({ FREEHOLD_APP_PORT: new URL(platform.app).port });
  assert.equal(run.code, 0, run.stdout);
  assert.match(run.stdout, /note {2}port \d+ on 127\.0\.0\.1 is taken by a platform that answers/);
});

test('an address that is not of this machine, and one port for two, are faults', async () => {
  assertFault(await examine({ FREEHOLD_HOST: '192.0.2.1', FREEHOLD_APP_PORT: '4999' }), /no address of this machine/);
  const same = { FREEHOLD_APP_PORT: '4999', FREEHOLD_MANAGEMENT_PORT: '4999' };
  assertFault(await examine(same), /the same port/);
});

test('a file in place of the folder, one open to others, and stores that are none are faults', async () => {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, 'file'), '');
  assertFault(await examine({ FREEHOLD_DATA_DIR: join(folder, 'file') }), /is no folder/);
  const open = temporaryDirectory();
  mkdirSync(join(open, 'data'));
  chmodSync(join(open, 'data'), 0o755);
  assertFault(await examine({ FREEHOLD_DATA_DIR: join(open, 'data') }), /open to other users .*chmod 700/);
  const broken = temporaryDirectory();
  writeFileSync(join(broken, 'test.db'), 'a sentence instead of a store', { mode: 0o600 });
  assertFault(await examine({}, broken), /test\.db` is no database/);
});

test('secrets that others can read, and those that cannot be used, are faults', { skip: whyNoDataDir }, async (t) => {
  const platform = await platformOf(t);
  await platform.terminate();
  const secrets = join(platform.dataDir, 'secrets.json');
  chmodSync(platform.dataDir, 0o700);
  assert.equal((await examine({}, platform.dataDir)).code, 0);
  chmodSync(secrets, 0o644);
  assertFault(await examine({}, platform.dataDir), /secrets\.json` can be read by others: .*chmod 600/);
  chmodSync(secrets, 0o600);
  writeFileSync(secrets, '{');
  const run = await examine({}, platform.dataDir);
  assertFault(run, /secrets cannot be read/);
});

test('a clock behind what the store was written at is a fault', { skip: whyNoDataDir }, async (t) => {
  const platform = await platformOf(t);
  await platform.terminate();
  const later = Date.now() / 1000 + 3600;
  utimesSync(join(platform.dataDir, 'test.db'), later, later);
  assertFault(await examine({}, platform.dataDir), /written 60 minutes from now: the clock .* is behind/);
});

test('a database server or mail server that is not there is a fault, and no password is told', async (t) => {
  const closed = createSocketServer();
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  const store = await examine({
    FREEHOLD_STORE: `postgres://freehold:hidden-word@127.0.0.1:${port}/freehold`,
    FREEHOLD_DEMO: 'off',
  });
  assertFault(store, /PostgreSQL server cannot be asked \(ECONNREFUSED\): .*FREEHOLD_STORE/);
  const mail = { FREEHOLD_SMTP_URL: `smtps://user:hidden-word@127.0.0.1:${port}`, FREEHOLD_MAIL_FROM: 'a@example.com' };
  const run = await examine(mail);
  assertFault(run, /mail server 127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\): .*FREEHOLD_SMTP_URL/);
  assert.ok(!(store.stdout + run.stdout).includes('hidden-word'));
  const there = await examine({ ...mail, FREEHOLD_SMTP_URL: `smtp://127.0.0.1:${await listenOnce(t)}` });
  assert.equal(there.code, 0, there.stdout);
});

test('issuers are asked when they are named', async (t) => {
  let issuer = '';
  const server = createServer((request, response) => {
    const isKnown = request.url === '/.well-known/openid-configuration';
    response.writeHead(isKnown ? 200 : 404).end(JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const asked = await examine({}, undefined, ['--issuer', issuer]);
  assert.equal(asked.code, 0, asked.stdout);
  assert.ok(asked.stdout.includes(`the issuer \`${issuer}\` answers`));
  assertFault(await examine({}, undefined, ['--issuer', `${issuer}/other`]), /answers 404/);
  assertFault(await examine({}, undefined, ['--issuer', `${issuer}/`]), /calls itself/);
});
