/** Records of one batch that refer to each other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { apart, atomic, creating, deleting, type Result, together, updating } from './batches.ts';
import {
  type AppUser,
  act,
  allow,
  create,
  defineEntity,
  definition,
  foundedOrg,
  list,
  memberWith,
  random,
  type StoredRecord,
  withCondition,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
const lookup = (onDelete: string) => ({ colType: 'guid', lookup: { entity: 'invoice', onDelete } });
await defineEntity(org, definition('invoice', [{ name: 'title' }]));
const UniqueIndexes = [{ indexName: 'by_text', fields: ['text'] }];
await defineEntity(org, {
  ...definition('line', [
    { name: 'invoice_id', ...lookup('cascade') },
    { name: 'others', colType: 'array', items: lookup('setnull') },
    { name: 'extra', colType: 'json' },
    { name: 'text' },
  ]),
  UniqueIndexes,
});

const modes = [
  ['atomic', together],
  ['independent', apart],
] as const;

function recordOf(results: readonly Result[], index: number): StoredRecord {
  return results[index]?.record ?? assert.fail(JSON.stringify(results));
}

for (const [mode, send] of modes) {
  test(`an operation of a batch that is ${mode} names the record of an earlier one, by its place or its name`, async () => {
    const invoice = await create(founder, 'invoice', { title: 'old' });
    const results = await send(founder, [
      { ...creating('invoice', { title: 'one' }), ref: 'first' },
      creating('line', { invoice_id: { $ref: 0 } }),
      { ...updating('invoice', invoice, { title: 'new' }), ref: 'second_2' },
      creating('line', { invoice_id: { $ref: 'first' }, others: [{ $ref: 'second_2' }, { $ref: 0 }, invoice.id] }),
      creating('line', { invoice_id: { $ref: 2 } }),
    ]);
    const made = recordOf(results, 0).id;
    assert.deepEqual(
      [1, 3, 4].map((index) => recordOf(results, index).invoice_id),
      [made, made, invoice.id],
    );
    assert.deepEqual(recordOf(results, 3).others, [invoice.id, made, invoice.id]);
    const line = recordOf(results, 1);
    assert.deepEqual((await act(founder, 'GET', `/item/line/${line.id}`)).body, line);
    assert.equal((await list(founder, 'line', `?invoice_id=${made}`)).items.length, 2);
    const moved = await send(founder, [
      creating('invoice', { title: 'two' }),
      updating('line', line, { invoice_id: { $ref: 0 } }),
    ]);
    assert.equal(recordOf(moved, 1).invoice_id, recordOf(moved, 0).id);
    assert.equal((await act(founder, 'DELETE', `/delete/invoice/${made}`)).status, 204);
    assert.equal((await list(founder, 'line', `?invoice_id=${made}`)).items.length, 0);
  });

  test(`what is no lookup of a batch that is ${mode} refers to nothing`, async () => {
    const extra = { $ref: 0, deep: [{ $ref: 0 }] };
    const results = await send(founder, [
      creating('invoice', {}),
      creating('line', { extra: { $ref: 0 } }),
      creating('line', { extra }),
    ]);
    assert.deepEqual(
      [1, 2].map((index) => recordOf(results, index).extra),
      [{ $ref: 0 }, extra],
    );
  });
}

const wrongOnes: readonly (readonly [name: string, data: object, pointer: string, code: string])[] = [
  ['its own operation', { invoice_id: { $ref: 2 } }, '/invoice_id', 'unknown_reference'],
  ['a later operation', { invoice_id: { $ref: 3 } }, '/invoice_id', 'unknown_reference'],
  ['the name of a later operation', { invoice_id: { $ref: 'later' } }, '/invoice_id', 'unknown_reference'],
  ['no operation', { others: [{ $ref: 0 }, { $ref: 99 }] }, '/others/1', 'unknown_reference'],
  ['no name', { invoice_id: { $ref: 'none' } }, '/invoice_id', 'unknown_reference'],
  ['a removal', { invoice_id: { $ref: 1 } }, '/invoice_id', 'unknown_reference'],
  ['half a place', { invoice_id: { $ref: 0.5 } }, '/invoice_id', 'wrong_type'],
  ['a place and more', { invoice_id: { $ref: 0, x: 1 } }, '/invoice_id', 'wrong_type'],
  ['a text', { text: { $ref: 0 } }, '/text', 'wrong_type'],
];

for (const [name, data, pointer, code] of wrongOnes)
  test(`a reference to ${name} is refused`, async () => {
    const title = random();
    const removed = await create(founder, 'invoice', {});
    const operations = [
      creating('invoice', { title }),
      deleting('invoice', removed),
      creating('line', data),
      { ...creating('invoice', { title }), ref: 'later' },
    ];
    const problem = assertProblem(await atomic(founder, operations), 'validation_failed');
    assert.deepEqual(
      problem.errors?.map((error) => [error.pointer, error.code]),
      [[`/operations/2/data${pointer}`, code]],
    );
    assert.equal(
      (await list(founder, 'invoice', '?pagesize=200')).items.some((one) => one.title === title),
      false,
    );
    const results = await apart(founder, operations);
    assert.deepEqual(
      results.map(({ status }) => status),
      [201, 204, 400, 201],
    );
    assert.deepEqual(
      results[2]?.error?.errors?.map((error) => [error.pointer, error.code]),
      [[`/operations/2/data${pointer}`, code]],
    );
  });

test('a reference to an operation that was refused, or to a record of another entity, is unknown', async () => {
  const operations = [
    creating('invoice', { title: 7 }),
    creating('line', { invoice_id: { $ref: 0 } }),
    creating('line', { text: 'a line' }),
    creating('line', { invoice_id: { $ref: 2 } }),
  ];
  const results = await apart(founder, operations);
  assert.deepEqual(
    results.map(({ status }) => status),
    [400, 400, 201, 400],
  );
  for (const index of [1, 3])
    assert.deepEqual(
      results[index]?.error?.errors?.map((error) => [error.pointer, error.code]),
      [[`/operations/${index}/data/invoice_id`, 'unknown_reference']],
    );
  const whole = assertProblem(await atomic(founder, operations), 'validation_failed');
  assert.deepEqual(pointers(whole), ['/operations/0/data/title']);
});

test('names of operations are unique, and of a form of their own', async () => {
  const named = (ref: unknown) => ({ ...creating('invoice', {}), ref });
  const twice = assertProblem(await atomic(founder, [named('a'), named('b'), named('a')]), 'validation_failed');
  assert.deepEqual(
    twice.errors?.map(({ pointer, code }) => [pointer, code]),
    [['/operations/2/ref', 'duplicate']],
  );
  for (const ref of ['', 'A', '1a', 'a-b', 'a'.repeat(33), 1])
    assertProblem(await atomic(founder, [named(ref)]), 'validation_failed');
  assert.equal((await together(founder, [named('a'.repeat(32))])).length, 1);
  const invoice = await create(founder, 'invoice', {});
  assertProblem(await atomic(founder, [{ ...deleting('invoice', invoice), ref: 'a' }]), 'unknown_field');
  assertProblem(await act(founder, 'POST', '/create/line', { body: { invoice_id: { $ref: 0 } } }), 'validation_failed');
});

test('policies decide by the id that a reference stands for', async () => {
  const hasId = withCondition(allow('createline'), {
    StringLike: { 'request.body.invoice_id': '????????-*-????????????' },
  });
  const member = await memberWith(founder, [allow('createinvoice'), hasId]);
  const operations = (invoice_id: unknown) => [creating('invoice', {}), creating('line', { invoice_id })];
  await together(member, operations({ $ref: 0 }));
  const statuses = async (by: AppUser) => (await apart(by, operations({ $ref: 0 }))).map(({ status }) => status);
  // Each is a commit of its own, as if it had been sent alone: a record that its sender may not get is no reference.
  assert.deepEqual(await statuses(member), [201, 400]);
  const reader = await memberWith(founder, [allow('createinvoice'), allow('getinvoice'), hasId]);
  assert.deepEqual(await statuses(reader), [201, 201]);
  assertProblem(await atomic(member, operations('short')), 'access_denied');
  const stranger: AppUser = await memberWith(founder, [allow('createinvoice')]);
  assertProblem(await atomic(stranger, operations({ $ref: 9 })), 'access_denied');
});

for (const mode of ['atomic', 'independent'])
  test(`a batch that is ${mode} and sent again refers to the records of the first time`, async () => {
    const headers = { 'Idempotency-Key': random() };
    const operations = [creating('invoice', {}), creating('line', { invoice_id: { $ref: 0 } })];
    const send = () =>
      act<{ results: readonly Result[] }>(founder, 'POST', '/batch', { body: { mode, operations }, headers });
    const [first, second] = [await send(), await send()];
    assert.equal(second.headers.get('idempotency-replayed'), 'true');
    assert.deepEqual(second.body, first.body);
    assert.equal(recordOf(first.body.results, 1).invoice_id, recordOf(first.body.results, 0).id);
  });

test('what is missing of an independent batch is done by the ids of what was done before', async () => {
  const headers = { 'Idempotency-Key': random() };
  const text = random();
  const taken = await create(founder, 'line', { text });
  const operations = [creating('invoice', {}), creating('line', { invoice_id: { $ref: 0 }, text })];
  const body = { mode: 'independent', operations };
  const send = () => act<{ results: readonly Result[] }>(founder, 'POST', '/batch', { body, headers });
  const first = await send();
  assert.deepEqual(
    first.body.results.map(({ status }) => status),
    [201, 409],
  );
  assert.equal((await act(founder, 'DELETE', `/delete/line/${taken.id}`)).status, 204);
  const second = await send();
  assert.deepEqual(
    second.body.results.map(({ status }) => status),
    [201, 201],
  );
  assert.equal(recordOf(second.body.results, 1).invoice_id, first.body.results[0]?.id);
});
