import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listQuery, openBench } from '../../testing/record-bench.ts';
import type { ListExplanation } from './explanation.ts';
import { scanBudget } from './walking/record-walk.ts';

type Sent = Readonly<Record<string, string>>;

function figures(explain: ListExplanation | undefined): readonly unknown[] {
  assert.ok(explain !== undefined);
  const { index, entriesWalked, recordsTested, budget } = explain;
  return [index?.name ?? null, index?.kind ?? null, entriesWalked, recordsTested, budget.items];
}

test('a list and a count tell which index was walked, how far, and what was tested and used', async (context) => {
  const bench = await openBench(context);
  const node = bench.node();
  await node.admin.define('acme', {
    entityName: 'ticket',
    UpdateParams: [
      { name: 'status', index: true },
      { name: 'minutes', colType: 'integer' },
      { name: 'body', search: true },
      { name: 'user', required: true },
    ],
    ownerIndexes: [{ ownerFieldName: 'user', gpkTemplate: 'org#{org};u#{user}', gskTemplate: '{status}#{id}' }],
    indexes: [{ fields: ['status', '-minutes'] }],
  });
  await bench.workOff();
  const call = await node.call('ticket');
  for (let minutes = 0; minutes < 30; minutes++)
    await node.runtime.create(call, {
      status: minutes < 10 ? 'open' : 'done',
      minutes,
      body: minutes < 3 ? 'lamp' : 'lamb',
      user: 'ann',
    });
  const list = async (sent: Sent) => {
    const page = await node.runtime.list(call, listQuery(call, { pagesize: '200', ...sent, explain: 'true' }));
    return figures(page.explain);
  };
  const count = async (sent: Sent) =>
    figures((await node.runtime.count(call, listQuery(call, { ...sent, explain: 'true' }))).explain);
  assert.deepEqual(await list({}), [null, null, 30, 0, 30]);
  assert.deepEqual(await list({ pagesize: '5' }), [null, null, 6, 0, 6]);
  assert.deepEqual(await list({ minutes: '5' }), [null, null, 30, 30, 30]);
  assert.deepEqual(await list({ filter: 'status == "open" && minutes > 7' }), ['status', 'field', 10, 10, 10]);
  assert.deepEqual(await list({ filter: 'status.startsWith("do")', sortby: 'status' }), [
    'status',
    'field',
    20,
    20,
    20,
  ]);
  const starting = { status: 'op', status_op: 'startswith', sortby: 'status', sortdir: 'desc' };
  assert.deepEqual(await list(starting), ['status', 'field', 10, 10, 10]);
  assert.deepEqual(await list({ status: 'open', sortby: 'minutes' }), ['status,-minutes', 'compound', 10, 0, 10]);
  assert.deepEqual(await list({ owner: 'ann', sortby: 'status' }), ['user', 'owner', 30, 0, 30]);
  assert.deepEqual(await list({ q: 'lamp' }), ['q', 'search', 3, 3, 0]);
  assert.deepEqual(await list({ q: 'lamp lam' }), ['q', 'search', 3, 3, 3]);
  assert.deepEqual(await count({}), [null, null, 0, 0, 0]);
  assert.deepEqual(await count({ status: 'open' }), ['status,-minutes', 'compound', 10, 0, 0]);
  assert.deepEqual(await count({ minutes: '5' }), [null, null, 30, 30, 30]);
  const page = await node.runtime.list(call, listQuery(call, { filter: 'minutes >= 0', explain: 'true' }));
  const { bytes = 0, milliseconds = 0, steps = 0 } = page.explain?.budget ?? {};
  assert.ok(bytes > 0 && bytes <= scanBudget.bytes && Number.isInteger(milliseconds));
  assert.ok(steps > 0 && steps < scanBudget.steps);
  assert.equal((await node.runtime.list(call, listQuery(call))).explain, undefined);
});
