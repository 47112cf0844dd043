import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { systemClock } from '../../../lib/clock.ts';
import { add, put } from '../../testing/conformance/bench.ts';
import { openPostgres } from '../open-postgres.ts';
import { haveClusterAlone, testCluster, whyNotCluster } from '../testing/test-cluster.ts';
import { runOn } from '../testing/test-server.ts';

describe('a store on a cluster', { skip: whyNotCluster }, () => {
  haveClusterAlone();
  test('commits with its own limits on the server of a scope, whatever a role sets there', async (t) => {
    const { url, workers, run } = testCluster();
    const space = `limits_${process.pid}`;
    const schema = `freehold_${space}`;
    const role = `freehold_${randomBytes(4).toString('hex')}`;
    await run(`create role ${role} superuser login`);
    await run(`alter role ${role} set synchronous_commit = off`);
    await run(`alter role ${role} set lock_timeout = '77s'`);
    const { store } = await openPostgres({
      url: Object.assign(new URL(url), { username: role }).href,
      space,
      clock: systemClock,
    });
    t.after(async () => {
      await store.close();
      await run(`drop schema "${schema}" cascade`);
      for (const worker of workers) await runOn(worker, `${here}; drop schema noted_${space} cascade`);
      await run(`drop role ${role}`);
    });
    for (const name of scopes) await store.scope(name).commit([put('p', 'k')]);
    for (const worker of workers) await runOn(worker, noting(`noted_${space}`));
    await run(`select run_command_on_shards('"${schema}".heads', $$
      create trigger noted before update on %s for each row execute function noted_${space}.note() $$)`);
    for (const name of scopes) await store.scope(name).commit([add('c', 'n', 1)]);
    const noted = await Promise.all(workers.map((worker) => runOn(worker, `select * from noted_${space}.settings`)));
    assert.equal(noted.flat().length, scopes.length);
    assert.ok(noted.every((rows) => rows.length > 0));
    for (const row of noted.flat()) assert.deepEqual(row, { synced: 'on', lock: '4s', idle: '4s', user: role });
  });

  test('is asked at the server of each scope itself, and through any server when a scope has moved', async (t) => {
    const { url, workers, run } = testCluster();
    const space = `direct_${process.pid}`;
    const schema = `freehold_${space}`;
    const { store } = await openPostgres({ url: `${url}&application_name=${space}`, space, clock: systemClock });
    t.after(async () => {
      await store.close();
      await run(`drop schema "${schema}" cascade`);
    });
    for (const name of scopes) await store.scope(name).commit([add('c', 'n', 1)]);
    assert.deepEqual((await store.health()).servers, { all: workers.length, down: 0, relayed: 0 });
    for (const worker of workers) {
      // Sessions that Citus opens between servers have a name of Citus.
      const sessions = await runOn(worker, `select from pg_stat_activity where application_name = '${space}'`);
      assert.ok(sessions.length > 0, 'a worker has no session of the node');
    }
    await run(moved(schema, scopes[0] ?? ''));
    for (const name of scopes) {
      assert.equal((await store.scope(name).commit([add('c', 'n', 1)])).seq, 2);
      assert.equal((await store.scope(name).get([{ pk: 'c', sk: 'n' }]))[0]?.value, '2');
    }
  });
});

/** Moves the shard of a scope to another server that keeps data. */
function moved(schema: string, scope: string): string {
  return `select citus_move_shard_placement(shardid, here.nodename, here.nodeport, there.nodename, there.nodeport, 'block_writes')
    from pg_dist_placement as placed join pg_dist_node as here using (groupid)
    cross join lateral (select nodename, nodeport from pg_dist_node as other
      where other.groupid <> here.groupid and other.shouldhaveshards order by other.groupid limit 1) as there
    where shardid = get_shard_id_for_distribution_column('"${schema}".heads', '${scope}')`;
}

const scopes = Array.from({ length: 12 }, (_, index) => `scope-${index}`);

const here = 'set citus.enable_ddl_propagation = off';

/** Records, where a row is updated, the settings of the session there. */
function noting(schema: string): string {
  return `${here};
    create schema ${schema};
    create table ${schema}.settings (synced text, lock text, idle text, "user" text);
    create function ${schema}.note() returns trigger language plpgsql as $$ begin
      insert into ${schema}.settings values (current_setting('synchronous_commit'), current_setting('lock_timeout'),
        current_setting('idle_in_transaction_session_timeout'), current_user);
      return new;
    end $$`;
}
