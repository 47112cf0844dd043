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
    ['facets=title&$facets=title', '/$facets'],
  ] as const) {
    const problem = assertProblem(await act(founder, 'GET', `/list/note?${query}`), 'invalid_request');
    assert.deepEqual(pointers(problem), [place]);
  }
});

interface TotalPage {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly total?: unknown;
}

test('a total is the number of records on all pages, asked for as `$total` where a field has the name', async () => {
  const total = async (path: string) => (await act<TotalPage>(founder, 'GET', path)).body.total;
  assert.equal(await total('/list/bill?$total=true&pagesize=1'), 3);
  assert.equal(await total('/list/bill?$total=true&total=2&total_op=gte&pagesize=1'), 2);
  assert.equal(await total('/list/note?total=true'), 1);
  assert.equal(await total('/list/note?total=false'), undefined);
  for (const [path, place] of [
    ['/list/note?total=yes', '/total'],
    ['/list/bill?$total=yes', '/$total'],
    ['/count/note?total=true', '/total'],
    ['/export/note?total=true', '/total'],
  ] as const)
    assert.deepEqual(pointers(assertProblem(await act(founder, 'GET', path), 'invalid_request')), [place]);
});

test('P08: a total counts the records that the caller may see, whatever others are there', async () => {
  await defineEntity(org, definition('paper', [{ name: 'kind', colType: 'string', index: true }]));
  const Condition = { StringEquals: { 'record.kind': ['open'] } };
  const member = await memberWith(founder, [{ ...allow('listpaper'), Condition }]);
  const page = async () => (await act<TotalPage>(member, 'GET', '/list/paper?total=true&pagesize=1')).text;
  for (const kind of ['open', 'secret', 'open']) await create(founder, 'paper', { kind });
  const before = await page();
  assert.equal((JSON.parse(before) as TotalPage).total, 2);
  for (let made = 0; made < 5; made++) await create(founder, 'paper', { kind: 'secret' });
  const [first, second] = [before, await page()].map((text) => JSON.parse(text) as TotalPage);
  assert.deepEqual([second?.total, second?.items], [first?.total, first?.items]);
});

test('a projection shows those members of a view, and what identifies the record', async () => {
  const envelope = ['created_at', 'id', 'updated_at', 'version'];
  const members = (shown: unknown) => Object.keys(shown as object).toSorted();
  const [bill = { id: '' }] = (await list(founder, 'bill', '?$fields=total')).items;
  assert.deepEqual(members(bill), [...envelope, 'total'].toSorted());
  const note = (await list(founder, 'note')).items[0]?.id ?? '';
  const item = await act(founder, 'GET', `/item/note/${note}?fields=title,created_by`);
  assert.deepEqual(members(item.body), [...envelope, 'created_by', 'title'].toSorted());
  assert.notEqual(item.headers.get('etag'), (await act(founder, 'GET', `/item/note/${note}`)).headers.get('etag'));
  assert.deepEqual(members((await act(founder, 'GET', `/item/note/${note}?$fields=id`)).body), envelope);
  for (const path of [`/item/note/${note}?fields=titel`, '/list/note?fields=title,titel', '/list/note?fields=']) {
    const problem = assertProblem(await act(founder, 'GET', path), 'invalid_request');
    assert.deepEqual([pointers(problem), problem.errors?.[0]?.code], [['/fields'], 'unknown_field']);
  }
  for (const path of ['/count/note?fields=title', '/export/note?fields=title'])
    assertProblem(await act(founder, 'GET', path), 'invalid_request');
});

test('a projection shows no field that the caller may not read', async () => {
  await defineEntity(org, definition('card', [{ name: 'face' }, { name: 'pin' }]));
  const { id } = await create(founder, 'card', { face: 'ace', pin: '1234' });
  const member = await memberWith(founder, [{ ...allow(['getcard', 'listcard']), Fields: ['face'] }]);
  for (const path of [`/item/card/${id}`, '/list/card']) {
    const shown = await act(member, 'GET', `${path}?fields=face,pin`);
    assert.equal(shown.status, 200);
    assert.match(shown.text, /"face":"ace"/);
    assert.doesNotMatch(shown.text, /pin|1234/);
  }
});

test('a Deny on a parameter is not evaded by its other spelling', async () => {
  const condition = { NumericGreaterThan: { 'request.queryParameters.pagesize': ['10'] } };
  const member = await memberWith(founder, [allow('*'), { ...deny('listnote'), Condition: condition }]);
  assert.equal((await act(member, 'GET', '/list/note?$pagesize=10')).status, 200);
  for (const name of ['pagesize', '$pagesize'])
    assertProblem(await act(member, 'GET', `/list/note?${name}=11`), 'access_denied');
});
