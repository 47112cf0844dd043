/** Lists in an order that no index has are those that an index gives, in pages whose cursors hold the last key. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { thinned } from '../../store/testing/quick.ts';
import { listAll, listQuery, openBench, RecordBench } from '../../testing/record-bench.ts';
import { rowsWhere } from '../testing/rows.ts';
import { createCursors } from './cursor.ts';
import { planList } from './planning/list-plan.ts';
import { sortedRecords } from './sorted-records.ts';
import { newScan } from './walking/record-walk.ts';

type Sent = Readonly<Record<string, string>>;

const long = 'a'.repeat(520);
/** Texts around the lengths at which indexes cut them, and values that are alike, or of no order in text. */
const values = {
  text: ['', 'a', 'ab', 'b', 'é', '😀', '\u0001', '\uffff', long, `${long}b`, 'a'.repeat(118)],
  number: [-0, 0, 1, -1, 0.5, 10, 9, -9007199254740991],
  day: ['2026-11-20', '2024-02-29'],
  flag: [true, false],
} as const;
type Field = keyof typeof values;
const fields = Object.keys(values) as Field[];
const types = { text: 'string', number: 'number', day: 'date', flag: 'boolean' } as const;

const UpdateParams = fields.map((name) => ({ name, colType: types[name] }));
/** Every direction of the second and the third field beside an ascending first one: the rest is read in reverse. */
const indexes = {
  two: [
    { fields: ['text', 'number'] },
    { fields: ['text', '-number'] },
    { fields: ['flag', 'day'] },
    { fields: ['flag', '-day'] },
  ],
  three: ['day,text', 'day,-text', '-day,text', '-day,-text'].map((rest) => ({ fields: ['flag', ...rest.split(',')] })),
};
const directions = ['asc', 'desc'].map((one) => [one]);
const pairs = directions.flatMap((first) => directions.map((second) => [...first, ...second]));
const triples = pairs.flatMap((two) => directions.map((third) => [...two, ...third]));
const inDirections = (sortby: string, all: readonly (readonly string[])[]): readonly Sent[] =>
  all.map((each) => ({ sortby, sortdir: each.join(',') }));
const orders = {
  two: [
    ...fields.flatMap((sortby) => inDirections(sortby, directions)),
    ...inDirections('text,number', [...directions, ...pairs]),
    ...inDirections('flag,day', pairs),
  ],
  three: inDirections('flag,day,text', [...directions, ...triples]),
};

const body = fc.record(
  Object.fromEntries(fields.map((field) => [field, fc.constantFrom<string | number | boolean>(...values[field])])),
  { requiredKeys: [] },
);

test('a list sorted by fields is the same with an index and without one', async (context) => {
  const { opened, clock } = await openBench(context);
  const node = new RecordBench(opened, clock).node();
  await node.admin.define('acme', { entityName: 'bare', UpdateParams });
  const indexed = UpdateParams.map((field) => ({ ...field, index: true }));
  for (const count of ['two', 'three'] as const)
    await node.admin.define('acme', { entityName: count, UpdateParams: indexed, indexes: indexes[count] });
  let runs = 0;
  const property = fc.asyncProperty(
    fc.array(body, { minLength: 2, maxLength: 14 }),
    fc.integer({ min: 1, max: 5 }),
    fc.constantFrom<Sent>({}, { flag: 'true' }, { filter: 'number >= 0.0 || text == "a"' }),
    fc.constantFrom<(keyof typeof orders)[]>('two', 'three'),
    async (bodies, pagesize, chosen, count) => {
      const { workspace } = new RecordBench(opened, clock, `w${++runs}`);
      const [bare, served] = [await node.call('bare', { workspace }), await node.call(count, { workspace })];
      for (const [at, one] of [...bodies, ...bodies.slice(0, 3)].entries()) {
        await node.runtime.create(bare, { ...one });
        await node.runtime.create(served, { ...one });
        if (at % 2 === 0) clock.advance(1);
      }
      const places = async (call: typeof bare, sent: Sent) => {
        const inOrder = (await listAll(node, call, { sortdir: 'asc' })).map(({ id }) => id);
        return (await listAll(node, call, sent)).map(({ id }) => inOrder.indexOf(id));
      };
      for (const order of orders[count]) {
        const sent = { ...chosen, ...order, pagesize: String(pagesize) };
        // A value that is fixed may be left out of an order, which turns the index that serves it.
        if (chosen.flag !== undefined && order.sortby?.includes('flag')) continue;
        assert.deepEqual(await places(bare, sent), await places(served, sent), JSON.stringify(sent));
      }
    },
  );
  await fc.assert(property, { numRuns: thinned(60) });
});

async function openOrders(context: TestContext, count: number) {
  const bench = await openBench(context);
  const node = bench.node();
  await node.admin.define('acme', { entityName: 'order', UpdateParams });
  const call = await node.call('order');
  for (let number = 0; number < count; number++)
    await node.runtime.create(call, { number: (number * 7) % count, text: 'x', flag: number % 2 === 0 });
  return { node, call };
}

test('a list of too many records is refused where it begins, and goes on where it has begun', async (context) => {
  const { node, call } = await openOrders(context, 30);
  const cursors = createCursors(new Uint8Array(32));
  const list = (sent: Sent, matchesMax: number, rows = call.rows) => {
    const by = { ...call, rows };
    const query = listQuery(by, { sortby: 'number', pagesize: '10', ...sent });
    const plan = planList(by, query);
    const { sorting } = plan;
    assert.ok(sorting !== undefined);
    return sortedRecords(
      cursors,
      by,
      { query, plan, sorting, binding: [], matchesMax },
      newScan(() => 0),
    );
  };
  const message =
    'field `number` has no index, and the list is of more than 29 records: give it `index: true` to sort by it';
  await assert.rejects(list({}, 29), { code: 'unindexed_sort', message });
  const { nexttoken } = await list({}, 30);
  const second = await list({ nexttoken: nexttoken ?? '' }, 5);
  assert.deepEqual(
    second.items.map(({ value }) => (JSON.parse(value) as { number: number }).number),
    [10, 11, 12, 13, 14, 15, 16, 17, 18, 19],
  );
  // The records of others do not count.
  const own = await list(
    {},
    15,
    rowsWhere(({ flag }) => flag === true),
  );
  assert.equal(own.items.length, 10);

  const few = { ...newScan(() => 0), items: 20 };
  await assert.rejects(node.runtime.list(call, listQuery(call, { sortby: 'number' }), few), { code: 'unindexed_sort' });
  assert.equal(await node.runtime.count(call, listQuery(call, { sortby: 'number' })).then(({ count }) => count), 30);
});

test('pages of large records in an order without an index end by their bytes, and lose none', async (context) => {
  const bench = await openBench(context);
  const node = bench.node();
  await node.admin.define('acme', { entityName: 'order', UpdateParams });
  const call = await node.call('order');
  for (let at = 0; at < 30; at++) await node.runtime.create(call, { number: (at * 7) % 30, text: 'x'.repeat(200_000) });
  const sent = { sortby: 'number', sortdir: 'desc', pagesize: '200' };
  const first = await node.runtime.list(call, listQuery(call, sent));
  assert.ok(first.items.length > 1 && first.items.length < 10, `${first.items.length} items`);
  assert.deepEqual([first.isPartial, first.partialReason], [true, 'records']);
  const numbers = (await listAll(node, call, sent)).map(({ number }) => number);
  assert.deepEqual(
    numbers,
    Array.from({ length: 30 }, (_, at) => 29 - at),
  );
});
