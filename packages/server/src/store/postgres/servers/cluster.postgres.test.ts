import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { systemClock } from '../../../lib/clock.ts';
import { type OpenedStore, Unavailable } from '../../port.ts';
import { add, put } from '../../testing/conformance/bench.ts';
import { openPostgres } from '../open-postgres.ts';
import { fakeCitus } from '../testing/fake-citus.ts';
import { startTestServer, type TestServer, whyNot } from '../testing/test-server.ts';

describe('what the server is decides how the store works', { skip: whyNot }, () => {
  let server: TestServer;
  let database: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.stop());
  beforeEach(async () => {
    database = await server.database('');
  });
  afterEach(() => database.stop());
  const open = (options = '', onFatal?: (error: Error) => void) =>
    openPostgres({
      url: `${database.url}${options}`,
      space: 'prod',
      clock: systemClock,
      ...(onFatal === undefined ? {} : { onFatal }),
    });
  const openAndClose = async (options = '') => (await open(options)).store.close();
  const distribute = (table: string) =>
    database.run(`select create_distributed_table('freehold_prod.${table}', 'scope')`);

  test('one scope a transaction where the tables are distributed, whatever the address says', async () => {
    await database.run(fakeCitus);
    await openAndClose('?citus=true');
    for (const options of ['?citus=true', '']) {
      const opened = await open(options);
      assert.equal(await sharedTransactions(opened, database), false);
      await opened.store.close();
    }
  });

  test('shared transactions where they are not, on a server with the extension too', async () => {
    await database.run(fakeCitus);
    for (const options of ['', '?citus=false']) {
      const opened = await open(options);
      assert.equal(await sharedTransactions(opened, database), true);
      await opened.store.close();
    }
  });

  test('an address that contradicts the facts is refused with a sentence', async () => {
    await assert.rejects(open('?citus=true'), refusedWith(/has no extension `citus`/));
    await openAndClose('?citus=false');
    await database.run(fakeCitus);
    await assert.rejects(open('?citus=true'), refusedWith(/freehold_prod are not distributed: run `freehold distr/));
    await distribute('heads');
    for (const options of ['', '?citus=true', '?citus=false'])
      await assert.rejects(open(options), refusedWith(/only some tables of the schema freehold_prod are distributed/));
    await distribute('items');
    await openAndClose('?citus=true');
    await assert.rejects(open('?citus=false'), refusedWith(/`citus=false`, but Citus distributes the tables/));
  });

  test('a node whose tables were distributed meanwhile does no more work on them', async () => {
    await database.run(fakeCitus);
    let fatal: Error | undefined;
    const { store } = await open('', (error) => {
      fatal = error;
    });
    const scope = store.scope('s');
    await scope.commit([put('p', 'a')]);
    await endSessions(database);
    for (const table of ['heads', 'items']) await distribute(table);
    await assert.rejects(scope.commit([put('p', 'b')]), Unavailable);
    assert.match(String(fatal), /the data was distributed meanwhile: start again/);
    await store.close();
    const again = await open();
    assert.equal((await again.store.scope('s').commit([put('p', 'b')])).seq, 2);
    await again.store.close();
  });
});

function refusedWith(sentence: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof Unavailable && sentence.test(error.message);
}

/** Whether scopes that commit at once share a transaction. */
async function sharedTransactions({ store }: OpenedStore, database: TestServer): Promise<boolean> {
  const scopes = ['a', 'b', 'c'].map((name) => store.scope(name));
  for (const scope of scopes) await scope.commit([add('c', 'n', 1)]);
  await Promise.all(scopes.map((scope) => scope.commit([add('c', 'n', 1)])));
  const rows = await database.run(`select distinct xmin::text from freehold_prod.items where pk = 'c'`);
  return rows.length === 1;
}

/** As if the network had cut every line of a node at once, before it holds the data again. */
async function endSessions({ run }: TestServer): Promise<void> {
  await run(`select pg_terminate_backend(pid, 60000) from pg_stat_activity
    where application_name = 'freehold' and datname = current_database()`);
}
