import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entityRows } from '../../config/org-keys.ts';
import { Problem } from '../../lib/problem.ts';
import { Conflict, type Scope, type Store } from '../../store/port.ts';
import { Crash, crashing } from '../../store/testing/failing-store.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { listAll, RecordBench, SteppedClock } from '../../testing/record-bench.ts';
import { fenceKey, raise } from '../writing/fence.ts';
import { type PurgeEntity, purgeEntity } from './purge-entity.ts';

const fieldNames = Array.from({ length: 18 }, (_, index) => `f${index}`);
const UpdateParams = fieldNames.map((name) => ({ name, index: true }));
const keyings = {
  direct: {},
  templated: { baseKeys: { pkTemplate: 'org#{org};by#{f0}', skTemplate: '{f1}#{id}' } },
} as const;
const recordsPerWorkspace = 30;

/** An org whose entity `order` has just been removed, with more records than one step takes, in two workspaces. */
async function removedEntity(keying: keyof typeof keyings) {
  const clock = new SteppedClock();
  const bench = new RecordBench(await openStore({ kind: 'memory', clock }), clock);
  const workspaces = [bench.workspace, bench.workspaceOf('second')];
  for (const workspace of workspaces) await bench.found(workspace);
  const node = bench.node();
  const define = () => node.admin.define('acme', { entityName: 'order', UpdateParams, ...keyings[keying] });
  const fill = async (count: number) => {
    for (const workspace of workspaces) {
      const call = await node.call('order', { workspace });
      for (let index = 0; index < count; index++) await node.runtime.create(call, { f0: `a${index % 3}`, f1: 'b' });
    }
  };
  await define();
  await fill(recordsPerWorkspace);
  const stale = await node.call('order');
  await node.admin.remove('acme', 'order');
  const [due] = await bench.opened.maintenance.due('work', clock.now(), 10);
  assert.ok(due !== undefined);
  const work: PurgeEntity = JSON.parse(due.item.value);
  const purge = (store: Store) => purgeEntity(store, work, async () => undefined);
  const isNameFree = () =>
    define().then(
      () => true,
      (error: unknown) => {
        assert.ok(error instanceof Problem && error.code === 'conflict', String(error));
        return false;
      },
    );
  const left = async () => {
    const items = (await Promise.all(workspaces.map((workspace) => bench.contents(workspace)))).flat();
    return items.filter(({ pk }) => pk !== 'fence' && pk !== 'count').length;
  };
  const counters = async () => {
    const found = workspaces.map(({ scope }) => scope.get([{ pk: 'count', sk: 'order' }]));
    return (await Promise.all(found)).map(([item]) => item?.value ?? '0');
  };
  /** The new entity of the name is complete, with so many records in each workspace. */
  const assertExists = async (count: number) => {
    const [row] = await bench.opened.store.scope('org#acme').get([entityRows.key('order')]);
    assert.match(row?.value ?? '', /"active"/);
    for (const workspace of workspaces) {
      const call = await node.call('order', { workspace });
      assert.equal((await listAll(node, call)).length, count);
    }
    assert.deepEqual(await counters(), [String(count), String(count)]);
  };
  const { store } = bench.opened;
  return { bench, store, work, purge, fill, isNameFree, left, counters, assertExists, node, stale };
}

for (const keying of ['direct', 'templated'] as const)
  for (const when of ['before', 'after'] as const)
    test(`a purge of ${keying} records that crashes ${when} any of its steps is finished by its repetition`, async () => {
      for (let calls = 0; ; calls++) {
        const org = await removedEntity(keying);
        const outcome = await org.purge(crashing(org.store, calls, when)).then(
          () => 'done',
          (error: unknown) => error,
        );
        if (outcome === 'done') {
          assert.ok(calls > 8, 'the purge took its steps');
          return;
        }
        assert.ok(outcome instanceof Crash, String(outcome));
        if ((await org.left()) > 0) assert.equal(await org.isNameFree(), false, `after ${calls} calls`);
        await org.purge(org.store);
        assert.deepEqual([await org.left(), await org.counters()], [0, ['0', '0']], `after ${calls} calls`);
        if (calls % 5 === 0) await assertSparesSuccessor(org);
      }
    });

/** Repeating the purge once the name is free touches nothing of the new entity. */
async function assertSparesSuccessor(org: Awaited<ReturnType<typeof removedEntity>>): Promise<void> {
  assert.equal(await org.isNameFree(), true);
  await org.purge(org.store);
  await org.assertExists(0);
  await org.fill(3);
  await org.purge(org.store);
  await org.assertExists(3);
}

for (const pk of ['workspace', 'org#acme-main;data#order'])
  test(`a purge that is overtaken before it reads \`${pk}\` touches nothing of the new entity`, async () => {
    const org = await removedEntity('direct');
    const slow = pausing(org.store, pk);
    const late = org.purge(slow.store);
    await slow.reached;
    await org.purge(org.store);
    assert.equal(await org.isNameFree(), true);
    await org.fill(3);
    slow.resume();
    await late.catch((error: unknown) => assert.ok(error instanceof Conflict, String(error)));
    await org.assertExists(3);
  });

/** A store that stops at the first range read of a partition, before it reads, until the test lets it continue. */
function pausing(store: Store, pausedPk: string) {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const pausingScope = (scope: Scope): Scope => ({
    ...scope,
    range: async (pk, read) => {
      if (pk === pausedPk) {
        reached.resolve();
        await gate.promise;
      }
      return scope.range(pk, read);
    },
  });
  const wrapped: Store = { ...store, scope: (name) => pausingScope(store.scope(name)) };
  return { store: wrapped, reached: reached.promise, resume: gate.resolve };
}

test('two purges of one entity at once remove everything once', async () => {
  const org = await removedEntity('direct');
  const outcomes = await Promise.allSettled([org.purge(org.store), org.purge(org.store)]);
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof Conflict, String(outcome.reason));
  await org.purge(org.store);
  assert.deepEqual([await org.left(), await org.counters()], [0, ['0', '0']]);
});

test('writers that know the removed definition get nowhere from the moment their workspace is being purged', async () => {
  const org = await removedEntity('direct');
  const writes: Promise<unknown>[] = [];
  const renewLease = async (): Promise<void> => {
    if (writes.length === 50) return;
    const write = org.node.runtime.create(org.stale, { f0: 'a', f1: 'late' });
    writes.push(write.catch((error: unknown) => (error instanceof Problem ? error.code : error)));
  };
  await purgeEntity(org.store, org.work, renewLease);
  assert.deepEqual(new Set(await Promise.all(writes)), new Set(['not_found']));
  assert.deepEqual([await org.left(), await org.counters()], [0, ['0', '0']]);
});

test('a purge ends as soon as another process has taken it over', async () => {
  const org = await removedEntity('direct');
  const lost = new Error('the lease is lost');
  await assert.rejects(
    purgeEntity(org.store, org.work, () => Promise.reject(lost)),
    lost,
  );
  assert.ok((await org.left()) > 0);
});

test('a workspace that is closed does not keep a name from becoming free', async () => {
  const org = await removedEntity('direct');
  await org.bench.opened.maintenance.setState(org.bench.workspace.scope.name, 'closed');
  await org.purge(org.store);
  assert.equal(await org.isNameFree(), true);
});

test('a fence is raised, never lowered, and many that raise it agree', async () => {
  const org = await removedEntity('direct');
  const { scope } = org.bench.workspaceOf('fenced');
  const level = (generation: number) => ({ generation, configVersion: generation });
  const raised = await Promise.all(Array.from({ length: 8 }, () => raise({ scope }, 'order', level(5))));
  for (const fence of raised) assert.deepEqual(fence, raised[0]);
  assert.equal(await raise({ scope }, 'order', level(4)), 'newer');
  assert.deepEqual(await raise({ scope }, 'order', level(5)), raised[0]);
  const [item] = await scope.get([fenceKey('order')]);
  assert.equal(item?.value, '{"generation":5}');
});
