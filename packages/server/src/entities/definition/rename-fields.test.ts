import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../lib/problem.ts';
import { verifyStore } from '../../records/verify-store.ts';
import type { FieldDefinition } from '../../schema/port.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { listAll, type Node, outcomeOf, RecordBench, SteppedClock, verifyParts } from '../../testing/record-bench.ts';

async function org() {
  const clock = new SteppedClock();
  const bench = new RecordBench(await openStore({ kind: 'memory', clock }), clock);
  await bench.found(bench.workspace);
  const records = () => bench.opened.maintenance.scan(bench.workspace.scope.name, undefined, 100_000);
  return { bench, node: bench.node(), records };
}

function change({ admin }: Node, body: unknown, force = false) {
  return admin.change('acme', { api: 'create-order', body, force });
}

async function mistakes(promise: Promise<unknown>): Promise<readonly string[]> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Problem) return (error.details.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`);
    throw error;
  }
  assert.fail('it was not refused');
}

async function fieldsOf({ admin }: Node): Promise<readonly FieldDefinition[]> {
  return (await admin.show('acme', 'order')).create.UpdateParams as readonly FieldDefinition[];
}

async function create(node: Node, body: unknown): Promise<string> {
  return (await node.runtime.create(await node.call('order'), body)).data.id;
}

const order = {
  entityName: 'order',
  baseKeys: { pkTemplate: 'org#{org};order', skTemplate: 'order#{rank}#{id}' },
  UpdateParams: [
    { name: 'body', index: true, search: true },
    { name: 'rank', colType: 'integer' },
    { name: 'keeper' },
    { name: 'secret', colType: 'encrypted' },
    { name: 'number', colType: 'autoincrement' },
    { name: 'twice', colType: 'formula', formula: { cel: 'rank * 2', type: 'integer' }, index: true },
    { name: 'said', colType: 'formula', formula: '{body}!' },
  ],
  ownerIndexes: [{ ownerFieldName: 'keeper', gpkTemplate: 'org#{org};of#{keeper}', gskTemplate: 'order#{rank}' }],
  UniqueIndexes: [{ indexName: 'one', fields: ['body', 'rank'] }],
  indexes: [{ fields: ['-rank', 'body'] }],
  checks: [{ cel: 'rank < 100', message: 'low ranks' }],
  Views: { short: { fields: [{ name: 'body' }] } },
};

const renames = [
  { name: 'text', renamedFrom: 'body' },
  { name: 'place', renamedFrom: 'rank' },
  { name: 'holder', renamedFrom: 'keeper' },
  { name: 'token', renamedFrom: 'secret' },
  { name: 'serial', renamedFrom: 'number' },
];

test('a rename needs nothing but the field, keeps every value, and writes nothing beside the definition', async () => {
  const { bench, node, records } = await org();
  await node.admin.define('acme', order);
  const body = { body: 'a', rank: 2, keeper: 'u', secret: 's' };
  const id = await create(node, body);
  const before = await records();
  const { version, indexes, fills } = await change(node, { UpdateParams: renames });
  assert.ok(version > 1);
  assert.equal(fills, undefined);
  assert.deepEqual(new Set(indexes?.map(({ state }) => state)), new Set(['ready']));
  assert.deepEqual(await records(), before);
  const { create: definition, indexes: shown } = await node.admin.show('acme', 'order');
  assert.deepEqual(definition.UniqueIndexes, [{ indexName: 'one', fields: ['text', 'place'] }]);
  assert.deepEqual(definition.indexes, [{ fields: ['-place', 'text'] }]);
  assert.deepEqual(definition.baseKeys, { pkTemplate: 'org#{org};order', skTemplate: 'order#{place}#{id}' });
  const owner = { ownerFieldName: 'holder', gpkTemplate: 'org#{org};of#{holder}', gskTemplate: 'order#{place}' };
  assert.deepEqual(definition.ownerIndexes, [owner]);
  assert.deepEqual(definition.Views, order.Views);
  const names = shown.map(({ name }) => name);
  assert.deepEqual(new Set(names), new Set(['text', 'twice', 'updated_at', 'one', '-place,text', 'holder', 'q']));
  const [text] = await fieldsOf(node);
  const kept = { aliases: ['body'], formerNames: ['body'], storedAs: 'body' };
  assert.deepEqual(text, { name: 'text', index: true, search: true, ...kept });
  const [record] = await listAll(node, await node.call('order'), { text: 'a', sortby: 'text' });
  assert.deepEqual([record?.text, record?.place, record?.holder, record?.serial], ['a', 2, 'u', 1]);
  await create(node, { text: 'b', place: 3, holder: 'u', token: 't' });
  await node.runtime.update(await node.call('order'), { id, body: { place: 4 } });
  const found = await listAll(node, await node.call('order'), { sortby: 'place,text', sortdir: 'desc,asc' });
  assert.deepEqual(
    found.map(({ text, place, serial, twice, said: expected }) => [text, place, serial, twice, expected]),
    [
      ['a', 4, 1, 8, 'a!'],
      ['b', 3, 2, 6, 'b!'],
    ],
  );
  await bench.workOff();
  assert.deepEqual((await verifyStore(verifyParts(bench))).drift, []);
});

test('a rename that is sent again changes nothing', async () => {
  const { node, records } = await org();
  await node.admin.define('acme', order);
  await change(node, { UpdateParams: renames });
  const fields = await fieldsOf(node);
  const before = await records();
  await change(node, { UpdateParams: renames });
  assert.deepEqual(await fieldsOf(node), fields);
  assert.deepEqual(await records(), before);
  await change(node, { UpdateParams: [{ name: 'token', aliases: [] }] });
  await change(node, { UpdateParams: renames });
  const token = (await fieldsOf(node)).find(({ name }) => name === 'token');
  assert.deepEqual([token?.aliases, token?.formerNames], [[], ['secret']]);
});

test('a field is renamed again and again, and back to the name that it is stored by', async () => {
  const { node } = await org();
  await node.admin.define('acme', { entityName: 'order', UpdateParams: [{ name: 'a' }] });
  await create(node, { a: 'x' });
  const rename = (renamedFrom: string, name: string) => change(node, { UpdateParams: [{ name, renamedFrom }] });
  const current = async () => [await fieldsOf(node), (await listAll(node, await node.call('order')))[0]] as const;
  await rename('a', 'b');
  await rename('b', 'c');
  const [[chained], record] = await current();
  assert.deepEqual(chained, { name: 'c', aliases: ['a', 'b'], formerNames: ['a', 'b'], storedAs: 'a' });
  assert.equal(record?.c, 'x');
  await rename('c', 'a');
  const [[back], again] = await current();
  assert.deepEqual(back, { name: 'a', aliases: ['b', 'c'], formerNames: ['b', 'c'] });
  assert.equal(again?.a, 'x');
});

test('a definition that was read is edited and put back: what the platform keeps may stand in it', async () => {
  const { node } = await org();
  await node.admin.define('acme', { entityName: 'order', UpdateParams: [{ name: 'a' }] });
  for (const [from, name] of [
    ['a', 'b'],
    ['b', 'c'],
    ['c', 'a'],
  ]) {
    const [field] = await fieldsOf(node);
    await change(node, { UpdateParams: [{ ...field, name, renamedFrom: from }] });
  }
  assert.deepEqual(await fieldsOf(node), [{ name: 'a', aliases: ['b', 'c'], formerNames: ['b', 'c'] }]);
  const kept = ['/UpdateParams/0/storedAs read_only', '/UpdateParams/0/formerNames read_only'];
  assert.deepEqual(
    await mistakes(change(node, { UpdateParams: [{ name: 'a', storedAs: 'x', formerNames: ['x'] }] })),
    kept,
  );
  assert.deepEqual(
    await mistakes(change(node, { UpdateParams: [{ name: 'z', storedAs: 'x', formerNames: ['x'] }] })),
    kept,
  );
});

test('what a rename would make ambiguous is refused, and says where', async () => {
  const { node } = await org();
  const catalog = [{ name: 'a', aliases: ['as'] }, { name: 'b' }, { name: 'tenant' }, { name: 'old' }];
  const index = { gpkTemplate: 'org#{org};of#{tenant}', gskTemplate: '{id}' };
  const parentIndex = { parentFieldName: 'tenant', ...index };
  await node.admin.define('acme', { entityName: 'order', UpdateParams: catalog, parentIndex });
  await create(node, { old: 'x' });
  await change(node, { removeFields: ['old'] }, true);
  const at = async (...fields: readonly object[]) => mistakes(change(node, { UpdateParams: fields }));
  const from = '/UpdateParams/0/renamedFrom';
  assert.deepEqual(await at({ name: 'z', renamedFrom: 'nothing' }), [`${from} unknown_field`]);
  assert.deepEqual(await at({ name: 'z', renamedFrom: 'as' }), [`${from} unknown_field`]);
  assert.deepEqual(await at({ name: 'z', renamedFrom: 1 }), [`${from} wrong_type`]);
  assert.deepEqual(await at({ name: 'a', renamedFrom: 'a' }), [`${from} contradiction`]);
  assert.deepEqual(await at({ name: 'b', renamedFrom: 'a' }), [`${from} duplicate`]);
  assert.deepEqual(await at({ name: 'as', renamedFrom: 'b' }), [`${from} duplicate`]);
  assert.deepEqual(await at({ name: 'old', renamedFrom: 'b' }), [`${from} duplicate`]);
  assert.deepEqual(await at({ name: 'b', aliases: ['old'] }), ['/UpdateParams/0/aliases duplicate']);
  assert.deepEqual(await at({ name: 'b', renamedFrom: 'a' }, { name: 'a', renamedFrom: 'b' }), [
    `${from} duplicate`,
    '/UpdateParams/1/renamedFrom duplicate',
  ]);
  assert.deepEqual(await at({ name: 'y', renamedFrom: 'b' }, { name: 'z', renamedFrom: 'b' }), [
    '/UpdateParams/1/renamedFrom contradiction',
  ]);
  assert.deepEqual(await at({ name: 'z', renamedFrom: 'b' }, { name: 'b' }), ['/UpdateParams/1/name duplicate']);
  assert.deepEqual(await at({ name: 'tenant_id', renamedFrom: 'tenant' }), [`${from} contradiction`]);
  assert.deepEqual(await at({ name: 'created_at', renamedFrom: 'b' }), ['/UpdateParams/0/name reserved_name']);
  assert.deepEqual(
    await mistakes(change(node, { UpdateParams: [{ name: 'z', renamedFrom: 'b' }], removeFields: ['b'] })),
    [`${from} contradiction`],
  );
  const names = (await fieldsOf(node)).map(({ name }) => name);
  assert.deepEqual(names, ['a', 'b', 'tenant']);
});

test('no new field takes a name that a renamed one had, also when that is removed with it', async () => {
  const { bench, node } = await org();
  await node.admin.define('acme', { entityName: 'order', UpdateParams: [{ name: 'a' }, { name: 'b' }] });
  await create(node, { a: 'x' });
  await change(node, { UpdateParams: [{ name: 'c', renamedFrom: 'a' }] });
  await change(node, { UpdateParams: [{ name: 'c', aliases: [] }] });
  const taken = ['/UpdateParams/0/name duplicate'];
  assert.deepEqual(await mistakes(change(node, { UpdateParams: [{ name: 'a' }] })), taken);
  assert.deepEqual(await mistakes(change(node, { UpdateParams: [{ name: 'a' }], removeFields: ['c'] }, true)), taken);
  await change(node, { removeFields: ['c'] }, true);
  await assert.rejects(change(node, { UpdateParams: [{ name: 'a' }] }), { code: 'conflict' });
  await bench.workOff();
  await change(node, { UpdateParams: [{ name: 'a' }] });
  assert.equal((await listAll(node, await node.call('order')))[0]?.a, undefined);
});

test('an alias stays as long as an expression or a view uses it', async () => {
  const { node } = await org();
  await node.admin.define('acme', order);
  await change(node, { UpdateParams: renames });
  const without = (name: string) => change(node, { UpdateParams: [{ name, aliases: [] }] });
  assert.deepEqual(await mistakes(without('place')), [
    '/UpdateParams invalid_expression',
    '/checks/0/cel invalid_expression',
  ]);
  assert.deepEqual(await mistakes(without('text')), [
    '/UpdateParams unknown_token',
    '/Views/short/fields/0/name unknown_field',
  ]);
  await without('token');
});

test('a preview tells of a rename, and of no loss', async () => {
  const { node } = await org();
  await node.admin.define('acme', order);
  await create(node, { body: 'a', rank: 2 });
  const body = { UpdateParams: [...renames.slice(0, 2), { name: 'text', maxlength: 5 }].slice(0, 2) };
  const { plan, would_fail, would_lose } = await node.admin.preview('acme', {
    api: 'create-order',
    body,
    force: false,
  });
  assert.deepEqual([would_fail, would_lose], [false, false]);
  assert.deepEqual(
    plan.map(({ change, field, from, records }) => [change, field, from, records]),
    [
      ['field_renamed', 'text', 'body', 0],
      ['field_renamed', 'place', 'rank', 0],
    ],
  );
});

for (const onDelete of ['restrict', 'setnull', 'cascade'])
  test(`what a renamed lookup refers to is protected as before, also from a node that is late (${onDelete})`, async () => {
    const { bench, node } = await org();
    await node.admin.define('acme', { entityName: 'target', UpdateParams: [{ name: 'note' }] });
    const lookup = { entity: 'target', onDelete };
    await node.admin.define('acme', { entityName: 'order', UpdateParams: [{ name: 'ref', colType: 'guid', lookup }] });
    const make = async () => (await node.runtime.create(await node.call('target'), {})).data.id;
    const [one, other] = [await make(), await make()];
    const holders = [await create(node, { ref: one }), await create(node, { ref: other })];
    const late = { ...bench.node(), call: await node.call('target') };
    await change(node, { UpdateParams: [{ name: 'link', renamedFrom: 'ref' }] });
    await bench.workOff();
    const links = async () =>
      (await listAll(node, await node.call('order'))).map(({ id, link }) => [id, link]).reverse();
    assert.deepEqual(await links(), [
      [holders[0], one],
      [holders[1], other],
    ]);
    const removals = [
      async () => node.runtime.remove(await node.call('target'), { id: one }),
      async () => late.runtime.remove(late.call, { id: other }),
    ];
    for (const removal of removals) {
      const code = await outcomeOf(removal());
      assert.equal(code, onDelete === 'restrict' ? 'dangling_reference' : 'done');
    }
    const left = { restrict: [one, other], setnull: [undefined, undefined], cascade: [] }[onDelete];
    assert.deepEqual(
      (await links()).map(([, link]) => link),
      left,
    );
    assert.deepEqual((await verifyStore(verifyParts(bench))).drift, []);
  });
