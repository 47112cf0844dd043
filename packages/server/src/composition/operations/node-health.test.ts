import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { readConfig } from '../../config.ts';
import type { LeaseState } from '../../jobs/expiry-sweep.ts';
import { systemClock } from '../../lib/clock.ts';
import { openStore } from '../../store/open-store.ts';
import { type OpenedStore, Unavailable } from '../../store/port.ts';
import { startMeasurement } from '../../telemetry/measurement.ts';
import { createNodeHealth } from './node-health.ts';

const read = readConfig({ FREEHOLD_DATA_DIR: '/nowhere/freehold' });

async function health(
  t: TestContext,
  options: { readonly prod?: Partial<OpenedStore['store']>; isDraining?: boolean } = {},
) {
  assert.ok('config' in read);
  const open = () => openStore({ kind: 'memory', clock: systemClock });
  const measurement = startMeasurement(systemClock);
  t.after(() => measurement.close());
  const opened = { platform: await open(), test: await open(), prod: await open() };
  const watched = measurement.watchStore('prod', opened.prod);
  const spaces = { ...opened, prod: { ...watched, store: { ...watched.store, ...options.prod } } };
  const lease: LeaseState = { holder: 'another_node', until: 1000 };
  const deps = { config: read.config, clock: systemClock, spaces, measurement, shared: undefined };
  const node = createNodeHealth({
    ...deps,
    isDraining: () => options.isDraining === true,
    sweepLease: async () => lease,
  });
  return { read: () => node.read(), measurement, spaces };
}

test('a node that drains says so', async (t) => {
  const { state, node } = await (await health(t, { isDraining: true })).read();
  assert.deepEqual([state, node.draining], ['unavailable', true]);
});

test('a store that fails or never answers is told as failed, and keeps nothing else back', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  for (const answer of [() => Promise.reject(new Unavailable('away')), () => new Promise<never>(() => undefined)]) {
    const { read: readNode } = await health(t, { prod: { health: answer } });
    const reading = readNode();
    // The others answer meanwhile.
    await nextTurn();
    t.mock.timers.tick(5000);
    const { state, stores } = await reading;
    assert.equal(state, 'unavailable');
    assert.deepEqual(
      stores.map((store) => [store.space, store.state]),
      [
        ['platform', 'ok'],
        ['test', 'ok'],
        ['prod', 'failed'],
      ],
    );
  }
});

test('a queue that cannot be read is left out, and one with much due is counted up to its bound', async (t) => {
  const { read: readNode, spaces } = await health(t);
  const put = (sk: string, job: string) => {
    const value = JSON.stringify({ job });
    return { kind: 'put', pk: 'work', sk, value, if: 'any', due: { at: 1000, queue: 'work' } } as const;
  };
  const all = Array.from({ length: 150 }, (_, index) => put(`w${index}`, index < 40 ? 'purge' : 'build'));
  await spaces.test.store.scope('s').commit(all);
  await spaces.platform.store.scope('s').commit([{ ...put('w', 'purge'), value: 'no JSON' }]);
  const { queues } = await readNode();
  const of = (space: string) => queues.find((one) => one.space === space && one.queue === 'work');
  const oldest_due_at = '1970-01-01T00:00:01.000Z';
  assert.deepEqual(of('test'), { space: 'test', queue: 'work', due: 100, more: true, oldest_due_at });
  assert.deepEqual(of('platform'), { space: 'platform', queue: 'work', due: 1, more: false, oldest_due_at });
  assert.deepEqual(of('prod'), { space: 'prod', queue: 'work', due: 0, more: false, oldest_due_at: null });
  spaces.test.maintenance.due = () => Promise.reject(new Unavailable('away'));
  assert.equal((await readNode()).queues.filter(({ space }) => space === 'test').length, 0);
});

test('the last failed call of a store, a server that is down, and failures of work are told', async (t) => {
  const { read: readNode, measurement, spaces } = await health(t);
  assert.equal((await readNode()).state, 'ok');
  await spaces.prod.store.close();
  await assert.rejects(spaces.prod.store.scope('s').range('p', { limit: 1 }));
  const told: unknown[] = [];
  const onServer = measurement.storeFacts.noting((change) => told.push(change));
  onServer({ server: 'db-2:5432', state: 'down', why: 'connect ECONNREFUSED' });
  onServer({ server: 'db-3:5432', state: 'relayed', why: 'x'.repeat(10_000) });
  const run = measurement.watchJobs(new Map([['purge', async () => assert.fail('it cannot')]])).get('purge');
  await assert.rejects(async () => run?.(undefined, undefined, async () => undefined));
  const sweep = measurement.workFacts
    .watch('expire')(new Map([['expiry', async () => undefined]]))
    .get('expiry');
  await sweep?.();
  const { state, stores, servers, jobs } = await readNode();
  assert.equal(stores[2]?.last_failure?.call, 'range');
  assert.deepEqual(
    servers.map(({ server, state, why }) => [server, state, why?.length]),
    [
      ['db-2:5432', 'down', 20],
      ['db-3:5432', 'relayed', 300],
    ],
  );
  assert.ok(state === 'degraded' || state === 'unavailable');
  assert.equal(told.length, 2);
  const [purge, expiry] = jobs;
  assert.deepEqual([purge?.name, purge?.failures, purge?.lease], ['purge', 1, null]);
  const lease = { holder: 'another_node', until: '1970-01-01T00:00:01.000Z' };
  assert.deepEqual([expiry?.name, expiry?.runs, expiry?.lease], ['expiry', 1, lease]);
  onServer({ server: 'db-2:5432', state: 'up' });
  assert.equal((await readNode()).servers.length, 1);
});
