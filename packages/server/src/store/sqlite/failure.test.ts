import assert from 'node:assert/strict';
import { closeSync, openSync, statSync, truncateSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { systemClock } from '../../lib/clock.ts';
import { OutcomeUnknown, Unavailable } from '../port.ts';
import { put } from '../testing/conformance/bench.ts';
import { assertSettings, openConnection } from './connection.ts';
import { openSqlite } from './open-sqlite.ts';
import { prepareSchema } from './schema.ts';
import { failOnFatal, temporaryDirectory } from './testing/temporary-store.ts';
import { SqliteWriter } from './writer.ts';
import { WriterThread } from './writer-thread.ts';

const commitOf = (...changes: readonly ReturnType<typeof put>[]) => ({ kind: 'commit', scope: 's', changes }) as const;

describe('SQLite that fails', () => {
  test('stores nothing and goes on when the file cannot grow, and stores again when it can', () => {
    using directory = temporaryDirectory();
    using database = openConnection(directory.storePath, { readOnly: false, cacheKibibytes: 2048 });
    prepareSchema(database);
    const writer = new SqliteWriter(database);
    database.exec('pragma max_page_count = 40');
    const large = commitOf(put('p', 'large', { value: 'x'.repeat(500_000) }));
    const answer = writer.run([commitOf(put('p', 'small')), large], 0);
    assert.deepEqual(answer, {
      failure: { outcome: 'nothing-written', isFatal: false, message: 'database or disk is full' },
    });
    assert.equal(database.prepare('select count(*) as items from items').get()?.items, 0);
    assert.ok('verdicts' in writer.run([commitOf(put('p', 'small'))], 0));
    database.exec('pragma max_page_count = 4000');
    assert.deepEqual(writer.run([large], 0), { verdicts: [{ kind: 'committed', seq: 2, sums: [] }] });
  });

  test('ends for good, and says so once, when the file is damaged', async () => {
    using directory = temporaryDirectory();
    const path = directory.storePath;
    const first = await openSqlite({ path, clock: systemClock, onFatal: failOnFatal });
    for (let index = 0; index < 20; index++) await first.store.scope('s').commit([put('p', `k${index}`)]);
    await first.store.close();
    const file = openSync(path, 'r+');
    const size = statSync(path).size;
    writeSync(file, Buffer.alloc(size - 4096, 0xee), 0, size - 4096, 4096);
    closeSync(file);

    const errors: Error[] = [];
    const { store } = await openSqlite({ path, clock: systemClock, onFatal: (error) => errors.push(error) });
    await assert.rejects(store.scope('s').commit([put('p', 'new')]), Unavailable);
    await assert.rejects(store.scope('s').commit([put('p', 'new')]), Unavailable);
    assert.equal((await store.health()).ok, false);
    assert.equal(errors.length, 1);
    await assert.rejects(store.scope('s').get([{ pk: 'p', sk: 'k1' }]), Unavailable);
    await store.close();
  });

  test('is not well any more when the file can no longer be read', async () => {
    using directory = temporaryDirectory();
    const path = directory.storePath;
    const { store } = await openSqlite({ path, clock: systemClock, onFatal: failOnFatal });
    assert.equal((await store.health()).ok, true);
    // Shorter than the table of contents says: every page beyond the first is missing.
    truncateSync(`${path}-wal`, 0);
    truncateSync(path, 4096);
    await assert.rejects(store.scope('s').range('p', { limit: 5 }), Unavailable);
    assert.equal((await store.health()).ok, false);
    await store.close();
  });

  test('does not know how a commit ended that was under way when the writer was lost', async () => {
    using directory = temporaryDirectory();
    const errors: Error[] = [];
    const program = new URL('./testing/dying-worker.ts', import.meta.url);
    const onFatal = (error: Error) => errors.push(error);
    const thread = await WriterThread.start({ path: directory.storePath, onFatal, program });
    assert.equal(thread.isHealthy, true);
    await assert.rejects(thread.run([], 0), OutcomeUnknown);
    assert.equal(thread.isHealthy, false);
    await assert.rejects(thread.run([], 0), Unavailable);
    assert.match(errors.map((error) => error.message).join(), /thread ended with code 3$/);
    await thread.close();
  });

  test('refuses a file that a newer release wrote, and leaves it as it is', async () => {
    using directory = temporaryDirectory();
    const path = directory.storePath;
    const first = await openSqlite({ path, clock: systemClock, onFatal: failOnFatal });
    await first.store.close();
    const foreign = new DatabaseSync(path);
    foreign.exec('pragma user_version = 99');
    foreign.close();
    const opening = () => openSqlite({ path, clock: systemClock, onFatal: failOnFatal });
    await assert.rejects(opening, /written by a newer release \(data version 99, this release knows \d+\)/);
    const reader = new DatabaseSync(path);
    reader.exec('pragma user_version = 1');
    reader.close();
    const again = await opening();
    await again.store.close();
  });

  test('refuses a file that is no database, and one in a directory that is not there', async () => {
    using directory = temporaryDirectory();
    const path = directory.storePath;
    const file = openSync(path, 'w');
    writeSync(file, 'no database, but long enough to be looked at as one'.repeat(100));
    closeSync(file);
    const clock = systemClock;
    await assert.rejects(
      openSqlite({ path, clock, onFatal: failOnFatal }),
      /is no database: restore the folder from a backup$/,
    );
    await assert.rejects(openSqlite({ path: `${path}.d/store.db`, clock, onFatal: failOnFatal }), /ENOENT/);
  });

  test('refuses a connection whose commits would not be synced', () => {
    using directory = temporaryDirectory();
    using database = openConnection(directory.storePath, { readOnly: false, cacheKibibytes: 2048 });
    assertSettings(database);
    for (const weaker of [
      'synchronous = normal',
      'synchronous = off',
      'wal_autocheckpoint = 1000',
      'journal_mode = delete',
    ]) {
      using other = openConnection(directory.storePath, { readOnly: false, cacheKibibytes: 2048 });
      if (weaker.startsWith('journal_mode')) database.close();
      other.exec(`pragma ${weaker}`);
      assert.throws(() => assertSettings(other), /where .+ is needed/);
    }
  });
});
