import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../lib/problem.ts';
import { compileEntity } from '../../schema/compile-entity.ts';
import { listAll, listQuery, openBench, user } from '../../testing/record-bench.ts';
import { planList } from '../listing/planning/list-plan.ts';
import { newScan } from '../listing/walking/record-walk.ts';

const UpdateParams = [
  { name: 'status', index: true },
  { name: 'minutes', colType: 'integer', index: true },
  { name: 'body' },
  { name: 'tags', colType: 'array' },
  { name: 'meta', colType: 'json' },
  { name: 'secret', colType: 'encrypted' },
];

async function openTickets(context: Parameters<typeof openBench>[0]) {
  const bench = await openBench(context);
  const node = bench.node();
  await node.admin.define('acme', { entityName: 'ticket', UpdateParams });
  await bench.workOff();
  return { node, call: await node.call('ticket') };
}

const refused: readonly (readonly [filter: string, code: string, message: RegExp])[] = [
  ['', 'invalid_expression', /^at character 1: /],
  ['status', 'invalid_expression', /^at character 1: it gives a value of the type `string`/],
  ['has(status) && nope == 1', 'invalid_expression', /^at character 16: there is no field `nope`/],
  ['minutes == "a"', 'invalid_expression', /^at character 1: no operator takes these types: `int == string`$/],
  ['meta == "a"', 'not_filterable', /^at character 1: field `meta` cannot be filtered on$/],
  ['has(secret)', 'not_filterable', /^at character 5: field `secret` cannot be filtered on$/],
  ['has(secret_id)', 'invalid_expression', /no field/],
  ['__proto__ == 1', 'invalid_expression', /`__proto__` is a reserved word$/],
];

test('a mistaken filter is refused with its place', async (context) => {
  const { call } = await openTickets(context);
  for (const [filter, code, message] of refused)
    assert.throws(
      () => listQuery(call, { filter }),
      (error) => {
        assert.ok(error instanceof Problem);
        const [mistake] = error.details.errors ?? [];
        assert.deepEqual([error.code, mistake?.pointer, mistake?.code], ['invalid_request', '/filter', code], filter);
        assert.match(mistake?.message ?? '', message);
        return true;
      },
    );
});

test('a filter finds records by the index that the same parameters would use', async (context) => {
  const { call } = await openTickets(context);
  const rangeOf = (parameters: Readonly<Record<string, string>>) => {
    const { pk, isIndex, range } = planList(call, listQuery(call, parameters));
    return { pk, isIndex, range };
  };
  for (const [filter, parameters] of [
    ['status == "open"', { status: 'open' }],
    ['"open" == status && body.contains("x")', { status: 'open' }],
    ['status in ["open"]', { status: 'open' }],
    ['status == user.id', { status: user }],
    ['minutes == 5.0', { minutes: '5' }],
    ['minutes >= 5 && minutes < 9', { minutes: '5,9', minutes_op: 'between', sortby: 'minutes' }],
    ['minutes > 5', { minutes: '5', minutes_op: 'gt', sortby: 'minutes' }],
    ['status < "p"', { status: 'p', status_op: 'lte', sortby: 'status' }],
    ['status < "\uffee"', { status: '\uffee', status_op: 'lte', sortby: 'status' }],
    ['status >= "😀"', { status: '😀', status_op: 'gte', sortby: 'status' }],
  ] as const) {
    const order = 'sortby' in parameters ? { sortby: parameters.sortby } : {};
    assert.deepEqual(rangeOf({ filter, ...order }), rangeOf(parameters), filter);
  }
  assert.deepEqual(rangeOf({ filter: 'status == "a\\u0000"' }), rangeOf({}));
  assert.deepEqual(rangeOf({ filter: 'status == "a" || minutes == 1' }), rangeOf({}));
});

test('one value of an indexed field is counted by its index, also where a filter asks for it', async (context) => {
  const { node, call } = await openTickets(context);
  const total = 40;
  for (let index = 0; index < total; index++)
    await node.runtime.create(call, { status: index % 2 === 0 ? 'open' : 'done', minutes: index });
  const counted = await node.runtime.count(call, listQuery(call, { filter: 'status == "open"' }));
  assert.deepEqual(counted, { count: total / 2 });
  const left = { ...newScan(), items: total / 2 };
  const read = await node.runtime.count(call, listQuery(call, { filter: '!(status == "open")' }), left);
  assert.equal(read.partial, true);
});

test('P10: evaluating a filter counts against the work of a page, which ends short with a cursor', async (context) => {
  const { node, call } = await openTickets(context);
  const total = 40;
  const tags = Array.from({ length: 10_000 }, () => 'a');
  for (let index = 0; index < total; index++) await node.runtime.create(call, { minutes: index, tags });
  const filter = 'tags.all(t, t.startsWith("a") && t.endsWith("a"))';
  const page = await node.runtime.list(call, listQuery(call, { filter, pagesize: '200' }));
  assert.ok(page.isPartial && page.items.length > 0 && page.items.length < total);
  assert.equal((await listAll(node, call, { filter, pagesize: '200' })).length, total);
});

test('a cursor is good for its filter alone', async (context) => {
  const { node, call } = await openTickets(context);
  for (let index = 0; index < 3; index++) await node.runtime.create(call, { minutes: index });
  const first = await node.runtime.list(call, listQuery(call, { filter: 'minutes >= 0', pagesize: '1' }));
  const nexttoken = first.nexttoken ?? '';
  for (const parameters of [{}, { filter: 'minutes >= 1' }])
    await assert.rejects(
      node.runtime.list(call, listQuery(call, { ...parameters, nexttoken })),
      (error) => error instanceof Problem && error.code === 'invalid_cursor',
    );
  const rest = await node.runtime.list(call, listQuery(call, { filter: 'minutes >= 0', nexttoken }));
  assert.equal(rest.items.length, 2);
});

test('a filter that was compiled before is not taken for that of another entity of the same name', async (context) => {
  const { call } = await openTickets(context);
  const entity = compileEntity({ entityName: 'ticket', UpdateParams: [{ name: 'minutes' }] }, 1);
  const filter = 'minutes > 5';
  for (let turn = 0; turn < 2; turn++) {
    assert.doesNotThrow(() => listQuery(call, { filter }));
    assert.throws(() => listQuery({ ...call, entity }, { filter }), { code: 'invalid_request' });
  }
});
