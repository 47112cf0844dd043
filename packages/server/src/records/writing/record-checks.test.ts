import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Node, openBench, outcomeOf, type RecordBench } from '../../testing/record-bench.ts';
import { interrupted } from '../import-export/testing/import.ts';
import type { RecordPolicy } from '../record-policy.ts';
import { rowsWhere } from '../testing/rows.ts';
import type { RecordCall } from './write-loop.ts';

interface Ground {
  readonly bench: RecordBench;
  readonly node: Node;
  readonly call: RecordCall;
  /** A record of mine. */
  readonly id: string;
}

async function ground(context: TestContext): Promise<Ground> {
  const bench = await openBench(context);
  const node = bench.node();
  await node.admin.define('acme', {
    entityName: 'order',
    UpdateParams: [{ name: 'owner_id', index: true }, { name: 'title' }, { name: 'n', colType: 'integer' }],
  });
  const call = await node.call('order');
  const { data } = await node.runtime.create(call, { owner_id: 'me', title: 'first' });
  return { bench, node, call, id: data.id };
}

const mine: RecordPolicy = rowsWhere(({ owner_id }) => owner_id === 'me');

/** The call of one who owns the record, which becomes another's between the look at it and the commit. */
function overtaken({ bench, node, call, id }: Ground): RecordCall {
  const becomesAnothers = async () => {
    await bench.node().runtime.update(await node.call('order'), { id, body: { owner_id: 'another' } });
  };
  const scope = interrupted(call.workspace.scope, becomesAnothers);
  return { ...call, rows: mine, workspace: { ...call.workspace, scope } };
}

test('a write is judged by the record that it changes, also where that has become another one meanwhile', async (context) => {
  const before = await ground(context);
  const { node, call, id } = before;
  const update = node.runtime.update(overtaken(before), { id, body: { title: 'stolen' } });
  assert.equal(await outcomeOf(update), 'not_found');
  const existing = JSON.parse((await node.runtime.get(call, id))?.value ?? '{}');
  assert.deepEqual([existing.owner_id, existing.title], ['another', 'first']);
});

test('who may not see a record learns nothing from the tag that he holds, nor from what he sends', async (context) => {
  const { node, call, id } = await ground(context);
  const request = { ...call, rows: rowsWhere(() => false) };
  for (const ifMatch of [['"1"'], '*'] as const)
    for (const body of [{ title: 'x' }, { n: 'no number' }, { unknown: 1 }, { id: 'x' }])
      assert.equal(await outcomeOf(node.runtime.update(request, { id, body, ifMatch })), 'not_found');
  assert.equal(await outcomeOf(node.runtime.remove(request, { id, ifMatch: ['"1"'] })), 'not_found');
  assert.equal(await outcomeOf(node.runtime.get(request, id)), 'not_found');
});

test('a refused write takes nothing and writes nothing', async (context) => {
  const { bench, node, call, id } = await ground(context);
  const before = await bench.contents();
  const request = { ...call, rows: mine };
  assert.equal(await outcomeOf(node.runtime.create(request, { owner_id: 'another' })), 'access_denied');
  assert.equal(await outcomeOf(node.runtime.update(request, { id, body: { owner_id: 'another' } })), 'access_denied');
  const title = { ...call, rows: rowsWhere(() => true, { fields: { has: (name) => name === 'title' } }) };
  assert.equal(await outcomeOf(node.runtime.update(title, { id, body: { title: 'x', n: 1 } })), 'access_denied');
  assert.deepEqual(await bench.contents(), before);
});

test('what a record keeps of a field that its definition has no more decides nothing', async (context) => {
  const { node, id } = await ground(context);
  await node.admin.change('acme', { api: 'create-order', body: { removeFields: ['owner_id'] }, force: true });
  const call = { ...(await node.call('order')), rows: mine };
  assert.equal(await outcomeOf(node.runtime.get(call, id)), 'not_found');
  const absent = { ...call, rows: rowsWhere(({ owner_id }) => owner_id === undefined) };
  assert.equal(await outcomeOf(node.runtime.get(absent, id)), 'done');
});

const titleAlone = rowsWhere(() => true, {
  fields: { has: (name) => name === 'title' },
  readable: () => ({ fields: undefined }),
});

test('unchanged values are judged by the record that the write changes, also where that has become another one meanwhile', async (context) => {
  const { bench, node, call, id } = await ground(context);
  const rows = titleAlone;
  await node.runtime.update(call, { id, body: { n: 1 } });
  assert.equal(await outcomeOf(node.runtime.update({ ...call, rows }, { id, body: { title: 'x', n: 1 } })), 'done');
  const becomesAnother = async () => bench.node().runtime.update(await node.call('order'), { id, body: { n: 2 } });
  const scope = interrupted(call.workspace.scope, becomesAnother);
  const overtaken = { ...call, rows, workspace: { ...call.workspace, scope } };
  assert.equal(await outcomeOf(node.runtime.update(overtaken, { id, body: { title: 'y', n: 1 } })), 'access_denied');
  const { title, n } = JSON.parse((await node.runtime.get(call, id))?.value ?? '{}');
  assert.deepEqual([title, n], ['x', 2]);
});

test('where nothing says what the caller may read, an unchanged value is a write like any other', async (context) => {
  const { node, call, id } = await ground(context);
  const body = { title: 'x', owner_id: 'me' };
  for (const readable of [undefined, () => undefined, () => ({ fields: { has: () => false } })]) {
    const { readable: _, ...without } = titleAlone;
    const rows = readable === undefined ? without : { ...without, readable };
    assert.equal(await outcomeOf(node.runtime.update({ ...call, rows }, { id, body })), 'access_denied');
  }
  assert.equal(await outcomeOf(node.runtime.update({ ...call, rows: titleAlone }, { id, body })), 'done');
});
