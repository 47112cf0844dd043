import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { systemClock } from '../../../lib/clock.ts';
import { add, put } from '../../testing/conformance/bench.ts';
import { openPostgres } from '../open-postgres.ts';
import { testCluster, whyNotCluster } from '../testing/test-cluster.ts';
import { runOn } from '../testing/test-server.ts';

describe('a store on a cluster', { skip: whyNotCluster }, () => {
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
});

const scopes = Array.from({ length: 12 }, (_, index) => `scope-${index}`);

const here = 'set citus.enable_ddl_propagation = off';

/** Where a row is updated, what the session there has. */
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
