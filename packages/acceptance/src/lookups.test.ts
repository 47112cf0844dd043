import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, assertRefusal, pointers } from './assert-problem.ts';
import type { Reply } from './call.ts';
import {
  act,
  allow,
  count,
  create,
  defineEntity,
  definition,
  foundedOrg,
  list,
  manage,
  memberWith,
  type StoredRecord,
  signIn,
  signUp,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { founderOf, multiOrg } from './workspaces.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
const other = await foundedOrg(gateways);
const missing = '01890000-0000-7000-8000-000000000000';

const lookup = (name: string, entity: string, onDelete?: string) => ({
  name,
  colType: 'guid',
  lookup: { entity, ...(onDelete === undefined ? {} : { onDelete }) },
});
for (const one of [org, other.org]) {
  await defineEntity(one, definition('customer', [{ name: 'title' }]));
  await defineEntity(
    one,
    definition('invoice', [
      { name: 'title' },
      lookup('customer_id', 'customer'),
      lookup('seller_id', 'customer', 'setnull'),
      lookup('clerk_id', 'user', 'setnull'),
    ]),
  );
  await defineEntity(one, definition('line', [{ name: 'title' }, lookup('invoice_id', 'invoice', 'cascade')]));
  await defineEntity(one, definition('folder', [{ name: 'title' }, lookup('above', 'folder', 'cascade')]));
  const keyed = { pkTemplate: 'org#{org};tag#{title}', skTemplate: '{title}#{id}' };
  await defineEntity(one, { ...definition('tag', [{ name: 'title' }]), baseKeys: keyed });
  await defineEntity(one, definition('tagged', [lookup('tag_id', 'tag', 'restrict')]));
}

const make = (entity: string, body: unknown) => act(founder, 'POST', `/create/${entity}`, { body });
const change = (entity: string, id: string, body: unknown) => act(founder, 'PUT', `/update/${entity}/${id}`, { body });
const remove = (entity: string, id: string) => act(founder, 'DELETE', `/delete/${entity}/${id}`);
const item = (entity: string, id: string) => act(founder, 'GET', `/item/${entity}/${id}`);

/** All that a caller can tell from a refusal, but for the id that he sent and what names the request. */
function face(reply: Reply<unknown>, id: string): unknown {
  const own = reply.headers.get('x-request-id') ?? 'none';
  return [reply.status, reply.text.replaceAll(own, '').replaceAll(id, '')];
}

test('an id that names a record of its entity is taken, at the create and at an update', async () => {
  const customer = await create(founder, 'customer', {});
  const invoice = await create(founder, 'invoice', { customer_id: customer.id.toUpperCase() });
  assert.equal(invoice.customer_id, customer.id);
  const next = await create(founder, 'customer', {});
  assert.equal((await change('invoice', invoice.id, { customer_id: next.id })).body.customer_id, next.id);
  assert.deepEqual(
    (await list(founder, 'invoice', `?customer_id=${next.id}`)).items.map(({ id }) => id),
    [invoice.id],
  );
  assert.equal((await change('invoice', invoice.id, { customer_id: null })).body.customer_id, undefined);
});

test('an id of another workspace, of another entity or of no record is refused alike, and nothing is written', async () => {
  const foreign = await create(other.founder, 'customer', { title: 'theirs' });
  const invoice = await create(founder, 'invoice', { title: 'mine' });
  const before = await list(founder, 'invoice', '?pagesize=200');
  const faces = new Set<string>();
  for (const id of [missing, foreign.id, invoice.id, founder.id, '018bcfe5-0000-1000-8000-000000000001']) {
    for (const ask of [
      () => make('invoice', { customer_id: id }),
      () => change('invoice', invoice.id, { customer_id: id }),
    ]) {
      const reply = await ask();
      assert.deepEqual(pointers(assertProblem(reply, 'validation_failed')), ['/customer_id']);
      faces.add(JSON.stringify(face(reply, id)));
    }
  }
  assert.equal(faces.size, 1, [...faces].join('\n'));
  assert.deepEqual(await list(founder, 'invoice', '?pagesize=200'), before);
});

test('an id of another workspace of the same org is refused like an unknown one', async () => {
  const own = await multiOrg(gateways);
  await defineEntity(own, definition('customer', []));
  await defineEntity(own, definition('invoice', [lookup('customer_id', 'customer', 'cascade')]));
  const [here, there] = [await founderOf(own, 'Here'), await founderOf(own, 'There')];
  const foreign = await create(there, 'customer', {});
  const mine = await create(here, 'customer', {});
  const invoice = await create(here, 'invoice', { customer_id: mine.id });
  const faces = [];
  for (const id of [foreign.id, missing])
    for (const [method, path] of [
      ['POST', '/create/invoice'],
      ['PUT', `/update/invoice/${invoice.id}`],
    ] as const)
      faces.push(face(await act(here, method, path, { body: { customer_id: id } }), id));
  for (const one of faces) assert.deepEqual(one, faces[0]);
  assert.equal((await act(there, 'DELETE', `/delete/customer/${foreign.id}`)).status, 204);
  assert.deepEqual((await list(here, 'invoice')).items, [invoice]);
});

for (const [what, value] of [
  ['a number', 7],
  ['an object', { id: missing }],
  ['a list', [missing]],
  ['a text', 'customer'],
  ['an empty text', ''],
] as const)
  test(`${what} is no id`, async () => {
    const problem = assertProblem(await make('invoice', { customer_id: value }), 'validation_failed');
    assert.deepEqual(pointers(problem), ['/customer_id']);
  });

test('a bad id is named beside the other mistakes of the body', async () => {
  const reply = await make('invoice', { customer_id: missing, seller_id: missing, title: 7 });
  assert.deepEqual(pointers(assertProblem(reply, 'validation_failed')), ['/customer_id', '/seller_id', '/title']);
});

test('a record that others refer to stays as long as they do, which is the rule where none is given', async () => {
  const customer = await create(founder, 'customer', {});
  const invoice = await create(founder, 'invoice', { customer_id: customer.id });
  const problem = assertProblem(await remove('customer', customer.id), 'dangling_reference');
  assert.match(problem.detail, /`invoice`.*`customer_id`/);
  assert.equal((await item('customer', customer.id)).status, 200);
  assert.equal((await remove('invoice', invoice.id)).status, 204);
  assert.equal((await remove('customer', customer.id)).status, 204);
});

test('`cascade` takes along what refers to a record, however deep', async () => {
  const folders: StoredRecord[] = [await create(founder, 'folder', { title: 'top' })];
  for (let depth = 0; depth < 5; depth++)
    folders.push(
      await create(founder, 'folder', { above: folders.at(-1)?.id }),
      await create(founder, 'folder', { above: folders[0]?.id }),
    );
  const apart = await create(founder, 'folder', { title: 'apart' });
  assert.equal((await remove('folder', folders[0]?.id ?? '')).status, 204);
  assert.deepEqual((await list(founder, 'folder')).items, [apart]);
  assert.equal(await count(founder, 'folder'), 1);
});

test('records that refer to each other in a circle, or to themselves, can be removed', async () => {
  const [one, two] = [await create(founder, 'folder', {}), await create(founder, 'folder', {})];
  await change('folder', one.id, { above: two.id });
  await change('folder', two.id, { above: one.id });
  const own = await create(founder, 'folder', {});
  assert.equal((await change('folder', own.id, { above: own.id })).status, 200);
  assert.equal((await remove('folder', own.id)).status, 204);
  assert.equal((await remove('folder', one.id)).status, 204);
  assertProblem(await item('folder', two.id), 'not_found');
});

test('`setnull` clears the reference, and the record shows who did it and when', async () => {
  const seller = await create(founder, 'customer', {});
  const invoice = await create(founder, 'invoice', { seller_id: seller.id, title: 'kept' });
  const remover = await memberWith(founder, [allow('deletecustomer')]);
  assert.equal((await act(remover, 'DELETE', `/delete/customer/${seller.id}`)).status, 204);
  const { body, headers } = await item('invoice', invoice.id);
  assert.deepEqual([body.seller_id, body.title, body.updated_by], [undefined, 'kept', remover.id]);
  assert.ok(body.version > invoice.version && headers.get('etag') === `"${body.version}"`);
  assert.deepEqual((await list(founder, 'invoice', `?seller_id=${seller.id}`)).items, []);
});

test('a removal is all or nothing: what one reference holds back, no other clears or takes along', async () => {
  const customer = await create(founder, 'customer', {});
  const invoice = await create(founder, 'invoice', { customer_id: customer.id, seller_id: customer.id });
  const line = await create(founder, 'line', { invoice_id: invoice.id });
  assertProblem(await remove('customer', customer.id), 'dangling_reference');
  assert.deepEqual((await item('invoice', invoice.id)).body, invoice);
  assert.equal((await remove('invoice', invoice.id)).status, 204);
  assertProblem(await item('line', line.id), 'not_found');
  assert.equal((await remove('customer', customer.id)).status, 204);
});

test('a removal takes along 200 records at once, and more of them in a job', async () => {
  const invoice = await create(founder, 'invoice', {});
  const lines = Array.from({ length: 200 }, () => create(founder, 'line', { invoice_id: invoice.id }));
  await Promise.all(lines);
  assert.equal((await remove('invoice', invoice.id)).status, 204);
  assert.equal(await count(founder, 'line', `?invoice_id=${invoice.id}`), 0);
  const larger = await create(founder, 'invoice', {});
  await Promise.all(Array.from({ length: 201 }, () => create(founder, 'line', { invoice_id: larger.id })));
  assert.equal((await remove('invoice', larger.id)).status, 202);
});

test('records under keys of the builder’s own are referred to by their ids, also when they move', async () => {
  const tag = await create(founder, 'tag', { title: 'red' });
  await create(founder, 'tagged', { tag_id: tag.id });
  assert.equal((await change('tag', tag.id, { title: 'blue' })).status, 200);
  const tagged = await create(founder, 'tagged', { tag_id: tag.id });
  assertProblem(await remove('tag', tag.id), 'dangling_reference');
  for (const { id } of (await list(founder, 'tagged')).items) await remove('tagged', id);
  assertProblem(await item('tagged', tagged.id), 'not_found');
  assert.equal((await remove('tag', tag.id)).status, 204);
});

test('a person can be referred to, and a reference to one who leaves is cleared', async () => {
  const clerk = await signIn(org);
  const invoice = await create(founder, 'invoice', { clerk_id: clerk.id });
  assertProblem(await make('invoice', { clerk_id: other.founder.id }), 'validation_failed');
  assert.equal((await remove('user', clerk.id)).status, 204);
  assert.equal((await item('invoice', invoice.id)).body.clerk_id, undefined);
});

test('of a removal and new references at once none leaves a dangling reference', async () => {
  for (let round = 0; round < 12; round++) {
    const [customer, parent] = [await create(founder, 'customer', {}), await create(founder, 'invoice', {})];
    const replies = await Promise.all([
      ...Array.from({ length: 6 }, () => make('invoice', { customer_id: customer.id })),
      ...Array.from({ length: 6 }, () => make('line', { invoice_id: parent.id })),
      remove('customer', customer.id),
      remove('invoice', parent.id),
    ]);
    for (const { status, text } of replies) assert.ok([201, 204, 400, 409].includes(status), text);
    const isGone = (await item('customer', customer.id)).status === 404;
    const referring = await count(founder, 'invoice', `?customer_id=${customer.id}`);
    assert.equal(isGone, referring === 0, `${isGone} ${referring}`);
    assertProblem(await item('invoice', parent.id), 'not_found');
    assert.equal(await count(founder, 'line', `?invoice_id=${parent.id}`), 0);
  }
});

test('an entity that others look up cannot be deleted before they are', async () => {
  assertProblem(await manage(org, 'DELETE', '/api/entity?entityname=customer'), 'dangling_reference');
  assert.equal((await manage(org, 'GET', '/api/entity?entityName=customer')).status, 200);
  const own = await signUp(gateways);
  await defineEntity(own, definition('customer', []));
  await defineEntity(own, definition('invoice', [lookup('customer_id', 'customer')]));
  assert.equal((await manage(own, 'DELETE', '/api/entity?entityname=invoice')).status, 204);
  assert.equal((await manage(own, 'DELETE', '/api/entity?entityname=customer')).status, 204);
});

const badLookups: readonly (readonly [string, object, string])[] = [
  ['an entity that does not exist', { lookup: { entity: 'nothing' } }, '/UpdateParams/0/lookup/entity'],
  ['no entity', { lookup: {} }, '/UpdateParams/0/lookup/entity'],
  ['a name that is none', { lookup: { entity: '__proto__' } }, '/UpdateParams/0/lookup/entity'],
  ['links of access control', { lookup: { entity: 'usergroup' } }, '/UpdateParams/0/lookup/entity'],
  ['an unknown rule', { lookup: { entity: 'user', onDelete: 'ignore' } }, '/UpdateParams/0/lookup/onDelete'],
  ['an unknown member', { lookup: { entity: 'user', via: 'x' } }, '/UpdateParams/0/lookup/via'],
  ['a text', { lookup: 'user' }, '/UpdateParams/0/lookup'],
  ['a number field', { colType: 'number', lookup: { entity: 'user' } }, '/UpdateParams/0/lookup'],
  [
    'a required field to clear',
    { validate: true, lookup: { entity: 'user', onDelete: 'setnull' } },
    '/UpdateParams/0/lookup/onDelete',
  ],
];

for (const [what, field, pointer] of badLookups)
  test(`a lookup of ${what} is refused in a definition`, async () => {
    const own = await signUp(gateways);
    const body = definition('odd', [{ name: 'ref', colType: 'guid', ...field }]);
    assert.deepEqual(pointers(assertRefusal(await manage(own, 'POST', '/api/create-odd', { body }), [400])), [pointer]);
    assertProblem(await manage(own, 'GET', '/api/entity?entityName=odd'), 'not_found');
  });

test('a lookup knows the entities of its own org only', async () => {
  const own = await signUp(gateways);
  const body = definition('odd', [lookup('ref', 'customer')]);
  const problem = assertProblem(await manage(own, 'POST', '/api/create-odd', { body }), 'validation_failed');
  assert.deepEqual(pointers(problem), ['/UpdateParams/0/lookup/entity']);
});
