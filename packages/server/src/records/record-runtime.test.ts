import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem, type ProblemDetails } from '../lib/problem.ts';
import type { FieldDefinition, KeyTemplates } from '../schema/definition.ts';
import { openStore } from '../store/testing/open-store.ts';
import { derived, listAll, RecordBench, SteppedClock, user } from '../testing/record-bench.ts';
import { entityTag, type StoredRecord } from './record.ts';

const clock = new SteppedClock();
const bench = new RecordBench(await openStore({ kind: 'memory', clock }), clock);
const node = bench.node();
const { runtime } = node;
let names = 0;

/** A new entity in a workspace of its own. */
async function defined(fields: readonly FieldDefinition[], baseKeys?: Partial<KeyTemplates>) {
  const entityName = `entity${++names}`;
  const defaults = { pkTemplate: `org#{org};data#${entityName}`, skTemplate: `${entityName}#{id}` };
  await node.admin.define('acme', { entityName, UpdateParams: fields, baseKeys: { ...defaults, ...baseKeys } });
  return node.call(entityName, { workspace: bench.workspaceOf(entityName) });
}

const order: readonly FieldDefinition[] = [
  { name: 'title', validate: true, minlength: 2, maxlength: 5 },
  { name: 'note' },
  { name: 'amount', colType: 'number', index: true },
  { name: 'state', colType: 'enum', enumValues: ['open', 'done'], default: 'open', validate: true },
];

test('a record has its fields, defaults and what the platform sets, in the order of the catalog', async () => {
  const call = await defined(order);
  const { data, key, version } = await runtime.create(call, { amount: -0, title: 'one', note: null });
  const now = new Date(clock.now()).toISOString();
  assert.deepEqual(Object.entries(data), [
    ['id', data.id],
    ['title', 'one'],
    ['amount', 0],
    ['state', 'open'],
    ['created_at', now],
    ['updated_at', now],
    ['created_by', user],
    ['updated_by', user],
  ]);
  const org = `acme-${call.workspace.tenantCode}`;
  assert.deepEqual(key, { pk: `org#${org};data#${call.entity.name}`, sk: `${call.entity.name}#${data.id}` });
  assert.equal((await runtime.get(call, data.id))?.version, version);
});

const badCreates: readonly (readonly [body: unknown, code: string, pointers: readonly string[]])[] = [
  [{}, 'validation_failed', ['/title']],
  [{ title: null }, 'validation_failed', ['/title']],
  [{ title: 'x' }, 'validation_failed', ['/title']],
  [{ title: 'sixsix' }, 'validation_failed', ['/title']],
  [{ title: 'one', state: null }, 'validation_failed', ['/state']],
  [{ title: 'one', colour: 1, 'a/b~c': 2 }, 'unknown_field', ['/colour', '/a~1b~0c']],
  [{ title: 'one', id: 'x', version: 1, created_at: '' }, 'unknown_field', ['/id', '/version', '/created_at']],
  [{ title: 7, amount: '1', colour: 1 }, 'validation_failed', ['/title', '/amount', '/colour']],
  [[], 'validation_failed', ['', '/title']],
  [null, 'validation_failed', ['', '/title']],
  ['title', 'validation_failed', ['', '/title']],
];

for (const [body, code, pointers] of badCreates)
  test(`the create ${JSON.stringify(body)} is refused, names every mistake and writes nothing`, async () => {
    const call = await defined(order);
    assert.deepEqual(await refusal(runtime.create(call, body)), { code, pointers });
    const written = (await bench.contents(call.workspace)).filter(({ pk }) => pk !== 'fence');
    assert.deepEqual(written, []);
  });

test('lengths count characters, and hold at exactly their bounds', async () => {
  const call = await defined(order);
  for (const title of ['ab', '😀😀', 'abcde', '👍👍👍👍👍']) await runtime.create(call, { title });
  for (const title of ['😀', 'abcdef']) await assert.rejects(runtime.create(call, { title }), Problem);
});

test('an update changes what is sent, clears with null, and says who and when', async () => {
  const call = await defined(order);
  const before = await runtime.create(call, { title: 'one', note: 'x', amount: 1 });
  clock.advance(5);
  const editor = { userId: '018bcfe5-0000-7000-8000-000000000002', claims: {} };
  const after = await runtime.update(
    { ...call, actor: editor },
    { id: before.data.id, body: { note: null, amount: 2 } },
  );
  const { note: _note, ...kept } = before.data;
  const stamps = { updated_at: new Date(clock.now()).toISOString(), updated_by: editor.userId };
  assert.deepEqual(after.data, { ...kept, amount: 2, ...stamps });
  assert.ok(after.version > before.version);
  assert.deepEqual(await stored(call, after), { ...after.data, version: after.version });
});

test('what was read may be put back whole, and changes nothing but its stamps', async () => {
  const call = await defined(order);
  const before = await runtime.create(call, { title: 'one', amount: 1 });
  const body = { ...before.data, version: before.version };
  assert.deepEqual((await runtime.update(call, { id: before.data.id, body })).data, before.data);
});

const badUpdates: readonly (readonly [body: unknown, code: string, pointers: readonly string[]])[] = [
  [{ title: null }, 'validation_failed', ['/title']],
  [{ state: null }, 'validation_failed', ['/state']],
  [{ id: '018bcfe5-0000-7000-8000-000000000009' }, 'unknown_field', ['/id']],
  [{ created_at: '', created_by: null }, 'unknown_field', ['/created_at', '/created_by']],
  [{ version: 0, created_by: null }, 'version_mismatch', []],
  [{ title: 'x', amount: Number.NaN }, 'validation_failed', ['/title', '/amount']],
  [[], 'validation_failed', ['']],
];

for (const [body, code, pointers] of badUpdates)
  test(`the update ${JSON.stringify(body)} is refused and leaves the record alone`, async () => {
    const call = await defined(order);
    const before = await runtime.create(call, { title: 'one' });
    assert.deepEqual(await refusal(runtime.update(call, { id: before.data.id, body })), { code, pointers });
    assert.deepEqual(await stored(call, before), { ...before.data, version: before.version });
  });

test('`If-Match` lets only the version pass that stands', async () => {
  const call = await defined(order);
  const first = await runtime.create(call, { title: 'one' });
  const { id } = first.data;
  const second = await runtime.update(call, { id, body: { note: 'x' }, ifMatch: [entityTag(first.version), '"0"'] });
  for (const ifMatch of [[entityTag(first.version)], [], [`W/${entityTag(second.version)}`]]) {
    assert.equal((await refusal(runtime.update(call, { id, body: { note: 'y' }, ifMatch }))).code, 'version_mismatch');
    assert.equal((await refusal(runtime.remove(call, { id, ifMatch }))).code, 'version_mismatch');
  }
  assert.deepEqual(await stored(call, second), { ...second.data, version: second.version });
  await runtime.update(call, { id, body: { note: 'z' }, ifMatch: '*' });
  await runtime.remove(call, { id, ifMatch: '*' });
  assert.equal((await refusal(runtime.remove(call, { id, ifMatch: '*' }))).code, 'not_found');
});

test('a removed record leaves nothing behind but a counter of nought', async () => {
  const call = await defined(order, { skTemplate: '{state};{title}#{id}' });
  const { data } = await runtime.create(call, { title: 'one', amount: 1 });
  await runtime.update(call, { id: data.id, body: { state: 'done', amount: 2 } });
  await runtime.remove(call, { id: data.id });
  const left = (await bench.contents(call.workspace)).map(({ pk, sk, value }) => [pk, sk, value]);
  assert.deepEqual(
    left.filter(([pk]) => pk !== 'fence'),
    [['count', call.entity.name, '0']],
  );
});

test('a record whose key holds a field moves with it and is found, listed and counted as before', async () => {
  const call = await defined(order, { pkTemplate: 'org#{org};by#{state}', skTemplate: '{title};{user_id}#{id}' });
  const { data } = await runtime.create(call, { title: 'a#b' });
  const editor = { ...call, actor: { userId: '018bcfe5-0000-7000-8000-000000000002', claims: {} } };
  const moved = await runtime.update(editor, { id: data.id, body: { state: 'done', title: 'c;d' } });
  const org = `acme-${call.workspace.tenantCode}`;
  assert.deepEqual(moved.key, { pk: `org#${org};by#done`, sk: `c%3Bd;${user}#${data.id}` });
  assert.deepEqual(await stored(call, moved), { ...moved.data, version: moved.version });
  assert.deepEqual(await listAll(node, call), [{ ...moved.data, version: moved.version }]);
  const { actual, expected } = await derived(bench, call);
  assert.deepEqual(actual, expected);
});

test('a key takes claims from the token, unless a field has the name', async () => {
  const call = await defined([{ name: 'role' }], {
    pkTemplate: 'org#{org};t#{tenant_id}',
    skTemplate: '{role};{email}',
  });
  const claims = { role: 'admin', email: 'a@b', org: 'evil', tenant_id: 'evil' };
  const { key } = await runtime.create({ ...call, actor: { userId: user, claims } }, { role: 'r' });
  const { tenantCode, tenantId } = call.workspace;
  assert.deepEqual(key, { pk: `org#acme-${tenantCode};t#${tenantId}`, sk: 'r;a@b' });
});

test('a field called like the workspace’s tokens decides nothing about where a record lies', async () => {
  const fields = ['org', 'tenant_id', 'tenant_code'].map((name) => ({ name }));
  const call = await defined(fields, { pkTemplate: 'org#{org};{tenant_id}', skTemplate: '{tenant_code}#{id}' });
  const evil = { org: 'evil', tenant_id: 'evil', tenant_code: 'evil' };
  const { key, data } = await runtime.create(call, evil);
  const { tenantCode, tenantId } = call.workspace;
  assert.deepEqual(key, { pk: `org#acme-${tenantCode};${tenantId}`, sk: `${tenantCode}#${data.id}` });
  const after = await runtime.update(call, { id: data.id, body: { org: 'worse', tenant_id: null } });
  assert.deepEqual(after.key, key);
});

test('a token without a value is named, at the create and when an update clears it', async () => {
  const call = await defined([{ name: 'code' }, { name: 'note' }], { skTemplate: 'c#{code}' });
  const missing = { code: 'validation_failed', pointers: ['/code'] };
  assert.deepEqual(await refusal(runtime.create(call, {})), missing);
  assert.deepEqual(await refusal(runtime.create(call, { code: '' })), missing);
  const { data } = await runtime.create(call, { code: 'x' });
  assert.deepEqual(await refusal(runtime.update(call, { id: data.id, body: { code: null } })), missing);
  assert.equal((await runtime.update(call, { id: data.id, body: { note: 'y' } })).data.code, 'x');
});

test('a key that is taken is a conflict, at the create and at a move', async () => {
  const call = await defined([{ name: 'code' }], { skTemplate: 'c#{code}' });
  await runtime.create(call, { code: 'x' });
  const { data } = await runtime.create(call, { code: 'y' });
  assert.equal((await refusal(runtime.create(call, { code: 'x' }))).code, 'conflict');
  assert.equal((await refusal(runtime.update(call, { id: data.id, body: { code: 'x' } }))).code, 'conflict');
  const { actual, expected, counts } = await derived(bench, call);
  assert.deepEqual(actual, expected);
  assert.equal(counts.records, 2);
});

test('a key that is longer than a key may be is a mistake in the record', async () => {
  const call = await defined([{ name: 'code' }], { skTemplate: 'c#{code}' });
  assert.deepEqual(await refusal(runtime.create(call, { code: 'é'.repeat(512) })), {
    code: 'validation_failed',
    pointers: ['/code'],
  });
  await runtime.create(call, { code: 'é'.repeat(511) });
});

test('a record is the same in another workspace and for an id that is none: not there', async () => {
  const call = await defined(order);
  const { data } = await runtime.create(call, { title: 'one' });
  const elsewhere = { ...call, workspace: bench.workspaceOf('elsewhere') };
  for (const [where, id] of [
    [elsewhere, data.id],
    [call, data.id.toUpperCase()],
    [call, `${data.id} `],
    [call, ''],
    [call, '%'],
  ] as const) {
    assert.equal(await runtime.get(where, id), undefined);
    assert.equal((await refusal(runtime.update(where, { id, body: { title: 'two' } }))).code, 'not_found');
    assert.equal((await refusal(runtime.remove(where, { id }))).code, 'not_found');
  }
});

async function stored(call: Awaited<ReturnType<typeof defined>>, { data }: StoredRecord): Promise<unknown> {
  const item = await runtime.get(call, data.id);
  return item === undefined ? undefined : { ...JSON.parse(item.value), version: item.version };
}

async function refusal(promise: Promise<unknown>): Promise<{ code: string; pointers: readonly string[] }> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Problem, `not refused, or not with a problem: ${String(error)}`);
  const details: ProblemDetails = error.details;
  return { code: error.code, pointers: (details.errors ?? []).map(({ pointer }) => pointer) };
}
