import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listedAt, openBench } from '../../../testing/record-bench.ts';
import type { AuthorizedCall } from '../../caller-access.ts';
import { withFilter } from '../../filtering/compile-filter.ts';
import { filterTargets } from '../../filtering/filter-lookups.ts';
import { readListQuery } from '../list-query.ts';
import { othersMax } from './list-plan.ts';

test('records are found by what they look up where that is expected to be cheaper, and by so many others at most', async (context) => {
  const bench = await openBench(context);
  const node = bench.node();
  const customerFields = [
    { name: 'tier', index: true },
    { name: 'rank', colType: 'integer', index: true },
  ];
  await node.admin.define('acme', { entityName: 'customer', UpdateParams: customerFields });
  const lookup = { name: 'customer_id', colType: 'guid', lookup: { entity: 'customer' } };
  await node.admin.define('acme', { entityName: 'ticket', UpdateParams: [lookup, { name: 'folder', index: true }] });
  await bench.workOff();
  const access = { rows: () => undefined, rowsOfBody: () => undefined, assertAllowed: () => undefined };
  const call: AuthorizedCall = { ...(await node.call('ticket')), access };
  const ids: string[] = [];
  for (let rank = 0; rank < 10 * othersMax; rank++) {
    const body = { rank, tier: rank === 0 ? 'gold' : 'tin' };
    ids.push((await node.runtime.create(await node.call('customer'), body)).data.id);
  }
  for (let at = 0; at < 4 * othersMax; at++)
    await node.runtime.create(call, { customer_id: ids[at % ids.length], folder: at < 3 ? 'small' : 'large' });

  const records = async (sent: Readonly<Record<string, string>>, kind: 'list' | 'count' = 'list') => {
    const parameters = new Map(Object.entries({ ...sent, explain: 'true' }));
    const query = readListQuery(call.entity, parameters, kind);
    const found = withFilter(call, query, listedAt, await filterTargets(call, sent.filter ?? ''));
    return (await node.runtime[kind](call, found)).explain?.through?.records;
  };
  const gold = { filter: 'customer_id.tier == "gold"' };
  assert.equal(await records(gold), 1);
  assert.equal(await records(gold, 'count'), 1);
  assert.equal(await records({ filter: 'customer_id.tier == "none"' }), 0);
  // No more others than that, also where all records are looked for.
  assert.equal(await records({ filter: `customer_id.rank <= ${othersMax - 1}` }, 'count'), othersMax);
  assert.equal(await records({ filter: `customer_id.rank <= ${othersMax}` }, 'count'), undefined);
  // A page is filled sooner by going through the list.
  assert.equal(await records({ filter: `customer_id.rank <= ${othersMax - 1}`, pagesize: '1' }), undefined);
  // The list itself is small, or has another order.
  assert.equal(await records({ ...gold, folder: 'small' }), undefined);
  assert.equal(await records({ ...gold, folder: 'large' }), 1);
  assert.equal(await records({ ...gold, sortby: 'folder' }), undefined);
  // The filter holds of other records, too.
  assert.equal(await records({ filter: `${gold.filter} || folder == "small"` }), undefined);
  assert.equal(await records({ filter: `!(${gold.filter})` }), undefined);
});
