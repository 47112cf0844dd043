import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { systemClock } from '../../lib/clock.ts';
import type { Change, OpenedStore } from '../port.ts';
import { append } from '../testing/conformance/bench.ts';
import { freePagesKept, openConnection } from './connection.ts';
import { openSqlite } from './open-sqlite.ts';
import { prepareSchema } from './schema.ts';
import { failOnFatal, type TemporaryDirectory, temporaryDirectory } from './testing/temporary-store.ts';
import { SqliteWriter } from './writer.ts';

const pagesMax = 6000;
const frameBytes = 4096 + 24;
const group = [{ kind: 'commit', scope: 's', changes: [append('log', 'x'.repeat(400_000))] }] as const;
/** More than the pages of one group. */
const groupPages = 150;

describe('the write-ahead log of a SQLite store', () => {
  test('stays below its bound while a foreign reader holds it, and is cut when that has gone', () => {
    using directory = temporaryDirectory();
    using database = openConnection(directory.storePath, { readOnly: false, cacheKibibytes: 2048 });
    prepareSchema(database);
    const writer = new SqliteWriter(database, pagesMax);
    const write = () => {
      const answer = writer.run(group, 0);
      if ('verdicts' in answer) writer.checkpointIfDue();
      return answer;
    };
    write();
    const reader = new DatabaseSync(directory.storePath, { readOnly: true });
    reader.exec('begin; select 1 from heads');
    const answers = Array.from({ length: 100 }, write);
    const refused = answers.flatMap((answer) => ('failure' in answer ? [answer.failure] : []));
    assert.ok(refused.length > 0 && refused.length < 80, `${refused.length} were refused`);
    for (const { outcome, isFatal, message } of refused) {
      assert.deepEqual([outcome, isFatal], ['nothing-written', false]);
      assert.match(message, /a program that reads the file, such as a backup, has held it for too long/);
    }
    const longest = logBytes(directory);
    assert.ok(longest <= (pagesMax + groupPages) * frameBytes, `the log has ${longest} bytes`);
    assert.equal(database.prepare('select seq from heads').get()?.seq, 101 - refused.length);
    reader.close();
    assert.ok('verdicts' in write());
    const cut = logBytes(directory);
    assert.ok(cut <= 16 * 1024 * 1024 && cut < longest, `the log has ${cut} bytes`);
  });

  test('holds nothing that was removed once it is tidied, nor does the file, and the file gives pages back', () => {
    using directory = temporaryDirectory();
    using database = openConnection(directory.storePath, { readOnly: false, cacheKibibytes: 2048 });
    prepareSchema(database);
    const writer = new SqliteWriter(database);
    const run = (changes: readonly Change[]) => {
      const answer = writer.run([{ kind: 'commit', scope: 's', changes }], 0);
      assert.ok('verdicts' in answer && answer.verdicts[0]?.kind === 'committed');
      writer.checkpointIfDue();
    };
    const key = (index: number) => ({ pk: `data#${index % 7}`, sk: `SECRET-${index}` });
    const entry = (index: number) => ({ pk: 'index#word', sk: `SECRET-${(index * 7919) % 1000}-${index}` });
    const numbers = Array.from({ length: 500 }, (_, index) => index);
    for (const index of numbers) {
      const value = JSON.stringify({ email: `SECRET-${index}`, pad: 'x'.repeat((index * 37) % 9000) });
      run([
        { kind: 'put', ...key(index), value, if: 'any' },
        { kind: 'put-index', ...entry(index), target: key(index) },
      ]);
      // Rows that stay among those that go, and values that get shorter.
      run([{ kind: 'put', pk: 'data#1', sk: `stays-${index}`, value: 'y'.repeat((index * 91) % 3000), if: 'any' }]);
      if (index % 3 === 0) run([{ kind: 'put', ...key(index), value: `SECRET-${index}`, if: 'any' }]);
    }
    assert.equal(writer.tidy(), true);
    const before = statSync(directory.storePath).size;
    for (const index of numbers)
      run([
        { kind: 'remove', ...entry(index), if: 'any' },
        { kind: 'remove', ...key(index), if: 'any' },
      ]);
    const held = new DatabaseSync(directory.storePath, { readOnly: true });
    held.exec('begin; select 1 from heads');
    assert.equal(writer.tidy(), false, 'a reader still sees what was removed');
    assert.ok(filesWith(directory, 'SECRET').length > 0);
    held.close();
    assert.equal(writer.tidy(), true);
    assert.deepEqual(filesWith(directory, 'SECRET'), []);
    assert.equal(logBytes(directory), 0);
    assert.equal(database.prepare('select count(*) as n from items').get()?.n, 500);
    run([{ kind: 'put', pk: 'data#1', sk: 'large', value: 'z'.repeat(2_000_000), if: 'any' }]);
    const free = () => Number(database.prepare('pragma freelist_count').get()?.freelist_count);
    for (let each = 0; each < 16; each++)
      run([{ kind: 'put', pk: 'data#1', sk: `large-${each}`, value: 'z'.repeat(2_000_000), if: 'any' }]);
    for (let each = 0; each < 16; each++) run([{ kind: 'remove', pk: 'data#1', sk: `large-${each}`, if: 'any' }]);
    const [largest, unused] = [statSync(directory.storePath).size, free()];
    assert.ok(unused > freePagesKept, `${unused} pages are free`);
    while (free() > freePagesKept) assert.equal(writer.tidy(), true);
    assert.equal(free(), freePagesKept);
    assert.ok(statSync(directory.storePath).size < largest && largest > before);
  });

  test('goes into the database file at a start, so that no commit stands behind what a failed sync left', async () => {
    using directory = temporaryDirectory();
    using left = await leftByKill(directory);
    await using opened = await openAt(left);
    const { store } = opened;
    assert.equal(logBytes(left), 0);
    assert.equal(await store.scope('s').count('log', {}, 100), 20);
  });

  test('is written once more at a start while a foreign program reads it', async () => {
    using directory = temporaryDirectory();
    using left = await leftByKill(directory);
    const log = `${left.storePath}-wal`;
    using reader = new DatabaseSync(left.storePath, { readOnly: true });
    reader.exec('begin; select 1 from heads');
    const before = readFileSync(log);
    utimesSync(log, 1, 1);
    await using opened = await openAt(left);
    const { store } = opened;
    assert.deepEqual(readFileSync(log), before);
    assert.notEqual(statSync(log).mtimeMs, 1000);
    await store.scope('s').commit([append('log', 'after')]);
    assert.equal(await store.scope('s').count('log', {}, 100), 21);
  });
});

async function openAt({ storePath }: TemporaryDirectory): Promise<OpenedStore & AsyncDisposable> {
  const opened = await openSqlite({ path: storePath, clock: systemClock, onFatal: failOnFatal });
  return { ...opened, [Symbol.asyncDispose]: () => opened.store.close() };
}

/** The files of a store with 20 commits in its log, as a process that is killed leaves them. */
async function leftByKill(directory: TemporaryDirectory): Promise<TemporaryDirectory> {
  const left = temporaryDirectory();
  const { store } = await openAt(directory);
  for (let index = 0; index < 20; index++) await store.scope('s').commit([append('log', `${index}`)]);
  for (const suffix of ['', '-wal']) copyFileSync(`${directory.storePath}${suffix}`, `${left.storePath}${suffix}`);
  await store.close();
  return left;
}

/** The files of the folder that contain the text. */
function filesWith({ storePath }: TemporaryDirectory, text: string): readonly string[] {
  const folder = dirname(storePath);
  return readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(text));
}

function logBytes({ storePath }: TemporaryDirectory): number {
  return statSync(`${storePath}-wal`).size;
}
