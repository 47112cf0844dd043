import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Intercept, interceptOpened } from '../store/intercepted-store.ts';
import { openStore } from '../store/testing/open-store.ts';
import { ExpirySweep } from './expiry.ts';

async function sweptStore() {
  let now = 1_800_000_000_000;
  const clock = { now: () => now };
  const opened = await openStore({ kind: 'memory', clock });
  const shared = await openStore({ kind: 'memory', clock });
  const put = (scope: string, sk: string, at: number, queue: 'expire' | 'work' = 'expire') =>
    opened.store.scope(scope).commit([{ kind: 'put', pk: 'p', sk, value: '1', if: 'any', due: { at, queue } }]);
  const stored = async (scope: string) => (await opened.maintenance.scan(scope, undefined, 1000)).map(({ sk }) => sk);
  const commits: string[] = [];
  let beforeCommit: (() => Promise<unknown>) | undefined;
  const watched: Intercept = async ({ name, scope }, call) => {
    if (name !== 'commit') return call();
    commits.push(scope);
    const before = beforeCommit;
    beforeCommit = undefined;
    await before?.();
    return call();
  };
  const spaces = [interceptOpened(opened, watched)];
  let nodes = 0;
  const node = () =>
    new ExpirySweep({ spaces, shared: shared.store.scope('platform'), clock, nodeId: `node ${++nodes}` });
  const first = node();
  return {
    opened,
    put,
    stored,
    node,
    commits,
    sweep: () => first.turn(),
    lease: () => first.lease(),
    leases: shared.store.scope('platform'),
    meanwhile: (work: () => Promise<unknown>) => {
      beforeCommit = work;
    },
    now: () => now,
    advance: (milliseconds: number) => (now += milliseconds),
  };
}

test('what has expired is removed, everything else is left', async () => {
  const { put, stored, sweep, now } = await sweptStore();
  await put('s', 'past', now() - 1);
  await put('s', 'now', now());
  await put('s', 'future', now() + 1);
  await put('s', 'work', now() - 1, 'work');
  await put('t', 'past', now() - 1);
  await sweep();
  assert.deepEqual([await stored('s'), await stored('t')], [['future', 'work'], []]);
});

test('more than one step is removed in one turn, with one commit of a scope in a step', async () => {
  const { put, stored, sweep, now, commits } = await sweptStore();
  for (let index = 0; index < 2500; index++) await put('s', `k${index}`, now());
  await sweep();
  assert.deepEqual(await stored('s'), []);
  assert.deepEqual(commits, ['s', 's', 's']);
});

test('what was written again on an expired key is spared, and what expired beside it is removed', async () => {
  const { put, stored, sweep, now, meanwhile, commits } = await sweptStore();
  for (const sk of ['again', 'gone', 'too']) await put('s', sk, now() - 1);
  meanwhile(() => put('s', 'again', now() + 1000));
  await sweep();
  assert.deepEqual(await stored('s'), ['again']);
  assert.equal(commits.length, 2);
});

test('of two nodes one sweeps, and the other when the first does no more', async () => {
  const { put, stored, sweep, node, now, advance } = await sweptStore();
  const other = node();
  await sweep();
  await put('s', 'past', now() - 1);
  await other.turn();
  assert.deepEqual(await stored('s'), ['past']);
  await sweep();
  assert.deepEqual(await stored('s'), []);
  await put('s', 'past', now() - 1);
  advance(49_999);
  await other.turn();
  assert.deepEqual(await stored('s'), ['past']);
  advance(1);
  await other.turn();
  assert.deepEqual(await stored('s'), []);
  await put('s', 'past', now() - 1);
  await sweep();
  assert.deepEqual(await stored('s'), ['past']);
});

test('a sweep that is stopped begins no step', async () => {
  const { put, stored, node, now } = await sweptStore();
  await put('s', 'past', now() - 1);
  const stopped = node();
  await stopped.close();
  await stopped.turn();
  assert.deepEqual(await stored('s'), ['past']);
});

test('a scope that is closed does not keep the others from being swept', async () => {
  const { opened, put, stored, sweep, now } = await sweptStore();
  for (let index = 0; index < 250; index++) await put('closed', `k${index}`, now() - 10);
  await put('open', 'past', now() - 1);
  await opened.maintenance.setState('closed', 'closed');
  await sweep();
  assert.deepEqual(await stored('open'), []);
});

test('the lease names its holder, also to another node, and none where an earlier release has it', async () => {
  const { sweep, lease, leases, node, now } = await sweptStore();
  const until = now() + 50_000;
  assert.deepEqual(await lease(), { holder: 'none', node: undefined, until: undefined });
  await sweep();
  assert.deepEqual(await lease(), { holder: 'this_node', node: 'node 1', until });
  assert.deepEqual(await node().lease(), { holder: 'another_node', node: 'node 1', until });
  const value = JSON.stringify({ job: 'expiry' });
  await leases.commit([{ kind: 'put', pk: 'work', sk: '#expiry', value, if: 'any' }]);
  assert.deepEqual(await lease(), { holder: 'another_node', node: undefined, until: undefined });
});
