/** Lists by one of several values of an indexed field, compared with the whole list that is looked through. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { storeKinds } from '../../store/testing/open-test-store.ts';
import { thinned } from '../../store/testing/quick.ts';
import { listAll, listQuery, openBench } from '../../testing/record-bench.ts';
import type { RecordData } from '../record.ts';
import { rowsWhere } from '../testing/rows.ts';

const long = 'x'.repeat(600);
const values = {
  number: [-0, 0, 1, -1, 2, 0.5, 12, 9007199254740991],
  text: ['', 'a', 'aa', 'b', '\ufb00', '😀', 'a b', `${long}a`, `${long}b`],
} as const;
type Field = keyof typeof values;

const UpdateParams = [
  { name: 'number', colType: 'number', index: true },
  { name: 'text', index: true },
  { name: 'flag', colType: 'boolean' },
];
const layouts = {
  direct: {},
  templated: { baseKeys: { pkTemplate: 'org#{org};{user_id}', skTemplate: 'z#{id};x' } },
};

const orders: readonly Readonly<Record<string, string>>[] = [
  {},
  { sortdir: 'asc' },
  ...['number', 'text', 'updated_at'].flatMap((sortby) => [
    { sortby, sortdir: 'asc' },
    { sortby, sortdir: 'desc' },
  ]),
];

const oneOf = (field: Field) => fc.constantFrom<string | number>(...values[field]);
const body = fc.record({ number: oneOf('number'), text: oneOf('text'), flag: fc.boolean() }, { requiredKeys: [] });

const spelled = (value: string | number): string =>
  typeof value === 'string'
    ? JSON.stringify(value)
    : `${Object.is(value, -0) ? 0 : value}${Number.isInteger(value) ? '.0' : ''}`;
const spellings = {
  parameter: (field: Field, wanted: readonly (string | number)[]) => ({
    [field]: wanted.join(),
    [`${field}_op`]: 'in',
  }),
  list: (field: Field, wanted: readonly (string | number)[]) => ({ filter: `${field} in [${wanted.map(spelled)}]` }),
  chain: (field: Field, wanted: readonly (string | number)[]) => ({
    filter: wanted.map((value) => `${field} == ${spelled(value)}`).join(' || '),
  }),
} as const;

/** As a parameter where it is too long for a filter. */
function spelledAs(spelling: keyof typeof spellings, field: Field, wanted: readonly (string | number)[]) {
  const sent = spellings[spelling](field, wanted);
  return 'filter' in sent && sent.filter.length > 1000 ? spellings.parameter(field, wanted) : sent;
}

const anyRequest = fc.record({
  field: fc.constantFrom<Field>('number', 'text'),
  spelling: fc.constantFrom<keyof typeof spellings>('parameter', 'list', 'chain'),
  flag: fc.constantFrom(undefined, true, false),
  order: fc.nat({ max: orders.length - 1 }),
  pagesize: fc.integer({ min: 1, max: 4 }),
  seesAll: fc.boolean(),
});
const query = anyRequest.chain((one) =>
  fc.array(oneOf(one.field), { minLength: 1, maxLength: 5 }).map((wanted) => ({ ...one, wanted })),
);

for (const kind of storeKinds)
  for (const [layout, keys] of Object.entries(layouts))
    test(`lists and counts by one of several values are those of all records, in ${kind}, ${layout}`, async (context) => {
      const bench = await openBench(context, kind);
      const node = bench.node();
      await node.admin.define('acme', { entityName: 'thing', UpdateParams, ...keys });
      await bench.workOff();
      const call = await node.call('thing');
      for (const one of fc.sample(body, { numRuns: 50, seed: 3 })) await node.runtime.create(call, one);
      const [flagged] = [rowsWhere(({ flag }) => flag !== false)];
      const limited = { ...call, rows: flagged };
      const whole = new Map<number, readonly RecordData[]>();
      for (const [at, order] of orders.entries())
        whole.set(at, await listAll(node, call, { pagesize: '200', ...order }));
      const property = fc.asyncProperty(query, async ({ field, spelling, wanted, flag, order, pagesize, seesAll }) => {
        const by = seesAll ? call : limited;
        const sent = {
          ...spelledAs(spelling, field, wanted),
          ...(flag === undefined ? {} : { flag: String(flag) }),
        };
        const isWanted = (data: RecordData): boolean =>
          wanted.some((value) => data[field] === (value === 0 ? 0 : value)) &&
          (flag === undefined || data.flag === flag) &&
          (seesAll || data.flag !== false);
        const expected = (whole.get(order) ?? []).filter(isWanted).map(({ id }) => id);
        const found = await listAll(node, by, { ...sent, ...orders[order], pagesize: String(pagesize) });
        assert.deepEqual(
          found.map(({ id }) => id),
          expected,
          JSON.stringify(sent),
        );
        assert.equal((await node.runtime.count(by, listQuery(by, sent))).count, expected.length);
      });
      await fc.assert(property, { numRuns: thinned(kind === 'memory' ? 400 : 100) });
    });

test('three values among thousands are found whole, by the index, wherever they lie and however they are asked for', async (context) => {
  const bench = await openBench(context);
  const node = bench.node();
  await node.admin.define('acme', { entityName: 'thing', UpdateParams });
  await bench.workOff();
  const call = await node.call('thing');
  for (let number = 100_001; number <= 103_000; number++) await node.runtime.create(call, { number });
  const wanted = [100_001, 102_999, 100_500];
  for (const sent of Object.values(spellings).map((spell) => spell('number', wanted)))
    for (const order of [{}, { sortdir: 'asc' }, { sortby: 'number' }, { sortby: 'number', sortdir: 'desc' }]) {
      const page = await node.runtime.list(call, listQuery(call, { ...sent, ...order, explain: 'true' }));
      assert.deepEqual([page.items.length, page.isPartial, page.nexttoken], [3, false, null], JSON.stringify(sent));
      assert.equal(page.explain?.index?.name, 'number');
      assert.ok((page.explain?.entriesWalked ?? 100) <= 6, JSON.stringify(page.explain));
      const { count, partial } = await node.runtime.count(call, listQuery(call, { ...sent, ...order }));
      assert.deepEqual([count, partial], [3, undefined]);
    }
});
