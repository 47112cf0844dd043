import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, assertRefusal, pointers } from './assert-problem.ts';
import type { Reply } from './call.ts';
import { act, count, create, defineEntity, definition, foundedOrg, list, manage, random, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { founderOf, multiOrg } from './workspaces.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);

const fields = [
  { name: 'email' },
  { name: 'first' },
  { name: 'last' },
  { name: 'region' },
  { name: 'code', colType: 'integer' },
  { name: 'label', colType: 'formula', formula: '{region}/{code}' },
];
const UniqueIndexes = [
  { indexName: 'by_email', fields: ['email'], ignoreCase: true },
  { indexName: 'by_name', fields: ['first', 'last'] },
  { indexName: 'by_place', fields: ['region', 'code'] },
  { indexName: 'by_label', fields: ['label', 'code'] },
];
await defineEntity(org, { ...definition('customer', fields), UniqueIndexes });

const make = (body: unknown) => act(founder, 'POST', '/create/customer', { body });
const change = (id: string, body: unknown) => act(founder, 'PUT', `/update/customer/${id}`, { body });
const many = (of: (index: number) => Promise<Reply<unknown>>) =>
  Promise.all(Array.from({ length: 32 }, (_, index) => of(index)));

/** Holds a refusal to the words of the contract, and to it that it wrote nothing. */
async function assertTaken(
  ask: () => Promise<Reply<unknown>>,
  index: string,
  of: readonly string[] = [`/${index.slice(3)}`],
) {
  const before = await list(founder, 'customer', '?pagesize=200');
  const problem = assertProblem(await ask(), 'unique_violation');
  assert.equal(problem.detail, `Unique constraint violation on field: ${index}`);
  assert.deepEqual(pointers(problem), of);
  assert.deepEqual(await list(founder, 'customer', '?pagesize=200'), before);
}

test('a value that another record has is refused with 409 and the name of the index, and nothing is written', async () => {
  const email = `${random()}@example.com`;
  const { id } = await create(founder, 'customer', { email });
  const other = await create(founder, 'customer', {});
  await assertTaken(() => make({ email }), 'by_email');
  await assertTaken(() => change(other.id, { email }), 'by_email');
  assert.equal((await change(id, { email, first: 'Ada' })).status, 200);
});

test('an index that ignores case tells no ASCII letters apart by it, and any others', async () => {
  const name = random();
  await create(founder, 'customer', { email: `é${name}@Example.com` });
  await assertTaken(() => make({ email: `é${name.toUpperCase()}@eXAMPLE.COM` }), 'by_email');
  await create(founder, 'customer', { email: `É${name}@example.com` });
});

test('a value of several fields is taken as a whole, and each part counts exactly', async () => {
  const [first, last] = [random(), random()];
  await create(founder, 'customer', { first, last });
  await assertTaken(() => make({ last, first }), 'by_name', ['/first', '/last']);
  for (const other of [
    { first, last: `${last}x` },
    { first: first.slice(0, -1), last: first.slice(-1) + last },
    { first: first + last, last: '' },
    { first: '', last: first + last },
    { first: last, last: first },
    { first: first.toUpperCase(), last: `${last}A` },
  ])
    await create(founder, 'customer', other);
});

test('values that differ at the end of a long text alone are two', async () => {
  const long = random().repeat(1000);
  await create(founder, 'customer', { first: long, last: 'a' });
  await create(founder, 'customer', { first: `${long}.`, last: 'a' });
  await assertTaken(() => make({ first: long, last: 'a' }), 'by_name', ['/first', '/last']);
});

test('a record that lacks one of the fields is exempt', async () => {
  const first = random();
  for (let index = 0; index < 3; index++) await create(founder, 'customer', { first });
  await create(founder, 'customer', { first, last: null });
  const { items } = await list(founder, 'customer', `?first=${first}`);
  const [one, two] = items;
  assert.equal((await change(one?.id ?? '', { last: 'x' })).status, 200);
  await assertTaken(() => change(two?.id ?? '', { last: 'x' }), 'by_name', ['/first', '/last']);
});

test('a value is free again once its record has another, none, or is gone', async () => {
  const values = Array.from({ length: 3 }, () => `${random()}@example.com`);
  const records = await Promise.all(values.map((email) => create(founder, 'customer', { email })));
  const [changed, cleared, removed] = records.map(({ id }) => id);
  await change(changed ?? '', { email: `${random()}@example.com` });
  await change(cleared ?? '', { email: null });
  await act(founder, 'DELETE', `/delete/customer/${removed}`);
  for (const email of values) {
    await create(founder, 'customer', { email });
    await assertTaken(() => make({ email }), 'by_email');
  }
});

test('a refused write takes none of its values', async () => {
  const [taken, email] = [`${random()}@example.com`, `${random()}@example.com`];
  const names = { first: random(), last: random() };
  await create(founder, 'customer', { email: taken });
  await create(founder, 'customer', names);
  await assertTaken(() => make({ email, ...names }), 'by_name', ['/first', '/last']);
  await create(founder, 'customer', { email });
});

test('a value that is computed is held to be unique as it is at each write', async () => {
  const region = random();
  await create(founder, 'customer', { region, code: 7 });
  const other = await create(founder, 'customer', { region, code: 8 });
  const refused = assertProblem(await change(other.id, { code: 7 }), 'unique_violation');
  assert.match(refused.detail, /by_place|by_label/);
  assert.equal((await act(founder, 'GET', `/item/customer/${other.id}`)).body.label, `${region}/8`);
});

test('of 32 creates of one value at once exactly one is made, and the others are refused', async () => {
  for (let round = 0; round < 5; round++) {
    const email = `${random()}@example.com`;
    const before = await count(founder, 'customer');
    const replies = await many((index) => make({ email: index % 2 === 0 ? email : email.toUpperCase() }));
    assert.equal(replies.filter(({ status }) => status === 201).length, 1);
    for (const reply of replies.filter(({ status }) => status !== 201)) assertProblem(reply, 'unique_violation');
    assert.equal(await count(founder, 'customer'), before + 1);
  }
});

test('of 32 records that are given one value at once exactly one gets it', async () => {
  const records = await Promise.all(Array.from({ length: 32 }, () => create(founder, 'customer', {})));
  const email = `${random()}@example.com`;
  const replies = await many((index) => change(records[index]?.id ?? '', { email }));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, ...Array<number>(31).fill(409)]);
  const { items } = await list(founder, 'customer', `?email=${email}`);
  assert.equal(items.length, 1);
});

test('a value that is given up and wanted at once is had by at most one, and can be taken afterwards', async () => {
  for (let round = 0; round < 8; round++) {
    const [from, to] = [`${random()}@example.com`, `${random()}@example.com`];
    const { id } = await create(founder, 'customer', { email: from });
    const wanted = [make({ email: from }), make({ email: to }), change(id, { email: to }), make({ email: from })];
    for (const reply of await Promise.all(wanted)) assert.ok([200, 201, 409].includes(reply.status), reply.text);
    for (const email of [from, to]) {
      const { items } = await list(founder, 'customer', `?email=${email}`);
      assert.ok(items.length <= 1);
      const again = await make({ email });
      assert.equal(again.status, items.length === 0 ? 201 : 409, again.text);
    }
  }
});

test('a value is taken in its own workspace and its own entity only', async () => {
  const other = await foundedOrg(gateways);
  await defineEntity(other.org, { ...definition('customer', fields), UniqueIndexes });
  await defineEntity(org, { ...definition('supplier', fields), UniqueIndexes });
  const email = `${random()}@example.com`;
  await create(founder, 'customer', { email });
  await create(founder, 'supplier', { email });
  await create(other.founder, 'customer', { email });
});

test('two workspaces of one org take one value each, and neither tells of the other’s', async () => {
  const own = await multiOrg(gateways);
  await defineEntity(own, { ...definition('customer', fields), UniqueIndexes });
  const email = `${random()}@example.com`;
  for (const user of [await founderOf(own, 'First'), await founderOf(own, 'Second')]) {
    await create(user, 'customer', { email });
    assertProblem(await act(user, 'POST', '/create/customer', { body: { email } }), 'unique_violation');
    assert.equal(await count(user, 'customer'), 1);
  }
});

const badIndexes: readonly (readonly [string, unknown, readonly string[]])[] = [
  ['no list', { indexName: 'a', fields: ['email'] }, ['/UniqueIndexes']],
  ['a text for an index', ['email'], ['/UniqueIndexes/0']],
  ['no name', [{ fields: ['email'] }], ['/UniqueIndexes/0/indexName']],
  ['a name with a space', [{ indexName: 'by email', fields: ['email'] }], ['/UniqueIndexes/0/indexName']],
  ['no fields', [{ indexName: 'a', fields: [] }], ['/UniqueIndexes/0/fields']],
  ['a field that does not exist', [{ indexName: 'a', fields: ['colour'] }], ['/UniqueIndexes/0/fields/0']],
  ['a field twice', [{ indexName: 'a', fields: ['email', 'email'] }], ['/UniqueIndexes/0/fields/1']],
  ['a field of JSON', [{ indexName: 'a', fields: ['blob'] }], ['/UniqueIndexes/0/fields/0']],
  ['an encrypted field', [{ indexName: 'a', fields: ['secret'] }], ['/UniqueIndexes/0/fields/0']],
  ['an unknown member', [{ indexName: 'a', fields: ['email'], sparse: true }], ['/UniqueIndexes/0/sparse']],
  [
    'a case rule that is no flag',
    [{ indexName: 'a', fields: ['email'], ignoreCase: 1 }],
    ['/UniqueIndexes/0/ignoreCase'],
  ],
  [
    'a name twice',
    [
      { indexName: 'a', fields: ['email'] },
      { indexName: 'a', fields: ['first'] },
    ],
    ['/UniqueIndexes/1/indexName'],
  ],
];

for (const [what, indexes, expected] of badIndexes)
  test(`a definition whose unique index has ${what} is refused, and nothing is stored`, async () => {
    const own = await signUp(gateways);
    const catalog = [...fields, { name: 'blob', colType: 'json' }, { name: 'secret', colType: 'encrypted' }];
    const body = { ...definition('customer', catalog), UniqueIndexes: indexes };
    const problem = assertRefusal(await manage(own, 'POST', '/api/create-customer', { body }), [400]);
    assert.deepEqual(pointers(problem), expected);
    assertProblem(await manage(own, 'GET', '/api/entity?entityName=customer'), 'not_found');
  });
