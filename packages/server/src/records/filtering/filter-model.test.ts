import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { type StoreKind, storeKinds } from '../../store/testing/open-test-store.ts';
import { thinned } from '../../store/testing/quick.ts';
import { listAll, listedAt, listQuery, type Node, openBench } from '../../testing/record-bench.ts';
import type { RecordData } from '../record.ts';
import { filteredBody, filteredFields, plainFilter } from '../testing/plain-filters.ts';
import type { RecordCall } from '../writing/write-loop.ts';

const orders: readonly Readonly<Record<string, string>>[] = [
  {},
  { sortdir: 'asc' },
  { sortby: 'status' },
  { sortby: 'minutes', sortdir: 'desc' },
  { sortby: 'rate' },
  { sortby: 'at', sortdir: 'desc' },
  { sortby: 'due' },
  { sortby: 'cost' },
  { sortby: 'status,minutes', sortdir: 'asc,desc' },
  { sortby: 'keeper,done', sortdir: 'desc' },
];

const indexes = [{ fields: ['status', '-minutes'] }, { fields: ['keeper', 'done'] }];

interface Listed {
  readonly call: RecordCall;
  /** Every record, in each order. */
  readonly whole: readonly (readonly [order: Readonly<Record<string, string>>, records: readonly RecordData[]])[];
}

async function openListed(context: TestContext, kind: StoreKind, bodies: readonly object[]) {
  const bench = await openBench(context, kind);
  const node = bench.node();
  const listed: Listed[] = [];
  for (const [entityName, isIndexed] of [
    ['bare', false],
    ['indexed', true],
  ] as const) {
    const compound = isIndexed ? { indexes } : {};
    await node.admin.define('acme', { entityName, UpdateParams: filteredFields(isIndexed), ...compound });
    await bench.workOff();
    const call = await node.call(entityName);
    for (const body of bodies) await node.runtime.create(call, body);
    const whole: (readonly [Readonly<Record<string, string>>, readonly RecordData[]])[] = [];
    for (const order of isIndexed ? orders : orders.slice(0, 2))
      whole.push([order, await listAll(node, call, { pagesize: '200', ...order })]);
    listed.push({ call, whole });
  }
  return { node, listed };
}

async function countAll(node: Node, call: RecordCall, parameters: Readonly<Record<string, string>>): Promise<number> {
  let sum = 0;
  let nexttoken: string | undefined;
  do {
    const given = nexttoken === undefined ? parameters : { ...parameters, nexttoken };
    const part = await node.runtime.count(call, listQuery(call, given));
    sum += part.count;
    nexttoken = part.nexttoken;
  } while (nexttoken !== undefined);
  return sum;
}

for (const kind of storeKinds)
  test(`a list by a filter is that of the records it holds of, in ${kind}, with and without indexes`, async (context) => {
    const bodies = fc.sample(filteredBody, { numRuns: 60, seed: 17 });
    const { node, listed } = await openListed(context, kind, bodies);
    const property = fc.asyncProperty(
      plainFilter(listedAt),
      fc.nat(),
      fc.constantFrom('3', '200'),
      async ({ text, holds }, which, pagesize) => {
        for (const { call, whole } of listed) {
          const [order, records] = whole[which % whole.length] ?? [{}, []];
          const expected = records.filter(holds).map(({ id }) => id);
          const found = await listAll(node, call, { filter: text, pagesize, ...order });
          assert.deepEqual(
            found.map(({ id }) => id),
            expected,
          );
          assert.equal(await countAll(node, call, { filter: text }), expected.length);
        }
      },
    );
    await fc.assert(property, { numRuns: thinned(kind === 'memory' ? 1000 : 200) });
  });
