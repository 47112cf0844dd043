import assert from 'node:assert/strict';
import { test } from 'node:test';
import { interceptStore } from '../../store/intercepted-store.ts';
import type { Delivery } from '../destinations/destinations.ts';
import { delivered, failure, openOutboxBench, receiptsOf } from './testing/outbox-bench.ts';

const expected = ({ item: { op }, record, before }: Delivery) => [op, record.title, record.version, before?.title];

test('each write that meets the conditions of an event is delivered, with the record before and after it', async (t) => {
  const stage = await openOutboxBench(t);
  for (const op of ['create', 'update', 'delete'] as const)
    await stage.define({ event_name: `on-${op}`, event_optype: op });
  await stage.define({ event_name: 'large', entry_conditions: [{ field: 'amount', op: 'gte', value: 10 }] });
  const seen: Delivery[] = [];
  const node = stage.node(async (delivery) => {
    seen.push(delivery);
    return delivered;
  });
  const call = await node.call('order');
  const made = await node.runtime.create(call, { title: 'a', amount: 10 });
  const changed = await node.runtime.update(call, { id: made.data.id, body: { title: 'b' } });
  await node.runtime.remove(call, { id: made.data.id });
  await node.runtime.create(call, { title: 'c', amount: 9 });
  await stage.drain(node);
  assert.deepEqual(seen.map(expected).toSorted(), [
    ['create', 'a', made.version, undefined],
    ['create', 'a', made.version, undefined],
    ['create', 'c', changed.version + 2, undefined],
    ['delete', 'b', changed.version, undefined],
    ['update', 'b', changed.version, 'a'],
  ]);
  assert.deepEqual(await stage.left(), []);
  assert.deepEqual(
    [...(await receiptsOf(stage.bench)).values()].map(({ state }) => state),
    Array(5).fill('delivered'),
  );
});

test('an entity without events stores nothing more', async (t) => {
  const stage = await openOutboxBench(t);
  await stage.define({ event_name: 'other', entity_name: 'invoice' });
  const node = stage.node(async () => assert.fail('nothing is to be delivered'));
  const plain = stage.bench.node();
  const writtenBy = async ({ runtime, call }: Pick<typeof plain, 'runtime' | 'call'>) => {
    const { version } = await runtime.create(await call('order'), { title: 'a' });
    const items = (await stage.bench.contents()).filter((item) => item.version === version);
    return items.map(({ pk }) => pk).toSorted();
  };
  await writtenBy(plain);
  assert.deepEqual(await writtenBy(node), await writtenBy(plain));
});

test('records that are too long to lie in an item are delivered whole', async (t) => {
  const stage = await openOutboxBench(t);
  await stage.define({ event_name: 'tell', event_optype: 'update' });
  const seen: Delivery[] = [];
  const node = stage.node(async (delivery) => {
    seen.push(delivery);
    return delivered;
  });
  const call = await node.call('order');
  const { data } = await node.runtime.create(call, { note: 'a'.repeat(60_000) });
  await node.runtime.update(call, { id: data.id, body: { note: 'b'.repeat(60_000) } });
  await stage.drain(node);
  assert.deepEqual(
    seen.map(({ record, before }) => [String(record.note).slice(0, 2), String(before?.note).slice(0, 2)]),
    [['bb', 'aa']],
  );
});

test('a receiver that fails gets the writes of a record in their order, those of others meanwhile', async (t) => {
  const stage = await openOutboxBench(t);
  await stage.define({ event_name: 'on-create' });
  await stage.define({ event_name: 'on-update', event_optype: 'update' });
  const seen: unknown[] = [];
  let isWell = false;
  const node = stage.node(async ({ item, record }) => {
    if (item.op === 'update') seen.push([record.title, isWell || record.title === 'other']);
    return item.op === 'create' || isWell || record.title === 'other' ? delivered : failure;
  });
  const call = await node.call('order');
  const one = await node.runtime.create(call, { title: '0' });
  const other = await node.runtime.create(call, { title: '0' });
  await node.runtime.update(call, { id: one.data.id, body: { title: '1' } });
  await node.deliver();
  await node.runtime.update(call, { id: one.data.id, body: { title: '2' } });
  await node.runtime.update(call, { id: other.data.id, body: { title: 'other' } });
  await node.deliver();
  isWell = true;
  await node.runtime.update(call, { id: one.data.id, body: { title: '3' } });
  await stage.drain(node);
  assert.deepEqual(seen, [
    ['1', false],
    ['other', true],
    ['1', true],
    ['2', true],
    ['3', true],
  ]);
  assert.deepEqual(await stage.left(), []);
});

test('what does not arrive within a day is given up, and the org is told', async (t) => {
  const stage = await openOutboxBench(t);
  await stage.define({ event_name: 'tell' });
  const { clock } = stage.bench;
  const times: number[] = [];
  const node = stage.node(async () => {
    times.push(clock.now());
    return failure;
  });
  await node.runtime.create(await node.call('order'), {});
  await stage.drain(node);
  const [first = 0] = times;
  assert.ok((times[1] ?? 0) - first < 1000, 'the first retry comes within a second');
  assert.ok((times.at(-1) ?? 0) - first <= 24 * 3600 * 1000);
  assert.ok((times.at(-1) ?? 0) - first > 18 * 3600 * 1000);
  assert.ok(times.length > 8 && times.length < 40, String(times.length));
  assert.deepEqual(stage.dead, ['tell']);
  assert.deepEqual(await stage.left(), []);
});

test('an endpoint that answers none is left alone, and what waits is given up after a day', async (t) => {
  const stage = await openOutboxBench(t);
  await stage.define({ event_name: 'tell' });
  let calls = 0;
  const node = stage.node(async () => {
    calls += 1;
    return failure;
  });
  const call = await node.call('order');
  for (let index = 0; index < 300; index++) await node.runtime.create(call, {});
  await node.deliver();
  assert.ok(calls <= 16 + 5, String(calls));
  await stage.drain(node, 60);
  assert.ok(calls < 1000, String(calls));
  assert.equal(stage.dead.length, 300);
  assert.deepEqual(await stage.left(), []);
});

test('what is written while a visit ends is sent by that visit', async (t) => {
  const stage = await openOutboxBench(t);
  await stage.define({ event_name: 'tell' });
  const seen: unknown[] = [];
  const writer = stage.node(async () => assert.fail('it delivers nothing'), { name: 'writer' });
  let isEnding = false;
  const store = interceptStore(stage.bench.opened.store, async ({ changes = [] }, call) => {
    const isEnd = changes.some((change) => change.kind === 'remove' && change.pk.startsWith('lease'));
    if (isEnd && !isEnding) {
      isEnding = true;
      await writer.runtime.create(await writer.call('order'), { title: 'late' });
    }
    return call();
  });
  const node = stage.node(
    async ({ record }) => {
      seen.push(record.title);
      return delivered;
    },
    { store },
  );
  await writer.runtime.create(await writer.call('order'), { title: 'first' });
  assert.equal(await node.deliver(), 1);
  assert.deepEqual([seen, await stage.left()], [['first', 'late'], []]);
});

test('a visit ends when its time is over, also among the writes of one record, and the next one goes on', async (t) => {
  const stage = await openOutboxBench(t);
  await stage.define({ event_name: 'tell', event_optype: 'update' });
  const seen: unknown[] = [];
  const node = stage.node(async ({ record }) => {
    seen.push(record.title);
    stage.bench.clock.advance(5000);
    return delivered;
  });
  const call = await node.call('order');
  const { data } = await node.runtime.create(call, { title: '0' });
  for (const title of ['1', '2', '3']) await node.runtime.update(call, { id: data.id, body: { title } });
  await node.deliver();
  assert.deepEqual(seen, ['1', '2']);
  await node.deliver();
  assert.deepEqual([seen, await stage.left()], [['1', '2', '3'], []]);
});

test('an event that is taken out or switched off delivers nothing more', async (t) => {
  const stage = await openOutboxBench(t);
  await stage.define({ event_name: 'tell' });
  const node = stage.node(async () => assert.fail('the event is switched off'));
  await node.runtime.create(await node.call('order'), {});
  await stage.define({ event_name: 'tell', enabled: false });
  await stage.drain(node);
  const [receipt] = (await receiptsOf(stage.bench)).values();
  assert.deepEqual([receipt?.state, receipt?.count], ['dead', 0]);
});

test('of two nodes one delivers, and the other takes over when it is gone', async (t) => {
  const stage = await openOutboxBench(t);
  await stage.define({ event_name: 'tell' });
  const gate = Promise.withResolvers<void>();
  const seen: string[] = [];
  const slow = stage.node(
    async () => {
      seen.push('slow');
      await gate.promise;
      return delivered;
    },
    { name: 'slow' },
  );
  const other = stage.node(
    async () => {
      seen.push('other');
      return delivered;
    },
    { name: 'other' },
  );
  await slow.runtime.create(await slow.call('order'), {});
  const handlingDue = slow.deliver();
  while (seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await other.deliver();
  assert.deepEqual(seen, ['slow']);
  stage.bench.clock.advance(60_000);
  await other.deliver();
  assert.deepEqual(seen, ['slow', 'other']);
  gate.resolve();
  await handlingDue;
  await stage.drain(other);
  assert.deepEqual([seen.length, await stage.left()], [2, []]);
});

test('the receipt of what arrived is kept as long as the plan says, and of what did not for 30 days at least', async (t) => {
  const stage = await openOutboxBench(t);
  await stage.define({ event_name: 'tell' });
  const node = stage.node(async ({ record }) =>
    record.title === 'good' ? delivered : { ...failure, state: 'refused' },
  );
  const call = await node.call('order');
  for (const title of ['good', 'bad']) await node.runtime.create(call, { title });
  const { clock, opened } = stage.bench;
  await node.deliver();
  const items = await opened.store.scope('org#acme').range('delivery', { limit: 10 });
  const kept = items.map(({ value, due }) => [JSON.parse(value).state, ((due?.at ?? 0) - clock.now()) / 86_400_000]);
  assert.deepEqual(kept.toSorted(), [
    ['dead', 30],
    ['delivered', 3],
  ]);
});
