import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import {
  act,
  allow,
  appUrl,
  create,
  defineEntity,
  definition,
  deny,
  foundedOrg,
  list,
  memberWith,
  signIn,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { exportRows, importFile, jsonLines, transfer } from './transfer-calls.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);

const order = {
  ...definition('order', [
    { name: 'name', search: true },
    { name: 'n', colType: 'integer', index: true },
    { name: 'data', colType: 'json' },
    { name: 'pin', colType: 'encrypted' },
    { name: 'follows', colType: 'guid', lookup: { entity: 'order' } },
  ]),
  Views: {
    short: {
      fields: [
        { name: 'name', as: 'title' },
        { name: 'n' },
        { name: 'follows', lookup: { view: 'compact', as: 'before' } },
      ],
    },
  },
};
await defineEntity(org, order);
await defineEntity(org, {
  ...definition('note', [{ name: 'text' }, { name: 'owner_id', colType: 'guid' }]),
  ownerIndexes: [
    { ownerFieldName: 'owner_id', gpkTemplate: 'org#{org};note#{owner_id}', gskTemplate: 'note#{id}', scopeList: true },
  ],
});
await defineEntity(org, definition('empty', [{ name: 'a' }, { name: 'b' }]));

const rows = Array.from({ length: 2500 }, (_, n) => ({
  name: `order number ${n}`,
  n,
  data: { n: [n] },
  pin: 'secret-4711',
}));
assert.equal((await importFile(founder, 'order', jsonLines(rows))).created, rows.length);
const [newest] = (await list(founder, 'order')).items;

test('an export is a file of all records, the newest first', async () => {
  const reply = await transfer(founder, '/export/order');
  assert.equal(reply.status, 200);
  assert.equal(reply.headers.get('content-type'), 'application/x-ndjson');
  assert.equal(reply.headers.get('content-disposition'), 'attachment; filename="order.jsonl"');
  assert.equal(reply.headers.get('cache-control'), 'no-store');
  const records = reply.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    records.map(({ n }) => n),
    rows.map(({ n }) => n).reverse(),
  );
  const read = await act(founder, 'GET', `/item/order/${newest?.id}`);
  assert.deepEqual(records[0], read.body);
  assert.ok(!reply.text.includes('secret-4711'));
});

test('a CSV export has the columns of its view and a record a line', async () => {
  const reply = await transfer(founder, '/export/order?format=csv&n=7');
  assert.equal(reply.headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
  assert.equal(reply.headers.get('content-disposition'), 'attachment; filename="order.csv"');
  const [header, line, ...rest] = reply.text.split('\r\n');
  assert.equal(header, 'id,name,n,data,follows,created_at,updated_at,created_by,updated_by,version');
  assert.match(line ?? '', /^[0-9a-f-]{36},order number 7,7,"\{""n"":\[7\]\}",,2/);
  assert.deepEqual(rest, ['']);
  const compact = await transfer(founder, '/export/order?format=csv&view=compact&n=7');
  assert.match(compact.text, /^id,name\r\n[0-9a-f-]{36},order number 7\r\n$/);
});

test('the format is what `Accept` says where the address does not say it', async () => {
  const formats: readonly (readonly [accept: string, query: string, type: string])[] = [
    ['text/csv', '', 'text/csv'],
    ['application/jsonl', '', 'application/x-ndjson'],
    ['text/csv;q=0.2, application/x-ndjson', '', 'application/x-ndjson'],
    ['*/*', '', 'application/x-ndjson'],
    ['application/x-ndjson', 'format=csv', 'text/csv'],
    ['text/csv', 'format=jsonl', 'application/x-ndjson'],
  ];
  for (const [accept, query, type] of formats) {
    const reply = await transfer(founder, `/export/empty?${query}`, { headers: { accept } });
    assert.ok(reply.headers.get('content-type')?.startsWith(type), `${accept} ${query}`);
  }
  assert.equal(
    (await transfer(founder, '/export/empty?format=csv&view=default')).text,
    'id,a,b,created_at,updated_at,created_by,updated_by,version\r\n',
  );
  assert.equal((await transfer(founder, '/export/empty')).text, '');
});

test('an export takes what a list takes, and holds what its pages hold together', async () => {
  for (const query of [
    'n=20&n_op=lt&sortby=n&sortdir=asc',
    'q=number+24',
    'n=5,9&n_op=between',
    'view=short&n=3',
    'name=nothing',
  ]) {
    const listed = [];
    let nexttoken: string | null = '';
    while (nexttoken !== null) {
      const page = await list(
        founder,
        'order',
        `?${query}&pagesize=200${nexttoken === '' ? '' : `&nexttoken=${nexttoken}`}`,
      );
      listed.push(...page.items);
      nexttoken = page.nexttoken;
    }
    assert.deepEqual(await exportRows(founder, `order?${query}`), listed, query);
  }
});

test('a record that a view looks up is JSON in its cell, and nothing where the caller may not get it', async () => {
  const made = await create(founder, 'order', { name: 'follower', follows: newest?.id });
  const query = '/export/order?format=csv&view=short&name=follower';
  const shown = `{"id":"${newest?.id}","name":"order number 2499"}`.replaceAll('"', '""');
  assert.equal((await transfer(founder, query)).text, `title,n,before\r\nfollower,,"${shown}"\r\n`);
  const user = await memberWith(founder, [allow('listorder')]);
  assert.equal((await transfer(user, query)).text, 'title,n,before\r\nfollower,,null\r\n');
  await act(founder, 'DELETE', `/delete/order/${made.id}`);
});

for (const [what, query, code, at] of [
  ['a page size', 'pagesize=10', 'invalid_request', ['/pagesize']],
  ['a cursor', 'nexttoken=x', 'invalid_request', ['/nexttoken']],
  ['a format that there is not', 'format=xml', 'invalid_request', ['/format']],
  ['an unknown field', 'colour=red', 'invalid_request', ['/colour']],
  ['an unknown view', 'view=other', 'invalid_request', ['/view']],
  ['a value of another type', 'n=x', 'invalid_request', ['/n']],
  ['an order without an index', 'sortby=pin', 'unindexed_sort', undefined],
] as const)
  test(`an export with ${what} is refused`, async () => {
    const problem = assertProblem(await transfer(founder, `/export/order?${query}`), code);
    if (at !== undefined) assert.deepEqual(pointers(problem), at);
  });

test('only a caller who may list may export', async () => {
  const other = await foundedOrg(gateways);
  assertProblem(await transfer(undefined, '/export/order', { at: founder }), 'token_missing');
  assertProblem(await transfer(other.founder, '/export/order', { at: founder }), 'token_invalid');
  assertProblem(await transfer(other.founder, '/export/order'), 'not_found');
  assertProblem(await transfer(founder, '/export/nothing'), 'not_found');
  const unprivileged = await memberWith(founder, [allow('get*'), allow('createorder')]);
  assert.equal(assertProblem(await transfer(unprivileged, '/export/order'), 'access_denied').reason, 'implicit_deny');
  const denied = await memberWith(founder, [allow('list*'), deny('listorder', '/export/*')]);
  assert.equal(assertProblem(await transfer(denied, '/export/order'), 'access_denied').reason, 'explicit_deny');
  const viewer = await signIn(org);
  assert.equal((await exportRows(viewer, 'order?n=1')).length, 1);
});

test('an export is scoped to its owner as a list is', async () => {
  const member = await memberWith(founder, [allow('createnote'), allow('listnote')]);
  await create(founder, 'note', { text: 'mine' });
  await create(member, 'note', { text: 'theirs' });
  assert.deepEqual(
    (await exportRows(member, 'note')).map(({ text }) => text),
    ['theirs'],
  );
  assertProblem(await transfer(member, '/export/note?all=true'), 'access_denied');
  assertProblem(await transfer(member, `/export/note?owner=${founder.id}`), 'access_denied');
  assert.deepEqual(
    (await exportRows(founder, 'note?all=true')).map(({ text }) => text),
    ['theirs', 'mine'],
  );
  assert.deepEqual(
    (await exportRows(founder, 'note')).map(({ text }) => text),
    ['mine'],
  );
});

test('what one workspace exports another can import, and has the same records', async () => {
  const { founder: other, org: otherOrg } = await foundedOrg(gateways);
  await defineEntity(otherOrg, order);
  for (const [format, type] of [
    ['csv', 'text/csv'],
    ['jsonl', 'application/jsonl'],
  ] as const) {
    const file = await transfer(founder, `/export/order?format=${format}&n=2400&n_op=gte&sortdir=asc`);
    const result = await importFile(other, 'order', file.text, { 'content-type': type });
    assert.deepEqual([result.created, result.failed], [100, 0]);
  }
  const pick = ({ name, n, data }: Readonly<Record<string, unknown>>) => ({ name, n, data });
  const from = await exportRows(founder, 'order?n=2400&n_op=gte');
  assert.deepEqual((await exportRows(other, 'order')).map(pick), [...from, ...from].map(pick));
});

test('a client that leaves a long export leaves the platform as it was', async () => {
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${founder.token}` };
  const response = await fetch(appUrl(org, '/export/order'), { headers, signal: leaving.signal });
  await response.body?.getReader().read();
  leaving.abort();
  assert.equal((await exportRows(founder, 'order')).length, rows.length);
});

test('what denies a list denies the export, and what denies a create denies the import', async () => {
  const member = await memberWith(founder, [allow('*'), deny('*', ['/list/order', '/create/order'])]);
  assertProblem(await transfer(member, '/export/order'), 'access_denied');
  const body = jsonLines([{ name: 'x' }]);
  const headers = { 'content-type': 'application/x-ndjson' };
  assertProblem(await transfer(member, '/import/order', { method: 'POST', body, headers }), 'access_denied');
});
