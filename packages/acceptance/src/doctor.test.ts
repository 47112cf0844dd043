/** `freehold doctor` finds what was broken on purpose, says what to do, and changes nothing. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { type CommandResult, commandToEnd, runToEnd, temporaryDirectory, whyNoDataDir } from './platform.ts';
import { platformOf } from './platform-for-tests.ts';
import { smallDisk, whyNoDisk } from './small-disk.ts';

const bare = { FREEHOLD_STORE: 'sqlite:' };

function examine(
  env: Readonly<Record<string, string>> = {},
  dataDir = temporaryDirectory(),
  words: readonly string[] = [],
) {
  chmodSync(dataDir, 0o700);
  return commandToEnd(['doctor', ...words], { dataDir, env: { ...bare, ...env } });
}

function assertFault({ code, stdout, stderr }: CommandResult, sentence: RegExp): void {
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

test('all mistakes of the settings are reported', async () => {
  const run = await examine({ FREEHOLD_MODE: 'prod', FREEHOLD_SIGNUP: 'maybe' });
  assertFault(run, /FREEHOLD_/);
  assert.match(run.stdout, /FAULT FREEHOLD_MODE must be.*FAULT FREEHOLD_SIGNUP must be.*faults: 2\n$/s);
});

test('a port that is taken is a fault, and a platform on it is recognized', async (t) => {
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
  assertFault(await examine(same), /both name port 4999/);
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

test('a start refuses without the secrets that belong to its data, and works with any that are put there', {
  skip: whyNoDataDir,
}, async (t) => {
  const { dataDir, terminate } = await platformOf(t);
  await terminate();
  const secrets = join(dataDir, 'secrets.json');
  const kept = readFileSync(secrets, 'utf8');
  rmSync(secrets);
  const gone = /the stores hold data, and `.*secrets\.json` is gone: put it back from a backup before the next start/;
  assertFault(await examine({}, dataDir), gone);
  const refused = await runToEnd([], { dataDir });
  assert.equal(refused.code, 1, refused.stderr);
  assert.match(refused.stderr, gone);
  assert.equal(existsSync(secrets), false);
  for (const text of [kept, '{}']) {
    writeFileSync(secrets, text, { mode: 0o600 });
    await (await platformOf(t, { dataDir })).terminate();
    assert.equal((await examine({}, dataDir)).code, 0);
  }
});

test('a store that is gone beside the others is a fault, wherever it should lie, and no start makes it again; a first start that was cut off is none', {
  skip: whyNoDataDir,
}, async (t) => {
  const { dataDir, terminate } = await platformOf(t);
  await terminate();
  const elsewhere = join(temporaryDirectory(), 'prod');
  const apart = { FREEHOLD_STORE_PROD: `sqlite:${elsewhere}` };
  const isMissing = (path: string) =>
    new RegExp(`\\\`${path}\\\` is missing, and the others are there: restore a backup`);
  assertFault(await examine(apart, dataDir), isMissing(join(elsewhere, 'prod.db')));
  mkdirSync(elsewhere, { mode: 0o700 });
  renameSync(join(dataDir, 'prod.db'), join(elsewhere, 'prod.db'));
  assert.equal((await examine(apart, dataDir)).code, 0);
  assertFault(await examine({}, dataDir), isMissing(join(dataDir, 'prod.db')));
  renameSync(join(dataDir, 'platform.db'), join(dataDir, 'kept'));
  assertFault(await examine(apart, dataDir), isMissing(join(dataDir, 'platform.db')));
  const refused = await runToEnd([], { dataDir, env: apart });
  assert.deepEqual([refused.code, existsSync(join(dataDir, 'platform.db'))], [1, false], refused.stderr);
  assert.match(refused.stderr, /platform\.db` is missing, and the others are there: restore a backup/);
  renameSync(join(dataDir, 'kept'), join(dataDir, 'platform.db'));
  await (await platformOf(t, { dataDir, env: apart })).terminate();
  assert.ok(readdirSync(elsewhere).includes('prod.db'));
  const cutOff = temporaryDirectory();
  writeFileSync(join(cutOff, 'platform.db'), '', { mode: 0o600 });
  assert.equal((await examine({}, cutOff)).code, 0);
});

test('a store of a newer release is a fault, and a folder that a platform has open is reported', {
  skip: whyNoDataDir,
}, async (t) => {
  const platform = await platformOf(t);
  const { dataDir } = platform;
  const before = readdirSync(dataDir);
  const running = await examine({ FREEHOLD_APP_PORT: '0', FREEHOLD_MANAGEMENT_PORT: '0' }, dataDir);
  assert.equal(running.code, 0, running.stdout);
  assert.ok(running.stdout.includes(`note  a platform or a command has \`${dataDir}\` open: end it`), running.stdout);
  assert.deepEqual(readdirSync(dataDir), before);
  await platform.terminate();
  for (const name of readdirSync(dataDir).filter((one) => one.endsWith('.lock'))) rmSync(join(dataDir, name));
  const names = readdirSync(dataDir);
  const ended = await examine({}, dataDir);
  assert.equal(ended.code, 0, ended.stdout);
  assert.ok(!ended.stdout.includes(' open: end it'), ended.stdout);
  assert.deepEqual(readdirSync(dataDir), names);
  using database = new DatabaseSync(join(dataDir, 'test.db'));
  database.exec('pragma user_version = 99; pragma wal_checkpoint(truncate)');
  assertFault(
    await examine({}, dataDir),
    /test\.db` was written by a newer release \(data version 99\): start that one, or/,
  );
});

test('a clock behind what the store was written at is a fault', { skip: whyNoDataDir }, async (t) => {
  const platform = await platformOf(t);
  await platform.terminate();
  const later = Date.now() / 1000 + 3600;
  utimesSync(join(platform.dataDir, 'test.db'), later, later);
  assertFault(await examine({}, platform.dataDir), /written 60 minutes from now: the clock .* is behind/);
});

test('a database server or mail server that is not there is a fault, and no password is printed', async (t) => {
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
  const result = await examine({}, undefined, ['--issuer', issuer]);
  assert.equal(result.code, 0, result.stdout);
  assert.ok(result.stdout.includes(`the issuer \`${issuer}\` answers`));
  assertFault(await examine({}, undefined, ['--issuer', `${issuer}/other`]), /answers 404/);
  assertFault(await examine({}, undefined, ['--issuer', `${issuer}/`]), /calls itself/);
});

test('a disk that is full, that takes no more files or that is mounted read-only is a fault', {
  skip: whyNoDisk,
}, async (t) => {
  const { folder, fill, makeRoom } = smallDisk(t);
  assertFault(
    await examine({}, folder),
    /has room for only \d\d MB: free some space, or writes will be refused with 503/,
  );
  fill();
  assertFault(await examine({}, folder), /has room for only 0 MB/);
  makeRoom();
  remount(folder, 'nr_inodes=20');
  assertFault(await examine({}, folder), /has room for only 1\d more files: remove some/);
  remount(folder, 'ro');
  const run = await commandToEnd(['doctor'], { dataDir: folder, env: bare });
  assertFault(run, /is on a disk that takes no writes: mount it for writing/);
});

function remount(folder: string, option: string): void {
  assert.equal(spawnSync('mount', ['-o', `remount,${option}`, folder]).status, 0);
}

const unprivilegedUid = 65534;
const doctorProgram = join(import.meta.dirname, '..', '..', 'server', 'src', 'commands', 'doctor.ts');
const whyNotOther = (process.getuid?.() === 0 ? false : 'not run: root alone runs commands as others') || whyNoDataDir;

test('a folder and files that are another user’s are faults', { skip: whyNotOther }, async (t) => {
  const platform = await platformOf(t);
  await platform.terminate();
  const { dataDir } = platform;
  const asNobody = async () => {
    const env = { ...bare, FREEHOLD_DATA_DIR: dataDir, FREEHOLD_APP_PORT: '0', FREEHOLD_MANAGEMENT_PORT: '0' };
    const { status, stdout } = spawnSync(process.execPath, [doctorProgram], {
      env,
      uid: unprivilegedUid,
      gid: unprivilegedUid,
    });
    return {
      code: status,
      faults: String(stdout)
        .split('\n')
        .filter((line) => line.startsWith('FAULT')),
    };
  };
  chmodSync(dataDir, 0o700);
  const closed = await asNobody();
  assert.equal(closed.code, 1);
  assert.match(closed.faults[0] ?? '', /the user 65534 cannot write to .* \(EACCES\): .chown. it/);
  chownSync(dataDir, unprivilegedUid, unprivilegedUid);
  const { code, faults } = await asNobody();
  assert.equal(code, 1);
  for (const name of ['platform.db', 'test.db', 'prod.db', 'secrets.json'])
    assert.ok(
      faults.some((line) => line.includes(`the user 65534 cannot read and write \`${join(dataDir, name)}\` (EACCES)`)),
      name,
    );
  assert.ok(
    faults.every((line) => !line.includes('backup')),
    faults.join('\n'),
  );
  for (const name of readdirSync(dataDir)) chownSync(join(dataDir, name), unprivilegedUid, unprivilegedUid);
  const own = await asNobody();
  assert.deepEqual([own.code, own.faults], [0, []]);
});

test('an issuer that leads elsewhere, says no JSON, names no keys or is not there is a fault', async (t) => {
  let answer: RequestListener = (_, response) => void response.end();
  const server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = (address = issuer) => examine({}, undefined, ['--issuer', address]);
  const documents: readonly (readonly [RequestListener, RegExp])[] = [
    [
      (_, response) => response.writeHead(302, { location: `${issuer}/other` }).end(),
      /cannot be asked .*auth\.issuers/,
    ],
    [(_, response) => response.end('<html>'), /cannot be asked .*auth\.issuers/],
    [(_, response) => response.end('null'), /cannot be asked .*auth\.issuers/],
    [(_, response) => response.end(JSON.stringify({ issuer })), /names no keys/],
    [(_, response) => response.end(JSON.stringify({ jwks_uri: `${issuer}/keys` })), /calls itself `undefined`/],
    [(_, response) => response.destroy(), /cannot be asked/],
  ];
  for (const [listener, sentence] of documents) {
    answer = listener;
    assertFault(await ask(), sentence);
  }
  await new Promise((resolve) => server.close(resolve));
  assertFault(await ask(), /cannot be asked \(ECONNREFUSED\)/);
  assertFault(await ask('no address'), /cannot be asked/);
});
