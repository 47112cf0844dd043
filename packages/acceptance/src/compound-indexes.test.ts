import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, assertRefusal, pointers } from './assert-problem.ts';
import { eventually } from './eventually.ts';
import {
  act,
  allow,
  count,
  create,
  defineEntity,
  definition,
  deny,
  foundedOrg,
  list,
  manage,
  memberWith,
  type StoredRecord,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);

const fields = [
  { name: 'status', colType: 'string' },
  { name: 'minutes', colType: 'number' },
];
const indexes = [{ fields: ['status', '-minutes'] }];
await defineEntity(org, { ...definition('entry', fields), indexes });
const entries: StoredRecord[] = [];
for (const [status, minutes] of [
  ['open', 5],
  ['done', 7],
  ['open', -1],
  ['open', undefined],
  [undefined, 3],
  ['done', 7],
])
  entries.push(await create(founder, 'entry', { status, minutes }));

const placesOf = (records: readonly StoredRecord[]) =>
  records.map(({ id }) => entries.findIndex((entry) => entry.id === id));

/** The places of the records of a list, two to a page. */
async function listed(query: string): Promise<readonly number[]> {
  const records: StoredRecord[] = [];
  for (let next: string | null = ''; next !== null; ) {
    const page = await list(founder, 'entry', `?${query}&pagesize=2${next === '' ? '' : `&nexttoken=${next}`}`);
    records.push(...page.items);
    next = page.nexttoken;
  }
  return placesOf(records);
}

interface Index {
  readonly name: string;
  readonly kind: string;
  readonly state: string;
}

async function indexOf(entityName: string, name: string): Promise<Index | undefined> {
  const { found } = await eventually(`the end of building ${name}`, async () => {
    const { body } = await manage<{ readonly indexes: readonly Index[] }>(
      org,
      'GET',
      `/api/entity?entityName=${entityName}`,
    );
    const found = body.indexes.find((index) => index.name === name);
    return found?.state !== 'building' && { found };
  });
  return found;
}

test('a list is sorted by several fields in the order of a compound index, and in its reverse', async () => {
  assert.deepEqual(await listed('sortby=status,minutes&sortdir=asc,desc'), [4, 1, 5, 0, 2, 3]);
  assert.deepEqual(await listed('sortby=status,minutes&sortdir=desc,asc'), [3, 2, 0, 5, 1, 4]);
});

test('where a filter fixes the first field, the index serves the order of the next, and filters on it', async () => {
  assert.deepEqual(await listed('status=open&sortby=minutes'), [3, 2, 0]);
  assert.deepEqual(await listed('status=open&sortby=minutes&sortdir=desc'), [0, 2, 3]);
  assert.deepEqual(await listed('status=open&sortby=minutes&minutes=-1&minutes_op=gte'), [2, 0]);
  assert.deepEqual(await listed('status=done&minutes=7'), [5, 1]);
  assert.equal(await count(founder, 'entry', '?status=open'), 3);
});

test('an export in another order is refused with the index to declare, which has the order that a list has without it', async () => {
  await defineEntity(org, definition('visit', fields));
  for (const minutes of [2, 1]) await create(founder, 'visit', { status: 'open', minutes });
  const order = 'visit?sortby=status,minutes&sortdir=asc,desc';
  const sorted = async () =>
    (await list(founder, 'visit', '?sortby=status,minutes&sortdir=asc,desc')).items.map(({ minutes }) => minutes);
  assert.deepEqual(await sorted(), [2, 1]);
  const problem = assertProblem(await act(founder, 'GET', `/export/${order}`), 'unindexed_sort');
  assert.deepEqual(pointers(problem), ['/sortby']);
  const declared = String(/declare `indexes: (.*)`$/.exec(problem.errors?.[0]?.message ?? '')?.[1]);
  assert.match(problem.detail, /declare `indexes: \[\{"fields": \["status", "-minutes"\]\}\]`/);
  const put = (body: object) => manage(org, 'PUT', '/api/create-visit', { body });
  assert.equal((await put({ indexes: JSON.parse(declared) })).status, 200);
  const index = await indexOf('visit', 'status,-minutes');
  assert.deepEqual([index?.kind, index?.state], ['compound', 'ready']);
  assert.deepEqual(await sorted(), [2, 1]);
  assert.equal((await put({ indexes: null })).status, 200);
  assert.equal(await indexOf('visit', 'status,-minutes'), undefined);
  assertProblem(await act(founder, 'GET', `/export/${order}`), 'unindexed_sort');
});

test('a compound index that cannot be is refused, with its place', async () => {
  const make = (wrong: unknown) =>
    manage(org, 'POST', '/api/create-wrong', { body: { ...definition('wrong', fields), indexes: wrong } });
  for (const [wrong, place] of [
    [[{ fields: ['status', 'colour'] }], '/indexes/0/fields/1'],
    [[{ fields: ['status'] }], '/indexes/0/fields'],
    [[...indexes, { fields: ['-status', 'minutes'] }], '/indexes/1/fields'],
  ] as const)
    assert.deepEqual(pointers(assertRefusal(await make(wrong), [400])), [place]);
});

test('a member who may not read one field of an order sorts by none that has it', async () => {
  const member = await memberWith(founder, [{ ...allow('listentry'), Fields: ['status'] }]);
  const sorted = await act(member, 'GET', '/list/entry?sortby=status,minutes&sortdir=asc,desc');
  const problem = assertProblem(sorted, 'invalid_request');
  assert.deepEqual([pointers(problem), problem.errors?.[0]?.code], [['/sortby'], 'not_readable']);
  assertProblem(await act(member, 'GET', '/list/entry?status=open&sortby=minutes'), 'invalid_request');
  const shown = await act(member, 'GET', '/list/entry?status=open');
  assert.deepEqual([shown.status, /minutes/.test(shown.text)], [200, false]);
});

test('a list by several fields holds the records that are the caller’s, in order', async () => {
  const Condition = { NumericGreaterThan: { 'record.minutes': ['3'] } };
  const member = await memberWith(founder, [allow('listentry'), { ...deny('listentry'), Condition }]);
  const { items } = await list(member, 'entry', '?sortby=status,minutes&sortdir=asc,desc');
  assert.deepEqual(placesOf(items), [4, 2, 3]);
});
