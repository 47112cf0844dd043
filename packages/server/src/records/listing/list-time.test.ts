import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listQuery, openBench, type RecordBench } from '../../testing/record-bench.ts';
import type { RecordCall } from '../writing/write-loop.ts';

/** So slow that the time of a page ends with its second step. */
function slowly(bench: RecordBench): RecordCall['workspace'] {
  const { scope } = bench.workspace;
  const late = async <T>(read: Promise<T>): Promise<T> => {
    const answer = await read;
    bench.clock.advance(1_200);
    return answer;
  };
  return {
    ...bench.workspace,
    scope: {
      ...scope,
      range: (pk, read) => late(scope.range(pk, read)),
      follow: (pk, read) => late(scope.follow(pk, read)),
      select: (pk, read) => late(scope.select(pk, { ...read, rowsMax: Math.min(read.rowsMax, 50) })),
      measure: async (pk, read) => ({ ...(await scope.measure(pk, { ...read, rowsMax: 50 })), endedBy: 'time' }),
    },
  };
}

test('a page that takes too long ends short and is gone on with, so that no index is gone from under it', async (context) => {
  const bench = await openBench(context);
  const node = bench.node();
  const fields = [{ name: 'rank', colType: 'integer', index: true }, { name: 'note' }];
  await node.admin.define('acme', { entityName: 'order', UpdateParams: fields });
  await bench.workOff();
  const writer = await node.call('order');
  for (let made = 0; made < 700; made++)
    await node.runtime.create(writer, { rank: 1, note: made % 10 === 0 ? 'hit' : 'other' });

  const call = await node.call('order');
  const slow = { ...call, workspace: slowly(bench) };
  const wanted = { rank: '1', note: 'hit' };
  const page = await node.runtime.list(slow, listQuery(call, wanted));
  assert.equal(page.partialReason, 'time');
  assert.ok(page.isPartial && page.items.length > 0 && page.items.length < 50, `${page.items.length} items`);
  const rest = await node.runtime.list(
    call,
    listQuery(call, { ...wanted, nexttoken: page.nexttoken ?? '', pagesize: '200' }),
  );
  assert.deepEqual([page.items.length + rest.items.length, rest.nexttoken], [70, null]);

  const counted = await node.runtime.count(slow, listQuery(call, wanted));
  assert.ok(counted.count < 70 && counted.partial_reason === 'time', JSON.stringify(counted));
  const uncounted = await node.runtime.count(call, listQuery(call, { ...wanted, nexttoken: counted.nexttoken ?? '' }));
  assert.deepEqual(uncounted, { count: 70 - counted.count, partial: true });
});
