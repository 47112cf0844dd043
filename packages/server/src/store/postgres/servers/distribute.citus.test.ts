import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../../../lib/clock.ts';
import { fingerprintScope } from '../../copy-store.ts';
import type { OpenedStore } from '../../port.ts';
import { put } from '../../testing/conformance/bench.ts';
import { askCluster } from '../ask-server.ts';
import { openPostgres } from '../open-postgres.ts';
import { haveClusterAlone, testCluster, whyNotCluster } from '../testing/test-cluster.ts';
import { runOn } from '../testing/test-server.ts';
import { distributeStore } from './distribution.ts';

const scopes = Array.from({ length: 20 }, (_, index) => `s${index}`);

describe('distributing on a cluster', { skip: whyNotCluster }, () => {
  haveClusterAlone();
  for (const named of ['platform', 'prod']) {
    test(`keeps what \`${named}\` holds, and serves it from every server`, async (t) => {
      const { url, workers, run } = testCluster();
      // The tables are there before the address asks for a cluster.
      const schema = `moved_${process.pid}`;
      const at = (server: string) => Object.assign(new URL(server), { search: `?schema=${schema}` }).href;
      const open = (server = url) => openPostgres({ url: at(server), space: named, clock: systemClock });
      t.after(() => run(`drop schema if exists "${schema}_${named}" cascade`));
      const before = await open();
      for (const name of scopes) await before.store.scope(name).commit([put('p', 'k')]);
      const held = await contentsOf(before);
      await before.store.close();
      const done: string[] = [];
      await distributeStore(at(url), named, (table) => done.push(table));
      assert.deepEqual(done, ['heads', 'items', 'schema_version']);
      for (const server of [url, ...workers]) {
        const there = await open(server);
        t.after(() => there.store.close());
        assert.deepEqual(await contentsOf(there), held);
        assert.equal((await there.store.health()).ok, true);
      }
      const requested = await askCluster(at(url), [named]);
      assert.equal(requested.length, named === 'platform' ? 1 : workers.length);
      assert.deepEqual(
        requested.flatMap(({ faults }) => faults),
        [],
      );
      await assert.rejects(
        distributeStore(at(url), named, () => undefined),
        /other processes use the data/,
      );
    });
  }

  test('is followed by a look for transactions that were left prepared on a server', async (t) => {
    const { url, workers, run } = testCluster();
    const schema = `left_${process.pid}`;
    const address = Object.assign(new URL(url), { search: `?citus=true&schema=${schema}` }).href;
    t.after(() => run(`drop schema if exists "${schema}_prod" cascade`));
    await (await openPostgres({ url: address, space: 'prod', clock: systemClock })).store.close();
    const faults = async (seconds?: number) =>
      (await askCluster(address, ['prod'], seconds)).map((server) => server.faults.length);
    const [worker = ''] = workers;
    await runOn(worker, `begin; create table public.${schema} (); prepare transaction '${schema}'`);
    t.after(() => runOn(worker, `rollback prepared '${schema}'`));
    assert.deepEqual(
      await faults(),
      workers.map(() => 0),
    );
    assert.deepEqual((await faults(0)).toSorted(), [...workers.slice(1).map(() => 0), 1]);
  });
});

async function contentsOf({ maintenance }: OpenedStore): Promise<readonly unknown[]> {
  const heads = await maintenance.scopes(undefined, 100);
  return Promise.all(heads.map(async (head) => [head, await fingerprintScope(maintenance, head.name)]));
}
