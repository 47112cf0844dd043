import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { act, allow, count, create, defineEntity, definition, deny, foundedOrg, list, memberWith } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);

const bill = definition('bill', [
  { name: 'total', colType: 'number' },
  { name: 'fields', colType: 'string' },
]);
const made = await defineEntity(org, bill);
await defineEntity(org, definition('note', [{ name: 'title', colType: 'string', search: true }]));
for (const total of [1, 2, 3]) await create(founder, 'bill', { total, fields: 'a' });
await create(founder, 'note', { title: 'red' });

test('a field with the name of a parameter keeps it as a filter, and its definition is told so', async () => {
  assert.equal(await count(founder, 'bill', '?total=2&total_op=gte'), 2);
  assert.equal(await count(founder, 'bill', '?fields=b'), 0);
  const { warnings } = made.body as { readonly warnings?: readonly string[] };
  assert.match(warnings?.[0] ?? '', /^field `total`: .*`\$total`$/);
  assert.match(warnings?.[1] ?? '', /^field `fields`: .*`\$fields`$/);
});

test('every parameter is also read with `$` before its name', async () => {
  const ascending = await list(founder, 'bill', '?$sortby=created_at&$sortdir=asc&$pagesize=2');
  assert.deepEqual(
    ascending.items.map(({ total }) => total),
    [1, 2],
  );
  const next = await list(founder, 'bill', `?sortby=created_at&sortdir=asc&$nexttoken=${ascending.nexttoken}`);
  assert.deepEqual(
    next.items.map(({ total }) => total),
    [3],
  );
  assert.equal(await count(founder, 'note', '?$q=red'), 1);
  const [{ id } = { id: '' }] = (await list(founder, 'note', '?$view=default')).items;
  assert.equal((await act(founder, 'GET', `/item/note/${id}?$view=default`)).status, 200);
});

test('a parameter in both spellings, and a `$` before any other name, are refused', async () => {
  for (const [query, place] of [
    ['pagesize=1&$pagesize=1', '/$pagesize'],
    ['$title=red', '/$title'],
    ['$facets=x', '/$facets'],
  ] as const) {
    const problem = assertProblem(await act(founder, 'GET', `/list/note?${query}`), 'invalid_request');
    assert.deepEqual(pointers(problem), [place]);
  }
});

test('a Deny on a parameter is not evaded by its other spelling', async () => {
  const condition = { NumericGreaterThan: { 'request.queryParameters.pagesize': ['10'] } };
  const member = await memberWith(founder, [allow('*'), { ...deny('listnote'), Condition: condition }]);
  assert.equal((await act(member, 'GET', '/list/note?$pagesize=10')).status, 200);
  for (const name of ['pagesize', '$pagesize'])
    assertProblem(await act(member, 'GET', `/list/note?${name}=11`), 'access_denied');
});
