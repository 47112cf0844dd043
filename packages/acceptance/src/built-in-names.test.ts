/**
 * D02: names that mean something to JavaScript. `__proto__` is no key of any body. `constructor`, `prototype`,
 * `toString` and their like are data like any other where names are free, and no names of what a builder defines where
 * every object has a member of that name.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, assertRefusal, pointers } from './assert-problem.ts';
import { call } from './call.ts';
import { act, allow, appUrl, create, defineEntity, definition, foundedOrg, list, manage, memberWith } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(
  org,
  definition('thing', [
    { name: 'prototype', index: true },
    { name: 'data', colType: 'json' },
  ]),
);

/** Members that every object has, and what pollutes where objects are merged by hand. */
const data = {
  constructor: { prototype: { isAdmin: true } },
  prototype: { isAdmin: true },
  toString: 'x',
  valueOf: 7,
  hasOwnProperty: false,
  toJSON: 'no function',
  length: -1,
  list: [{ constructor: [] }],
};

test('D02: `constructor`, `prototype` and their like are kept in a `json` field as they came', async () => {
  const made = await create(founder, 'thing', { prototype: 'one', data });
  assert.deepEqual(made.data, data);
  const changed = { ...data, isPrototypeOf: { constructor: null } };
  const updated = await act(founder, 'PUT', `/update/thing/${made.id}`, { body: { data: changed } });
  assert.deepEqual(updated.body.data, changed);
  assert.deepEqual((await act(founder, 'GET', `/item/thing/${made.id}`)).body.data, changed);
  assert.deepEqual((await list(founder, 'thing', '?prototype=one')).items[0]?.data, changed);
  const exported = await act(founder, 'GET', '/export/thing', { headers: { accept: 'application/x-ndjson' } });
  assert.ok(exported.text.includes(JSON.stringify(changed)), exported.text);
  const operations = [{ action: 'create', entity: 'thing', data: { prototype: 'two', data } }];
  const batch = await act(founder, 'POST', '/batch', { body: { mode: 'atomic', operations } });
  assert.equal(batch.status, 200, batch.text);
  assert.deepEqual((await list(founder, 'thing', '?prototype=two')).items[0]?.data, data);
});

test('D02: the key `__proto__` is refused at any depth of a body, and where it stands is named', async () => {
  for (const [text, pointer] of [
    ['{"data":{"__proto__":{"isAdmin":true}}}', '/data/__proto__'],
    ['{"data":[{"a":{"__proto__":1}}]}', '/data/0/a/__proto__'],
    ['{"data":{"\\u005f_proto__":1}}', '/data/__proto__'],
    ['{"__proto__":{"prototype":"x"}}', '/__proto__'],
  ] as const) {
    const problem = assertRefusal(await act(founder, 'POST', '/create/thing', { body: text }), [400]);
    assert.deepEqual(pointers(problem), [pointer]);
  }
});

test('D02: what every object has names no field and no entity; `prototype` is a name like any other', async () => {
  for (const name of ['constructor', 'toString', 'hasOwnProperty', '__proto__']) {
    const field = await manage(org, 'POST', '/api/create-other', { body: definition('other', [{ name }]) });
    assertRefusal(field, [400]);
    for (const path of ['list', 'count', 'export'])
      assertRefusal(await act(founder, 'GET', `/${path}/thing?${name}=x`), [400]);
    assertRefusal(await act(founder, 'GET', `/list/thing?sortby=${name}`), [400]);
    assertRefusal(await act(founder, 'GET', `/list/thing?prototype=x&prototype_op=${name}`), [400]);
    assertRefusal(await act(founder, 'GET', `/item/thing/${name}`), [404]);
    assertRefusal(await act(founder, 'GET', `/list/${name}`), [404]);
    assertRefusal(await manage(org, 'GET', `/config/${name}`), [400, 404]);
    assertRefusal(await manage(org, 'GET', `/api/entity?entityName=${name}`), [400, 404]);
  }
  assertProblem(await call('GET', appUrl(org, '/list/thing'), { token: 'constructor' }), 'token_invalid');
  await defineEntity(org, definition('prototype', [{ name: 'title' }]));
  assert.equal((await create(founder, 'prototype', { title: 'x' })).title, 'x');
});

test('D02: a condition on `record.prototype` reads the field, and one on `record.constructor` nothing', async () => {
  const statement = (key: string, value: unknown) => ({
    ...allow(['listthing', 'getthing']),
    Condition: { StringEquals: { [key]: value } },
  });
  const reader = await memberWith(founder, [statement('record.prototype', 'one')]);
  assert.deepEqual(
    (await list(reader, 'thing')).items.map(({ prototype }) => prototype),
    ['one'],
  );
  for (const [key, value] of [
    ['record.constructor', 'Object'],
    ['record.constructor', ''],
    ['record.data.constructor', 'Object'],
    ['jwt.constructor', 'Object'],
    ['request.queryParameters.constructor', 'Object'],
  ] as const) {
    const body = { name: `policy-${key}-${value}`, statements: [statement(key, value)] };
    const made = await act(founder, 'POST', '/create/aclpolicy', { body });
    if (made.status !== 201) {
      assertRefusal(made, [400]);
      continue;
    }
    const unprivileged = await memberWith(founder, [statement(key, value)]);
    const reply = await act<{ items?: readonly unknown[] }>(unprivileged, 'GET', '/list/thing');
    assert.deepEqual(reply.body.items ?? [], [], `${key}: ${reply.text}`);
  }
});

test('D02: settings and configuration take no member that they do not list, not even one that every object has', async () => {
  for (const name of ['constructor', 'prototype', 'toString', 'hasOwnProperty']) {
    const setting = { group: 'auth', name: 'password_login', value: { [name]: true } };
    const refused = assertRefusal(await manage(org, 'PUT', '/org/settings', { body: setting }), [400]);
    assert.deepEqual(pointers(refused), [`/value/${name}`]);
    const content = { name: 'greet', steps: [], [name]: {} };
    const block = { name: 'greet', content };
    assert.ok(
      pointers(assertRefusal(await manage(org, 'POST', '/config/logicblock', { body: block }), [400])).includes(
        `/content/${name}`,
      ),
    );
    const statements = [{ ...allow('*'), [name]: 'x' }];
    const policy = await act(founder, 'POST', '/create/aclpolicy', { body: { name: `p-${name}`, statements } });
    assert.deepEqual(pointers(assertRefusal(policy, [400])), [`/statements/0/${name}`]);
  }
});
