/** The same on PostgreSQL: data of an earlier version in a database. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { startTestServer, whyNot } from '../../store/postgres/testing/test-server.ts';
import { runProgram, temporaryFolder } from '../command.ts';
import { answersOf, clockOf, differencesOf, fixtureVersions, startOn, unpackFixture } from './older-platform.ts';

for (const version of fixtureVersions)
  test(`data of version ${version} in a database opens, answers every caller as it did, and is whole`, {
    skip: whyNot,
  }, async (context) => {
    const server = await startTestServer();
    const database = await server.database('');
    context.after(async () => {
      await database.stop();
      await server.stop();
    });
    const answers = answersOf(version);
    const dataDir = join(temporaryFolder(context), 'data');
    await unpackFixture(version, dataDir);
    // Copied as what it is after the migration, it is said to be what it was before: a migration leaves alone what it has done.
    await (await startOn({ FREEHOLD_DATA_DIR: dataDir }, clockOf(answers))).close();
    const program = join(import.meta.dirname, '..', '..', '..', 'bin', 'freehold.mjs');
    const copied = await runProgram(program, ['copy', '--from', `sqlite:${dataDir}`, '--to', database.url]);
    assert.equal(copied.code, 0, copied.stderr);
    for (const space of ['platform', 'test', 'prod'])
      await database.run(`update freehold_${space}.schema_version set version = ${version}`);
    const platform = await startOn({ FREEHOLD_STORE: database.url, FREEHOLD_DATA_DIR: dataDir }, clockOf(answers));
    try {
      assert.deepEqual(await differencesOf(platform, answers), []);
    } finally {
      await platform.close();
    }
    const [row] = await database.run('select version from freehold_test.schema_version');
    assert.notDeepEqual(row, { version });
  });
