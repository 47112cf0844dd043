import assert from 'node:assert/strict';
import { mock, type TestContext, test } from 'node:test';
import { scheduler } from '../../lib/scheduling/event-loop.ts';
import { listQuery, type Node, openBench } from '../../testing/record-bench.ts';
import { rowsWhere } from '../testing/rows.ts';
import type { RecordCall } from '../writing/write-loop.ts';
import { scanBudget } from './walking/record-walk.ts';

const total = 120;
/** Of judging one record: 40 of them are a page's work. */
const steps = scanBudget.steps / 40;

interface Costly {
  readonly node: Node;
  /** Judges every other record to be the caller's. */
  readonly call: RecordCall;
  readonly judged: () => number;
}

async function openCostly(context: TestContext): Promise<Costly> {
  const bench = await openBench(context);
  const node = bench.node();
  await node.admin.define('acme', {
    entityName: 'order',
    UpdateParams: [{ name: 'rank', colType: 'integer', index: true }],
  });
  await bench.workOff();
  const writer = await node.call('order');
  for (let rank = 0; rank < total; rank++) await node.runtime.create(writer, { rank });
  let judged = 0;
  const rows = rowsWhere(
    ({ rank }) => {
      judged += 1;
      return Number(rank) % 2 === 0;
    },
    { steps: () => judged * steps },
  );
  return { node, call: { ...writer, rows }, judged: () => judged };
}

test('pages and counts end short by the work of judging records, with a cursor, and still come to the end', async (context) => {
  for (const parameters of [{}, { rank: '0', rank_op: 'gte', sortby: 'rank' }]) {
    const { node, call, judged } = await openCostly(context);
    const ids = new Set<string>();
    let pages = 0;
    for (let nexttoken: string | null = ''; nexttoken !== null; pages++) {
      const before = judged();
      const query = { ...parameters, pagesize: '200', ...(nexttoken === '' ? {} : { nexttoken }) };
      const page = await node.runtime.list(call, listQuery(call, query));
      assert.ok(judged() - before <= 40);
      for (const { value } of page.items) ids.add((JSON.parse(value) as { id: string }).id);
      nexttoken = page.nexttoken;
    }
    assert.deepEqual([ids.size, pages], [total / 2, 3]);

    let counted = 0;
    let parts = 0;
    for (let nexttoken: string | undefined = ''; nexttoken !== undefined; parts++) {
      const before = judged();
      const part = await node.runtime.count(
        call,
        listQuery(call, nexttoken === '' ? parameters : { ...parameters, nexttoken }),
      );
      assert.ok(judged() - before <= 40);
      counted += part.count;
      nexttoken = part.nexttoken;
    }
    assert.deepEqual([counted, parts], [total / 2, 3]);
  }
});

test('lists and counts let others go first by the work of judging, and not by the number of records', async (context) => {
  const { node, call, judged } = await openCostly(context);
  const rejoin = mock.method(scheduler, 'rejoin');
  context.after(() => rejoin.mock.restore());
  const yields = async (work: () => Promise<unknown>): Promise<void> => {
    const [before, judgedBefore] = [rejoin.mock.callCount(), judged()];
    await work();
    assert.equal(judged() - judgedBefore, 40);
    assert.ok(rejoin.mock.callCount() - before >= 39);
  };
  await yields(() => node.runtime.list(call, listQuery(call, { pagesize: '200' })));
  await yields(() => node.runtime.count(call, listQuery(call)));
});

test("a page and a count end in one place, whether a record that is not the caller's meets the filters or not", async (context) => {
  const bench = await openBench(context);
  const node = bench.node();
  await node.admin.define('acme', {
    entityName: 'note',
    UpdateParams: [{ name: 'title' }, { name: 'body' }, { name: 'keeper' }],
  });
  const writer = await node.call('note');
  const body = 'x'.repeat(60_000);
  for (let record = 0; record < 5; record++) await node.runtime.create(writer, { title: 'large', keeper: 'ann', body });
  await node.runtime.create(writer, { title: 'secret', keeper: 'bob', body });
  await node.runtime.create(writer, { title: 'small', keeper: 'ann', body: '' });
  let judged = 0;
  const rows = rowsWhere(
    ({ keeper }) => {
      judged += 1;
      return keeper === 'ann';
    },
    { steps: () => (judged * scanBudget.steps) / 100 },
  );
  const call = { ...writer, rows };
  // Of the steps of a page the large records take more than nine tenths, and the other one might take the rest.
  const large = `body${'.trim()'.repeat(19)}.contains("y")`;
  const ends = [];
  for (const title of ['secret', 'sacred']) {
    const filter = `title == "large" ? ${large} : (title != "${title}" || ${large})`;
    const sent = { sortdir: 'asc', filter };
    const { items, nexttoken, isPartial } = await node.runtime.list(call, listQuery(call, sent));
    const { count, partial } = await node.runtime.count(call, listQuery(call, sent));
    ends.push([items.length, nexttoken, isPartial, count, partial]);
    judged = 0;
    await node.runtime.count(call, listQuery(call, { title }));
    ends.push(judged);
  }
  assert.deepEqual(ends, [[1, null, false, 1, undefined], 7, [1, null, false, 1, undefined], 7]);
});
