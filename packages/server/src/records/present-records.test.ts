import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Scope } from '../store/port.ts';
import { openStore } from '../store/testing/open-store.ts';
import { RecordBench, SteppedClock } from '../testing/record-bench.ts';
import type { AuthorizedCall } from './caller-access.ts';
import { presentationOf, presentRecords } from './present-records.ts';
import { storedText } from './record.ts';

test('what a reply looks up is read until it is too much for one reply, and shown by its id from there on', async () => {
  const clock = new SteppedClock();
  const bench = new RecordBench(await openStore({ kind: 'memory', clock }), clock);
  const node = bench.node();
  await node.admin.define('acme', {
    entityName: 'customer',
    UpdateParams: [{ name: 'note' }],
    Views: { tiny: { fields: [{ name: 'created_by' }] } },
  });
  await node.admin.define('acme', {
    entityName: 'order',
    UpdateParams: [{ name: 'of', colType: 'guid', lookup: { entity: 'customer' } }],
    Views: { full: { fields: [{ name: 'of', lookup: { view: 'tiny', as: 'customer' } }] } },
  });
  const note = 'x'.repeat(500_000);
  const ids: string[] = [];
  for (let index = 0; index < 60; index++)
    ids.push((await node.runtime.create(await node.call('customer'), { note })).data.id);
  const orders = [];
  const order = await node.call('order');
  for (const id of ids) orders.push(storedText(order.entity, await node.runtime.create(order, { of: id })));
  let read = 0;
  const { scope } = bench.workspace;
  const get: Scope['get'] = (keys) => {
    read += keys.length;
    return scope.get(keys);
  };
  const counting = { ...bench.workspace, scope: { ...scope, get } };
  const access = { rows: () => undefined, rowsOfBody: () => undefined, assertAllowed: () => undefined };
  const call: AuthorizedCall = { ...(await node.call('order', { workspace: counting })), access };
  const texts = await presentRecords(call, presentationOf(call, 'get', { view: 'full' }), orders);
  const shown = texts.map((text) => (JSON.parse(text) as { customer: Record<string, unknown> }).customer);
  assert.equal(read, 10);
  assert.ok(shown.slice(0, 10).every((customer) => 'created_by' in customer));
  assert.deepEqual(
    shown.slice(10),
    ids.slice(10).map((id) => ({ id })),
  );
});
