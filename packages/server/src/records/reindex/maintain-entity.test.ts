import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { configHeadKey } from '../../config/org-keys.ts';
import type { EntityDefinition, KeyTemplates } from '../../schema/definition.ts';
import type { Change, Scope, Store } from '../../store/port.ts';
import { Crash, crashing } from '../../store/testing/failing-store.ts';
import {
  listAll,
  type Node,
  openBench,
  outcomeOf,
  type RecordBench,
  verifyParts,
  withoutOthers,
} from '../../testing/record-bench.ts';
import { verifyStore } from '../verify-store.ts';
import { minConfigVersion } from '../writing/fence.ts';
import { type MaintainDeps, maintainEntity } from './maintain-entity.ts';
import { indexProgress } from './task-progress.ts';

const work = { orgCode: 'acme', entityName: 'order', version: 0 };
const always = async (): Promise<void> => undefined;
const keyings: Readonly<Record<string, KeyTemplates | undefined>> = {
  'found by their keys': undefined,
  'that move': { pkTemplate: 'org#{org};by#{k}', skTemplate: 'order#{id}' },
};
const plain = { entityName: 'order', UpdateParams: [{ name: 'a' }, { name: 'text' }, { name: 'k' }] };
const indexed = {
  UpdateParams: [{ name: 'a', index: true }, { name: 'text', search: true }, { name: 'k' }],
  UniqueIndexes: [{ indexName: 'one', fields: ['text'] }],
};
const unique = { UniqueIndexes: [{ indexName: 'one', fields: ['a'] }] };

/** Two workspaces of an org whose entity has no indexes of its own, and so many records in each. */
async function started(
  context: TestContext,
  {
    kind = 'memory',
    records = 0,
    definition = plain,
  }: { readonly kind?: 'memory' | 'sqlite'; readonly records?: number; readonly definition?: EntityDefinition } = {},
) {
  const bench = await openBench(context, kind);
  const workspaces = [bench.workspace, bench.workspaceOf('second')];
  for (const workspace of workspaces) await bench.found(workspace);
  const node = bench.node();
  await node.admin.define('acme', definition);
  for (const workspace of workspaces)
    for (let index = 0; index < records; index++)
      await make(node, { a: `a${index % 3}`, text: `word${index} other`, k: `k${index % 2}` }, workspace);
  return { bench, node, workspaces };
}

async function make(node: Node, body: object, workspace?: RecordBench['workspace']): Promise<string> {
  const call = await node.call('order', workspace === undefined ? {} : { workspace });
  return (await node.runtime.create(call, body)).data.id;
}

async function change({ admin }: Node, body: object) {
  return admin.change('acme', { api: 'create-order', body: await withoutOthers(admin, 'order', body), force: true });
}

/** The dependencies of a job that runs in a process of its own. */
function job(bench: RecordBench, store: Store = bench.opened.store, recordsPerStep = 3): MaintainDeps {
  return { store, configs: bench.node(store).configs, clock: bench.clock, recordsPerStep };
}

async function statesOf({ admin }: Node): Promise<Readonly<Record<string, string>>> {
  const { indexes } = await admin.show('acme', 'order');
  return Object.fromEntries(indexes.map(({ kind, name, state }) => [`${kind} ${name}`, state]));
}

async function assertNoDrift(bench: RecordBench): Promise<void> {
  assert.deepEqual((await verifyStore(verifyParts(bench))).drift, []);
}

for (const kind of ['memory', 'sqlite'] as const)
  for (const [keying, baseKeys] of Object.entries(keyings))
    test(`indexes that come to records ${keying} hold them all and serve (${kind})`, async (context) => {
      const definition = { ...plain, ...(baseKeys === undefined ? {} : { baseKeys }) };
      const { bench, node, workspaces } = await started(context, { kind, records: 20, definition });
      await change(node, indexed);
      assert.equal((await statesOf(node))['field a'], 'building');
      await maintainEntity.run(job(bench), work, always);
      await node.configs.refresh('acme');
      const ready = { 'field a': 'ready', 'field updated_at': 'ready', 'unique one': 'ready', 'search q': 'ready' };
      assert.deepEqual(await statesOf(node), ready);
      for (const workspace of workspaces) {
        const call = await node.call('order', { workspace });
        const everything = await listAll(node, call);
        const found = await listAll(node, call, { a: 'a1' });
        assert.deepEqual(
          found,
          everything.filter(({ a }) => a === 'a1'),
        );
        assert.equal((await listAll(node, call, { q: 'word7 oth' })).length, 1);
        assert.equal(await outcomeOf(node.runtime.create(call, { text: 'word7 other', k: 'k' })), 'unique_violation');
      }
      await assertNoDrift(bench);
      assert.deepEqual(await bench.opened.store.scope('org#acme').get([indexProgress.key('order')]), [undefined]);
    });

for (const when of ['before', 'after'] as const)
  test(`a build that crashes ${when} any of its steps is finished by its repetition`, async (context) => {
    for (let calls = 0; ; calls++) {
      const { bench, node } = await started(context, { records: 5, definition: { ...plain, ...indexed } });
      await change(node, {
        UpdateParams: [{ name: 'a', search: true }, { name: 'text', index: true }, { name: 'k' }],
        UniqueIndexes: [{ indexName: 'two', fields: ['a', 'text'] }],
      });
      const work = (store: Store) => buildAndErase(bench, store);
      const outcome = await outcomeOf(work(crashing(bench.opened.store, calls, when)));
      if (outcome !== 'done') assert.equal(outcome, String(new Crash()));
      await work(bench.opened.store);
      await assertNoDrift(bench);
      await node.configs.refresh('acme');
      assert.deepEqual(await statesOf(node), {
        'field text': 'ready',
        'field updated_at': 'ready',
        'unique two': 'ready',
        'search q': 'ready',
      });
      const state = (await node.configs.current('acme')).active('order')?.state;
      assert.equal(state?.indexes.length, 4, 'nothing is being dropped or erased any more');
      if (outcome !== 'done') continue;
      assert.ok(calls > 30, 'the job took its steps');
      return;
    }
  });

async function buildAndErase(bench: RecordBench, store: Store): Promise<void> {
  const deps = job(bench, store);
  await maintainEntity.run(deps, work, always);
  bench.clock.advance(6000);
  await maintainEntity.run(deps, work, always);
}

test('a unique index that records contradict fails, tells of some, lets everything be written and leaves nothing', async (context) => {
  const { bench, node, workspaces } = await started(context, { records: 10 });
  await change(node, unique);
  await maintainEntity.run(job(bench), work, always);
  await node.configs.refresh('acme');
  const { indexes } = await node.admin.show('acme', 'order');
  const failed = indexes.find(({ name }) => name === 'one');
  assert.equal(failed?.state, 'failed');
  const found = failed?.duplicates ?? [];
  assert.equal(found.length, 5);
  for (const { tenant_code, ids } of found) {
    const workspace = workspaces.find((one) => one.tenantCode === tenant_code);
    assert.ok(workspace !== undefined);
    const call = await node.call('order', { workspace });
    const [one, other] = (await listAll(node, call)).filter(({ id }) => ids.includes(id));
    assert.ok(one !== undefined && one.a === other?.a);
  }
  await make(node, { a: 'a0', k: 'k' });
  await assertNoDrift(bench);
  assert.equal((await bench.contents()).filter(({ pk }) => pk.startsWith('unique#order')).length, 0);
});

test('a unique index that failed is tried again with the next change of the definition', async (context) => {
  const { bench, node } = await started(context);
  const [one] = [await make(node, { a: 'x', k: 'k' }), await make(node, { a: 'x', k: 'k' })];
  await change(node, unique);
  await maintainEntity.run(job(bench), work, always);
  await node.runtime.update(await node.call('order'), { id: one, body: { a: 'y' } });
  await node.configs.refresh('acme');
  await change(node, unique);
  await maintainEntity.run(job(bench), work, always);
  await node.configs.refresh('acme');
  assert.equal((await statesOf(node))['unique one'], 'ready');
  assert.equal(await outcomeOf(make(node, { a: 'x', k: 'k' })), 'unique_violation');
  await assertNoDrift(bench);
});

/** A store in which something happens once, right before the first commit that is asked for. */
function interrupted(store: Store, isAwaited: (changes: readonly Change[]) => boolean, happen: () => Promise<unknown>) {
  let isOver = false;
  const wrap = (scope: Scope): Scope => ({
    ...scope,
    commit: async (changes, options) => {
      if (!isOver && isAwaited(changes)) {
        isOver = true;
        await happen();
      }
      return scope.commit(changes, options);
    },
  });
  return { store: { ...store, scope: (name: string) => wrap(store.scope(name)) }, isOver: () => isOver };
}

/** Whether the commit is a step that is about the record. */
function isAbout(id: string) {
  return (changes: readonly Change[]): boolean =>
    changes.some((one) => one.kind === 'check' && one.sk.endsWith(id)) && changes.some(({ kind }) => kind !== 'check');
}

test('a value that an older record takes while the index is being built is not taken from it', async (context) => {
  const { bench, node } = await started(context);
  const older = await make(node, { a: 'z', k: 'k' });
  const newer = await make(node, { a: 'x', k: 'k' });
  await change(node, unique);
  const call = await node.call('order');
  const take = () => node.runtime.update(call, { id: older, body: { a: 'x' } });
  const { store, isOver } = interrupted(bench.opened.store, isAbout(newer), take);
  await maintainEntity.run(job(bench, store, 1), work, always);
  assert.ok(isOver());
  await node.configs.refresh('acme');
  const { indexes } = await node.admin.show('acme', 'order');
  const ids = [older, newer];
  assert.deepEqual(indexes.find(({ name }) => name === 'one')?.duplicates, [{ tenant_code: 'main', ids }]);
  await assertNoDrift(bench);
});

test('a record that gives up a value not yet noted for it leaves it to the record that it is noted for', async (context) => {
  const { bench, node } = await started(context);
  const older = await make(node, { a: 'z', k: 'k' });
  const newer = await make(node, { a: 'x', k: 'k' });
  await change(node, unique);
  const call = await node.call('order');
  const cross = async () => {
    await node.runtime.update(call, { id: older, body: { a: 'x' } });
    await node.runtime.update(call, { id: newer, body: { a: 'y' } });
  };
  const { store, isOver } = interrupted(bench.opened.store, isAbout(newer), cross);
  await maintainEntity.run(job(bench, store, 1), work, always);
  assert.ok(isOver());
  await node.configs.refresh('acme');
  assert.equal((await statesOf(node))['unique one'], 'ready');
  await assertNoDrift(bench);
  assert.equal(await outcomeOf(make(node, { a: 'x', k: 'k' })), 'unique_violation');
});

test('records that have the same value no more when the build comes to tell of them do not fail the index', async (context) => {
  const { bench, node } = await started(context);
  const older = await make(node, { a: 'x', k: 'k' });
  const newer = await make(node, { a: 'x', k: 'k' });
  await change(node, unique);
  const call = await node.call('order');
  const part = () => node.runtime.update(call, { id: older, body: { a: 'y' } });
  const isRevealing = (changes: readonly Change[]) =>
    changes.some((one) => one.kind === 'check' && one.sk.endsWith(newer));
  const { store, isOver } = interrupted(bench.opened.store, isRevealing, part);
  await maintainEntity.run(job(bench, store, 1), work, always);
  assert.ok(isOver());
  await node.configs.refresh('acme');
  assert.equal((await statesOf(node))['unique one'], 'ready');
  await assertNoDrift(bench);
});

test('a workspace that is founded behind the build is not written by a node that does not know the index', async (context) => {
  const { bench, node } = await started(context, { records: 2 });
  const late = bench.workspaceOf('third');
  const stale = bench.node();
  const call = await stale.call('order', { workspace: late });
  await change(node, indexed);
  await maintainEntity.run(job(bench), work, always);
  const [head] = await bench.opened.store.scope('org#acme').get([configHeadKey]);
  await bench.found(late);
  await late.scope.commit([minConfigVersion(head?.version ?? 0, late.tenantId)]);
  await stale.runtime.create(call, { a: 'late', text: 'late', k: 'k' });
  await assertNoDrift(bench);
});

test('a closed workspace does not keep an index from becoming ready', async (context) => {
  const { bench, node } = await started(context, { records: 4 });
  await bench.opened.maintenance.setState(bench.workspace.scope.name, 'closed');
  await change(node, indexed);
  await maintainEntity.run(job(bench), work, always);
  await node.configs.refresh('acme');
  assert.equal((await statesOf(node))['field a'], 'ready');
  const findings = await verifyStore(verifyParts(bench));
  assert.deepEqual([findings.counts.skipped, findings.drift], [1, []]);
});

test('a build tells how far it is, and goes on from there when it is taken over', async (context) => {
  const { bench, node } = await started(context, { records: 12 });
  await change(node, indexed);
  let steps = 0;
  const dieAfterSix = async (): Promise<void> => {
    bench.clock.advance(1000);
    if (++steps > 6) throw new Crash();
  };
  await assert.rejects(maintainEntity.run(job(bench), work, dieAfterSix), Crash);
  const { indexes } = await node.admin.show('acme', 'order');
  const half = indexes.find(({ name }) => name === 'a');
  assert.deepEqual(half, { name: 'a', kind: 'field', state: 'building', done: 12, total: 24 });
  const read: string[] = [];
  const { store } = bench.opened;
  const watched: Store = {
    ...store,
    scope: (name) => ({
      ...store.scope(name),
      range: (pk, range) => {
        if (pk.includes(';data#order')) read.push(`${name} ${range.after === undefined ? 'from the start' : 'on'}`);
        return store.scope(name).range(pk, range);
      },
    }),
  };
  await maintainEntity.run(job(bench, watched), work, always);
  assert.equal(read.includes('org#acme-main from the start'), false, read.join());
  assert.ok(read.includes('org#acme-second from the start'));
  await assertNoDrift(bench);
});

test('a long build lets other work have its turn, and comes back', async (context) => {
  const { bench, node } = await started(context, { records: 12 });
  await change(node, indexed);
  const turn = () => maintainEntity.run(job(bench), work, async () => bench.clock.advance(3000));
  const isBuilt = async () => !Object.values(await statesOf(node)).includes('building');
  let turns = 0;
  for (let isDone = false; !isDone; turns++) {
    const goesOnAt = await turn();
    await node.configs.refresh('acme');
    isDone = await isBuilt();
    assert.ok(isDone || goesOnAt === bench.clock.now());
  }
  assert.ok(turns > 3);
  await assertNoDrift(bench);
});

test('a dropped index is kept until six seconds after its dropping was seen, and then goes', async (context) => {
  const { bench, node } = await started(context, { records: 4, definition: { ...plain, ...indexed } });
  const entries = async () => (await bench.contents()).filter(({ pk }) => pk.startsWith('index#order;field#a')).length;
  await change(node, plain);
  await bench.workOff();
  bench.clock.advance(5999);
  await bench.workOff();
  assert.equal(await entries(), 4);
  bench.clock.advance(1);
  await bench.workOff();
  assert.equal(await entries(), 0);
  await assertNoDrift(bench);
  assert.deepEqual(await bench.opened.maintenance.due('work', Number.MAX_SAFE_INTEGER, 10), []);
});

test('a reference from a field that held ids before holds back removals while its index is built, and judges them then', async (context) => {
  const { bench, node } = await started(context);
  await node.admin.define('acme', { entityName: 'target', UpdateParams: [{ name: 'note' }] });
  const call = await node.call('target');
  const held = (await node.runtime.create(call, {})).data.id;
  const free = (await node.runtime.create(call, {})).data.id;
  await make(node, { a: held, k: 'k' });
  const lookup = { name: 'a', colType: 'guid', lookup: { entity: 'target' } };
  await change(node, { UpdateParams: [lookup, { name: 'text' }, { name: 'k' }] });
  const remove = async (id: string) => outcomeOf(node.runtime.remove(await node.call('target'), { id }));
  assert.deepEqual([await remove(held), await remove(free)], ['conflict', 'conflict']);
  await maintainEntity.run(job(bench), work, always);
  await node.configs.refresh('acme');
  assert.deepEqual([await remove(held), await remove(free)], ['dangling_reference', 'done']);
  await assertNoDrift(bench);
});

test('the work of an entity that is gone is done', async (context) => {
  const { bench, node } = await started(context, { records: 4 });
  await change(node, indexed);
  await assert.rejects(
    maintainEntity.run(job(bench), work, () => Promise.reject(new Crash())),
    Crash,
  );
  await node.admin.remove('acme', 'order');
  await maintainEntity.run(job(bench), work, always);
  await bench.workOff();
  await assertNoDrift(bench);
  assert.deepEqual(await bench.opened.store.scope('org#acme').get([indexProgress.key('order')]), [undefined]);
});

test('no step is a commit of more than 500 changes', async (context) => {
  const { bench, node } = await started(context);
  const words = Array.from({ length: 150 }, (_, index) => `w${index}`).join(' ');
  for (let index = 0; index < 8; index++) await make(node, { text: `${words} ${index}`, k: 'k' });
  await change(node, indexed);
  const sizes: number[] = [];
  const { store } = bench.opened;
  const watched: Store = {
    ...store,
    scope: (name) => ({
      ...store.scope(name),
      commit: (changes, options) => {
        sizes.push(changes.length);
        return store.scope(name).commit(changes, options);
      },
    }),
  };
  await maintainEntity.run(job(bench, watched, 250), work, always);
  assert.ok(Math.max(...sizes) > 400 && Math.max(...sizes) <= 500, sizes.join());
  await assertNoDrift(bench);
});
