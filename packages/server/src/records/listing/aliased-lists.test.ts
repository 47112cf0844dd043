import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { storeKinds } from '../../store/testing/open-test-store.ts';
import { thinned } from '../../store/testing/quick.ts';
import { listAll, listedAt, listQuery, openBench } from '../../testing/record-bench.ts';
import { filteredBody, filteredFields, plainFilter } from '../testing/plain-filters.ts';

const aliases: Readonly<Record<string, readonly string[]>> = {
  status: ['state'],
  minutes: ['time', 'mins', 'total'],
  rate: ['price'],
  due: ['day'],
  at: ['moment'],
  keeper: ['keptBy'],
  tags: ['labels'],
  cost: ['sum'],
};
const orders = ['status', 'minutes', 'rate', 'due', 'at', 'cost', 'status,minutes'];

/** The same with another name for each field that has one: the one at a place of the list of its names. */
const renamed = (text: string, at: number): string =>
  text.replace(/\b[a-z]+\b/g, (name) => {
    const names = Object.hasOwn(aliases, name) ? [name, ...(aliases[name] ?? [])] : [name];
    return names[at % names.length] ?? name;
  });

for (const kind of storeKinds)
  test(`a list by any names of its fields is that of the records that are asked for, in ${kind}`, async (context) => {
    const bench = await openBench(context, kind);
    const node = bench.node();
    const UpdateParams = filteredFields(true).map((field) => {
      const names = aliases[field.name];
      return names === undefined ? field : { ...field, aliases: names };
    });
    await node.admin.define('acme', {
      entityName: 'entry',
      UpdateParams,
      indexes: [{ fields: ['status', 'minutes'] }],
    });
    await bench.workOff();
    const call = await node.call('entry');
    for (const [at, body] of fc.sample(filteredBody, { numRuns: 40, seed: 17 }).entries())
      await node.runtime.create(
        call,
        Object.fromEntries(Object.entries(body).map(([name, value]) => [renamed(name, at), value])),
      );
    const records = await listAll(node, call, { pagesize: '200' });
    assert.equal(records.length, 40);
    const property = fc.asyncProperty(
      plainFilter(listedAt),
      fc.nat(3),
      fc.constantFrom(...orders),
      async ({ text, holds }, at, sortby) => {
        const expected = await listAll(node, call, { pagesize: '200', sortby });
        const parameters = { filter: renamed(text, at), sortby: renamed(sortby, at), pagesize: '7' };
        const found = await listAll(node, call, parameters);
        assert.deepEqual(
          found.map(({ id }) => id),
          expected.filter(holds).map(({ id }) => id),
          JSON.stringify(parameters),
        );
        const status = String(records[at]?.status ?? 'open');
        const counted = await node.runtime.count(call, listQuery(call, { [renamed('status', at)]: status }));
        assert.equal(counted.count, records.filter((record) => record.status === status).length);
      },
    );
    await fc.assert(property, { numRuns: thinned(kind === 'memory' ? 300 : 60) });
  });
