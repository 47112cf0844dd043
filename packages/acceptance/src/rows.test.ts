import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import {
  act,
  allow,
  count,
  create,
  defineEntity,
  deny,
  foundedOrg,
  list,
  manage,
  memberWith,
  type Page,
  type StoredRecord,
  signIn,
  withCondition,
  withFields,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(org, {
  entityName: 'order',
  UpdateParams: [
    { name: 'title', search: true },
    { name: 'owner_id', index: true },
    { name: 'status', index: true },
    { name: 'amount', colType: 'number', index: true },
    { name: 'note', search: true },
    { name: 'code' },
  ],
  UniqueIndexes: [{ indexName: 'by_code', fields: ['code'] }],
});
await defineEntity(org, {
  entityName: 'line',
  UpdateParams: [
    { name: 'order_id', colType: 'guid', lookup: { entity: 'order' } },
    { name: 'n', colType: 'integer' },
  ],
  Views: {
    full: { fields: [{ name: 'n' }, { name: 'order_id', lookup: { view: 'default', as: 'order' } }] },
  },
});

const ownOnly = { StringEquals: { 'record.owner_id': '$' + '{user.id}' } };
const isOpen = { StringEquals: { 'record.status': 'open' } };
const everyOrder = ['getorder', 'listorder', 'countorder', 'createorder', 'updateorder', 'deleteorder'];

const owner = await memberWith(founder, [withCondition(allow(everyOrder), ownOnly)]);
const own = await create(founder, 'order', { title: 'own', owner_id: owner.id, status: 'open', amount: 1 });
const foreign = await create(founder, 'order', { title: 'foreign', owner_id: founder.id, status: 'open', amount: 2 });
const missing = '018bcfe5-0000-7000-8000-00000000ffff';

/** What tells the answer about a record from the one about none. */
async function sameAsMissing(method: string, path: string, options = {}): Promise<void> {
  const [hidden, none] = [
    await act(owner, method, `${path}/${foreign.id}`, options),
    await act(owner, method, `${path}/${missing}`, options),
  ];
  const describe = ({ status, headers, text }: typeof hidden) => ({
    status,
    text: text.replace(/"request_id":"[^"]*"/, ''),
    headers: [...headers.keys()].sort(),
    length: headers.get('content-length'),
  });
  assert.equal(hidden.status, 404, hidden.text);
  assert.deepEqual(describe(hidden), describe(none));
  const found = await manage(org, 'GET', `/acl/decisions?request_id=${hidden.headers.get('x-request-id')}`);
  assert.equal(found.status, 200, found.text);
  assertProblem(await manage(org, 'GET', `/acl/decisions?request_id=${none.headers.get('x-request-id')}`), 'not_found');
}

test('B23: a record of another owner is answered as one that there is not, and builders find out why', async () => {
  await sameAsMissing('GET', '/item/order');
  await sameAsMissing('GET', '/item/order', { headers: { 'If-None-Match': `"${foreign.version}"` } });
  await sameAsMissing('PUT', '/update/order', { body: { title: 'x' } });
  await sameAsMissing('PUT', '/update/order', { body: { title: 'x' }, headers: { 'If-Match': '"1"' } });
  await sameAsMissing('PUT', '/update/order', { body: { nonsense: 'x' } });
  await sameAsMissing('DELETE', '/delete/order');
  await sameAsMissing('DELETE', '/delete/order', { headers: { 'If-Match': '"1"' } });
  assert.equal((await act(founder, 'GET', `/item/order/${foreign.id}`)).body.title, 'foreign');
  assert.equal((await act(owner, 'GET', `/item/order/${own.id}`)).status, 200);
});

test('what is denied without a look at the record is a 403 whether or not there is one', async () => {
  const user = await memberWith(founder, [
    withCondition(allow(everyOrder), ownOnly),
    withCondition(deny('*'), { StringEquals: { 'request.method': ['PUT', 'DELETE'] } }),
  ]);
  for (const id of [own.id, foreign.id, missing]) {
    assertProblem(await act(user, 'PUT', `/update/order/${id}`, { body: {} }), 'access_denied');
    assertProblem(await act(user, 'DELETE', `/delete/order/${id}`), 'access_denied');
  }
});

test('B26: an update is held to the record as it is and as it becomes', async () => {
  const record = await create(founder, 'order', { title: 'mine', owner_id: owner.id });
  const refused = await act(owner, 'PUT', `/update/order/${record.id}`, { body: { owner_id: founder.id } });
  assertProblem(refused, 'access_denied');
  assert.equal((await act(founder, 'GET', `/item/order/${record.id}`)).body.owner_id, owner.id);
  const taken = await act(owner, 'PUT', `/update/order/${foreign.id}`, { body: { owner_id: owner.id } });
  assertProblem(taken, 'not_found');
  assert.equal((await act(owner, 'PUT', `/update/order/${record.id}`, { body: { title: 'new' } })).status, 200);
  const made = await act(owner, 'POST', '/create/order', { body: { title: 'x', owner_id: founder.id } });
  assertProblem(made, 'access_denied');
  assert.equal((await list(founder, 'order', '?title=x')).items.length, 0);
  assert.equal((await create(owner, 'order', { title: 'made', owner_id: owner.id })).owner_id, owner.id);
});

test('lists, counts, exports and searches hold the records that are allowed, and no other', async () => {
  const user = await memberWith(founder, [withCondition(allow(['listorder', 'countorder']), isOpen)]);
  for (const status of ['open', 'shut']) await create(founder, 'order', { title: `state ${status}`, status });
  const everyTitle = (items: Page['items']) => items.map(({ title }) => title).sort();
  const { items } = await list(founder, 'order', '?pagesize=200&status=open');
  for (const query of ['', '?sortby=amount', '?sortby=created_at', '?q=o']) {
    const seen = await list(user, 'order', `${query === '' ? '?' : `${query}&`}pagesize=200`);
    assert.ok(seen.items.every(({ status }) => status === 'open'));
    if (query !== '?q=o') assert.deepEqual(everyTitle(seen.items), everyTitle(items), query);
  }
  assert.equal(await count(user, 'order'), items.length);
  assert.equal(await count(user, 'order', '?status=shut'), 0);
  assert.deepEqual((await list(user, 'order', '?q=shut')).items, []);
  const exported = await act(user, 'GET', '/export/order?format=jsonl');
  const lines = exported.text.trim().split('\n');
  assert.equal(lines.length, items.length);
});

test('a Deny on getting a record keeps it out of lists and counts, by its fields or by its id', async () => {
  const denied = await create(founder, 'order', { title: 'denied', status: 'kept' });
  await create(founder, 'order', { title: 'secret', status: 'kept' });
  const seen = await create(founder, 'order', { title: 'seen', status: 'kept' });
  const user = await memberWith(founder, [
    allow(['listorder', 'countorder']),
    deny('getorder', `/item/order/${denied.id}`),
    withCondition(deny('get*'), { StringEquals: { 'record.title': 'secret' } }),
  ]);
  assert.deepEqual(
    (await list(user, 'order', '?status=kept')).items.map(({ id }) => id),
    [seen.id],
  );
  assert.equal(await count(user, 'order', '?status=kept'), 1);
  assert.equal(await count(founder, 'order', '?status=kept'), 3);
});

test('replies show the fields that their action grants, and the envelope', async () => {
  const user = await memberWith(founder, [
    withFields(allow('getorder'), 'title', 'st*', '!status'),
    withFields(allow(['listorder', 'countorder']), 'title'),
  ]);
  const envelope = ['created_at', 'id', 'updated_at', 'version'];
  const got = await act(user, 'GET', `/item/order/${own.id}`);
  assert.deepEqual(Object.keys(got.body).sort(), [...envelope, 'title'].sort());
  const again = { headers: { 'If-None-Match': got.headers.get('etag') ?? '' } };
  assert.equal((await act(user, 'GET', `/item/order/${own.id}`, again)).status, 304);
  assert.equal((await act(founder, 'GET', `/item/order/${own.id}`, again)).status, 200);
  const { items } = await list(user, 'order');
  for (const item of items) assert.deepEqual(Object.keys(item).sort(), [...envelope, 'title'].sort());
  const csv = await act(user, 'GET', '/export/order?format=csv');
  assert.equal(csv.text.split('\r\n')[0], 'id,title,created_at,updated_at,version');
});

test('B27: what is hidden is not found out by filters, sorts, searches or counts', async () => {
  const user = await memberWith(founder, [withFields(allow(['listorder', 'countorder']), '!amount', '!note')]);
  const hidden = await create(founder, 'order', { title: 'plain', note: 'whispered', amount: 77 });
  const unreadable = [
    'amount=77',
    'amount=1&amount_op=gt',
    'amount=true&amount_op=exists',
    'amount=1,100&amount_op=between',
    'sortby=amount',
    'note=whispered',
  ];
  for (const route of ['list', 'count', 'export'])
    for (const query of unreadable) {
      const problem = assertProblem(await act(user, 'GET', `/${route}/order?${query}`), 'invalid_request');
      const pointer = query.startsWith('sortby') ? '/sortby' : `/${query.split('=')[0]}`;
      assert.deepEqual(
        problem.errors?.map((error) => [error.pointer, error.code]),
        [[pointer, 'not_readable']],
      );
    }
  assert.deepEqual((await list(user, 'order', '?q=whispered')).items, []);
  assert.equal(await count(user, 'order', '?q=whispered'), 0);
  assert.equal(await count(user, 'order', '?q=plain'), 1);
  assert.deepEqual(
    (await list(founder, 'order', '?q=whispered')).items.map(({ id }) => id),
    [hidden.id],
  );
});

test('a write that names a field beyond those granted is refused with a pointer to each, and writes nothing', async () => {
  const user = await memberWith(founder, [
    withFields(allow(['createorder', 'updateorder']), 'title', 'code'),
    withFields(allow('getorder'), 'title'),
  ]);
  const record = await create(founder, 'order', { title: 'before', amount: 5, note: 'kept' });
  const body = { title: 'after', amount: 5, nonsense: 1, created_by: founder.id };
  for (const reply of [
    await act(user, 'PUT', `/update/order/${record.id}`, { body }),
    await act(user, 'POST', '/create/order', { body: { title: 'after', amount: 5 } }),
  ]) {
    const problem = assertProblem(reply, 'access_denied');
    assert.ok(problem.errors?.some(({ pointer }) => pointer === '/amount'));
    assert.ok(problem.errors?.every(({ pointer }) => pointer !== '/title'));
  }
  assert.equal((await act(founder, 'GET', `/item/order/${record.id}`)).body.version, record.version);
  assert.equal(await count(founder, 'order', '?title=after'), 0);
  const written = await act(user, 'PUT', `/update/order/${record.id}`, { body: { code: 'seen', id: record.id } });
  assert.equal(written.status, 200, written.text);
  const shown = ['code', 'created_at', 'id', 'title', 'updated_at', 'version'];
  assert.deepEqual(Object.keys(written.body).sort(), shown);
});

test('who may create and not get learns what he sent and which record it became, also from a repeated request', async () => {
  const user = await memberWith(founder, [allow('createorder')]);
  const options = { body: { title: 'sent' }, headers: { 'Idempotency-Key': 'k1' } };
  for (const expected of [null, 'true']) {
    const reply = await act(user, 'POST', '/create/order', options);
    assert.equal(reply.status, 201, reply.text);
    assert.equal(reply.headers.get('idempotency-replayed'), expected);
    assert.deepEqual(Object.keys(reply.body).sort(), ['created_at', 'id', 'title', 'updated_at', 'version']);
  }
});

test('a lookup shows the fields of the record that the caller may get, and null where it may not', async () => {
  const lines = [
    await create(founder, 'line', { order_id: own.id, n: 1 }),
    await create(founder, 'line', { order_id: foreign.id, n: 2 }),
  ];
  const user = await memberWith(founder, [
    allow(['getline', 'listline']),
    withFields(withCondition(allow('getorder'), { StringEquals: { 'record.title': 'own' } }), 'status'),
  ]);
  const { items } = await list(user, 'line', '?view=full&sortdir=asc');
  const { id, created_at, updated_at, version } = own;
  assert.deepEqual(items, [
    { n: 1, order: { id, status: 'open', created_at, updated_at, version } },
    { n: 2, order: null },
  ]);
  const blind = await memberWith(founder, [withFields(allow(['getline', 'listline']), 'n')]);
  const one = await act(blind, 'GET', `/item/line/${lines[0]?.id}?view=full`);
  assert.deepEqual(one.body, { n: 1 } as unknown as StoredRecord);
});

test('the body of a request decides where a statement asks for it, and a batch is decided operation by operation', async () => {
  const user = await memberWith(founder, [
    withCondition(allow('createorder'), { StringEquals: { 'request.body.title': ['one', 'two'] } }),
    withCondition(allow(['updateorder', 'deleteorder']), ownOnly),
  ]);
  assert.equal((await act(user, 'POST', '/create/order', { body: { title: 'one' } })).status, 201);
  assertProblem(await act(user, 'POST', '/create/order', { body: { title: 'three' } }), 'access_denied');
  const operations = [
    { action: 'create', entity: 'order', data: { title: 'two' } },
    { action: 'create', entity: 'order', data: { title: 'three' } },
    { action: 'update', entity: 'order', id: foreign.id, data: { title: 'x' } },
    { action: 'delete', entity: 'order', id: foreign.id },
    { action: 'delete', entity: 'order', id: missing },
  ];
  const reply = await act<{ results: { status: number; error?: { code: string; errors: unknown } }[] }>(
    user,
    'POST',
    '/batch',
    { body: { mode: 'independent', operations } },
  );
  assert.deepEqual(
    reply.body.results.map(({ status }) => status),
    [201, 403, 404, 404, 404],
  );
  const previous = await count(founder, 'order');
  for (const operation of operations.slice(1))
    assert.ok(
      (await act(user, 'POST', '/batch', { body: { mode: 'atomic', operations: [operations[0], operation] } }))
        .status >= 403,
    );
  assert.equal(await count(founder, 'order'), previous);
});

test('an import is decided row by row, as the creates and updates that it is made of', async () => {
  const user = await memberWith(founder, [
    withCondition(allow(['createorder', 'updateorder']), { StringNotEquals: { 'record.status': 'shut' } }),
    withCondition(deny('createorder'), { StringEquals: { 'request.body.title': 'never' } }),
  ]);
  await create(founder, 'order', { code: 'i1', status: 'shut', title: 'shut' });
  await create(founder, 'order', { code: 'i2', status: 'open', title: 'open' });
  const rows = [
    { code: 'i1', title: 'changed' },
    { code: 'i2', title: 'changed' },
    { code: 'i3', title: 'new' },
    { code: 'i4', title: 'never' },
    { code: 'i5', status: 'shut' },
  ];
  const reply = await act<{ created: number; updated: number; errors: { row: number; errors: { code: string }[] }[] }>(
    user,
    'POST',
    '/import/order?upsert=by_code',
    { body: rows.map((row) => JSON.stringify(row)).join('\n'), headers: { 'Content-Type': 'application/x-ndjson' } },
  );
  assert.equal(reply.status, 200, reply.text);
  const { created, updated, errors } = reply.body;
  assert.deepEqual([created, updated], [1, 1]);
  assert.deepEqual(
    errors.map((one) => [one.row, one.errors[0]?.code]),
    [
      [1, 'access_denied'],
      [4, 'access_denied'],
      [5, 'access_denied'],
    ],
  );
});

test('members and policies obey conditions and fields like any record', async () => {
  const user = await memberWith(founder, [
    withFields(allow(['getuser', 'listuser']), 'fn', 'ln'),
    { ...withFields(allow('updateuser', '/update/user/$' + '{user.id}'), 'fn', 'ln') },
  ]);
  const { items } = await list(user, 'user');
  assert.ok(items.length > 1);
  for (const item of items) assert.ok(!('email' in item) && !('role' in item));
  assertProblem(await act(user, 'GET', `/list/user?email=${founder.email}`), 'invalid_request');
  assert.equal((await act(user, 'PUT', `/update/user/${user.id}`, { body: { fn: 'Una' } })).body.fn, 'Una');
  assertProblem(await act(user, 'PUT', `/update/user/${founder.id}`, { body: { fn: 'Una' } }), 'access_denied');
  assertProblem(await act(user, 'PUT', `/update/user/${user.id}`, { body: { role: 'admin' } }), 'access_denied');
  assertProblem(await act(user, 'PUT', `/update/user/${user.id}`, { body: { status: 'suspended' } }), 'access_denied');
});

test('a new member reads all, and changes of the members only his own name and picture', async () => {
  const viewer = await signIn(org);
  const path = `/update/user/${viewer.id}`;
  assert.equal((await act(viewer, 'PUT', path, { body: { fn: 'Vi', ln: 'Ewer' } })).status, 200);
  for (const body of [{ role: 'admin' }, { status: 'active' }, { email: 'other@example.com' }])
    assertProblem(await act(viewer, 'PUT', path, { body }), 'access_denied');
  assertProblem(await act(viewer, 'PUT', `/update/user/${founder.id}`, { body: { fn: 'x' } }), 'access_denied');
  assertProblem(await act(viewer, 'POST', '/create/order', { body: { title: 'x' } }), 'access_denied');
});

test('conditions on the address, the query and the time decide about data and about the workspace alike', async () => {
  const user = await memberWith(founder, [
    withCondition(allow('listorder'), { StringEquals: { 'request.queryParameters.status': 'open' } }),
    withCondition(allow('countorder'), { NotIpAddress: { 'request.ip': ['127.0.0.0/8', '::1/128'] } }),
    withCondition(allow('getorder'), { DateLessThan: { 'request.time': '2001-01-01' } }),
    withCondition(allow('updateworkspace'), { StringLike: { 'request.body.name': 'Team *' } }),
    withCondition(allow('listinvitation'), { StringEquals: { 'request.path': '/user/invitations' } }),
  ]);
  assertProblem(await act(user, 'GET', '/list/order'), 'access_denied');
  assert.equal((await act(user, 'GET', '/list/order?status=open')).status, 200);
  assertProblem(await act(user, 'GET', '/count/order'), 'access_denied');
  assertProblem(await act(user, 'GET', `/item/order/${own.id}`), 'access_denied');
  assertProblem(await act(user, 'PUT', '/user/workspace', { body: { name: 'Mine' } }), 'access_denied');
  assert.equal((await act(user, 'PUT', '/user/workspace', { body: { name: 'Team Mine' } })).status, 200);
  assert.equal((await act(user, 'GET', '/user/invitations')).status, 200);
});

test('a page of a filtered list goes on where it ended, and its cursor is good for its own list only', async () => {
  const user = await memberWith(founder, [withCondition(allow('listorder'), isOpen)]);
  const seen: string[] = [];
  let nexttoken: string | null = '';
  while (nexttoken !== null) {
    const page: Page = await list(user, 'order', `?pagesize=2${nexttoken === '' ? '' : `&nexttoken=${nexttoken}`}`);
    seen.push(...page.items.map(({ id }) => id));
    nexttoken = page.nexttoken;
  }
  const whole = await list(founder, 'order', '?status=open&pagesize=200');
  assert.deepEqual(
    seen,
    whole.items.map(({ id }) => id),
  );
  const first = await list(founder, 'order', '?pagesize=1');
  assertProblem(await act(user, 'GET', `/list/order?pagesize=1&nexttoken=${first.nexttoken}`), 'invalid_cursor');
});

test('an upsert tells who may not change the record of its values no more than that it may not', async () => {
  await create(founder, 'order', { code: 'u1', owner_id: founder.id, note: 'hidden' });
  const reply = await act<{ errors: unknown }>(owner, 'POST', '/import/order?upsert=by_code', {
    body: JSON.stringify({ code: 'u1', owner_id: owner.id }),
    headers: { 'Content-Type': 'application/x-ndjson' },
  });
  assert.equal(reply.status, 200, reply.text);
  assert.doesNotMatch(reply.text, /hidden|created_at/);
  assert.match(reply.text, /access_denied/);
  assert.equal((await list(founder, 'order', '?code=u1')).items[0]?.owner_id, founder.id);
});

test('`GET /user/permissions` says what may be allowed with some record, and what with none', async () => {
  const user = await memberWith(founder, [
    withCondition(allow(['getorder', 'listorder']), ownOnly),
    allow('updateuser', '/update/user/$' + '{user.id}'),
    withCondition(allow('createorder'), { StringEquals: { 'request.body.title': 'x' } }),
    withCondition(allow('countorder'), { IpAddress: { 'request.ip': '203.0.113.0/24' } }),
    allow('deleteorder', `/delete/order/${own.id}`),
    allow('updateorder'),
    withCondition(deny('updateorder'), { StringEquals: { 'user.id': '$' + '{user.id}' } }),
  ]);
  const reply = await act<{ entities: Readonly<Record<string, Readonly<Record<string, boolean>>>> }>(
    user,
    'GET',
    '/user/permissions',
  );
  const may = (entity: string) =>
    Object.entries(reply.body.entities[entity] ?? {}).flatMap(([verb, answer]) => (answer ? [verb] : []));
  assert.deepEqual(may('order').sort(), ['create', 'delete', 'get', 'list']);
  assert.deepEqual(may('user'), ['update']);
});
