import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { startPlatform } from '../testing/platform-on-server.ts';
import { type OwnServer, startOwnServer, type TestServer, whyNotOwn } from '../testing/test-server.ts';

const folderOfPrograms = join(import.meta.dirname, '..', '..', '..');
const program = join(folderOfPrograms, 'commands', 'doctor.ts');
const password = 'open-sesame';

describe('the doctor of a platform on PostgreSQL', { skip: whyNotOwn }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'freehold-doctor-'));
  let server: OwnServer;
  before(async () => {
    server = await startOwnServer();
    await server.run(
      `create role builder login password '${password}'; create role guest login password '${password}'`,
    );
  });
  after(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  const environment = (url: string) => ({ FREEHOLD_STORE: url, FREEHOLD_DATA_DIR: folder, FREEHOLD_DEMO: 'off' });

  function examine(url: string, more: Readonly<Record<string, string>> = {}) {
    const env = { ...environment(url), FREEHOLD_APP_PORT: '0', FREEHOLD_MANAGEMENT_PORT: '0', ...more };
    return new Promise<{ readonly code: number; readonly faults: readonly string[] }>((resolve) => {
      const child = execFile(process.execPath, [program], { env }, (_, stdout) => {
        assert.ok(!stdout.includes(password) && !stdout.includes('postgres://'), stdout);
        resolve({ code: child.exitCode ?? -1, faults: stdout.split('\n').filter((line) => line.startsWith('FAULT')) });
      });
    });
  }

  function runToEnd([file = '', ...words]: readonly string[], env: Readonly<Record<string, string>>) {
    return new Promise<{ readonly code: number; readonly stderr: string }>((resolve) => {
      const child = execFile(
        process.execPath,
        [join(folderOfPrograms, file), ...words],
        { env },
        (_, _stdout, stderr) => resolve({ code: child.exitCode ?? -1, stderr }),
      );
    });
  }

  async function assertFaults(url: string, expected: readonly (RegExp | string)[]): Promise<void> {
    const { code, faults } = await examine(url);
    assert.deepEqual([code, faults.length], [expected.length === 0 ? 0 : 1, expected.length], faults.join('\n'));
    for (const [index, sentence] of expected.entries()) {
      const reported = faults[index] ?? '';
      assert.ok(typeof sentence === 'string' ? reported.includes(sentence) : sentence.test(reported), reported);
    }
  }

  async function newDatabase(t: TestContext): Promise<TestServer> {
    const database = await server.database('');
    t.after(() => database.stop());
    return database;
  }

  const as = (name: string, { url }: TestServer) => Object.assign(new URL(url), { username: name, password }).href;

  async function startAndEnd(t: TestContext, url: string): Promise<void> {
    const { child } = await startPlatform(t, environment(url));
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }

  const schemasOf = async (database: TestServer) =>
    (await database.run(`select nspname from pg_namespace where nspname like 'freehold%' order by 1`)).map(
      ({ nspname }) => String(nspname),
    );

  test('a user who may not make schemas learns what to grant, and with that a platform starts', async (t) => {
    const database = await newDatabase(t);
    const url = as('builder', database);
    const may = (name: string) => `user \`builder\` may not make the schema \`freehold_${name}\`: \`grant create`;
    await assertFaults(url, ['platform', 'prod', 'test'].map(may));
    await database.run('create schema freehold_platform authorization builder; create schema freehold_test');
    await assertFaults(url, [may('prod'), /may not make tables in the schema `freehold_test`: .alter schema/]);
    assert.deepEqual(await schemasOf(database), ['freehold_platform', 'freehold_test']);
    const [row] = await database.run(`select count(*)::int as n from pg_class where relname = 'items'`);
    assert.deepEqual(row, { n: 0 }, 'nothing was made');
    await database.run(
      'alter schema freehold_test owner to builder; create schema freehold_prod authorization builder',
    );
    await assertFaults(url, []);
    await startAndEnd(t, url);
    await assertFaults(url, []);
  });

  test('a user who may read the tables and not write them, or not see them, is a fault', async (t) => {
    const database = await newDatabase(t);
    await database.run(`grant create on database "${new URL(database.url).pathname.slice(1)}" to builder`);
    await startAndEnd(t, as('builder', database));
    const spaces = ['platform', 'prod', 'test'];
    const cannot = spaces.map(
      (name) => `\`guest\` may not read and write the tables in the schema \`freehold_${name}\``,
    );
    const guest = as('guest', database);
    await assertFaults(guest, [...cannot, /secrets cannot be looked at, as the store cannot be opened/]);
    for (const name of spaces) {
      await database.run(`grant usage on schema freehold_${name} to guest`);
      await database.run(`grant select on all tables in schema freehold_${name} to guest`);
    }
    await assertFaults(guest, cannot);
    for (const name of spaces)
      await database.run(`grant insert, update, delete on freehold_${name}.items, freehold_${name}.heads to guest`);
    await assertFaults(guest, []);
    await startAndEnd(t, guest);
  });

  test('a standby, and sessions that take no writes, are faults', async (t) => {
    await startAndEnd(t, server.url);
    const standby = await server.standby();
    t.after(() => standby.stop());
    const [row] = await standby.run('select pg_is_in_recovery() as standby');
    assert.deepEqual(row, { standby: true });
    await assertFaults(standby.url, [
      /the server is a standby, .*point FREEHOLD_STORE at the primary/,
      /as the store cannot be opened .*standby/,
    ]);
    await assertFaults(server.url, []);
    const database = await newDatabase(t);
    const name = new URL(database.url).pathname.slice(1);
    await database.run(`alter database "${name}" set default_transaction_read_only = on`);
    await assertFaults(database.url, [/sessions of the user `owner` are read-only there/]);
  });

  test('a wrong password, a database that is not there and one in another encoding are faults', async (t) => {
    const database = await newDatabase(t);
    const wrong = Object.assign(new URL(as('builder', database)), { password: 'wrong' }).href;
    const { faults } = await examine(wrong);
    assert.match(
      faults[0] ?? '',
      /cannot be asked \(28P01\): .*FREEHOLD_STORE names it with the right user and password/,
    );
    // Secrets that nothing is known about are not to be restored.
    assert.match(faults[1] ?? '', /the secrets cannot be looked at, as the store cannot be asked \(28P01\)$/);
    const away = Object.assign(new URL(database.url), { port: '1' }).href;
    assert.match(
      (await examine(away)).faults.join('\n'),
      /cannot be asked \(ECONNREFUSED\).*\n.*as the store cannot be asked/,
    );
    const nowhere = Object.assign(new URL(database.url), { pathname: '/nowhere' }).href;
    assert.match((await examine(nowhere)).faults[0] ?? '', /cannot be asked \(3D000\)/);
    await server.run(`create database latin template template0 encoding 'LATIN1' locale 'C'`);
    const latin = Object.assign(new URL(database.url), { pathname: '/latin' }).href;
    assert.match((await examine(latin)).faults[0] ?? '', /encoded in LATIN1: make one with/);
  });

  test('a schema, or the secrets, that are gone while others are there are faults, and nothing is made in their place', async (t) => {
    const database = await newDatabase(t);
    await startAndEnd(t, database.url);
    await database.run(`delete from freehold_platform.items where pk = 'platform' and sk = 'secrets'`);
    const gone = 'the stores hold data, and the secrets of the platform are gone: restore a dump';
    await assertFaults(database.url, [gone]);
    const refused = await runToEnd(['main.ts'], { ...environment(database.url), FREEHOLD_APP_PORT: '0' });
    assert.ok(refused.code === 1 && refused.stderr.includes(gone), refused.stderr);
    await database.run('drop schema freehold_test cascade');
    const missing = 'the schema of `test` is missing, and the others are there: restore a backup';
    await assertFaults(database.url, [missing, gone]);
    for (const words of [['commands/verify.ts'], ['commands/recount.ts'], ['commands/audit.ts', 'verify']]) {
      const { code, stderr } = await runToEnd(words, environment(database.url));
      assert.deepEqual([code, stderr], [2, `${missing}\n`], words.join(' '));
    }
    assert.deepEqual(await schemasOf(database), ['freehold_platform', 'freehold_prod']);
  });

  test('production is looked for where it is to lie', async (t) => {
    const [one, two] = [await newDatabase(t), await newDatabase(t)];
    await one.run(
      'create schema freehold_platform authorization builder; create schema freehold_test authorization builder',
    );
    const { faults } = await examine(as('builder', one), { FREEHOLD_STORE_PROD: as('guest', two) });
    assert.equal(faults.length, 1, faults.join('\n'));
    assert.match(faults[0] ?? '', /user `guest` may not make the schema `freehold_prod`/);
  });
});
