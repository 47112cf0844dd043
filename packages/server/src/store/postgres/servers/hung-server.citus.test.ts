import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { systemClock } from '../../../lib/clock.ts';
import { type OpenedStore, Unavailable } from '../../port.ts';
import { put } from '../../testing/conformance/bench.ts';
import { openPostgres } from '../open-postgres.ts';
import { eventually } from '../testing/eventually.ts';
import { serverProcess, signalAll } from '../testing/server-processes.ts';
import { haveClusterAlone, testCluster, whyNotCluster } from '../testing/test-cluster.ts';
import { runOn } from '../testing/test-server.ts';

describe('a cluster of which one server hangs', { skip: whyNotCluster }, () => {
  haveClusterAlone();
  test('serves the scopes of the others, refuses its own, starts, and loses nothing', async (t) => {
    const { url, workers, run } = testCluster();
    const [stopped = ''] = workers;
    const server = await serverProcess(stopped);
    if (server === undefined) return t.skip('skipped: the servers of the cluster run on another machine');
    const space = `hung_${process.pid}`;
    const open = () => openPostgres({ url, space, clock: systemClock });
    const opened = await open();
    t.after(async () => {
      signalAll(server, 'SIGCONT');
      await opened.store.close();
      await run(`drop schema "freehold_${space}" cascade`);
    });
    const scopes = await scopesBy(stopped, { run, space });
    for (const name of [...scopes.hung, ...scopes.others]) await commit(opened, name, 'before');
    signalAll(server, 'SIGSTOP');
    await everyOtherIsServed(opened, scopes);
    assert.deepEqual((await opened.store.health()).servers, { all: workers.length, down: 1, relayed: 0 });
    await startsMeanwhile(t, open, scopes);
    signalAll(server, 'SIGCONT');
    await eventually('the server', async () => (await opened.store.health()).servers?.down === 0);
    for (const name of [...scopes.hung, ...scopes.others]) {
      assert.ok((await opened.store.scope(name).get([{ pk: 'p', sk: 'before' }]))[0] !== undefined);
      await commit(opened, name, 'after');
    }
  });
});

interface ScopesBy {
  readonly hung: readonly string[];
  readonly others: readonly string[];
}

async function scopesBy(
  worker: string,
  { run, space }: { readonly run: (sql: string) => ReturnType<typeof runOn>; readonly space: string },
): Promise<ScopesBy> {
  const [local] = await runOn(worker, 'select groupid from pg_dist_local_group');
  const rows =
    await run(`select scope, groupid from (select 's' || n as scope from generate_series(1, 64) as n) as tried
    join pg_dist_placement on shardid = get_shard_id_for_distribution_column('"freehold_${space}".heads', scope)`);
  const names = (isHung: boolean) =>
    rows.filter(({ groupid }) => (groupid === local?.groupid) === isHung).map(({ scope }) => String(scope));
  return { hung: names(true), others: names(false) };
}

async function commit({ store }: OpenedStore, scope: string, sk: string): Promise<void> {
  await store.scope(scope).commit([{ ...put('p', sk), due: { at: 1, queue: 'work' } }]);
}

/** More calls for the server that hangs than there are connections, and then those of the others. */
async function everyOtherIsServed(opened: OpenedStore, { hung, others }: ScopesBy): Promise<void> {
  let refused = 0;
  const refusals = hung.flatMap((name) => [
    assert.rejects(opened.store.scope(name).get([{ pk: 'p', sk: 'before' }]), Unavailable).then(() => refused++),
    assert.rejects(commit(opened, name, 'during'), Unavailable).then(() => refused++),
  ]);
  for (const name of others) {
    assert.ok((await opened.store.scope(name).get([{ pk: 'p', sk: 'before' }]))[0] !== undefined);
    await commit(opened, name, 'during');
  }
  assert.equal(refused, 0, 'the others waited for the server that hangs');
  await Promise.all(refusals);
  const due = await opened.maintenance.due('work', 1, 1000);
  assert.deepEqual(new Set(due.map(({ scope }) => scope)), new Set(others));
}

async function startsMeanwhile(t: TestContext, open: () => Promise<OpenedStore>, { others }: ScopesBy): Promise<void> {
  const second = await open();
  t.after(() => second.store.close());
  await commit(second, others[0] ?? '', 'second');
  assert.equal((await second.store.health()).servers?.down, 1);
}
