import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { systemClock } from '../../../lib/clock.ts';
import { type OpenedStore, Unavailable } from '../../port.ts';
import { put } from '../../testing/conformance/bench.ts';
import { openPostgres } from '../open-postgres.ts';
import { fakeCitus } from '../testing/fake-citus.ts';
import { startTestServer, type TestServer, whyNot } from '../testing/test-server.ts';

/** Two servers by the lists: scopes whose name begins with `hung` lie on one of them, all others on the other. */
const twoServers = `
  insert into pg_dist_node values ('127.0.0.1', 2, 1, 'primary', true, true);
  insert into pg_dist_placement values (2, 1);
  create or replace function pg_catalog.get_shard_id_for_distribution_column(regclass, text) returns bigint language sql
    as 'select case when $2 like ''hung%'' or $2 = ''probe-1'' then 2 else 1 end::bigint';`;

/** Commits of one of them never end. */
const hang = (schema: string) => `
  create function "${schema}".hang() returns trigger language plpgsql as $$
    begin if new.scope like 'hung%' then perform pg_sleep(600); end if; return new; end $$;
  create trigger hang before insert on "${schema}".heads for each row execute function "${schema}".hang();`;

describe('connections for each server', { skip: whyNot }, () => {
  let server: TestServer;
  let database: TestServer;
  let opened: OpenedStore;
  before(async () => {
    server = await startTestServer();
    database = await server.database('');
    await database.run(fakeCitus + twoServers);
    const url = `${database.url}?citus=true&commits=2&reads=1`;
    opened = await openPostgres({ url, space: 'prod', clock: systemClock });
    await database.run(hang('freehold_prod'));
  });
  after(async () => {
    await opened.store.close();
    await database.stop();
    await server.stop();
  });

  test('commits of a server that hangs are refused, and keep none of another waiting', async () => {
    const { store } = opened;
    // So that the place of each scope is known when its commit comes.
    const hung = Array.from({ length: 5 }, (_, index) => store.scope(`hung${index}`));
    for (const scope of hung) assert.deepEqual(await scope.range('p', { limit: 1 }), []);
    let ended = 0;
    const waiting = hung.map(async (scope) => {
      await assert.rejects(scope.commit([put('p', 'a')]), Unavailable);
      ended++;
    });
    const other = store.scope('other');
    assert.equal((await other.commit([put('p', 'a')])).seq, 1);
    assert.equal((await other.range('p', { limit: 1 })).length, 1);
    assert.equal(ended, 0, 'the commit waited for those of the server that hangs');
    await Promise.all(waiting);
  });

  test('a server is asked by the way that commits take, and counted', async () => {
    assert.deepEqual(await opened.store.health(), {
      ok: true,
      kind: 'postgres',
      synchronous: 'full',
      // No server has the name that the lists have for the second.
      servers: { all: 2, down: 0, relayed: 1 },
    });
  });

  test('reads of all scopes have connections of their own', async () => {
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('begin; lock table freehold_prod.heads');
    let ended = 0;
    const reads = Array.from({ length: 12 }, () => opened.maintenance.scopes(undefined, 10).then(() => ended++));
    assert.equal((await opened.store.scope('other').range('p', { limit: 1 })).length, 1);
    assert.equal(ended, 0, 'the read of one scope waited for those of all');
    await holder.query('commit');
    await holder.end();
    await Promise.all(reads);
  });
});
