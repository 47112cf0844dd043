import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../lib/problem.ts';
import { openStore } from '../store/testing/open-store.ts';
import { listAll, RecordBench, SteppedClock } from '../testing/record-bench.ts';

async function org() {
  const clock = new SteppedClock();
  const bench = new RecordBench(await openStore({ kind: 'memory', clock }), clock);
  await bench.found(bench.workspace);
  const items = () => bench.opened.maintenance.scan('org#acme', undefined, 1000);
  return { bench, node: bench.node(), items };
}

const order = { entityName: 'order', UpdateParams: [{ name: 'title' }] };

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'done',
    (error: unknown) => (error instanceof Problem ? error.code : String(error)),
  );
}

test('a definition becomes five configs under the keys of the document, each with a version that stays', async () => {
  const { node, items } = await org();
  const { version, apis } = await node.admin.define('acme', order);
  assert.deepEqual(apis, ['create-order', 'get-order', 'list-order', 'update-order', 'delete-order']);
  const configs = (await items()).filter(({ pk }) => pk.startsWith('config;'));
  const stored = new Map(configs.map(({ sk, value }) => [sk, JSON.parse(value)]));
  for (const api of apis) {
    assert.equal(stored.get(`apiname#${api};version#active`).version, version);
    assert.equal(stored.get(`apiname#${api};version#${version}`).entityName, 'order');
  }
  assert.deepEqual(stored.get(`apiname#create-order;version#${version}`), order);
});

test('a definition and its removal are in force on their node as soon as they are answered', async () => {
  const { node } = await org();
  await node.admin.define('acme', order);
  assert.equal((await node.call('order')).entity.name, 'order');
  await node.admin.remove('acme', 'order');
  await assert.rejects(node.call('order'), /there is no entity/);
  assert.deepEqual(await codeOf(node.admin.show('acme', 'order')), 'not_found');
  assert.equal(await node.admin.compiled('acme', 'order'), undefined);
  assert.deepEqual(await node.admin.list('acme'), []);
});

test('of many nodes that define and remove at once each name is taken once and no change is lost', async () => {
  const { bench, items } = await org();
  const nodes = Array.from({ length: 4 }, () => bench.node());
  const names = ['a', 'b', 'c'];
  const define = (name: string) => nodes.map((node) => codeOf(node.admin.define('acme', { entityName: name })));
  const outcomes = await Promise.all(names.flatMap(define));
  assert.deepEqual(outcomes.toSorted(), [...Array(9).fill('conflict'), 'done', 'done', 'done']);
  const removals = await Promise.all(nodes.map((node) => codeOf(node.admin.remove('acme', 'a'))));
  assert.deepEqual(removals.toSorted(), ['done', 'not_found', 'not_found', 'not_found']);
  for (const { configs } of nodes) assert.deepEqual((await configs.refresh('acme')).entityNames, ['b', 'c']);
  assert.equal((await items()).filter(({ sk }) => sk.endsWith(';version#active')).length, 10);
});

test('of definitions whose keys could meet only one stands, also when several nodes take them at once', async () => {
  const { bench } = await org();
  const baseKeys = { pkTemplate: 'org#{org};shared', skTemplate: 'x#{id}' };
  const define = (entityName: string) => codeOf(bench.node().admin.define('acme', { entityName, baseKeys }));
  const outcomes = await Promise.all(['a', 'b', 'c', 'd'].map(define));
  assert.deepEqual(outcomes.toSorted(), ['conflict', 'conflict', 'conflict', 'done']);
});

test('a refused definition writes nothing', async () => {
  const { node, items } = await org();
  await node.admin.define('acme', order);
  const before = await items();
  const overlapping = {
    entityName: 'other',
    baseKeys: { pkTemplate: 'org#{org};data#order', skTemplate: 'order#x#{id}' },
  };
  assert.equal(await codeOf(node.admin.define('acme', order)), 'conflict');
  assert.equal(await codeOf(node.admin.define('acme', overlapping)), 'conflict');
  assert.equal(await codeOf(node.admin.define('acme', { entityName: 'Order' })), 'validation_failed');
  assert.equal(await codeOf(node.admin.remove('acme', 'nothing')), 'not_found');
  assert.equal(await codeOf(node.admin.remove('acme', 'user')), 'not_found');
  assert.deepEqual(await items(), before);
});

test('while a removed entity’s records are being removed, neither its name nor its keys can be taken', async () => {
  const { bench, node } = await org();
  await node.admin.define('acme', order);
  const call = await node.call('order');
  await node.runtime.create(call, { title: 'old' });
  await node.admin.remove('acme', 'order');
  const baseKeys = { pkTemplate: 'org#{org};data#order', skTemplate: 'order#{id}' };
  const heir = { entityName: 'heir', UpdateParams: order.UpdateParams, baseKeys };
  assert.equal(await codeOf(node.admin.define('acme', order)), 'conflict');
  assert.equal(await codeOf(node.admin.define('acme', heir)), 'conflict');
  await bench.workOff();
  await node.admin.define('acme', heir);
  const heirCall = await node.call('heir');
  await node.runtime.create(heirCall, { title: 'new' });
  assert.equal(await codeOf(node.admin.define('acme', order)), 'conflict');
  await bench.workOff();
  assert.equal((await listAll(node, heirCall)).length, 1);
});

test('a removed entity that comes again starts empty, at a higher version', async () => {
  const { bench, node } = await org();
  const first = await node.admin.define('acme', order);
  await node.runtime.create(await node.call('order'), { title: 'old' });
  await node.admin.remove('acme', 'order');
  await bench.workOff();
  const second = await node.admin.define('acme', order);
  assert.ok(second.version > first.version);
  const call = await node.call('order');
  assert.deepEqual(await listAll(node, call), []);
  await node.runtime.create(call, { title: 'new' });
  assert.equal((await listAll(node, call)).length, 1);
});

test('the list counts the records of every workspace', async () => {
  const { bench, node } = await org();
  await node.admin.define('acme', order);
  await node.admin.define('acme', { entityName: 'empty' });
  for (const code of ['main', 'second', 'third']) {
    const workspace = bench.workspaceOf(code);
    await bench.found(workspace);
    await node.runtime.create(await node.call('order', { workspace }), {});
  }
  const { admin } = node;
  assert.deepEqual(
    (await admin.list('acme')).map(({ name, records }) => [name, records]),
    [
      ['empty', 0],
      ['order', 3],
    ],
  );
});

const referrer = (entityName: string, entity: string) => ({
  entityName,
  UpdateParams: [{ name: 'title' }, { name: 'ref', colType: 'guid', lookup: { entity } }],
});

test('a lookup leads to an entity of the org, to the entity itself or to one of the platform, and to no other', async () => {
  const { node, items } = await org();
  const { admin } = node;
  const before = await items();
  await assert.rejects(
    admin.define('acme', referrer('order', 'customer')),
    ({ code, details }: Problem) =>
      code === 'validation_failed' && details.errors?.[0]?.pointer === '/UpdateParams/1/lookup/entity',
  );
  assert.deepEqual(await items(), before);
  for (const [name, entity] of [
    ['tree', 'tree'],
    ['order', 'user'],
    ['item', 'order'],
  ] as const)
    assert.equal(await codeOf(admin.define('acme', referrer(name, entity))), 'done', name);
});

test('an entity that others look up cannot be removed before they let go of it', async () => {
  const { node } = await org();
  const { admin } = node;
  await admin.define('acme', order);
  await admin.define('acme', referrer('item', 'order'));
  await admin.define('acme', referrer('note', 'order'));
  await assert.rejects(admin.remove('acme', 'order'), ({ code, details }: Problem) => {
    assert.deepEqual(details.referenced_by, [
      { entity: 'item', field: 'ref' },
      { entity: 'note', field: 'ref' },
    ]);
    return code === 'dangling_reference';
  });
  await admin.remove('acme', 'item');
  await admin.change('acme', { api: 'create-note', body: { removeFields: ['ref'] } });
  await admin.remove('acme', 'order');
});

test('an entity that only its own records refer to can be removed', async () => {
  const { node } = await org();
  await node.admin.define('acme', referrer('tree', 'tree'));
  await node.admin.remove('acme', 'tree');
  assert.deepEqual((await node.configs.refresh('acme')).references.get('tree')?.by, []);
});

test('of a definition that looks an entity up and a removal of that entity, on two nodes at once, one stands', async () => {
  for (let round = 0; round < 20; round++) {
    const { bench, node } = await org();
    await node.admin.define('acme', order);
    const outcomes = await Promise.all([
      codeOf(bench.node().admin.define('acme', referrer('item', 'order'))),
      codeOf(bench.node().admin.remove('acme', 'order')),
    ]);
    const existing = outcomes[0] === 'done';
    assert.deepEqual(outcomes, existing ? ['done', 'dangling_reference'] : ['validation_failed', 'done']);
  }
});

test('an entity is removed only if it is empty, where that is asked', async () => {
  const { bench, node } = await org();
  await node.admin.define('acme', order);
  const second = bench.workspaceOf('second');
  await bench.found(second);
  const call = await node.call('order', { workspace: second });
  const { data } = await node.runtime.create(call, {});
  await assert.rejects(
    node.admin.remove('acme', 'order', { ifEmpty: true }),
    ({ code, details }: Problem) => code === 'in_use' && details.records === 1,
  );
  await node.runtime.remove(call, { id: data.id });
  await node.admin.remove('acme', 'order', { ifEmpty: true });
});
