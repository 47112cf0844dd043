/** Counts of many records, and where counts and pages end that are not of all records. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Where } from '../../../lib/where.ts';
import type { Scope } from '../../../store/port.ts';
import { listQuery, type Node, openBench, type RecordBench } from '../../../testing/record-bench.ts';
import { directKey } from '../../record-keys.ts';
import type { RecordPolicy } from '../../record-policy.ts';
import { rowsWhere } from '../../testing/rows.ts';
import type { RecordCall } from '../../writing/write-loop.ts';
import { createCursors } from '../cursor.ts';
import { planList } from '../planning/list-plan.ts';
import { countBudget, newScan } from '../walking/record-walk.ts';
import { countPlanned, type RecordCount } from './count-records.ts';

type Sent = Readonly<Record<string, string>>;

const total = 20_000;
const regions = 40;

async function openOrders(context: TestContext, count = total) {
  const bench = await openBench(context);
  const node = bench.node();
  await node.admin.define('acme', {
    entityName: 'order',
    UpdateParams: [{ name: 'region' }, { name: 'keeper' }, { name: 'body' }],
  });
  const call = await node.call('order');
  await fill(bench, call, count);
  return { bench, node, call };
}

/** Lays them into the store as copies of a written record: beside their counter they have no other items. */
async function fill(bench: RecordBench, call: RecordCall, count: number): Promise<void> {
  const made = await bench.node().runtime.create(call, { region: 'r0', keeper: 'ann' });
  const { scope } = call.workspace;
  const [item] = await scope.get([keyOf(call, made.data.id)]);
  const record = JSON.parse(item?.value ?? '') as object;
  for (let start = 1; start < count; start += 5_000) {
    const ids = Array.from({ length: Math.min(5_000, count - start) }, () => bench.newId());
    const puts = ids.map((id, at) => {
      const value = { ...record, id, region: `r${(start + at) % regions}`, keeper: keeperAt(start + at) };
      return { kind: 'put', ...keyOf(call, id), value: JSON.stringify(value), if: 'absent' } as const;
    });
    await scope.commit(puts);
  }
}

/** Of each region half of the records are of each. */
function keeperAt(at: number): string {
  return Math.floor(at / regions) % 2 === 0 ? 'ann' : 'bob';
}

function keyOf({ entity, workspace }: RecordCall, id: string) {
  const key = directKey(entity, workspace, id);
  assert.ok(key !== undefined);
  return key;
}

const ofAnn = (): RecordPolicy => rowsWhere(({ keeper }) => keeper === 'ann');

test('a count by a field without an index is that of all records, also of those of one caller alone', async (context) => {
  const { node, call } = await openOrders(context);
  const count = (by: RecordCall, sent: Sent) => node.runtime.count(by, listQuery(by, sent));
  assert.deepEqual(await count(call, { region: 'r5' }), { count: total / regions });
  assert.deepEqual(await count(call, { filter: 'region == "r5" || region == "r7"' }), { count: (2 * total) / regions });
  const own = { ...call, rows: ofAnn() };
  assert.deepEqual(await count(own, { region: 'r5' }), { count: total / regions / 2 });
  assert.deepEqual(await count(own, {}), { count: total / 2 });
  const page = await node.runtime.list(call, listQuery(call, { region: 'r5' }));
  assert.equal(await node.runtime.total(call, listQuery(call, { region: 'r5' }), page), total / regions);
  assert.deepEqual([page.items.length, page.isPartial], [20, false]);
});

/** The sum of a count in parts, each of which is marked, and how many there are. */
async function countInParts(
  part: (sent: Sent) => Promise<RecordCount>,
): Promise<readonly [sum: number, parts: number]> {
  let sum = 0;
  let sent: Sent = {};
  for (let parts = 1; ; parts++) {
    const { count, partial, partial_reason: reason, nexttoken } = await part(sent);
    assert.deepEqual([partial, reason], [true, nexttoken === undefined ? undefined : 'records']);
    sum += count;
    if (nexttoken === undefined) return [sum, parts];
    sent = { nexttoken };
  }
}

test('a count that its budget ends goes on by its cursor, and the parts add up to all', async (context) => {
  const { node, call } = await openOrders(context, 2_000);
  const left = () => ({ ...newScan(() => 0, countBudget), items: 300 });
  for (const by of [call, { ...call, rows: ofAnn() }]) {
    const [sum, parts] = await countInParts((sent) =>
      node.runtime.count(by, listQuery(by, { region: 'r5', ...sent }), left()),
    );
    assert.deepEqual([sum, parts], [2_000 / regions / (by.rows === undefined ? 1 : 2), 7]);
  }
});

/** The engine is asked for exactly what the query says. */
const where: Where = { kind: 'compare', path: ['region'], type: 'text', operator: 'eq', value: 'r5' };

test('what the engine counts by itself is what is counted by reading, whole and in parts', async (context) => {
  const { call } = await openOrders(context, 2_000);
  const cursors = createCursors(new Uint8Array(32));
  for (const sortdir of ['asc', 'desc']) {
    const count = (sent: Sent, items: number, isExact: boolean): Promise<RecordCount> => {
      const query = listQuery(call, { region: 'r5', sortdir, ...sent });
      const plan = { ...planList(call, query), question: { where, isExact } };
      return countPlanned(cursors, call, { query, plan, left: { ...newScan(() => 0), items } });
    };
    for (const isExact of [true, false]) {
      assert.deepEqual(await count({}, 2_000_000, isExact), { count: 2_000 / regions });
      const inParts = await countInParts((sent) => count(sent, 300, isExact));
      assert.deepEqual(inParts, [2_000 / regions, 7]);
    }
    // A count goes on in either way.
    const first = await count({}, 300, true);
    const rest = await count({ nexttoken: first.nexttoken ?? '' }, 2_000_000, false);
    assert.equal(first.count + rest.count, 2_000 / regions);
  }
});

test('a count is one question to the engine, and so is each part of a count that runs out of time', async (context) => {
  const { node, call } = await openOrders(context, 2_000);
  const questions: number[] = [];
  const timed = (rowsMax: number): RecordCall => {
    const { scope } = call.workspace;
    const measure: Scope['measure'] = async (pk, read) => {
      questions.push(read.rowsMax);
      const measured = await scope.measure(pk, { ...read, rowsMax: Math.min(read.rowsMax, rowsMax) });
      return measured.endedBy === undefined ? measured : { ...measured, endedBy: 'time' };
    };
    return { ...call, workspace: { ...call.workspace, scope: { ...scope, measure } } };
  };
  const query = { region: 'r5' };
  assert.deepEqual(await node.runtime.count(timed(1_000_000), listQuery(call, query)), { count: 2_000 / regions });
  assert.deepEqual(questions, [countBudget.items]);
  const { nexttoken = '', ...first } = await node.runtime.count(timed(1_000), listQuery(call, query));
  assert.deepEqual(first, { count: 1_000 / regions, partial: true, partial_reason: 'time' });
  const rest = await node.runtime.count(timed(1_000_000), listQuery(call, { ...query, nexttoken }));
  assert.deepEqual(rest, { count: 1_000 / regions, partial: true });
  assert.equal(questions.length, 3);
});

/** The pages of a list: how many records each shows, and how it ended. */
async function pagesOf(node: Node, call: RecordCall, sent: Sent, left: object) {
  const pages: unknown[] = [];
  for (let nexttoken: string | null = ''; nexttoken !== null; ) {
    const query = listQuery(call, { ...sent, ...(nexttoken === '' ? {} : { nexttoken }) });
    const scan = { ...newScan(() => 0), ...left };
    const page = await node.runtime.list(call, query, scan);
    pages.push([page.items.length, page.partialReason, scan.items, scan.bytes]);
    nexttoken = page.nexttoken;
  }
  return pages;
}

test('a page and a count end in one place and leave one budget, whatever a filter says of hidden records', async (context) => {
  const { bench, node, call } = await openOrders(context, 1);
  const body = 'x'.repeat(30_000);
  for (let at = 0; at < 120; at++)
    await node.runtime.create(call, { region: at % 3 === 0 ? 'shown' : 'secret', keeper: keeperOf(at), body });
  let judged = 0;
  const rows = rowsWhere(
    ({ keeper }) => {
      judged += 1;
      return keeper === 'ann';
    },
    { steps: () => judged * 1_000 },
  );
  const own = { ...call, rows };
  for (const left of [{}, { items: 50 }, { steps: 20_000 }, { bytes: 300_000 }]) {
    const ends = [];
    for (const region of ['secret', 'sacred'])
      for (const sent of [{ filter: `region == "${region}" || region == "shown"` }, { region }] as const) {
        judged = 0;
        const pages = await pagesOf(bench.node(), own, { ...sent, pagesize: '200' }, left);
        const counts = [];
        for (let nexttoken: string | undefined = ''; nexttoken !== undefined; ) {
          const query = listQuery(own, { ...sent, ...(nexttoken === '' ? {} : { nexttoken }) });
          const part = await node.runtime.count(own, query, { ...newScan(() => 0), ...left });
          counts.push([part.count, part.partial_reason]);
          nexttoken = part.nexttoken;
        }
        ends.push({ sent: Object.keys(sent), pages, counts, judged });
      }
    const [secret, onlySecret, sacred, onlySacred] = ends;
    assert.deepEqual([secret, onlySecret], [sacred, onlySacred], JSON.stringify(left));
  }
});

/** All that the filter tells apart is hidden. */
function keeperOf(at: number): string {
  return at % 3 === 0 ? 'ann' : 'bob';
}
