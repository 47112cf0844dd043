import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Config, readConfig } from '../../config.ts';
import { systemClock } from '../../lib/clock.ts';
import { type OpenedStore, Unavailable } from '../../store/port.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { startMeasurement } from '../../telemetry/measurement.ts';
import type { LeaseState } from '../../work/expiry.ts';
import { createNodeHealth } from './node-health.ts';

const read = readConfig({ FREEHOLD_DATA_DIR: '/nowhere/freehold' });

async function health(
  t: TestContext,
  options: {
    readonly prod?: Partial<OpenedStore['store']>;
    readonly isDraining?: boolean;
    readonly config?: Pick<Config, 'store' | 'storeProd'>;
  } = {},
) {
  assert.ok('config' in read);
  const open = () => openStore({ kind: 'memory', clock: systemClock });
  const measurement = startMeasurement(systemClock);
  t.after(() => measurement.close());
  const opened = { platform: await open(), test: await open(), prod: await open() };
  const watched = measurement.watchStore('prod', opened.prod);
  const spaces = { ...opened, prod: { ...watched, store: { ...watched.store, ...options.prod } } };
  const lease: LeaseState = { holder: 'another_node', node: 'n2', until: 1000 };
  const deps = { clock: systemClock, spaces, measurement };
  const errors: unknown[] = [];
  const node = createNodeHealth({
    ...deps,
    config: { ...read.config, ...options.config },
    platform: spaces.platform.store.scope('platform'),
    nodeId: 'n1',
    onError: (error) => errors.push(error),
    isDraining: () => options.isDraining === true,
    sweepLease: async () => lease,
  });
  t.after(() => node.close());
  return { read: () => node.read(), node, measurement, spaces, errors };
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

test('a queue that is not read in time keeps no other back', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { read: readNode, spaces } = await health(t);
  spaces.prod.maintenance.due = () => new Promise<never>(() => undefined);
  const reading = readNode();
  await nextTurn();
  t.mock.timers.tick(5000);
  assert.deepEqual([...new Set((await reading).queues.map(({ space }) => space))], ['platform', 'test']);
});

test('the last failed call of a store, a server that is down, and failures of work are told', async (t) => {
  const { read: readNode, measurement, spaces } = await health(t);
  assert.equal((await readNode()).state, 'ok');
  await spaces.prod.store.close();
  await assert.rejects(spaces.prod.store.scope('s').range('p', { limit: 1 }));
  const notified: unknown[] = [];
  const onServer = measurement.storeFacts.noting((change) => notified.push(change));
  onServer({ server: 'db-2:5432', state: 'down', why: 'connect ECONNREFUSED' });
  onServer({ server: 'db-3:5432', state: 'relayed', why: 'x'.repeat(10_000) });
  const [failing] = measurement.watchJobs([{ name: 'purge', run: async () => assert.fail('it cannot') }]);
  await assert.rejects(async () => failing?.run());
  const [sweep] = measurement.workFacts.watch('expire')([{ name: 'expiry', run: async () => undefined }]);
  await sweep?.run();
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
  assert.equal(notified.length, 2);
  const [purge, expiry] = jobs;
  assert.deepEqual([purge?.name, purge?.failures, purge?.lease], ['purge', 1, null]);
  const lease = { holder: 'another_node', node: 'n2', until: '1970-01-01T00:00:01.000Z' };
  assert.deepEqual([expiry?.name, expiry?.runs, expiry?.lease], ['expiry', 1, lease]);
  onServer({ server: 'db-2:5432', state: 'up' });
  assert.equal((await readNode()).servers.length, 1);
});

/** Of no server: what is asked of it fails at once. */
const server = { kind: 'postgres', url: 'postgres://absent:nothing@127.0.0.1:1/nowhere' } as const;
const listening = { app: 'http://127.0.0.1:4000', management: undefined, metrics: undefined };

test('on a server a node lists the others beside itself, and says when it cannot read them', async (t) => {
  const { read: readNode, node, spaces } = await health(t, { config: { store: server, storeProd: server } });
  await node.listening(listening);
  const platform = spaces.platform.store.scope('platform');
  const [own] = await platform.range('node', { limit: 10 });
  assert.ok(own !== undefined);
  await platform.commit([{ kind: 'put', pk: 'node', sk: 'n2', value: own.value, if: 'absent' }]);
  const { nodes, nodes_listed, node: answering, stores } = await readNode();
  assert.deepEqual(
    nodes.map(({ id, this_node, listens }) => [id, this_node, listens.app]),
    [
      ['n1', true, '127.0.0.1:4000'],
      ['n2', false, '127.0.0.1:4000'],
    ],
  );
  assert.deepEqual([nodes_listed, answering.id], ['all', 'n1']);
  for (const { data_bytes, index_bytes, sizes_unknown } of stores)
    assert.deepEqual([data_bytes, index_bytes, sizes_unknown], [null, null, 'the server cannot be reached']);
  await node.close();
  assert.deepEqual(
    (await platform.range('node', { limit: 10 })).map(({ sk }) => sk),
    ['n2'],
  );
  await spaces.platform.store.close();
  const cut = await readNode();
  assert.deepEqual([cut.nodes.map(({ id }) => id), cut.nodes_listed], [['n1'], 'this_node']);
});

test('in a folder a node is the only one, and writes nothing about itself', async (t) => {
  const { read: readNode, node, spaces } = await health(t);
  await node.listening(listening);
  assert.deepEqual(await spaces.platform.maintenance.scopes(undefined, 10), []);
  const { nodes, nodes_listed } = await readNode();
  assert.deepEqual([nodes.map(({ id, state }) => [id, state]), nodes_listed], [[['n1', 'serving']], 'all']);
});

test('work that a node is at is told with the node, and what only waits for its time is not', async (t) => {
  const { read: readNode, spaces } = await health(t);
  const now = Date.now();
  const put = (sk: string, value: unknown, at: number, queue: 'work' | 'automation' = 'work') =>
    ({ kind: 'put', pk: 'work', sk, value: JSON.stringify(value), if: 'any', due: { at, queue } }) as const;
  const until = now + 30_000;
  const leased = { by: 'n7', until };
  await spaces.test.store
    .scope('org#acme')
    .commit([
      put('taken', { job: 'purge', leased }, until),
      put('due', { job: 'purge', leased: { by: 'n6', until: now - 1 } }, now - 1),
      put('moved by an earlier release', { job: 'purge', leased }, until + 1),
      put('later', { job: 'purge' }, until),
      put('run', { job: 'run', leased }, until, 'automation'),
    ]);
  const deliveryQueue = { ...put('lane;paid', { job: 'lane' }, now - 1, 'automation'), pk: 'due' };
  const lease = { node: 'n8', until };
  await spaces.prod.store
    .scope('org#acme-main')
    .commit([deliveryQueue, { kind: 'put', pk: 'lease', sk: 'lane;paid', value: JSON.stringify(lease), if: 'any' }]);
  const { leases, queues } = await readNode();
  const at = new Date(until).toISOString();
  assert.deepEqual(leases, [
    { space: 'test', queue: 'work', job: 'purge', node: 'n7', until: at },
    { space: 'test', queue: 'automation', job: 'run', node: 'n7', until: at },
    // The one process that has a folder.
    { space: 'prod', queue: 'automation', job: 'lane', node: 'n1', until: at },
  ]);
  assert.equal(queues.find(({ space, queue }) => space === 'test' && queue === 'work')?.due, 1);
});
