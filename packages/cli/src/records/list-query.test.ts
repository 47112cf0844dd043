import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choiceQuery } from './list-query.ts';

test('orders and conditions become parameters of a list', () => {
  const { $sortby, $sortdir, status, $filter } = choiceQuery({
    sort: 'status,-amount',
    where: ['status=a=b'],
    filter: 'amount > 1',
  });
  assert.deepEqual([$sortby, $sortdir, status, $filter], ['status,amount', 'asc,desc', 'a=b', 'amount > 1']);
  assert.throws(() => choiceQuery({ where: ['=x'] }), /is not `field=value`/);
  assert.throws(() => choiceQuery({ sort: '-' }), /names no field/);
});
