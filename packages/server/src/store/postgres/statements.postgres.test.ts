import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { OpenedStore, RangeRead } from '../port.ts';
import { add, append, check, checkEmpty, put, putIndex, remove, TestClock } from '../testing/conformance/bench.ts';
import { parseAddress } from './address.ts';
import { Connection } from './connections/connection.ts';
import { versionSql } from './hold-data.ts';
import { openPostgres } from './open-postgres.ts';
import { putSizes, type SqlStatement, SqlStatements } from './statements.ts';
import { fakeCitus } from './testing/fake-citus.ts';
import { namesOneScope, sentWhile } from './testing/sent-statements.ts';
import { startTestServer, type TestServer, whyNot } from './testing/test-server.ts';

const schema = `freehold_statements_${process.pid}`;

for (const isDistributed of [false, true]) {
  const where = isDistributed ? 'with distributed tables' : 'on one server';
  describe(`the statements of the PostgreSQL store ${where}`, { skip: whyNot }, () => testStatements(isDistributed));
}

function testStatements(isDistributed: boolean): void {
  let server: TestServer;
  let database: TestServer;
  let requested: readonly string[];
  let ofJobs: readonly string[];

  before(async () => {
    server = await startTestServer();
    database = await server.database('');
    if (isDistributed) await database.run(fakeCitus);
    const url = `${database.url}?citus=${isDistributed}`;
    const opened = await openPostgres({ url, space: `statements_${process.pid}`, clock: new TestClock() });
    requested = await recorded(() => request(opened));
    ofJobs = await recorded(() => runJobs(opened));
    await opened.store.close();
  });
  after(async () => {
    await database.stop();
    await server.stop();
  });

  test('name exactly one scope each, on every table they touch, but for those of background jobs', () => {
    assert.ok(requested.length > 35, `${requested.length} statements were seen`);
    for (const sql of requested) assert.ok(namesOneScope(sql), sql);
    assert.deepEqual(
      ofJobs.filter((sql) => !namesOneScope(sql)).map((sql) => sql.split(/ where | order /)[1]),
      ['scope > $1', undefined, 'due_queue = $1 and due_at <= $2'],
    );
  });

  test('are all that can be made: none is left out by what was asked here', () => {
    const seen = new Set([...requested, ...ofJobs]);
    for (const sql of everyStatement(isDistributed)) assert.ok(seen.has(sql), sql);
  });

  test('read and write by keys alone: none walks a table or sorts', async () => {
    const connection = await Connection.open(parseAddress(database.url), { statement: 5000, lock: 5000 });
    for (const [index, sql] of [...requested, ...ofJobs].entries()) {
      const parameters = Math.max(...[...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
      await connection.send({ text: `prepare explained_${index} as ${sql}` });
      const values = Array.from({ length: parameters }, () => 'null').join(', ');
      const { rows } = await connection.send<readonly [string]>({
        text: `explain execute explained_${index}(${values})`,
      });
      const plan = rows.map(([line]) => line).join('\n');
      assert.doesNotMatch(plan, /Seq Scan|Bitmap|Sort|Hash|Merge|Materialize/, `${sql}\n${plan}`);
    }
    await connection.end();
  });
}

/** In every shape that the store asks for. A method that is new has to be named here. */
function everyStatement(isDistributed: boolean): readonly string[] {
  const statements = new SqlStatements(schema, isDistributed);
  const both = [false, true];
  const shapes = both.flatMap((isOpenEnded) =>
    both.flatMap((isReverse) => both.map((isSized) => ({ isOpenEnded, isReverse, isSized }))),
  );
  const open = shapes.filter(({ isReverse, isSized }) => !isReverse && !isSized);
  const made: Readonly<Record<string, readonly SqlStatement[]>> = {
    takeHead: [statements.takeHead()],
    makeHead: [statements.makeHead()],
    writeHead: [statements.writeHead()],
    current: [statements.current()],
    currentAmong: [statements.currentAmong()],
    put: putSizes.map((rows) => statements.put(rows)),
    remove: [statements.remove()],
    getOne: [statements.getOne()],
    get: [statements.get()],
    getAmong: [statements.getAmong()],
    range: shapes.map((shape) => statements.range(shape)),
    follow: shapes.map((shape) => statements.follow(shape)),
    counted: open.map((shape) => statements.counted(shape)),
    count: open.map((shape) => statements.count(shape)),
    part: open.map((shape) => statements.part(shape)),
    scan: [statements.scan()],
    heads: [statements.heads()],
    scopeBetween: [statements.scopeBetween()],
    due: [statements.due()],
  };
  const methods = Object.getOwnPropertyNames(SqlStatements.prototype).filter((name) => name !== 'constructor');
  assert.deepEqual(Object.keys(made).sort(), methods.sort());
  const isUsed = (name: string) => isDistributed || !['counted', 'currentAmong', 'getAmong'].includes(name);
  return Object.entries(made).flatMap(([name, each]) => (isUsed(name) ? each.map(({ text }) => text) : []));
}

/** The texts that reach the tables while something runs. */
async function recorded(work: () => Promise<void>): Promise<readonly string[]> {
  const sent = await sentWhile(work);
  // The first queries of a session are sent once, and name no scope; the rest is asked of the servers of a cluster.
  const isOfServers = (sql: string) => sql === versionSql(schema) || /pg_dist_|current_setting/.test(sql);
  return sent.filter((sql) => sql.includes(schema) && !isOfServers(sql));
}

async function request({ store }: OpenedStore): Promise<void> {
  const scope = store.scope('s');
  const keys = Array.from({ length: 150 }, (_, index) => put('p', `k${index}`));
  await scope.commit(keys);
  for (const count of putSizes) await scope.commit(keys.slice(0, count));
  const conditional = [put('p', 'k1', { if: 'present' }), check('p', 'k2', 'present'), add('c', 'n', 1)];
  await scope.commit([...conditional, append('log', 'x'), putIndex('index#i', 'k', 'p', 'k1'), checkEmpty('p', 'x')]);
  await scope.commit([remove('p', 'k1'), remove('p', 'k2'), remove('index#i', 'k'), checkEmpty('index#i')]);
  await scope.get([{ pk: 'p', sk: 'k1' }]);
  await scope.get(['k1', 'k2'].map((sk) => ({ pk: 'p', sk })));
  await scope.get(keys.map(({ pk, sk }) => ({ pk, sk })));
  await scope.commit(keys.slice(3).map((change) => ({ ...change, if: 'present' })));
  const reads: readonly Partial<RangeRead>[] = [{}, { after: 'a' }, { prefix: 'a' }, { bytesMax: 9 }];
  for (const read of [...reads, { prefix: 'a', bytesMax: 9 }]) {
    for (const reverse of [false, true]) {
      await scope.range('p', { limit: 5, reverse, ...read });
      await scope.follow('index#i', { limit: 5, reverse, ...read });
      for (const atMost of [5, 1000]) await scope.count('p', { ...read, reverse }, atMost);
    }
  }
}

async function runJobs({ maintenance }: OpenedStore): Promise<void> {
  await maintenance.load({ name: 'loaded', seq: 7, state: 'closed' }, [{ pk: 'p', sk: 'k', version: 7, value: '' }]);
  await maintenance.setState('s', 'closed');
  await maintenance.scan('s', { pk: 'p', sk: 'k' }, 5);
  await maintenance.scopes(undefined, 5);
  await maintenance.due('work', 0, 5);
}
