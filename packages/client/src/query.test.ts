import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CelValue, cel, createApp } from './client.ts';
import { queryOf } from './query.ts';

const inspected: readonly (readonly [query: object, message: RegExp])[] = [
  [{ where: { customer_id: undefined } }, /the condition on `customer_id` has no value/],
  [{ where: { title: 'x', customer_id: undefined } }, /the condition on `customer_id` has no value/],
  [{ where: { amount: { gt: undefined } } }, /the condition on `amount` has no value/],
  [{ where: { amount: { gt: 1, lt: undefined } } }, /the condition on `amount` must have one operator/],
  [{ where: { amount: { in: [1, undefined] } } }, /the condition on `amount` has no value/],
  [{ where: { amount: { exists: undefined } } }, /the condition on `amount` has no value/],
  [{ where: { customer_id: null } }, /the condition on `customer_id` has no value/],
  [{ owner: undefined }, /`owner` has no value/],
  [{ owner: null }, /`owner` has no value/],
];

for (const [query, message] of inspected)
  test(`a query for ${JSON.stringify(query, (_, value) => value ?? `${value}`)} is not sent without the condition`, async () => {
    let calls = 0;
    const fetch = async () => {
      calls += 1;
      return Response.json({ items: [], nexttoken: null, count: 0 });
    };
    const orders = createApp({ url: 'https://x', org: 'acme', clientId: 'c', fetch }).entity('order');
    const refused = { name: 'TypeError', message };
    await assert.rejects(orders.list(query), refused);
    await assert.rejects(orders.count(query), refused);
    await assert.rejects(async () => {
      for await (const _ of orders.each(query)) calls += 1;
    }, refused);
    assert.equal(calls, 0);
  });

test('members of a query that choose no records may be left open', () => {
  const open = {
    where: undefined,
    filter: undefined,
    q: undefined,
    all: undefined,
    sort: undefined,
    pageSize: undefined,
  };
  assert.deepEqual(
    Object.values(queryOf(open)).filter((value) => value !== undefined),
    [],
  );
});

test('an expression takes `null`, and refuses a value that is missing, also in a list', () => {
  assert.equal(cel`a == ${null} && b in ${['x', 1]}`, 'a == null && b in ["x", 1]');
  const missing = undefined as unknown as CelValue;
  assert.throws(() => cel`a == ${missing}`, TypeError);
  assert.throws(() => cel`a in ${['x', missing]}`, TypeError);
});
