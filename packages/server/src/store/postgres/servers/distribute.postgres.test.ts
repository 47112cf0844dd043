import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { systemClock } from '../../../lib/clock.ts';
import { Unavailable } from '../../port.ts';
import { put } from '../../testing/conformance/bench.ts';
import { openPostgres } from '../open-postgres.ts';
import { fakeCitus } from '../testing/fake-citus.ts';
import { startOwnServer, type TestServer, whyNotOwn } from '../testing/test-server.ts';
import { distributeStore } from './distribution.ts';

describe('distributing tables that are there', { skip: whyNotOwn }, () => {
  let server: Awaited<ReturnType<typeof startOwnServer>>;
  let database: TestServer;
  before(async () => {
    server = await startOwnServer();
    await server.run('alter system set wal_level = logical');
    await server.shutDown();
    await server.start();
  });
  after(() => server.stop());
  beforeEach(async () => {
    database = await server.database('');
  });
  afterEach(() => database.stop());
  const open = (space = 'prod') => openPostgres({ url: database.url, space, clock: systemClock });
  const distribute = async (space = 'prod') => {
    const done: string[] = [];
    await distributeStore(database.url, space, (table) => done.push(table));
    return done;
  };
  const refusedWith = (sentence: RegExp) => (error: unknown) =>
    error instanceof Unavailable && sentence.test(error.message);

  test('goes on behind the table at which it was cut off, and does nothing once all are done', async () => {
    const { store } = await open();
    await store.scope('s').commit([put('p', 'a')]);
    await store.close();
    await database.run(fakeCitus);
    await database.run(`select create_distributed_table('freehold_prod.heads', 'scope')`);
    await assert.rejects(open(), refusedWith(/only some tables .+ are distributed: run `freehold distribute`/));
    assert.deepEqual(await distribute(), ['items', 'schema_version']);
    assert.deepEqual(await distribute(), []);
    const again = await open();
    assert.equal((await again.store.scope('s').commit([put('p', 'b')])).seq, 2);
    await again.store.close();
  });

  test('keeps the data space of the platform on one server', async () => {
    await (await open('platform')).store.close();
    await database.run(fakeCitus);
    assert.deepEqual(await distribute('platform'), ['heads', 'items', 'schema_version']);
    assert.deepEqual(await database.run(`select name from spread where by = 'here' order by name`), [
      { name: 'freehold_platform.heads' },
      { name: 'freehold_platform.items' },
    ]);
  });

  test('is refused while a node uses the data', async () => {
    await database.run(fakeCitus);
    const { store } = await open();
    await store.scope('s').commit([put('p', 'a')]);
    await assert.rejects(distribute(), refusedWith(/other processes use the data: stop all nodes/));
    assert.deepEqual(await database.run('select name from spread'), []);
    await store.close();
  });

  test('says what the server lacks', async () => {
    await assert.rejects(distribute(), refusedWith(/no extension `citus`/));
    await database.run(fakeCitus);
    for (const [change, sentence] of [
      ['update pg_dist_node set shouldhaveshards = false', /has no server that keeps data/],
      ['update pg_dist_node set groupid = 3', /the coordinator does not know itself/],
      ['update pg_dist_local_group set groupid = 3', /names a worker of the cluster/],
    ] as const) {
      await database.run(change);
      await assert.rejects(distribute(), refusedWith(sentence));
    }
    await assert.rejects(open(), refusedWith(/is a worker of a cluster and has no tables of the platform/));
  });
});
