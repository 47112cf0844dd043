import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Problem } from '../../lib/problem.ts';
import { listedAt, openBench, type RecordBench } from '../../testing/record-bench.ts';
import type { AuthorizedCall } from '../caller-access.ts';
import { readListQuery } from '../listing/list-query.ts';
import type { RecordPage } from '../listing/record-page.ts';
import { newScan, scanBudget } from '../listing/walking/record-walk.ts';
import type { RecordPolicy } from '../record-policy.ts';
import { withFilter } from './compile-filter.ts';
import { filterTargets } from './filter-lookups.ts';

const lookup = (name: string) => ({ name, colType: 'guid', lookup: { entity: 'customer' } });
const lookups = ['a_id', 'b_id', 'c_id', 'd_id', 'e_id'];

async function openTickets(context: TestContext) {
  const bench = await openBench(context);
  const node = bench.node();
  await node.admin.define('acme', {
    entityName: 'customer',
    UpdateParams: [{ name: 'tier' }, { name: 'pin', colType: 'encrypted' }, { name: 'text' }],
  });
  await node.admin.define('acme', { entityName: 'ticket', UpdateParams: [{ name: 'title' }, ...lookups.map(lookup)] });
  return { bench, ...(await served(bench)) };
}

async function served(bench: RecordBench) {
  const node = bench.node();
  const access = { rows: () => undefined, rowsOfBody: () => undefined, assertAllowed: () => undefined };
  const call: AuthorizedCall = { ...(await node.call('ticket')), access };
  const createPair = async (customer: object): Promise<void> => {
    const { data } = await node.runtime.create(await node.call('customer'), customer);
    await node.runtime.create(call, { a_id: data.id });
  };
  const query = async (call: AuthorizedCall, parameters: Readonly<Record<string, string>>) => {
    const read = readListQuery(call.entity, new Map(Object.entries(parameters)));
    return withFilter(call, read, listedAt, await filterTargets(call, parameters.filter ?? ''));
  };
  const pages = async (
    call: AuthorizedCall,
    filter: string,
    items = newScan().items,
  ): Promise<readonly RecordPage[]> => {
    const found: RecordPage[] = [];
    for (let next = {}; ; ) {
      const parameters = { filter, pagesize: '200', explain: 'true', ...next };
      const page = await node.runtime.list(call, await query(call, parameters), { ...newScan(() => 0), items });
      found.push(page);
      if (page.nexttoken === null) return found;
      assert.ok(found.length < 1000, 'the list has an end');
      next = { nexttoken: page.nexttoken };
    }
  };
  return { node, call, createPair, query, pages };
}

const sum = (pages: readonly RecordPage[]): number => pages.reduce((before, { items }) => before + items.length, 0);

test('a mistake over a lookup is refused with its character', async (context) => {
  const { call, query } = await openTickets(context);
  for (const [filter, message] of [
    ['a_id.tier == 5', /^at character 1: /],
    ['title == "x" && a_id.name == "x"', /^at character 17: there is no field `a_id.name` that it can read$/],
    ['a_id.pin == "x"', /there is no field `a_id.pin`/],
    ['title.tier == "x"', /^at character 7: a value of the type `string` has no members$/],
    ['b_id.tier.x == "x"', /^at character \d+: a value of the type `string` has no members$/],
    [lookups.map((name) => `${name}.tier == "x"`).join(' && '), /^at character 81: it follows more than 4 lookups$/],
  ] as const)
    await assert.rejects(query(call, { filter }), (error) => {
      assert.ok(error instanceof Problem);
      const [mistake] = error.details.errors ?? [];
      assert.deepEqual([mistake?.pointer, mistake?.code], ['/filter', 'invalid_expression'], filter);
      assert.match(mistake?.message ?? '', message, filter);
      return true;
    });
});

test('a filter follows lookups by the newest definition of the other entity', async (context) => {
  const { bench, call, query, createPair } = await openTickets(context);
  await createPair({ tier: 'gold' });
  const filter = 'a_id.rank == 1';
  await assert.rejects(query(call, { filter }));
  const UpdateParams = [{ name: 'rank', colType: 'integer' }];
  await bench.node().admin.change('acme', { api: 'create-customer', body: { UpdateParams } });
  const later = await served(bench);
  await later.createPair({ rank: 1 });
  assert.equal(sum(await later.pages(later.call, filter)), 1);
});

test('records that lookups point to are taken from the budget of a page, which ends short with a cursor', async (context) => {
  const { call, createPair, pages } = await openTickets(context);
  const total = 120;
  const itemsMax = 200;
  for (let at = 0; at < total; at++) await createPair({ tier: at % 2 === 0 ? 'gold' : 'tin' });
  const none = await pages(call, 'a_id.tier == "none"', itemsMax);
  assert.ok(none.length > 1 && none[0]?.isPartial === true);
  for (const { explain } of none) {
    assert.ok(explain !== undefined && explain.budget.items <= itemsMax);
    assert.equal(explain.budget.items, 2 * explain.entriesWalked);
  }
  assert.equal(sum(await pages(call, 'a_id.tier == "gold"', itemsMax)), total / 2);
});

test('large records that lookups point to end a page short, and none is lost', async (context) => {
  const { call, createPair, pages } = await openTickets(context);
  const text = 'x'.repeat(300_000);
  for (let at = 0; at < 40; at++) await createPair({ tier: at % 2 === 0 ? 'gold' : 'tin', text });
  const found = await pages(call, 'a_id.tier == "gold"');
  assert.equal(sum(found), 20);
  assert.ok(found.length > 3 && found.slice(0, -1).every(({ isPartial }) => isPartial));
});

test('deciding about the records that lookups point to counts against the work of a page, and each page goes on', async (context) => {
  const { call, createPair, pages } = await openTickets(context);
  for (let at = 0; at < 30; at++) await createPair({ tier: 'gold' });
  let steps = 0;
  const rows: RecordPolicy = {
    isNone: false,
    judge: () => {
      steps += scanBudget.steps / 4;
      return { fields: undefined };
    },
    steps: () => steps,
    sureFields: undefined,
    possibleFields: undefined,
    equalities: [],
    missing: () => assert.fail('nothing is refused'),
    denied: () => assert.fail('nothing is refused'),
  };
  const found = await pages({ ...call, access: { ...call.access, rows: () => rows } }, 'a_id.tier == "gold"');
  assert.equal(sum(found), 30);
  assert.ok(found.length > 2);
  assert.ok((found[0]?.items.length ?? 0) > 1);
});
