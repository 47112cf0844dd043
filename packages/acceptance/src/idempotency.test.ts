import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import type { Results } from './batches.ts';
import { eventually } from './eventually.ts';
import {
  type AppUser,
  act,
  allow,
  appUrl,
  count,
  create,
  defineEntity,
  definition,
  foundedOrg,
  grant,
  list,
  manage,
  memberWith,
  type StoredRecord,
  signIn,
} from './org.ts';
import { platformForTests, platformOf } from './platform-for-tests.ts';
import { rawCall } from './raw-call.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
const secret = { name: 'secret', colType: 'encrypted' };
await defineEntity(org, {
  ...definition('order', [{ name: 'title' }, { name: 'code' }, secret]),
  UniqueIndexes: [{ indexName: 'code', fields: ['code'] }],
  Views: { short: { fields: [{ name: 'title', as: 'label' }] } },
});

let keys = 0;
const newKey = (): string => `key ${++keys}`;

function send(key: string, body: unknown, { path = '/create/order', user = founder } = {}) {
  return act(user, 'POST', path, { body, headers: { 'idempotency-key': key } });
}

const replayed = 'idempotency-replayed';

test('a create that is sent again under its key is answered as before, and done once', async () => {
  const [key, body] = [newKey(), { title: 'once', secret: 'hidden' }];
  const before = await count(founder, 'order');
  const first = await send(key, body);
  assert.deepEqual([first.status, first.headers.get(replayed)], [201, null]);
  for (let time = 0; time < 3; time++) {
    const again = await send(key, body);
    assert.deepEqual([again.status, again.headers.get(replayed), again.text], [201, 'true', first.text]);
    for (const name of ['etag', 'location']) assert.equal(again.headers.get(name), first.headers.get(name));
  }
  assert.equal(await count(founder, 'order'), before + 1);
});

test('the answer is that of the first time, whatever became of the record', async () => {
  const [key, body] = [newKey(), { title: 'first' }];
  const first = await send(key, body);
  await act(founder, 'PUT', `/update/order/${first.body.id}`, { body: { title: 'changed' } });
  assert.equal((await send(key, body)).text, first.text);
  await act(founder, 'DELETE', `/delete/order/${first.body.id}`);
  assert.equal((await send(key, body)).text, first.text);
  assertProblem(await act(founder, 'GET', `/item/order/${first.body.id}`), 'not_found');
});

test('of 32 sendings at once one counts', async () => {
  for (const body of [{ title: 'parallel' }, { code: 'parallel' }]) {
    const key = newKey();
    const before = await count(founder, 'order');
    const replies = await Promise.all(Array.from({ length: 32 }, () => send(key, body)));
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201]));
    assert.equal(new Set(replies.map(({ text }) => text)).size, 1);
    assert.equal(replies.filter(({ headers }) => headers.get(replayed) === null).length, 1);
    assert.equal(await count(founder, 'order'), before + 1);
  }
});

test('another request under a key is refused: another body, query, entity or route', async () => {
  await defineEntity(org, definition('other', [{ name: 'title' }]));
  const [key, body] = [newKey(), { title: 'a' }];
  await send(key, body);
  const before = await count(founder, 'order');
  assertProblem(await send(key, { title: 'b' }), 'idempotency_key_reused');
  assertProblem(await send(key, body, { path: '/create/order?view=short' }), 'idempotency_key_reused');
  assertProblem(await send(key, body, { path: '/create/other' }), 'idempotency_key_reused');
  const operations = [{ action: 'create', entity: 'order', data: body }];
  for (const mode of ['atomic', 'independent'])
    assertProblem(await send(key, { mode, operations }, { path: '/batch' }), 'idempotency_key_reused');
  assert.equal(await count(founder, 'order'), before);
  assert.equal(await count(founder, 'other'), 0);
});

test('an answer by a view is given again by that view', async () => {
  const [key, path] = [newKey(), '/create/order?view=short'];
  const first = await send(key, { title: 'seen' }, { path });
  assert.equal(first.text, '{"label":"seen"}');
  const again = await send(key, { title: 'seen' }, { path });
  assert.deepEqual([again.text, again.headers.get(replayed)], [first.text, 'true']);
});

test('a key is of one person in one org', async () => {
  const [key, body] = [newKey(), { title: 'mine' }];
  const member = await memberWith(founder, [allow('*order')]);
  const other = await foundedOrg(gateways);
  await defineEntity(other.org, definition('order', [{ name: 'title' }]));
  const replies = await Promise.all([founder, member, other.founder].map((user) => send(key, body, { user })));
  assert.equal(new Set(replies.map((reply) => reply.body.id)).size, 3);
  for (const { headers } of replies) assert.equal(headers.get(replayed), null);
});

test('a person and a builder who acts for him share no key, in a create or in a batch', async () => {
  const request = { env: 'test', tenant_code: founder.tenantCode, user_id: founder.id };
  const { token } = (await manage<{ token: string }>(org, 'POST', '/org/impersonate', { body: request })).body;
  const data = { title: 'the same' };
  const operations = [{ action: 'create', entity: 'order', data }];
  for (const [path, body] of [
    ['/create/order', data],
    ['/batch', { mode: 'atomic', operations }],
    ['/batch', { mode: 'independent', operations }],
  ] as const) {
    const key = newKey();
    const before = await count(founder, 'order');
    const sendBoth = () => Promise.all([founder, { ...founder, token }].map((user) => send(key, body, { path, user })));
    for (const expected of [null, 'true'])
      assert.deepEqual(
        (await sendBoth()).map(({ headers }) => headers.get(replayed)),
        [expected, expected],
      );
    assert.equal(await count(founder, 'order'), before + 2);
  }
});

test('a refused request may be sent again under its key', async () => {
  const [key, body] = [newKey(), { code: 'refused' }];
  const held = await create(founder, 'order', body);
  assertProblem(await send(key, body), 'unique_violation');
  assertProblem(await send(key, { nothing: 1 }), 'unknown_field');
  await act(founder, 'DELETE', `/delete/order/${held.id}`);
  const sent = await send(key, body);
  assert.deepEqual([sent.status, sent.headers.get(replayed)], [201, null]);
});

test('an answer is repeated only to a caller who may do the same now', async () => {
  const member = await memberWith(founder, []);
  const [key, body] = [newKey(), { title: 'allowed' }];
  assertProblem(await send(key, body, { user: member }), 'access_denied');
  const policy = await grant(founder, member, [allow('createorder')]);
  assert.equal((await send(key, body, { user: member })).headers.get(replayed), null);
  assert.equal((await send(key, body, { user: member })).headers.get(replayed), 'true');
  await act(founder, 'DELETE', `/delete/aclpolicy/${policy.id}?force=true`);
  assertProblem(await send(key, body, { user: member }), 'access_denied');
  const { status } = await fetch(appUrl(org, '/create/order'), { method: 'POST', headers: { 'idempotency-key': key } });
  assert.equal(status, 401);
});

test('a key comes once, as 1 to 255 printable characters of ASCII', async () => {
  const before = await count(founder, 'order');
  for (const bad of ['', ' ', 'x'.repeat(256), 'ü', 'a\tb'])
    for (const [path, body] of [
      ['/create/order', {}],
      ['/batch', { mode: 'atomic', operations: [{ action: 'create', entity: 'order', data: {} }] }],
    ] as const)
      assertProblem(await send(bad, body, { path }), 'invalid_request');
  const json = ['Content-Type: application/json', `Authorization: Bearer ${founder.token}`];
  const headers = [...json, 'Idempotency-Key: a', 'Idempotency-Key: a'];
  const target = new URL(appUrl(org, '/create/order')).pathname;
  assertProblem(await rawCall(org.app, { method: 'POST', target, headers, body: '{}' }), 'invalid_request');
  assert.equal(await count(founder, 'order'), before);
  assert.equal((await send('~'.repeat(255), {})).status, 201);
  assert.equal((await send('"8e03978e-40d5-43dd-bc93-6894a57f9324"', {})).status, 201);
});

const sendBatch = (key: string, mode: string, operations: readonly unknown[], user = founder) =>
  act<Results>(user, 'POST', '/batch', { body: { mode, operations }, headers: { 'idempotency-key': key } });

for (const mode of ['atomic', 'independent'])
  test(`a batch that is ${mode} and sent again under its key is answered as before, and done once`, async () => {
    const [changed, removed] = [await create(founder, 'order', { title: 'a' }), await create(founder, 'order', {})];
    const operations = [
      { action: 'create', entity: 'order', data: { title: 'new', secret: 'hidden' } },
      { action: 'update', entity: 'order', id: changed.id, data: { title: 'b' }, if_match: `"${changed.version}"` },
      { action: 'delete', entity: 'order', id: removed.id },
    ];
    const [key, before] = [newKey(), await count(founder, 'order')];
    const replies = await Promise.all(Array.from({ length: 8 }, () => sendBatch(key, mode, operations)));
    replies.push(await sendBatch(key, mode, operations));
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
    assert.equal(new Set(replies.map(({ text }) => text)).size, 1, replies.map(({ text }) => text).join('\n'));
    assert.equal(replies.filter(({ headers }) => headers.get(replayed) === null).length, 1);
    assert.equal(await count(founder, 'order'), before);
    assertProblem(await sendBatch(key, mode, operations.slice(1)), 'idempotency_key_reused');
    assertProblem(await send(key, { title: 'new' }), 'idempotency_key_reused');
  });

test('of a batch that is sent again, the operations that were refused are tried again', async () => {
  const held = await create(founder, 'order', { code: 'retry' });
  const operations = ['x', 'retry'].map((code) => ({ action: 'create', entity: 'order', data: { code } }));
  const key = newKey();
  const statuses = async () => {
    const { body, headers } = await sendBatch(key, 'independent', operations);
    return [headers.get(replayed), ...body.results.map(({ status }) => status)];
  };
  assert.deepEqual(await statuses(), [null, 201, 409]);
  assert.deepEqual(await statuses(), ['true', 201, 409]);
  await act(founder, 'DELETE', `/delete/order/${held.id}`);
  assert.deepEqual(await statuses(), ['true', 201, 201]);
  assert.deepEqual(await statuses(), ['true', 201, 201]);
  assert.equal((await list(founder, 'order', '?code=x')).items.length, 1);
});

test('a batch of which nothing is allowed takes no key', async () => {
  const member = await memberWith(founder, []);
  const [key, operations] = [newKey(), [{ action: 'create', entity: 'order', data: {} }]];
  const { body } = await sendBatch(key, 'independent', operations, member);
  assert.equal(body.results[0]?.status, 403);
  await grant(founder, member, [allow('createorder')]);
  const { body: other, headers } = await sendBatch(key, 'independent', [...operations, ...operations], member);
  assert.deepEqual([other.results.map(({ status }) => status), headers.get(replayed)], [[201, 201], null]);
});

test('a request that a kill interrupts counts once, however often it is sent', async (t) => {
  let platform = await platformOf(t);
  const founded = await foundedOrg(platform);
  await defineEntity(founded.org, definition('order', [{ name: 'title', index: true }]));
  const here = (): AppUser => ({ ...founded.founder, org: { ...founded.org, app: platform.app } });
  const created = await send('create', { title: 'create' }, { user: here() });
  const data = (index: number) => ({ title: String(index) });
  const operations = Array.from({ length: 100 }, (_, index) => ({
    action: 'create',
    entity: 'order',
    data: data(index),
  }));
  for (let kills = 1; kills <= 3; kills++) {
    const sending = sendBatch('batch', 'independent', operations, here()).catch(() => undefined);
    await eventually('twenty more records', async () => (await count(here(), 'order')) >= 1 + kills * 20);
    await platform.kill();
    await sending;
    platform = await platformOf(t, { dataDir: platform.dataDir });
  }
  const { status, body, headers } = await sendBatch('batch', 'independent', operations, here());
  assert.deepEqual([status, headers.get(replayed)], [200, 'true']);
  const made: StoredRecord[] = [...(await list(here(), 'order', '?pagesize=200')).items];
  assert.deepEqual(made.map(({ id }) => id).sort(), [created.body.id, ...body.results.map(({ id = '' }) => id)].sort());
  assert.equal(new Set(made.map(({ title }) => title)).size, 101);
  assert.equal(await count(here(), 'order'), 101);
  const again = await send('create', { title: 'create' }, { user: here() });
  assert.deepEqual([again.text, again.headers.get(replayed)], [created.text, 'true']);
});

test('a definition that is sent again under its key is answered as before', async () => {
  const body = { ...definition('visit', [{ name: 'title', maxlength: 5 }]) };
  const define = (key: string, sent: object = body) =>
    manage(org, 'POST', '/api/create-visit', { body: sent, headers: { 'idempotency-key': key } });
  const key = newKey();
  const replies = await Promise.all(Array.from({ length: 8 }, () => define(key)));
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201]));
  assert.equal(new Set(replies.map(({ text }) => text)).size, 1);
  assert.equal(replies.filter(({ headers }) => headers.get(replayed) === null).length, 1);
  assert.deepEqual(Object.keys(replies[0]?.body ?? {}).sort(), ['apis', 'entityName', 'version', 'warnings']);
  assertProblem(await define(key, definition('visit', [])), 'idempotency_key_reused');
  assertProblem(await define(newKey()), 'conflict');
});

test('signing in takes no key: a token is never kept', async () => {
  const key = newKey();
  const headers = { client_id: org.clientId, 'idempotency-key': key };
  const body = { email: founder.email, password: founder.password };
  const [one, two] = [1, 2].map(() => act<{ token: string }>(founder, 'POST', '/login', { headers, body }));
  const tokens = [(await one)?.body.token, (await two)?.body.token];
  assert.ok(tokens[0] !== undefined && tokens[0] !== tokens[1]);
  await signIn(org, founder.email);
});
