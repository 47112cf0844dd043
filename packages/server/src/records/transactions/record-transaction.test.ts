import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storeKinds } from '../../store/testing/open-test-store.ts';
import { Overtaken } from '../../store/transaction/read-set.ts';
import { derived, listAll, type Node, openBench, outcomeOf, type RecordBench } from '../../testing/record-bench.ts';
import type { RecordData } from '../record.ts';
import type { EventWrite, RecordEvents } from '../writing/record-events.ts';
import type { RecordCall } from '../writing/write-loop.ts';
import type { RecordTransaction } from './record-transaction.ts';

async function openOffice(bench: RecordBench, node: Node = bench.node()): Promise<Office> {
  await node.admin.define('acme', { entityName: 'firm', UpdateParams: [{ name: 'name' }] });
  await node.admin.define('acme', {
    entityName: 'visit',
    UpdateParams: [
      { name: 'room', index: true },
      { name: 'slot', colType: 'integer', index: true },
      { name: 'code' },
      { name: 'no', colType: 'autoincrement' },
      { name: 'firm', colType: 'guid', lookup: { entity: 'firm', onDelete: 'restrict' } },
    ],
    UniqueIndexes: [{ indexName: 'by_code', fields: ['code'] }],
  });
  await node.configs.refresh('acme');
  return { bench, node, appointment: await node.call('visit'), firm: await node.call('firm') };
}

interface Office {
  readonly bench: RecordBench;
  readonly node: Node;
  readonly appointment: RecordCall;
  readonly firm: RecordCall;
}

const nothing = async () => [];

async function create(transaction: RecordTransaction, call: RecordCall, body: object): Promise<RecordData> {
  const record = await transaction.write({ action: 'create', call: transaction.at(call), body });
  assert.ok(record !== undefined);
  assert.equal(record.version, 0);
  return record.data;
}

async function slots({ node }: Office, call: RecordCall, parameters: Readonly<Record<string, string>>) {
  return (await listAll(node, call, parameters)).map(({ slot }) => slot);
}

for (const kind of storeKinds) {
  test(`steps of a transaction see what those before them wrote, and no others do until its commit (${kind})`, async (context) => {
    const office = await openOffice(await openBench(context, kind));
    const { node, appointment } = office;
    for (const slot of [1, 3, 5]) await node.runtime.create(appointment, { room: 'a', slot, code: `a${slot}` });
    const [first] = await listAll(node, appointment, { slot: '1' });
    const transaction = node.runtime.transaction(appointment.workspace);
    const inside = transaction.at(appointment);
    const four = await create(transaction, appointment, { room: 'a', slot: 4, code: 'a4' });
    const other = await create(transaction, appointment, { room: 'b', slot: 2 });
    assert.deepEqual(await slots(office, inside, { room: 'a', sortby: 'slot' }), [1, 3, 4, 5]);
    assert.deepEqual(
      await slots(office, inside, { slot: '3', slot_op: 'gt', sortby: 'slot', sortdir: 'desc' }),
      [5, 4],
    );
    const changed = { id: first?.id ?? '', body: { slot: 9, code: 'a9' } };
    await transaction.write({ action: 'update', call: inside, input: changed });
    await transaction.write({ action: 'update', call: inside, input: { id: four.id, body: { room: 'b' } } });
    assert.deepEqual(await slots(office, inside, { room: 'a', sortby: 'slot' }), [3, 5, 9]);
    assert.deepEqual(await slots(office, inside, { room: 'b', sortby: 'slot', pagesize: '1' }), [2, 4]);
    await transaction.write({ action: 'delete', call: inside, input: { id: other.id } });
    assert.deepEqual(await slots(office, inside, {}), [4, 5, 3, 9]);
    const count = async (call: RecordCall) =>
      (await node.runtime.count(call, await node.runtime.query(call as never, new Map()))).count;
    assert.deepEqual([await count(inside), await count(appointment)], [4, 3]);
    const taken = create(transaction, appointment, { code: 'a4' });
    assert.equal(await outcomeOf(taken), 'unique_violation');
    assert.deepEqual(await slots(office, appointment, { sortby: 'slot' }), [1, 3, 5]);
    await transaction.commit(nothing);
    const left = await listAll(node, appointment, { sortby: 'slot' });
    assert.deepEqual(
      left.map(({ slot, room, code }) => [slot, room, code]),
      [
        [3, 'a', 'a3'],
        [4, 'b', 'a4'],
        [5, 'a', 'a5'],
        [9, 'a', 'a9'],
      ],
    );
    const versions = new Set(left.filter(({ slot }) => slot === 4 || slot === 9).map(({ version }) => version));
    assert.equal(versions.size, 1);
    const { actual, expected, counts } = await derived(office.bench, appointment);
    assert.deepEqual(actual, expected);
    assert.ok(counts);
    assert.equal(await outcomeOf(node.runtime.create(appointment, { code: 'a1' })), 'done');
  });

  test(`a record of a transaction refers to another one of it, and keeps it from being removed (${kind})`, async (context) => {
    const office = await openOffice(await openBench(context, kind));
    const { node, appointment, firm } = office;
    const transaction = node.runtime.transaction(appointment.workspace);
    const parent = await create(transaction, firm, { name: 'A' });
    const child = await create(transaction, appointment, { firm: parent.id });
    const unknown = create(transaction, appointment, { firm: child.id });
    assert.equal(await outcomeOf(unknown), 'validation_failed');
    const remove = (call: RecordCall, id: string) =>
      transaction.write({ action: 'delete', call: transaction.at(call), input: { id } });
    assert.equal(await outcomeOf(remove(firm, parent.id)), 'dangling_reference');
    await remove(appointment, child.id);
    await remove(firm, parent.id);
    const kept = await create(transaction, firm, { name: 'B' });
    await create(transaction, appointment, { firm: kept.id });
    await transaction.commit(nothing);
    assert.deepEqual(
      (await listAll(node, firm)).map(({ name }) => name),
      ['B'],
    );
    assert.deepEqual(
      (await listAll(node, appointment)).map((one) => one.firm),
      [kept.id],
    );
    const { actual, expected } = await derived(office.bench, appointment);
    assert.deepEqual(actual, expected);
  });

  test(`a transaction is overtaken by what changes what it read, and by nothing else (${kind})`, async (context) => {
    const office = await openOffice(await openBench(context, kind));
    const { node, appointment, firm } = office;
    const one = await node.runtime.create(appointment, { room: 'a', slot: 1, code: 'x' });
    const company = await node.runtime.create(firm, { name: 'A' });
    const reading = async (transaction: RecordTransaction) => {
      await listAll(node, transaction.at(appointment), { room: 'a' });
      await create(transaction, appointment, { room: 'c', code: 'y', firm: company.data.id });
    };
    const { runtime } = node;
    const interfering: readonly (readonly [name: string, isInTheWay: boolean, () => Promise<unknown>])[] = [
      ['another record of the room', true, () => runtime.create(appointment, { room: 'a', slot: 2 })],
      ['a change of one of the room', true, () => runtime.update(appointment, { id: one.data.id, body: { slot: 7 } })],
      ['one that leaves the room', true, () => runtime.update(appointment, { id: one.data.id, body: { room: 'd' } })],
      ['a record of another room', false, () => runtime.create(appointment, { room: 'b', slot: 2 })],
      ['the unique value', true, () => runtime.create(appointment, { code: 'y' })],
      ['a change of what it refers to', true, () => runtime.update(firm, { id: company.data.id, body: { name: 'B' } })],
    ];
    for (const [name, isInTheWay, interfere] of interfering) {
      const transaction = runtime.transaction(appointment.workspace);
      await reading(transaction);
      await interfere();
      const end = transaction.commit(nothing).then(
        () => false,
        (error: unknown) => error instanceof Overtaken,
      );
      assert.equal(await end, isInTheWay, name);
      const [made] = (await listAll(node, appointment)).filter(({ code }) => code === 'y');
      if (made !== undefined) await runtime.remove(appointment, { id: made.id });
    }
    const { actual, expected } = await derived(office.bench, appointment);
    assert.deepEqual(actual, expected);
  });

  test(`a transaction that another definition came before is done by the new one (${kind})`, async (context) => {
    const office = await openOffice(await openBench(context, kind));
    const { node, appointment, bench } = office;
    const transaction = node.runtime.transaction(appointment.workspace);
    await create(transaction, appointment, { room: 'a' });
    const other = bench.node();
    await other.admin.change('acme', { api: 'create-visit', body: { UpdateParams: [{ name: 'code', index: true }] } });
    await other.configs.refresh('acme');
    await other.runtime.create(await other.call('visit'), { room: 'b', code: 'c' });
    await assert.rejects(transaction.commit(nothing), Overtaken);
    const again = node.runtime.transaction(appointment.workspace);
    await create(again, appointment, { room: 'a', code: 'd' });
    await again.commit(nothing);
    await bench.workOff();
    await other.configs.refresh('acme');
    const call = await other.call('visit');
    assert.deepEqual(
      (await listAll(other, call, { sortby: 'code' })).map(({ code }) => code),
      ['c', 'd'],
    );
    const { actual, expected } = await derived(bench, call);
    assert.deepEqual(actual, expected);
  });
}

test('numbers and ids that a record was given stay when it is made again', async (context) => {
  const { node, appointment } = await openOffice(await openBench(context));
  const numbers = new Map<string, number>();
  const id = '018bcfe5-0000-7000-8000-00000000000a';
  const work = async () => {
    const transaction = node.runtime.transaction(appointment.workspace);
    const call = transaction.at(appointment);
    await listAll(node, call, { room: 'a' });
    await transaction.write({ action: 'create', call, body: { room: 'a' }, id, numbers });
    return transaction;
  };
  const first = await work();
  await node.runtime.create(appointment, { room: 'a' });
  await assert.rejects(first.commit(nothing), Overtaken);
  await (await work()).commit(nothing);
  await node.runtime.create(appointment, {});
  const found = await listAll(node, appointment, { sortby: 'created_at' });
  assert.deepEqual(found.map(({ no }) => no).toSorted(), [1, 2, 3]);
  assert.equal(found.find(({ no }) => no === 1)?.id, id);
});

test('an event hears once of each record that a transaction writes, of what it was and what it is', async (context) => {
  const bench = await openBench(context);
  const heard: string[] = [];
  const events: RecordEvents = {
    of: () => ({
      after: ({ before, after }: EventWrite) => {
        heard.push(`${String(before?.data.slot)} → ${String(after?.slot)}`);
        return [];
      },
    }),
    around: (writeLoop) => writeLoop,
  };
  const office = await openOffice(bench, bench.node(bench.opened.store, events));
  const { node, appointment } = office;
  const stored = await Promise.all([1, 2, 3].map((slot) => node.runtime.create(appointment, { slot })));
  heard.length = 0;
  const transaction = node.runtime.transaction(appointment.workspace);
  const call = transaction.at(appointment);
  const [one = '', two = '', three = ''] = stored.map(({ data }) => data.id);
  const update = (id: string, slot: number) =>
    transaction.write({ action: 'update', call, input: { id, body: { slot } } });
  const remove = (id: string) => transaction.write({ action: 'delete', call, input: { id } });
  const made = await create(transaction, appointment, { slot: 10 });
  const gone = await create(transaction, appointment, { slot: 20 });
  for (const slot of [4, 5]) await update(one, slot);
  await update(made.id, 11);
  await remove(gone.id);
  await update(two, 6);
  await remove(two);
  await remove(three);
  assert.deepEqual(heard, []);
  await transaction.commit(nothing);
  assert.deepEqual(heard.toSorted(), ['1 → 5', '2 → undefined', '3 → undefined', 'undefined → 11']);
});
