import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Intercept, interceptOpened } from '../../../store/intercepted-store.ts';
import { Unavailable } from '../../../store/port.ts';
import { openStore } from '../../../store/testing/open-store.ts';
import { ExpirySweep } from '../../../work/expiry.ts';
import { describeNode, listensAt } from './describe-node.ts';
import { NodeRegistry } from './node-registry.ts';

const beat = 20_000;
const day = 86_400_000;
const delay = { p50_ms: 1, p99_ms: 2, max_ms: 3 };

/** Nodes on one store, whose beats the test gives. */
async function sharedStore(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let now = 1_800_000_000_000;
  const clock = { now: () => now };
  const opened = await openStore({ kind: 'memory', clock });
  const commits: number[] = [];
  const errors: unknown[] = [];
  const gates: Error[] = [];
  const watched: Intercept = ({ name, changes }, call) => {
    if (name !== 'commit') return call();
    const [failure] = gates;
    if (failure !== undefined) return Promise.reject(failure);
    commits.push(changes?.length ?? 0);
    return call();
  };
  const scope = interceptOpened(opened, watched).store.scope('platform');
  const node = (id: string, listens = { app: null, management: `${id}:4001`, metrics: null }) => {
    const measured = { work: [], servers: [], eventLoopDelay: delay };
    const describe = () => describeNode({ now, isDraining: false, listens, ...measured });
    return new NodeRegistry({ scope, id, clock, describe, onError: (error) => errors.push(error) });
  };
  const listed = async (by: NodeRegistry) =>
    (await by.others(now)).others.map(({ id, state, heard_at }) => [id, state, (now - Date.parse(heard_at)) / 1000]);
  const sweep = () =>
    new ExpirySweep({ spaces: [opened], shared: opened.store.scope('lease'), clock, nodeId: 'n' }).turn();
  const stored = () => opened.store.scope('platform').range('node', { limit: 1000 });
  return {
    ...{ opened, scope, node, listed, commits, errors, gates, sweep, stored },
    advance: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

test('nodes see each other from their start, and a node that ends in order is gone', async (t) => {
  const { node, listed } = await sharedStore(t);
  const [one, other] = [node('one'), node('other')];
  await one.begin();
  assert.deepEqual(await listed(one), []);
  await other.begin();
  assert.deepEqual(await listed(one), [['other', 'serving', 0]]);
  assert.deepEqual(await listed(other), [['one', 'serving', 0]]);
  await one.close();
  assert.deepEqual(await listed(other), []);
  await other.beat();
  assert.deepEqual(await listed(one), [['other', 'serving', 0]]);
});

test('a node is silent after three beats without a word, is heard of again with the next, and goes after a day', async (t) => {
  const { node, listed, advance, sweep, stored } = await sharedStore(t);
  const [one, killed] = [node('one'), node('killed')];
  await killed.begin();
  await one.begin();
  advance(3 * beat);
  assert.deepEqual(await listed(one), [['killed', 'serving', 60]]);
  advance(1);
  assert.deepEqual(await listed(one), [['killed', 'silent', 60.001]]);
  await killed.beat();
  assert.deepEqual(await listed(one), [['killed', 'serving', 0]]);
  advance(day - 1);
  assert.equal((await listed(one)).length, 1);
  advance(1);
  assert.deepEqual(await listed(one), []);
  await one.beat();
  await sweep();
  assert.deepEqual(
    (await stored()).map(({ sk }) => sk),
    ['one'],
  );
});

test('an idle node writes one small row a beat and reads nothing, and none before it serves or after its end', async (t) => {
  const { node, commits, stored } = await sharedStore(t);
  const one = node('one');
  await one.close();
  t.mock.timers.tick(10 * beat);
  assert.deepEqual(commits, []);
  await one.begin();
  assert.deepEqual(commits, [], 'a node that was closed begins no more');
  const other = node('other');
  await other.begin();
  assert.deepEqual(commits, [1]);
  for (let beats = 0; beats < 3; beats++) {
    t.mock.timers.tick(beat);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(commits, [1, 1, 1, 1]);
  const [row] = await stored();
  assert.ok(row !== undefined && row.value.length < 1000);
  await other.close();
  t.mock.timers.tick(10 * beat);
  assert.deepEqual([commits.length, await stored()], [5, []]);
});

test('a store that is away keeps no node from its start and its end', async (t) => {
  const { node, listed, errors, gates } = await sharedStore(t);
  const [one, other] = [node('one'), node('other')];
  gates.push(new Unavailable('away'));
  await one.begin();
  await one.close();
  await other.begin();
  assert.equal(errors.length, 3);
  gates.pop();
  t.mock.timers.tick(beat);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(await listed(one), [['other', 'serving', 0]]);
});

test('a node that dies and starts again and again leaves a bounded number of rows', async (t) => {
  const { node, stored, advance, listed } = await sharedStore(t);
  const lives = node('lives');
  await lives.begin();
  for (let index = 0; index < 200; index++) {
    await node(`dies ${index}`).begin();
    advance(10_000);
    await lives.beat();
  }
  const rows = await stored();
  // Fifty that are silent, and those that are not silent yet.
  assert.ok(rows.length <= 50 + 8, String(rows.length));
  assert.ok(rows.some(({ sk }) => sk === 'lives'));
  assert.ok(rows.some(({ sk }) => sk === 'dies 199'));
  assert.ok((await listed(lives)).some(([id]) => id === 'dies 199'));
});

test('a hundred nodes are listed, and that there are more; a damaged row hides no other', async (t) => {
  const { node, scope, listed } = await sharedStore(t);
  const one = node('a');
  await one.begin();
  await node('b').begin();
  await scope.commit([{ kind: 'put', pk: 'node', sk: 'broken', value: '{', if: 'any' }]);
  await scope.commit([{ kind: 'put', pk: 'node', sk: 'odd', value: '{"host":1}', if: 'any' }]);
  assert.deepEqual(await listed(one), [['b', 'serving', 0]]);
  for (let index = 0; index < 100; index++) await node(`n${index}`).begin();
  const { others, hasMore } = await one.others(1_800_000_000_000);
  assert.deepEqual([others.length, hasMore], [99, true]);
});

test('a node is described by what it does, and by where it listens', () => {
  const fact = { name: 'purge', queue: 'work', running: 1, runs: 4, failures: 2, last_run_at: null } as const;
  const server = { server: 'db:5432', state: 'down', since: '2026-01-01T00:00:00.000Z', why: null } as const;
  const work = [fact, { ...fact, name: 'build' }].map((one) => ({ ...one, last_failure: null }));
  const listens = listensAt(
    { host: '::', metricsListen: { host: '127.0.0.1', port: 0 } },
    { app: 'http://127.0.0.1:4000', management: undefined, metrics: 'http://127.0.0.1:9464' },
  );
  const measured = { work, servers: [server], eventLoopDelay: delay };
  const { event_loop_delay, ...expected } = describeNode({ now: 0, isDraining: true, listens, ...measured });
  assert.deepEqual(event_loop_delay, delay);
  assert.deepEqual(expected.listens, { app: '[::]:4000', management: null, metrics: '127.0.0.1:9464' });
  assert.deepEqual([expected.workers, expected.jobs_running, expected.job_failures], [{ all: 1, serving: 1 }, 2, 4]);
  assert.deepEqual([expected.servers_not_well, expected.draining], [1, true]);
});
