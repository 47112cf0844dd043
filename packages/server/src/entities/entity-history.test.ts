import assert from 'node:assert/strict';
import { test } from 'node:test';
import { versionKey } from '../config/org-keys.ts';
import { type ItemChanged, itemHistory, itemHistoryPrefix } from '../promotion/items/item-history.ts';
import { actions, apiName, type ConfigBodiesOfEntity, contentOfBodies } from '../schema/entity-content.ts';
import { openStore } from '../store/testing/open-store.ts';
import { RecordBench, SteppedClock } from '../testing/record-bench.ts';

const order = { kind: 'entity', name: 'order' } as const;

async function org() {
  const clock = new SteppedClock();
  const bench = new RecordBench(await openStore({ kind: 'memory', clock }), clock);
  const scope = bench.opened.store.scope('org#acme');
  const history = async (): Promise<readonly ItemChanged[]> => {
    const { pk } = itemHistory.key({ ...order, version: 0 });
    const rows = await scope.range(pk, { prefix: itemHistoryPrefix(order), limit: 100 });
    return rows.map(({ value }) => JSON.parse(value) as ItemChanged);
  };
  return { node: bench.node(), scope, history };
}

const toLabel = { UpdateParams: [{ name: 'label' }], removeFields: ['title'] };

test('each change of an entity is noted with who made it, when, and the versions that its configs then had', async () => {
  const { node, history } = await org();
  const { version } = await node.admin.define('acme', { entityName: 'order', UpdateParams: [{ name: 'title' }] });
  await node.admin.change('acme', { api: 'create-order', body: toLabel });
  await node.admin.change('acme', { api: 'list-order', body: { Views: { short: { fields: [{ name: 'id' }] } } } });
  await node.admin.remove('acme', 'order');
  const [created, changed, viewed, removed, ...none] = await history();
  const all = { create: version, get: version, list: version, update: version, delete: version };
  const noted = [created, changed, viewed, removed].map((row) => [row?.action, row?.version, row?.configs]);
  assert.deepEqual(noted, [
    ['created', version, all],
    ['changed', version + 1, { ...all, create: version + 1 }],
    ['changed', version + 2, { ...all, create: version + 1, list: version + 2 }],
    ['removed', version + 3, undefined],
  ]);
  assert.deepEqual(none, []);
  for (const row of [created, changed, viewed, removed]) {
    assert.deepEqual(row?.actor, created?.actor);
    assert.equal(row?.at, created?.at);
  }
});

test('what an entity was at each of its versions can still be read', async () => {
  const { node, scope, history } = await org();
  await node.admin.define('acme', { entityName: 'order', UpdateParams: [{ name: 'title' }] });
  await node.admin.change('acme', { api: 'create-order', body: toLabel });
  await node.admin.change('acme', { api: 'list-order', body: { Views: { short: { fields: [{ name: 'id' }] } } } });
  const contents = await Promise.all(
    (await history()).map(async ({ configs }) => {
      assert.ok(configs !== undefined);
      const items = await scope.get(actions.map((action) => versionKey(apiName(action, 'order'), configs[action])));
      const bodies = actions.map((action, index) => [action, JSON.parse(items[index]?.value ?? 'null')]);
      return contentOfBodies(Object.fromEntries(bodies) as ConfigBodiesOfEntity);
    }),
  );
  const views = { list: { short: { fields: [{ name: 'id' }] } } };
  assert.deepEqual(contents, [
    { definition: { entityName: 'order', UpdateParams: [{ name: 'title' }] }, views: {} },
    { definition: { entityName: 'order', UpdateParams: [{ name: 'label' }] }, views: {} },
    { definition: { entityName: 'order', UpdateParams: [{ name: 'label' }] }, views },
  ]);
});

test('a change that is refused is not noted', async () => {
  const { node, history } = await org();
  await assert.rejects(node.admin.define('acme', { entityName: 'order', UpdateParams: 7 }));
  assert.deepEqual(await history(), []);
  await node.admin.define('acme', { entityName: 'order' });
  await assert.rejects(node.admin.define('acme', { entityName: 'order' }));
  await assert.rejects(node.admin.change('acme', { api: 'create-order', body: { UpdateParams: 7 } }));
  assert.equal((await history()).length, 1);
});
