import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Problem } from '../../lib/problem.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { type Node, RecordBench, SteppedClock } from '../../testing/record-bench.ts';
import { underApiName } from './change-api.ts';

async function org(): Promise<Node> {
  const clock = new SteppedClock();
  const bench = new RecordBench(await openStore({ kind: 'memory', clock }), clock);
  await bench.found(bench.workspace);
  return bench.node();
}

function define({ admin }: Node, api: string, entityName: string) {
  return admin.define('acme', underApiName(api, { entityName, UpdateParams: [{ name: 'title' }] }));
}

function addField({ admin }: Node, api: string, body: object = {}) {
  return admin.change('acme', { api, body: { UpdateParams: [{ name: 'added' }], ...body } });
}

const changed = (entityName: string) => ({ entityName, api: `create-${entityName}` });

async function assertChanged(change: Promise<object>, entityName: string): Promise<void> {
  assert.partialDeepStrictEqual(await change, changed(entityName));
}

async function assertRefused(change: Promise<object>, code: string, message = /./): Promise<void> {
  await assert.rejects(change, (error: Problem) => {
    assert.equal(error.code, code);
    assert.match(error.message, message);
    return true;
  });
}

test('the name of the create changes the definition, and is a member of it', async () => {
  const node = await org();
  await define(node, 'Order.api', 'order');
  await define(node, 'create-visit', 'visit');
  await assertChanged(addField(node, 'Order.api'), 'order');
  await assertChanged(addField(node, 'create-order'), 'order');
  const { create } = await node.admin.show('acme', 'order');
  assert.deepEqual([create.apiname, create.key], ['Order.api', 'apiname#create-order;version#active']);
  assert.equal('apiname' in (await node.admin.show('acme', 'visit')).create, false);
  await assertRefused(addField(node, 'order.api'), 'not_found');
  await node.admin.remove('acme', 'order');
  await assertRefused(addField(node, 'Order.api'), 'not_found');
});

test('a preview is of the same definition', async () => {
  const node = await org();
  await define(node, 'orders', 'order');
  const { plan } = await node.admin.preview('acme', { api: 'orders', body: { UpdateParams: [{ name: 'added' }] } });
  assert.deepEqual(
    plan.map(({ change, field }) => [change, field]),
    [['field_added', 'added']],
  );
});

test('a generated name wins over the name of a create, also of an entity that comes later', async () => {
  const node = await org();
  await define(node, 'create-visit', 'order');
  await assertChanged(addField(node, 'create-visit'), 'order');
  await define(node, 'create-visit', 'visit');
  await assertChanged(addField(node, 'create-visit'), 'visit');
});

test('a name that several creates used needs the name of the entity', async () => {
  const node = await org();
  for (const name of ['order', 'visit', 'guest']) await define(node, name === 'guest' ? 'other' : 'mine', name);
  const both = /`mine`.*`order` or `visit`/;
  await assertRefused(addField(node, 'mine'), 'conflict', both);
  await assertRefused(addField(node, 'mine', { entityName: 'guest' }), 'conflict', both);
  await assertChanged(addField(node, 'mine', { entityName: 'visit' }), 'visit');
  await assertRefused(addField(node, 'other', { entityName: 'visit' }), 'validation_failed');
});

test('the name is changed and taken out as another member is', async () => {
  const node = await org();
  await define(node, 'mine', 'order');
  await assertChanged(node.admin.change('acme', { api: 'mine', body: { apiname: 'yours' } }), 'order');
  await assertRefused(addField(node, 'mine'), 'not_found');
  await assertChanged(node.admin.change('acme', { api: 'yours', body: { apiname: null } }), 'order');
  await assertRefused(addField(node, 'yours'), 'not_found');
  for (const apiname of ['', 'a b', 'a/b', 'é', 'a'.repeat(513), 1])
    await assertRefused(node.admin.change('acme', { api: 'create-order', body: { apiname } }), 'validation_failed');
});

test('the name in a file stays where the create is called by the generated one, and is no other than that of the path', () => {
  const body = { entityName: 'order', apiname: 'mine' };
  assert.deepEqual(underApiName('create-order', body), body);
  assert.deepEqual(underApiName('mine', body), body);
  assert.throws(() => underApiName('yours', body), { code: 'validation_failed' });
  for (const other of [undefined, null, 1, []]) assert.equal(underApiName('mine', other), other);
});
