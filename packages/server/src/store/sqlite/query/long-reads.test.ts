import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { systemClock } from '../../../lib/clock.ts';
import { Problem } from '../../../lib/problem.ts';
import { always } from '../../../lib/where.ts';
import { keyBounds } from '../../key-bounds.ts';
import { type LongReadTurns, longReadTurns } from '../../long-read-turns.ts';
import { type Scope, Unavailable } from '../../port.ts';
import { fill, put } from '../../testing/conformance/bench.ts';
import { openConnection } from '../connection.ts';
import { openSqlite } from '../open-sqlite.ts';
import { failOnFatal, temporaryDirectory } from '../testing/temporary-store.ts';
import { LongReads, type LongReadsOptions } from './long-reads.ts';
import { RecentStatements } from './recent-statements.ts';
import { bound, fixed, sql } from './sql.ts';
import { WindowReader, windowSizes } from './window-reader.ts';

const name = 'acme-1';
const records = 1200;
const part = { ...keyBounds({}), pk: 'p', isReverse: false, where: always, rowsMax: 100_000 };
const count = { ...part, group: [], measures: [{ kind: 'count' }], groupsMax: 1 } as const;
const read = { place: { scope: name, now: 0 }, read: count };
const dying = new URL('data:text/javascript,process.exit(3)');

async function stocked(options: Partial<LongReadsOptions> = {}) {
  const directory = temporaryDirectory();
  const { store } = await openSqlite({ path: directory.storePath, clock: systemClock, onFatal: failOnFatal });
  const scope = store.scope(name);
  await fill(
    scope,
    Array.from({ length: records }, (_, at) => put('p', `k${at}`, { value: JSON.stringify({ n: at }) })),
  );
  const longReads = new LongReads({ path: directory.storePath, turns: longReadTurns(2), ...options });
  return {
    ...{ scope, store, longReads, path: directory.storePath },
    [Symbol.asyncDispose]: async () => {
      await longReads.close();
      await store.close();
      directory[Symbol.dispose]();
    },
  };
}

test('a thread is begun for a read, does the next one too, and ends when there is none', async () => {
  await using stock = await stocked();
  const { longReads } = stock;
  assert.equal(longReads.threads, 0);
  for (let turn = 0; turn < 3; turn++) {
    const found = await longReads.measure(read);
    assert.deepEqual(found, {
      groups: [{ key: [], results: [{ kind: 'count', count: records }] }],
      rows: records,
      next: undefined,
    });
    assert.equal(longReads.threads, 1);
  }
  await longReads.close();
  assert.equal(longReads.threads, 0);
});

test('a thread that nothing needs any more ends by itself', async () => {
  const ended = Promise.withResolvers<void>();
  await using stock = await stocked({ idleMilliseconds: 0, onThreadEnd: ended.resolve });
  await stock.longReads.measure(read);
  await ended.promise;
  assert.equal(stock.longReads.threads, 0);
});

test('a read whose thread dies is refused, and the next one has another thread', async () => {
  const programs: (URL | undefined)[] = [dying, undefined];
  await using stock = await stocked({ programOf: () => programs.shift() });
  await assert.rejects(stock.longReads.measure(read), Unavailable);
  assert.equal(stock.longReads.threads, 0);
  assert.equal((await stock.longReads.measure(read)).rows, records);
});

test('an owner has one read under way and 20 that wait, and the others do not wait for them', async () => {
  const turns = longReadTurns(2);
  const begun: string[] = [];
  const watched: LongReadTurns = {
    run: (place, work, signal) => {
      const watchedWork: typeof work = (assertInTime) => {
        begun.push(place.owner);
        return work(assertInTime);
      };
      return turns.run(place, watchedWork, signal);
    },
  };
  await using stock = await stocked({ turns: watched });
  const { longReads } = stock;
  const ask = (scope: string) => longReads.measure({ ...read, place: { scope, now: 0 } });
  const others = Array.from({ length: 21 }, () => ask('acme-1'));
  await assert.rejects(
    ask('acme-2'),
    (error) => error instanceof Problem && /at most 20 long reads/.test(error.message),
  );
  const other = ask('other-1');
  assert.equal(begun.at(-1), 'other');
  assert.ok(begun.length < 21, `${begun}`);
  await Promise.all([other, ...others]);
  assert.equal(begun.length, 22);
});

test('a read ends with the reason of its signal while it waits and while it is under way', async () => {
  await using stock = await stocked();
  const controllers = [new AbortController(), new AbortController()];
  const reads = Promise.allSettled(controllers.map(({ signal }) => stock.longReads.measure(read, signal)));
  const reason = new Error('no longer wanted');
  for (const controller of controllers) controller.abort(reason);
  for (const outcome of await reads) assert.equal(outcome.status === 'rejected' && outcome.reason, reason);
  assert.equal((await stock.longReads.measure(read)).rows, records);
});

test('a store that is closed ends its long reads, and writes its log back', async () => {
  await using stock = await stocked();
  const other = stock.store.scope('other-1');
  const reads = [stock.scope, other].map((scope) => countOf(scope));
  const both = Promise.allSettled(reads);
  await stock.store.close();
  for (const outcome of await both)
    assert.ok(outcome.status === 'fulfilled' || outcome.reason instanceof Unavailable, `${outcome.status}`);
  await assert.rejects(countOf(stock.scope), Unavailable);
  using database = new DatabaseSync(stock.path);
  assert.equal(database.prepare('select count(*) as n from items').get()?.n, records);
});

function countOf(scope: Scope) {
  return scope.measure('p', {
    where: always,
    group: [],
    measures: [{ kind: 'count' }],
    rowsMax: 100_000,
    groupsMax: 1,
  });
}

test('no read is begun while the write-ahead log is too long', async () => {
  await using stock = await stocked({ logBytesMax: 1000, logMilliseconds: 0 });
  await assert.rejects(stock.longReads.measure(read), (error) => {
    return error instanceof Problem && /too much is being written/.test(error.message);
  });
  using database = openConnection(stock.path, { readOnly: false, cacheKibibytes: 2048 });
  database.exec('pragma wal_checkpoint(truncate)');
  assert.equal((await stock.longReads.measure(read)).rows, records);
});

test('a read whose time is over says so, and goes on from there', async () => {
  await using stock = await stocked();
  using database = openConnection(stock.path, { readOnly: true, cacheKibibytes: 2048 });
  const windows = new WindowReader(database, { ...windowSizes, entriesAtFirst: 100, entriesMax: 100 });
  const question = { ...part, limit: 10_000, bytesMax: Number.POSITIVE_INFINITY };
  const first = windows.select(read.place, question, (entries) => (entries >= 300 ? 'time' : 'on'));
  // Windows are smaller on a slow machine.
  assert.ok(first.rows >= 300 && first.rows < 400, `${first.rows} rows`);
  assert.deepEqual([first.entries.length, first.endedBy], [first.rows, 'time']);
  assert.equal(first.next, first.entries.at(-1)?.sk);
  const rest = windows.select(read.place, { ...question, ...keyBounds({ after: first.next ?? '' }) }, () => 'on');
  assert.deepEqual([rest.entries.length, rest.next], [records - first.rows, undefined]);
  const whole = windows.measure(read.place, count, () => 'time');
  assert.deepEqual([whole.rows, whole.endedBy], [100, 'time']);
});

test('windows have few long values, and one where a single value is longer than a window may be', async () => {
  await using stock = await stocked();
  using database = openConnection(stock.path, { readOnly: true, cacheKibibytes: 2048 });
  for (const [bytesMax, most] of [
    [100, 14],
    [1, 1],
  ] as const) {
    const windows = new WindowReader(database, { ...windowSizes, bytesMax, shortBytes: 0 });
    const ends: number[] = [0];
    const found = windows.measure(read.place, count, (entries) => {
      ends.push(entries);
      return 'on';
    });
    assert.deepEqual(found.groups, [{ key: [], results: [{ kind: 'count', count: records }] }]);
    const largest = Math.max(...ends.slice(1).map((end, at) => end - (ends[at] ?? 0)));
    assert.ok(largest <= most, `${largest} values in a window`);
  }
});

test('a value that is no JSON refuses a read, and the store stays well', async () => {
  await using stock = await stocked();
  const { scope, store, longReads } = stock;
  await scope.commit([put('q', 'k', { value: 'no JSON' }), put('p', 'k5000', { value: 'no JSON' })]);
  const where = { kind: 'present', path: ['n'] } as const;
  await assert.rejects(scope.select('q', { where, limit: 1, rowsMax: 1 }), SyntaxError);
  await assert.rejects(longReads.measure({ ...read, read: { ...count, where } }), SyntaxError);
  assert.equal((await store.health()).ok, true);
  assert.equal((await longReads.measure(read)).rows, records + 1);
});

test('of the statements of questions, the last 64 are kept', () => {
  using database = new DatabaseSync(':memory:');
  const statements = new RecentStatements(database);
  for (let at = 0; at < 100; at++) {
    const text = sql`select ${fixed(String(at))} + ${bound(1)}`;
    assert.deepEqual(statements.rows(text)[0]?.[0], at + 1);
    assert.deepEqual(statements.rows(fixed('select 1'))[0]?.[0], 1);
  }
  assert.equal(statements.size, 64);
});
