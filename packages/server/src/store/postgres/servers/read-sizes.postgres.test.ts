import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { systemClock } from '../../../lib/clock.ts';
import { put } from '../../testing/conformance/bench.ts';
import { readSizes } from '../ask-server.ts';
import { openPostgres } from '../open-postgres.ts';
import { fakeCitus } from '../testing/fake-citus.ts';
import { type OwnServer, startOwnServer, type TestServer, whyNotOwn } from '../testing/test-server.ts';

describe('the sizes of a PostgreSQL store', { skip: whyNotOwn }, () => {
  let server: OwnServer;
  before(async () => {
    server = await startOwnServer();
    await server.run(`create role reader login password 'reader'`);
  });
  after(() => server.stop());

  const known = (sizes: Awaited<ReturnType<typeof readSizes>>) => {
    assert.ok('dataBytes' in sizes, JSON.stringify(sizes));
    const { connections, ...bytes } = sizes;
    assert.ok(connections.open >= 1 && connections.max > connections.open, JSON.stringify(connections));
    return bytes;
  };
  const filled = async (): Promise<TestServer> => {
    const database = await server.database('');
    const { store } = await openPostgres({ url: database.url, space: 'prod', clock: systemClock });
    await store.scope('s').commit([put('p', 'k')]);
    await store.close();
    return database;
  };

  test('are those of its tables with long values and of its indexes, and of no other space', async () => {
    const database = await filled();
    const before = known(await readSizes(database.url, 'prod'));
    assert.ok(before.dataBytes > 0 && before.indexBytes > 0);
    const { store } = await openPostgres({ url: database.url, space: 'prod', clock: systemClock });
    // Of letters that do not repeat: what can be compressed is.
    const value = JSON.stringify(Array.from({ length: 20_000 }, (_, index) => Math.sin(index)));
    for (let index = 0; index < 4; index++) await store.scope('s').commit([put('p', `long ${index}`, { value })]);
    await store.close();
    const after = known(await readSizes(database.url, 'prod'));
    assert.ok(after.dataBytes > before.dataBytes + value.length, `${after.dataBytes} after ${before.dataBytes}`);
    const [{ total } = {}] = await database.run(
      `select sum(pg_total_relation_size(oid))::int as total from pg_class where relnamespace = 'freehold_prod'::regnamespace and relkind = 'r'`,
    );
    assert.equal(after.dataBytes + after.indexBytes, total);
    assert.deepEqual(known(await readSizes(database.url, 'test')), { dataBytes: 0, indexBytes: 0 });
  });

  test('are not known to a user who may not ask, behind a lock, in time or without a server, and a sentence says why', async () => {
    const database = await filled();
    const asReader = Object.assign(new URL(database.url), { username: 'reader', password: 'reader' }).href;
    known(await readSizes(asReader, 'prod'));
    await database.run('revoke execute on function pg_table_size(regclass) from public');
    assert.deepEqual(await readSizes(asReader, 'prod'), {
      whyUnknown: 'the user of the database may not ask for the sizes of tables',
    });
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query('begin; lock table freehold_prod.items in access exclusive mode');
    const locked = await readSizes(database.url, 'prod', { statement: 2000, lock: 50 });
    const late = await readSizes(database.url, 'prod', { statement: 50, lock: 2000 });
    await client.end();
    assert.deepEqual(locked, { whyUnknown: 'a table is locked' });
    assert.deepEqual(late, { whyUnknown: 'the server took too long to add them up' });
    const absent = database.url.replace(/:\d+\//, ':1/');
    assert.deepEqual(await readSizes(absent, 'prod'), { whyUnknown: 'the server cannot be reached' });
    const wrong = Object.assign(new URL(database.url), { password: 'wrong-sesame' }).href;
    assert.doesNotMatch(JSON.stringify(await readSizes(wrong, 'prod')), /sesame|dataBytes/);
  });

  test('of a cluster are what Citus adds up for the tables that it spreads', async () => {
    const database = await filled();
    await database.run(fakeCitus);
    await database.run(`
      create function pg_catalog.citus_table_size(regclass) returns bigint language sql as 'select 1000::bigint';
      create function pg_catalog.citus_total_relation_size(regclass) returns bigint language sql as 'select 1700::bigint';
      insert into pg_catalog.pg_dist_partition values ('freehold_prod.items', 'h'), ('freehold_prod.heads', 'h')`);
    const [{ data, indexes } = {}] = await database.run(
      `select pg_table_size('freehold_prod.schema_version')::int as data, pg_indexes_size('freehold_prod.schema_version')::int as indexes`,
    );
    assert.deepEqual(known(await readSizes(database.url, 'prod')), {
      dataBytes: 2000 + data,
      indexBytes: 1400 + indexes,
    });
  });
});
