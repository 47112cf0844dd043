import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, assertRefusal, pointers } from './assert-problem.ts';
import { assertNow } from './moments.ts';
import { act, appUrl, count, create, defineEntity, definition, foundedOrg, list, manage } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);

const uuidv7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

await defineEntity(
  org,
  definition('order', [
    { name: 'title', colType: 'string', validate: true, minlength: 2, maxlength: 5 },
    { name: 'note', colType: 'string' },
    { name: 'amount', colType: 'number', validate: true, required: false, min: 0, max: 1000 },
    { name: 'paid', colType: 'boolean' },
    { name: 'state', colType: 'enum', enumValues: ['open', 'done'], default: 'open' },
    { name: 'ref', colType: 'guid' },
  ]),
);
await defineEntity(
  org,
  definition('text', [
    { name: 'body', colType: 'string' },
    { name: 'amount', colType: 'number' },
  ]),
);

const missing = '01890000-0000-7000-8000-000000000000';

test('a create answers 201 with the record, where it stands and its version', async () => {
  const reply = await act(founder, 'POST', '/create/order', { body: { title: 'first', amount: 12.5, paid: false } });
  assert.equal(reply.status, 201, reply.text);
  const record = reply.body;
  assert.match(record.id, uuidv7);
  assert.deepEqual([record.title, record.amount, record.paid, record.state], ['first', 12.5, false, 'open']);
  assert.equal(record.created_at, record.updated_at);
  assertNow(record.created_at);
  assert.deepEqual([record.created_by, record.updated_by], [founder.id, founder.id]);
  const location = new URL(reply.headers.get('location') ?? '', appUrl(org, '/create/order')).pathname;
  assert.equal(location, `/app/${org.code}/item/order/${record.id}`);
  const read = await act(founder, 'GET', `/item/order/${record.id}`);
  assert.deepEqual(read.body, record);
  assert.ok(read.headers.get('etag'));
  assert.equal(read.headers.get('etag'), reply.headers.get('etag'));
});

test('`Prefer: return=minimal` answers a create with the id alone', async () => {
  const headers = { prefer: 'return=minimal' };
  const reply = await act(founder, 'POST', '/create/text', { headers, body: { body: 'a' } });
  assert.equal(reply.status, 201, reply.text);
  assert.deepEqual(Object.keys(reply.body), ['id']);
});

test('ids grow with the order of creation', async () => {
  const ids: string[] = [];
  for (const body of ['a', 'b', 'c', 'd']) ids.push((await create(founder, 'text', { body })).id);
  assert.deepEqual(ids.toSorted(), ids);
});

test('an update changes the fields that are sent, and null clears one', async () => {
  const record = await create(founder, 'order', { title: 'one', note: 'keep', amount: 1 });
  const reply = await act(founder, 'PUT', `/update/order/${record.id}`, { body: { title: 'two', amount: null } });
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual([reply.body.title, reply.body.note, reply.body.state], ['two', 'keep', 'open']);
  assert.equal(reply.body.amount ?? null, null);
  assert.equal(reply.body.created_at, record.created_at);
  assert.ok(reply.body.version > record.version);
  assert.deepEqual((await act(founder, 'GET', `/item/order/${record.id}`)).body, reply.body);
});

test('a required field cannot be cleared', async () => {
  const record = await create(founder, 'order', { title: 'one' });
  const reply = await act(founder, 'PUT', `/update/order/${record.id}`, { body: { title: null } });
  assert.deepEqual(pointers(assertProblem(reply, 'validation_failed')), ['/title']);
  assert.deepEqual((await act(founder, 'GET', `/item/order/${record.id}`)).body, record);
});

test('a default is set on create and not on update', async () => {
  const record = await create(founder, 'order', { title: 'one' });
  assert.equal(record.state, 'open');
  const cleared = await act(founder, 'PUT', `/update/order/${record.id}`, { body: { state: null } });
  assert.equal(cleared.body.state ?? null, null);
});

test('a deleted record is gone', async () => {
  const record = await create(founder, 'order', { title: 'one' });
  const reply = await act(founder, 'DELETE', `/delete/order/${record.id}`);
  assert.deepEqual([reply.status, reply.text], [204, '']);
  assertProblem(await act(founder, 'GET', `/item/order/${record.id}`), 'not_found');
  assertProblem(await act(founder, 'PUT', `/update/order/${record.id}`, { body: { title: 'two' } }), 'not_found');
  assertProblem(await act(founder, 'DELETE', `/delete/order/${record.id}`), 'not_found');
});

test('a missing record and an id that is none get the same 404', async () => {
  for (const id of [missing, 'nothing', '1', 'a'.repeat(300), 'toString', '__proto__']) {
    const problem = assertProblem(await act(founder, 'GET', `/item/order/${id}`), 'not_found');
    assert.equal(
      problem.detail,
      assertProblem(await act(founder, 'GET', `/item/order/${missing}`), 'not_found').detail,
    );
    assertProblem(await act(founder, 'PUT', `/update/order/${id}`, { body: { title: 'two' } }), 'not_found');
    assertProblem(await act(founder, 'DELETE', `/delete/order/${id}`), 'not_found');
  }
});

test('D02: an entity that is none is not found, also under a name that every object has', async () => {
  for (const entity of [
    'nothing',
    'constructor',
    'toString',
    'valueOf',
    '__proto__',
    '__defineGetter__',
    'hasOwnProperty',
  ]) {
    assertRefusal(await act(founder, 'GET', `/list/${entity}`), [400, 404]);
    assertRefusal(await act(founder, 'GET', `/count/${entity}`), [400, 404]);
    assertRefusal(await act(founder, 'GET', `/item/${entity}/${missing}`), [400, 404]);
    assertRefusal(await act(founder, 'POST', `/create/${entity}`, { body: {} }), [400, 404]);
    assertRefusal(await act(founder, 'PUT', `/update/${entity}/${missing}`, { body: {} }), [400, 404]);
    assertRefusal(await act(founder, 'DELETE', `/delete/${entity}/${missing}`), [400, 404]);
  }
});

test('`If-Match` holds an update and a delete to the version that was read', async () => {
  const created = await act(founder, 'POST', '/create/order', { body: { title: 'one' } });
  const path = `/update/order/${created.body.id}`;
  const old = created.headers.get('etag') ?? '';
  const updated = await act(founder, 'PUT', path, { headers: { 'if-match': old }, body: { title: 'two' } });
  assert.equal(updated.status, 200, updated.text);
  assert.notEqual(updated.headers.get('etag'), old);
  assertProblem(
    await act(founder, 'PUT', path, { headers: { 'if-match': old }, body: { title: 'bad' } }),
    'version_mismatch',
  );
  assertProblem(
    await act(founder, 'DELETE', `/delete/order/${created.body.id}`, { headers: { 'if-match': old } }),
    'version_mismatch',
  );
  assert.deepEqual((await act(founder, 'GET', `/item/order/${created.body.id}`)).body, updated.body);
  const headers = { 'if-match': updated.headers.get('etag') ?? '' };
  assert.equal((await act(founder, 'DELETE', `/delete/order/${created.body.id}`, { headers })).status, 204);
});

test('of parallel updates with one `If-Match` exactly one is accepted', async () => {
  const created = await act(founder, 'POST', '/create/text', { body: { amount: 0 } });
  const headers = { 'if-match': created.headers.get('etag') ?? '' };
  const path = `/update/text/${created.body.id}`;
  const replies = await Promise.all(
    Array.from({ length: 16 }, (_, amount) => act(founder, 'PUT', path, { headers, body: { amount } })),
  );
  const accepted = replies.filter((reply) => reply.status === 200);
  assert.equal(accepted.length, 1);
  for (const reply of replies) if (reply.status !== 200) assertProblem(reply, 'version_mismatch');
  assert.deepEqual((await act(founder, 'GET', `/item/text/${created.body.id}`)).body, accepted[0]?.body);
});

test('parallel updates of different fields lose none of them', async () => {
  const { id } = await create(founder, 'order', { title: 'one' });
  const changes = [{ note: 'n' }, { amount: 5 }, { paid: true }, { state: 'done' }];
  await Promise.all(changes.map((body) => act(founder, 'PUT', `/update/order/${id}`, { body })));
  const { note, amount, paid, state } = (await act(founder, 'GET', `/item/order/${id}`)).body;
  assert.deepEqual({ note, amount, paid, state }, { note: 'n', amount: 5, paid: true, state: 'done' });
});

test('`If-None-Match` spares the body of what the caller has', async () => {
  const created = await act(founder, 'POST', '/create/order', { body: { title: 'one' } });
  const path = `/item/order/${created.body.id}`;
  const headers = { 'if-none-match': created.headers.get('etag') ?? '' };
  const same = await act(founder, 'GET', path, { headers });
  assert.deepEqual([same.status, same.text], [304, '']);
  await act(founder, 'PUT', `/update/order/${created.body.id}`, { body: { title: 'two' } });
  assert.equal((await act(founder, 'GET', path, { headers })).status, 200);
});

test('D17: lengths are counted in characters, and exactly the bound passes', async () => {
  for (const title of ['ab', 'abcde', 'äöüßé', '😀😀😀😀😀']) {
    assert.equal((await create(founder, 'order', { title })).title, title);
  }
  for (const title of ['a', 'abcdef', '😀', '😀😀😀😀😀😀', '']) {
    const problem = assertProblem(
      await act(founder, 'POST', '/create/order', { body: { title } }),
      'validation_failed',
    );
    assert.deepEqual(pointers(problem), ['/title']);
  }
});

const badValues: readonly (readonly [string, string, readonly unknown[]])[] = [
  ['order', 'title', [7, true, {}, [], ['ab']]],
  ['order', 'amount', [-1, 1000.5, '5', true, {}, []]],
  ['order', 'paid', ['true', 1, 0, {}, []]],
  ['order', 'state', ['closed', 'OPEN', '', 7, 'toString']],
  ['order', 'ref', ['abc', 7, '00000000-0000-0000-0000-00000000000g']],
  ['text', 'amount', ['5', true, {}]],
];
for (const [entity, field, values] of badValues) {
  test(`the field ${field} of ${entity} refuses what is not of its kind, on create and on update`, async () => {
    const good = entity === 'order' ? { title: 'good' } : {};
    const record = await create(founder, entity, good);
    const before = await count(founder, entity);
    for (const value of values) {
      const body = { ...good, [field]: value };
      const created = await act(founder, 'POST', `/create/${entity}`, { body });
      assert.deepEqual(pointers(assertProblem(created, 'validation_failed')), [`/${field}`], JSON.stringify(value));
      const updated = await act(founder, 'PUT', `/update/${entity}/${record.id}`, { body: { [field]: value } });
      assert.deepEqual(pointers(assertProblem(updated, 'validation_failed')), [`/${field}`], JSON.stringify(value));
    }
    assert.equal(await count(founder, entity), before);
    assert.deepEqual((await act(founder, 'GET', `/item/${entity}/${record.id}`)).body, record);
  });
}

test('every mistake of a body is named, each with where it stands', async () => {
  const reply = await act(founder, 'POST', '/create/order', { body: { title: 'a', amount: -1, paid: 'no' } });
  assert.deepEqual(pointers(assertProblem(reply, 'validation_failed')), ['/amount', '/paid', '/title']);
  const absent = await act(founder, 'POST', '/create/order', { body: {} });
  assert.deepEqual(pointers(assertProblem(absent, 'validation_failed')), ['/title']);
});

test('an unknown field is refused by name', async () => {
  const record = await create(founder, 'order', { title: 'one' });
  for (const name of ['colour', 'Title', 'constructor', 'toString', 'pk', 'sk', 'gpk1']) {
    const created = await act(founder, 'POST', '/create/order', { body: { title: 'two', [name]: 'x' } });
    assert.deepEqual(pointers(assertProblem(created, 'unknown_field')), [`/${name}`]);
    const updated = await act(founder, 'PUT', `/update/order/${record.id}`, { body: { [name]: 'x' } });
    assert.deepEqual(pointers(assertProblem(updated, 'unknown_field')), [`/${name}`]);
  }
  assert.deepEqual((await act(founder, 'GET', `/item/order/${record.id}`)).body, record);
});

const platformFields = ['id', 'created_at', 'updated_at', 'created_by', 'updated_by', 'version'];

test('B15: what the platform sets, the client does not', async () => {
  const record = await create(founder, 'order', { title: 'one' });
  for (const name of platformFields) {
    const value = name === 'version' ? 99 : missing;
    const created = await act(founder, 'POST', '/create/order', { body: { title: 'two', [name]: value } });
    assert.deepEqual(pointers(assertProblem(created, 'unknown_field')), [`/${name}`]);
    const status = name === 'version' ? 412 : 400;
    assertRefusal(await act(founder, 'PUT', `/update/order/${record.id}`, { body: { [name]: value } }), [status]);
  }
  assert.deepEqual((await act(founder, 'GET', `/item/order/${record.id}`)).body, record);
});

test('B15: a record can be read, edited and put back whole', async () => {
  const record = await create(founder, 'order', { title: 'one' });
  const reply = await act(founder, 'PUT', `/update/order/${record.id}`, { body: { ...record, title: 'two' } });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.body.title, 'two');
});

test('C04: a body cannot name the org or the workspace', async () => {
  for (const name of ['org', 'tenant_id', 'tenant_code']) {
    const reply = await act(founder, 'POST', '/create/order', { body: { title: 'one', [name]: 'beta' } });
    assert.deepEqual(pointers(assertProblem(reply, 'unknown_field')), [`/${name}`]);
  }
});

test('C06: a key template whose token has no value refuses the record and names the token', async () => {
  const body = {
    ...definition('visit', [{ name: 'customer', colType: 'string' }]),
    baseKeys: { pkTemplate: 'org#{org};data#visit', skTemplate: 'visit#{customer}#{id}' },
  };
  await defineEntity(org, body);
  for (const bad of [{}, { customer: null }, { customer: '' }]) {
    const reply = await act(founder, 'POST', '/create/visit', { body: bad });
    assert.match(assertRefusal(reply, [400]).detail, /customer/);
  }
  const { id } = await create(founder, 'visit', { customer: 'a#b;c%{id}' });
  assert.equal((await act(founder, 'GET', `/item/visit/${id}`)).body.customer, 'a#b;c%{id}');
  assert.equal(await count(founder, 'visit'), 1);
});

test('texts come back as they were sent', async () => {
  const texts = [
    '',
    ' ',
    ' a ',
    'é',
    'é',
    'ＡＢＣ',
    '😀',
    '👩‍👩‍👧‍👦',
    '\u2028\u2029',
    '"\\/\b\f\n\r\t',
    '\u0001',
    '<script>',
    '{}',
    'null',
    '%00',
    '٣',
  ];
  for (const body of texts) {
    const { id } = await create(founder, 'text', { body });
    assert.equal((await act(founder, 'GET', `/item/text/${id}`)).body.body, body);
  }
});

test('numbers come back as they were sent', async () => {
  for (const amount of [0, 1, -1, 0.1, 1e-7, 1.5e-300, 123456.789, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
    const { id } = await create(founder, 'text', { amount });
    assert.equal((await act(founder, 'GET', `/item/text/${id}`)).body.amount, amount);
  }
});

test('C07: an entity whose name begins like another’s keeps its records to itself', async () => {
  await defineEntity(org, definition('page', [{ name: 'title', colType: 'string', index: true }]));
  await defineEntity(org, definition('pages', [{ name: 'title', colType: 'string', index: true }]));
  const page = await create(founder, 'page', { title: 'same' });
  const pages = await create(founder, 'pages', { title: 'same' });
  for (const query of ['', '?title=same', '?sortby=title']) {
    assert.deepEqual((await list(founder, 'page', query)).items, [page]);
    assert.deepEqual((await list(founder, 'pages', query)).items, [pages]);
  }
  assertProblem(await act(founder, 'GET', `/item/page/${pages.id}`), 'not_found');
  assert.equal((await act(founder, 'DELETE', `/delete/page/${page.id}`)).status, 204);
  assert.equal(await count(founder, 'pages'), 1);
});

test('a method that a route does not take is answered with 405 and the methods that it takes', async () => {
  const reply = await act(founder, 'PATCH', `/update/order/${missing}`, { body: {} });
  assertProblem(reply, 'method_not_allowed');
  assert.match(reply.headers.get('allow') ?? '', /PUT/);
  const onList = await act(founder, 'POST', '/list/order', { body: {} });
  assertProblem(onList, 'method_not_allowed');
  assert.match(onList.headers.get('allow') ?? '', /GET/);
});

test('a route that is none is not found, on either gateway', async () => {
  assertProblem(await act(founder, 'GET', '/nothing'), 'not_found');
  assertProblem(await act(founder, 'GET', '/list'), 'not_found');
  assertProblem(await manage(org, 'GET', '/api/nothing/at/all'), 'not_found');
});
