/** A definition that is changed while it has records: what serves at once, what is built behind it, and what is refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProblemCode } from '@freehold/contract/problem';
import { assertProblem, assertRefusal, pointers } from './assert-problem.ts';
import type { CallOptions, Reply } from './call.ts';
import { eventually } from './eventually.ts';
import { act, create, defineEntity, definition, foundedOrg, list, manage, type Org, signUp } from './org.ts';
import { startPlatform, temporaryDirectory } from './platform.ts';
import { platformForTests } from './platform-for-tests.ts';
import { onceAccepted } from './promotion.ts';

const gateways = await platformForTests();

const title = { name: 'title', colType: 'string' };
const amount = { name: 'amount', colType: 'number' };
const verbs = ['create', 'get', 'list', 'update', 'delete'] as const;

interface Index {
  readonly name: string;
  readonly kind: string;
  readonly state: 'building' | 'ready' | 'failed';
  readonly duplicates?: readonly { readonly tenant_code: string; readonly ids: readonly string[] }[];
}

interface Config {
  readonly version: number;
  readonly [member: string]: unknown;
}

type Entity = Readonly<Record<(typeof verbs)[number], Config>> & { readonly indexes: readonly Index[] };

interface Changed {
  readonly entityName: string;
  readonly api: string;
  readonly version: number;
  readonly indexes?: readonly Index[];
  readonly warnings?: readonly string[];
}

interface Planned {
  readonly plan: readonly {
    readonly change: string;
    readonly field?: string;
    readonly index?: { readonly name: string };
    readonly view?: string;
    readonly records: number | { readonly atLeast: number };
    readonly examples: readonly { readonly id: string; readonly errors?: readonly { readonly code: string }[] }[];
  }[];
  readonly would_fail: boolean;
  readonly would_lose: boolean;
  readonly warnings?: readonly string[];
}

async function orders(fields: readonly { name: string }[] = [title, amount], more: object = {}) {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, { ...definition('order', fields), ...more });
  return { org, founder };
}

/** Sends a change that may be refused. */
function put(org: Org, body: unknown, at = 'create-order', options: CallOptions = {}): Promise<Reply<Changed>> {
  return manage<Changed>(org, 'PUT', `/api/${at}`, { body, ...options });
}

async function change(org: Org, body: unknown, at = 'create-order'): Promise<Changed> {
  const reply = await put(org, body, at);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

async function show(org: Org, name = 'order'): Promise<Entity> {
  return (await manage<Entity>(org, 'GET', `/api/entity?entityName=${name}`)).body;
}

/** The index once it is no longer being built. */
async function settled(org: Org, name: string): Promise<Index> {
  return eventually(`the end of building ${name}`, async () => {
    const index = (await show(org)).indexes.find((one) => one.name === name);
    assert.ok(index !== undefined, `there is no index ${name}`);
    return index.state !== 'building' && index;
  });
}

test('an index that is added to an entity with records serves once it is built, and misses none of them', async () => {
  const { org, founder } = await orders();
  for (const name of ['b', 'c', 'a']) await create(founder, 'order', { title: name });
  const changed = await change(org, { UpdateParams: [{ ...title, index: true }, amount] });
  assert.ok(changed.indexes?.some(({ name }) => name === 'title'));
  await create(founder, 'order', { title: 'd' });
  assert.equal((await settled(org, 'title')).state, 'ready');
  const { items } = await list(founder, 'order', '?sortby=title&sortdir=asc');
  assert.deepEqual(
    items.map((record) => record.title),
    ['a', 'b', 'c', 'd'],
  );
});

test('an index that is taken away serves no more', async () => {
  const { org, founder } = await orders([{ ...title, index: true } as { name: string }]);
  await create(founder, 'order', { title: 'a' });
  await list(founder, 'order', '?sortby=title');
  await change(org, { UpdateParams: [{ name: 'title', index: false }] });
  assert.deepEqual(
    (await show(org)).indexes.map(({ name }) => name),
    ['updated_at'],
  );
  assertProblem(await act(founder, 'GET', '/export/order?sortby=title'), 'unindexed_sort');
});

test('a unique index over records that contradict it fails and names them; without them it holds', async () => {
  const { org, founder } = await orders();
  const twins = [await create(founder, 'order', { title: 'a' }), await create(founder, 'order', { title: 'a' })];
  const UniqueIndexes = [{ indexName: 'by_title', fields: ['title'] }];
  await change(org, { UniqueIndexes });
  const failed = await settled(org, 'by_title');
  assert.equal(failed.state, 'failed');
  const [duplicate] = failed.duplicates ?? [];
  assert.equal(duplicate?.tenant_code, founder.tenantCode);
  assert.deepEqual([...(duplicate?.ids ?? [])].sort(), twins.map(({ id }) => id).sort());
  await create(founder, 'order', { title: 'a' });
  for (const { id } of (await list(founder, 'order')).items.slice(1))
    await act(founder, 'DELETE', `/delete/order/${id}`);
  await change(org, { UniqueIndexes });
  assert.equal((await settled(org, 'by_title')).state, 'ready');
  assertProblem(await act(founder, 'POST', '/create/order', { body: { title: 'a' } }), 'unique_violation');
});

test('a field that is not sent stays; one goes where it is named, and its values by force alone, for good', async () => {
  const { org, founder } = await orders();
  const { id } = await create(founder, 'order', { title: 'a', amount: 1 });
  const { warnings } = await change(org, {
    UpdateParams: [{ name: 'title', description: 'Shown first.' }, { name: 'colour' }],
  });
  assert.match(warnings?.join() ?? '', /^field `amount` was not sent and is unchanged/);
  assert.equal((await act(founder, 'GET', `/item/order/${id}`)).body.amount, 1);
  const before = await show(org);
  const removal = { removeFields: ['amount'] };
  const problem = assertProblem(await put(org, removal), 'conflict');
  assert.deepEqual(
    [problem.would_lose, problem.checked, problem.complete],
    [[{ name: 'amount', records: 1 }], 1, true],
  );
  assert.deepEqual(await show(org), before);
  await change(org, removal, 'create-order?force=true');
  assert.equal((await act(founder, 'GET', `/item/order/${id}`)).body.amount, undefined);
  assert.equal((await list(founder, 'order')).items[0]?.amount, undefined);
  assertProblem(await act(founder, 'POST', '/create/order', { body: { amount: 1 } }), 'unknown_field');
  assertRefusal(await act(founder, 'GET', '/list/order?amount=1'), [400]);
  await create(founder, 'order', { colour: 'red' });
  await onceAccepted(() => put(org, { UpdateParams: [amount] }));
  assert.equal((await act(founder, 'GET', `/item/order/${id}`)).body.amount, undefined);
});

test('each config has views of its own, and the definition’s until then', async () => {
  const { org, founder } = await orders([title, amount], { Views: { short: { fields: [{ name: 'title' }] } } });
  const { id } = await create(founder, 'order', { title: 'a', amount: 1 });
  const shown = async (view: string) => act(founder, 'GET', `/item/order/${id}?view=${view}`);
  assert.deepEqual((await shown('short')).body, { title: 'a' });
  const views = { worth: { fields: [{ name: 'amount', as: 'total', cast: 'string' }] } };
  const changed = await change(org, { Views: views }, 'get-order');
  assert.deepEqual([changed.entityName, changed.api, changed.indexes], ['order', 'get-order', undefined]);
  assert.deepEqual((await shown('worth')).body, { total: '1' });
  assertRefusal(await shown('short'), [400]);
  assert.deepEqual((await list(founder, 'order', '?view=short')).items, [{ title: 'a' }]);
  await change(org, { Views: null }, 'get-order');
  assert.deepEqual((await shown('short')).body, { title: 'a' });
});

test('the version of a config is its `ETag`, and `If-Match` holds a change to it', async () => {
  const { org } = await orders();
  const { create: before, list: other } = await show(org);
  const headers = { 'if-match': `"${before.version}"` };
  const first = await put(org, { UpdateParams: [title] }, 'create-order', { headers });
  assert.equal(first.status, 200, first.text);
  assert.ok(first.body.version > before.version);
  assert.equal(first.headers.get('etag'), `"${first.body.version}"`);
  const after = await show(org);
  assert.deepEqual([after.create.version, after.list.version], [first.body.version, other.version]);
  const late = assertProblem(await put(org, { UpdateParams: [] }, 'create-order', { headers }), 'version_mismatch');
  assert.equal(late.version, first.body.version);
  assertRefusal(await put(org, {}, 'create-order', { headers: { 'if-match': 'x' } }), [400]);
  assert.deepEqual(await show(org), after);
});

test('of parallel changes with one `If-Match` exactly one is made', async () => {
  const { org } = await orders();
  const headers = { 'if-match': `"${(await show(org)).create.version}"` };
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      put(org, { UpdateParams: [{ name: `f${index}` }] }, 'create-order', { headers }),
    ),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, ...Array(7).fill(412)]);
});

test('a definition that was read can be edited and put back', async () => {
  const { org } = await orders();
  const { create: config } = await show(org);
  await change(org, { ...config, UpdateParams: [{ ...title, description: 'what it is called' }, amount] });
  assertRefusal(await put(org, { ...config, version: config.version }), [400]);
});

test('a narrower definition is refused with the records that it would make fail, and taken by force', async () => {
  const { org, founder } = await orders();
  for (const body of [{ title: 'abc' }, { title: 'a' }, {}]) await create(founder, 'order', body);
  const narrow = { UpdateParams: [{ ...title, validate: true, maxlength: 2 }, amount] };
  const before = await show(org);
  const problem = assertProblem(await put(org, narrow), 'conflict');
  assert.deepEqual([problem.would_fail, problem.checked, problem.complete], [2, 3, true]);
  const examples = problem.examples as { tenant_code: string; id: string; errors: { code: string }[] }[];
  assert.deepEqual(
    examples.map(({ errors }) => errors.map(({ code }) => code)),
    [['too_long'], ['required']],
  );
  assert.ok(examples.every(({ tenant_code }) => tenant_code === founder.tenantCode));
  assert.match(problem.detail, /force=true/);
  assertProblem(await put(org, narrow, 'create-order?force=false'), 'conflict');
  assert.deepEqual(await show(org), before);
  await change(org, narrow, 'create-order?force=true');
  assertRefusal(await act(founder, 'POST', '/create/order', { body: { title: 'abc' } }), [400]);
  assert.equal((await act(founder, 'GET', `/item/order/${examples[0]?.id}`)).body.title, 'abc');
});

test('a dry run shows what a change would do, and does nothing of it', async () => {
  const { org, founder } = await orders();
  const { id } = await create(founder, 'order', { title: 'abc', amount: 1 });
  await create(founder, 'order', { title: 'a' });
  const body = {
    UpdateParams: [
      { ...title, validate: true, maxlength: 2 },
      { name: 'colour', index: true },
    ],
    removeFields: ['amount'],
  };
  const before = await show(org);
  const audited = async () => (await manage<{ items: unknown[] }>(org, 'GET', '/audit')).body.items;
  const entries = await audited();
  const dry = await put(org, body, 'create-order?dry_run=true');
  assert.equal(dry.status, 200, dry.text);
  const { plan, warnings, ...outcome } = dry.body as unknown as Planned;
  assert.match(warnings?.join() ?? '', /^field `amount`: policies that name it stay/);
  assert.deepEqual(outcome, { would_fail: true, would_lose: true });
  const named = plan.map(({ change, field, index, records, examples }) => [
    change,
    field ?? index?.name,
    records,
    examples.map((one) => [one.id, one.errors?.[0]?.code]),
  ]);
  assert.deepEqual(named, [
    ['field_changed', 'title', 1, [[id, 'too_long']]],
    ['field_added', 'colour', 0, []],
    ['field_removed', 'amount', 1, [[id, undefined]]],
    ['index_built', 'colour', 2, []],
  ]);
  assert.equal(dry.headers.get('etag'), `"${before.create.version}"`);
  assert.equal((await put(org, body, 'create-order?dry_run=true&force=true')).text, dry.text);
  assert.deepEqual([await show(org), await audited()], [before, entries]);
  const problem = assertProblem(await put(org, body), 'conflict');
  assert.deepEqual([problem.would_fail, problem.would_lose], [1, [{ name: 'amount', records: 1 }]]);
  assert.deepEqual(await show(org), before);
});

test('a dry run is refused as its change is, but for what records say, and also tells of views', async () => {
  const { org } = await orders();
  const dry = (body: unknown, api = 'create-order', options: CallOptions = {}) =>
    put(org, body, `${api}?dry_run=true`, options);
  const before = await show(org);
  for (const [what, api, body, code, expected] of refused.filter(([, , , code]) => code === 'validation_failed'))
    assert.deepEqual(pointers(assertProblem(await dry(body, api), code)), expected, what);
  assertProblem(await dry({ baseKeys: { pkTemplate: 'org#{org};x', skTemplate: 'y#{id}' } }), 'conflict');
  assertProblem(await dry({}, 'create-order', { headers: { 'if-match': '"0"' } }), 'version_mismatch');
  assertProblem(await dry({}, 'create-none'), 'not_found');
  assertProblem(await put(org, {}, 'create-order?dry_run=maybe'), 'invalid_request');
  assertProblem(await put(org, {}, 'create-order?dry_run=true&env=prod'), 'prod_read_only');
  const views = { Views: { short: { fields: [{ name: 'title' }] } } };
  const { plan } = (await dry(views, 'get-order')).body as unknown as Planned;
  assert.deepEqual(
    plan.map(({ change, view }) => [change, view]),
    [['view_added', 'short']],
  );
  assert.deepEqual(await show(org), before);
});

test('a wider definition is taken without a look at the records', async () => {
  const { org, founder } = await orders([{ ...title, validate: true, maxlength: 3 } as { name: string }]);
  await create(founder, 'order', { title: 'abc' });
  await change(org, { UpdateParams: [{ ...title, validate: false, maxlength: 2 }] });
  await create(founder, 'order', { title: 'abcd' });
});

test('a field becomes a lookup only where its ids lead somewhere', async () => {
  const { org, founder } = await orders([{ name: 'ref', colType: 'guid' } as { name: string }]);
  await defineEntity(org, definition('customer', []));
  const customer = await create(founder, 'customer', {});
  const order = await create(founder, 'order', { ref: customer.id });
  await create(founder, 'order', { ref: order.id });
  const ref = { name: 'ref', colType: 'guid', lookup: { entity: 'customer' } };
  assert.equal(assertProblem(await put(org, { UpdateParams: [ref] }), 'conflict').would_fail, 1);
  await act(founder, 'PUT', `/update/order/${(await list(founder, 'order')).items[0]?.id}`, { body: { ref: null } });
  await change(org, { UpdateParams: [ref] });
  await settled(org, 'ref');
  assertProblem(await act(founder, 'DELETE', `/delete/customer/${customer.id}`), 'dangling_reference');
  assertRefusal(await act(founder, 'POST', '/create/order', { body: { ref: order.id } }), [400]);
});

const lookup = (entity: string) => ({ UpdateParams: [{ name: 'ref', colType: 'guid', lookup: { entity } }] });

const refused: readonly (readonly [string, string, unknown, ProblemCode, readonly string[]])[] = [
  ['a body that is no object', 'create-order', [], 'validation_failed', ['']],
  ['an unknown member', 'create-order', { colour: 1 }, 'unknown_field', ['/colour']],
  ['another entity’s name', 'create-order', { entityName: 'invoice' }, 'validation_failed', ['/entityName']],
  ['another version', 'list-order', { version: 1_000_000 }, 'validation_failed', ['/version']],
  ['a bad field', 'create-order', { UpdateParams: [{ name: 'a b' }] }, 'validation_failed', ['/UpdateParams/0/name']],
  [
    'a lookup that leads nowhere',
    'create-order',
    lookup('none'),
    'validation_failed',
    ['/UpdateParams/0/lookup/entity'],
  ],
  ['a lookup of links', 'create-order', lookup('usergroup'), 'validation_failed', ['/UpdateParams/0/lookup/entity']],
  [
    'a view of what is no field',
    'list-order',
    { Views: { v: { fields: [{ name: 'none' }] } } },
    'unknown_field',
    ['/Views/v/fields/0/name'],
  ],
  ['fields for a config that has none', 'list-order', { UpdateParams: [] }, 'unknown_field', ['/UpdateParams']],
  [
    'a view that would lose its field',
    'create-order',
    { removeFields: ['amount'] },
    'unknown_field',
    ['/UpdateParams'],
  ],
  ['a field to go that is none', 'create-order', { removeFields: ['none'] }, 'unknown_field', ['/removeFields/0']],
];

test('what does not hold is refused with its place, and nothing is changed', async () => {
  const { org } = await orders();
  await change(org, { Views: { v: { fields: [{ name: 'amount' }] } } }, 'update-order');
  const before = await show(org);
  for (const [what, api, body, code, expected] of refused)
    assert.deepEqual(pointers(assertProblem(await put(org, body, api), code)), expected, what);
  const baseKeys = { pkTemplate: 'org#{org};x', skTemplate: 'y#{id}' };
  assertProblem(await put(org, { baseKeys }), 'conflict');
  for (const query of ['force=yes', 'force=', 'force=true&force=true', 'if_empty=true', 'env=stage'])
    assertProblem(await put(org, {}, `create-order?${query}`), 'invalid_request');
  assertProblem(await put(org, {}, 'create-order?env=prod'), 'prod_read_only');
  for (const api of ['create-none', 'none-order', 'order', 'create-user', 'create-', 'entity', 'create-order%00'])
    assertRefusal(await put(org, {}, api), [400, 404]);
  assert.deepEqual(await show(org), before);
});

test('an entity of one org is changed by no other', async () => {
  const { org } = await orders();
  const other = await signUp(gateways);
  const before = await show(org);
  assertProblem(await put(other, { UpdateParams: [] }), 'not_found');
  assertProblem(await put(other, { Views: {} }, 'list-order'), 'not_found');
  assert.deepEqual(await show(org), before);
});

test('an entity that another looks up is not deleted, and the answer says by what', async () => {
  const { org } = await orders();
  await defineEntity(org, { ...definition('item', []), ...lookup('order') });
  const problem = assertProblem(await manage(org, 'DELETE', '/api/entity?entityname=order'), 'dangling_reference');
  assert.match(problem.detail, /`item` by its field `ref`/);
  assert.equal((await manage(org, 'DELETE', '/api/entity?entityname=item')).status, 204);
  assert.equal((await manage(org, 'DELETE', '/api/entity?entityname=order')).status, 204);
});

test('an entity is deleted only while it is empty, where that is asked', async () => {
  const { org, founder } = await orders();
  const { id } = await create(founder, 'order', { title: 'a' });
  const path = '/api/entity?entityname=order&if_empty=';
  assertProblem(await manage(org, 'DELETE', `${path}maybe`), 'invalid_request');
  assertProblem(await manage(org, 'DELETE', `${path}true`), 'in_use');
  assert.equal((await act(founder, 'GET', `/item/order/${id}`)).status, 200);
  await act(founder, 'DELETE', `/delete/order/${id}`);
  assert.equal((await manage(org, 'DELETE', `${path}true`)).status, 204);
});

test('a change that was answered outlives a restart, after which its index is built to its end', async () => {
  const dataDir = temporaryDirectory();
  const first = await startPlatform({ dataDir });
  const { org, founder } = await foundedOrg(first);
  await defineEntity(org, definition('order', [title]));
  const names = Array.from({ length: 30 }, (_, index) => `t${index + 10}`);
  await Promise.all(names.map((name) => create(founder, 'order', { title: name })));
  const { version } = await change(org, { UpdateParams: [{ ...title, index: true }] });
  await first.terminate();
  const second = await startPlatform({ dataDir });
  try {
    const [again, user] = [
      { ...org, ...second },
      { ...founder, org: { ...org, ...second } },
    ];
    assert.equal((await show(again)).create.version, version);
    assert.equal((await settled(again, 'title')).state, 'ready');
    const { items } = await list(user, 'order', '?sortby=title&sortdir=asc&pagesize=200');
    assert.deepEqual(
      items.map((record) => record.title),
      names,
    );
  } finally {
    await second.kill();
  }
});
