/** Data that an earlier version wrote opens, is brought to this one, and answers as it did. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { dataVersion, firstDataVersion } from '../../store/data-version.ts';
import { migrations } from '../../upgrade/migrations.ts';
import { runProgram, temporaryFolder } from '../command.ts';
import type { Answers } from './asks.ts';
import { bearer, call, type Gateways, must, password } from './calls.ts';
import { answersOf, clockOf, differencesOf, fixtureVersions, startOn, unpackFixture } from './older-platform.ts';

test('there is a fixture of each earlier version, and a migration to each later one', () => {
  const earlier = Array.from({ length: dataVersion - firstDataVersion }, (_, index) => firstDataVersion + index);
  assert.deepEqual(fixtureVersions, earlier);
  assert.deepEqual(
    migrations.map(({ to }) => to),
    earlier.map((version) => version + 1),
  );
});

async function unpacked(context: TestContext, version: number): Promise<string> {
  const dataDir = join(temporaryFolder(context), 'data');
  await unpackFixture(version, dataDir);
  return dataDir;
}

async function command(dataDir: string, ...words: readonly string[]) {
  const program = join(import.meta.dirname, '..', '..', '..', 'bin', 'freehold.mjs');
  return runProgram(program, [...words, '--data-dir', dataDir]);
}

for (const version of fixtureVersions)
  test(`data of version ${version} opens, answers every caller as it did, goes on, and is whole`, async (context) => {
    const dataDir = await unpacked(context, version);
    const answers = answersOf(version);
    const platform = await startOn({ FREEHOLD_DATA_DIR: dataDir }, clockOf(answers));
    try {
      assert.deepEqual(await differencesOf(platform, answers), []);
      await resume(platform, answers);
    } finally {
      await platform.close();
    }
    for (const words of [['verify'], ['audit', 'verify'], ['recount']]) {
      const { code, stdout, stderr } = await command(dataDir, ...words);
      assert.deepEqual([code, stderr], [0, ''], `${words.join(' ')}: ${stdout}`);
    }
  });

/** Writes of each sort of caller. */
async function resume({ app, management }: Gateways, { callers, filled }: Answers): Promise<void> {
  const as = (who: string) => ({ headers: callers[who]?.headers ?? {} });
  const shop = `${app}/app/shop`;
  const made = await must('201 POST', `${shop}/create/thing`, {
    ...as('founder'),
    body: { title: 'again', word: 'again' },
  });
  const taken = await call('POST', `${shop}/create/thing`, { ...as('founder'), body: { title: 'x', word: 'ABC' } });
  assert.equal(taken.status, 400);
  await must('409 POST', `${shop}/create/thing`, { ...as('founder'), body: { title: 'x', word: 'again' } });
  await must('200 PUT', `${shop}/update/thing/${filled.thingId}`, {
    ...as('founder'),
    body: { title: 'changed again' },
  });
  await must('204 DELETE', `${shop}/delete/thing/${made.id}`, as('founder'));
  await must('409 DELETE', `${shop}/delete/customer/${filled.customerId}`, as('founder'));
  const secret = { email: 'eve@example.com', password };
  await must('200 POST', `${shop}/login`, { headers: { client_id: filled.clientId }, body: secret });
  await must('201 POST', `${shop}/create/aclpolicy`, { ...as('founder'), body: { name: 'again', statements: [] } });
  const joined = { code: filled.orgInvitation, password, name: 'Bob' };
  const { token } = await must('200 POST', `${management}/auth/accept-invitation`, { body: joined });
  await must('200 GET', `${management}/org`, { headers: bearer(token) });
  await must('200 POST', `${management}/deploy/activate`, { ...as('pipeline'), body: {} });
  const [, second] = filled.releases;
  await must('200 POST', `${management}/deploy/rollback`, { ...as('builder'), body: { version: second } });
  await must('200 GET', `${shop}/list/extra`, as('production'));
}

test('a start goes on where one before it was cut off', async (context) => {
  const dataDir = await unpacked(context, 1);
  for (const [name, version] of [
    ['platform', 2],
    ['test', -2],
    ['prod', 1],
  ] as const) {
    using database = new DatabaseSync(join(dataDir, `${name}.db`));
    database.exec(`pragma user_version = ${version}`);
  }
  const answers = answersOf(1);
  const platform = await startOn({ FREEHOLD_DATA_DIR: dataDir }, clockOf(answers));
  try {
    assert.deepEqual(await differencesOf(platform, answers), []);
  } finally {
    await platform.close();
  }
});

test('a start refuses data of before there were chains, names its folder, and leaves it as it is', async (context) => {
  const dataDir = await unpacked(context, 1);
  const path = join(dataDir, 'platform.db');
  const database = new DatabaseSync(path);
  database.exec(`delete from items where pk = 'chain'`);
  database.close();
  for (let starts = 0; starts < 2; starts++)
    await assert.rejects(startOn({ FREEHOLD_DATA_DIR: dataDir }, clockOf(answersOf(1))), (error: Error) =>
      error.message.startsWith(`the data in \`${dataDir}\` was written by a development version`),
    );
  using after = new DatabaseSync(path, { readOnly: true });
  assert.equal(after.prepare('pragma user_version').get()?.user_version, 1);
});

test('a command refuses data of an earlier version, or on its way from one, and says that a start changes that', async (context) => {
  const dataDir = await unpacked(context, 1);
  const words = [['verify'], ['audit', 'verify'], ['recount'], ['audit', 'export']];
  const refusals = [
    {
      version: 1,
      says: /^the data in `.*` is of version 1, and this release works on version \d+: start the platform/,
    },
    { version: -2, says: /^the data in `.*` was left on its way to version 2: start the platform on it/ },
    { version: 99, says: /written by a newer release \(data version 99, this release knows \d+\)/ },
  ];
  for (const { version, says } of refusals) {
    for (const name of ['platform', 'test', 'prod']) {
      using database = new DatabaseSync(join(dataDir, `${name}.db`));
      database.exec(`pragma user_version = ${version}`);
    }
    for (const word of words) {
      const { code, stdout, stderr } = await command(dataDir, ...word);
      assert.deepEqual([code, stdout], [2, ''], word.join(' '));
      assert.match(stderr, says);
    }
  }
});

test('a backup of an earlier version is put back as it is, one of a newer version is refused, and none is made of it', async (context) => {
  const dataDir = await unpacked(context, 1);
  const folder = temporaryFolder(context);
  const [file, restored] = [join(folder, 'b.tar'), join(folder, 'restored')];
  assert.equal((await command(dataDir, 'backup', file)).code, 0);
  const put = await command(restored, 'restore', file);
  assert.deepEqual([put.code, put.stderr], [0, '']);
  assert.match(put.stdout, /the data is of an earlier version: the first start brings it to this one/);
  const answers = answersOf(1);
  const platform = await startOn({ FREEHOLD_DATA_DIR: restored }, clockOf(answers));
  await platform.close();
  assert.equal((await command(restored, 'verify')).code, 0);

  // A manifest is text in a tar whose parts are summed by themselves, so a number in it can be changed in place.
  const text = readFileSync(file, 'latin1');
  const newer = join(folder, 'newer.tar');
  writeFileSync(newer, text.replace('"data_version": 1', '"data_version":99'), 'latin1');
  const refused = await command(join(folder, 'none'), 'restore', newer);
  assert.deepEqual([refused.code, refused.stdout, existsSync(join(folder, 'none'))], [2, '', false]);
  assert.match(
    refused.stderr,
    /its data is of version 99, this release works on version \d+: use the release that made it/,
  );

  using database = new DatabaseSync(join(dataDir, 'test.db'));
  database.exec('pragma user_version = 99');
  const unmade = await command(dataDir, 'backup', join(folder, 'unmade.tar'));
  assert.deepEqual([unmade.code, unmade.stdout, existsSync(join(folder, 'unmade.tar'))], [2, '', false]);
  assert.match(unmade.stderr, /written by a newer release \(data version 99/);
});

test('a copy refuses data of an earlier version', async (context) => {
  const dataDir = await unpacked(context, 1);
  const target = temporaryFolder(context);
  const program = join(import.meta.dirname, '..', '..', '..', 'bin', 'freehold.mjs');
  const words = ['copy', '--from', `sqlite:${dataDir}`, '--to', `sqlite:${join(target, 'copy')}`];
  const { code, stdout, stderr } = await runProgram(program, words);
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(
    stderr,
    /^the data in `.*` is of version 1, and this release works on version \d+: start the platform on it/,
  );
});
