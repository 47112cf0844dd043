import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wholeEffort } from '../effort.ts';
import type { AccessContext } from './context.ts';
import { parseContextKey } from './context-key.ts';
import { AlikeMembers } from './member-path.ts';

const meta = {
  LEVEL: 'secret',
  Level: 'x',
  A: { B: 1, b: 2 },
  a: { c: 3 },
  sole: { X: 1 },
  SOLE: 4,
  list: [{ x: 1 }],
  List: [5, [6]],
};

const context: AccessContext = {
  request: {
    method: 'GET',
    path: '/item/order/7',
    pathParameters: { entity: 'order', id: '7' },
    queryParameters: new Map([
      ['all', 'true'],
      ['a.b', '1'],
      ['Twice', '1'],
      ['TWICE', '2'],
    ]),
    body: {
      one: 1,
      ONE: null,
      two: 1,
      Two: [2, null],
      price: 3,
      nested: { Deep: { er: true } },
      list: [{ x: 1 }],
      constructor2: 1,
    },
    ip: '10.0.0.1',
    time: 0,
    origin: 'https://app.example',
  },
  user: { id: 'u1', email: 'u@x' },
  tenant: { id: 't1', code: 'one' },
  jwt: { fn: 'Ann', groups: ['a', 'b'] },
  record: { owner: 'u1', Status: 'open', STATUS: 'closed', status2: 'new', meta, META: { level: 'd' } },
};

function read(text: string): unknown {
  const key = parseContextKey(text);
  return 'read' in key ? key.read(context, wholeEffort()) : key[0];
}

const found: readonly (readonly [key: string, value: unknown])[] = [
  ['request.method', 'GET'],
  ['REQUEST.Path', '/item/order/7'],
  ['request.pathparameters.ID', '7'],
  ['request.pathParameters.entity', 'order'],
  ['request.queryParameters.all', 'true'],
  ['request.queryParameters.ALL', 'true'],
  ['request.queryParameters.a.b', '1'],
  ['request.queryParameters.twice', new AlikeMembers(['1', '2'])],
  ['request.queryParameters.TWICE', new AlikeMembers(['1', '2'])],
  ['request.body.one', new AlikeMembers([1, null])],
  ['request.body.TWO', new AlikeMembers([1, [2, null]])],
  ['request.body.two', new AlikeMembers([1, [2, null]])],
  ['request.body.price', 3],
  ['request.body.nested.deep.ER', true],
  ['request.body.list.0', undefined],
  ['request.body.list.length', undefined],
  ['request.body.price.length', undefined],
  ['request.ip', '10.0.0.1'],
  ['request.time', new Date(0)],
  ['request.origin', 'https://app.example'],
  ['user.id', 'u1'],
  ['User.Email', 'u@x'],
  ['tenant.code', 'one'],
  ['jwt.FN', 'Ann'],
  ['jwt.groups', ['a', 'b']],
  ['record.owner', 'u1'],
  ['record.Status', 'open'],
  ['record.status', new AlikeMembers(['open', 'closed'])],
  ['record.meta.level', new AlikeMembers(['secret', 'x'])],
  ['record.meta.Level', new AlikeMembers(['secret', 'x'])],
  ['record.Meta.level', new AlikeMembers(['secret', 'x', 'd'])],
  ['record.meta.a.b', new AlikeMembers([1, 2, undefined])],
  ['record.meta.a.c', new AlikeMembers([undefined, 3])],
  ['record.meta.a.d', new AlikeMembers([undefined, undefined])],
  ['record.meta.sole.x', new AlikeMembers([1, undefined])],
  ['record.meta.list', new AlikeMembers([[{ x: 1 }], [5, [6]]])],
  ['record.meta.list.x', new AlikeMembers([undefined, undefined])],
  ['record.STATUS2', 'new'],
  ['record.constructor', undefined],
  ['record.__proto__', undefined],
  ['record.toString', undefined],
];

for (const [key, value] of found)
  test(`\`${key}\` reads ${value instanceof Date ? 'the time' : JSON.stringify(value)}`, () => {
    assert.deepEqual(read(key), value);
  });

test('tells the names that it leads to, as the context has them', () => {
  const spellings = (text: string) => {
    const key = parseContextKey(text);
    return 'read' in key ? key.spellings(context, wholeEffort()) : key[0];
  };
  assert.deepEqual(spellings('record.meta.level'), ['meta.LEVEL', 'meta.Level']);
  assert.deepEqual(spellings('record.meta.a.c'), ['meta.A.c', 'meta.a.c']);
  assert.deepEqual(spellings('record.status'), ['Status', 'STATUS']);
  assert.deepEqual(spellings('record.STATUS'), ['STATUS']);
  assert.deepEqual(spellings('request.body.one'), ['one', 'ONE']);
  assert.deepEqual(spellings('request.queryParameters.twice'), ['Twice', 'TWICE']);
  assert.deepEqual(spellings('record.missing'), ['missing']);
  assert.deepEqual(spellings('request.ip'), []);
});

const refused = [
  ...['', 'user', 'user.', 'user.name', 'user.id.x', 'users.id', 'tenant', 'tenant.name', 'env.now'],
  ...['request', 'request.body', 'request.body.', 'request.body.a..b', 'request.headers.x', 'request.method.x'],
  ...['request.queryParameters', 'request.queryParameters.', 'request.pathParameters.view', 'record', 'record.', 'jwt'],
  ...['jwt.role', 'JWT.Role', 'jwt.ROLE', 'jwt.role.x', `record.$\u007buser.id}`, ' user.id', 'user.id '],
  ...['__proto__', 'constructor.name'],
];

for (const key of refused)
  test(`\`${key}\` is no key`, () => {
    assert.equal(read(key), 'invalid_value');
  });

test('a key has at most 256 characters', () => {
  assert.equal(read(`record.${'a'.repeat(249)}`), undefined);
  assert.equal(read(`record.${'a'.repeat(250)}`), 'too_long');
});

test('a letter that only looks like another is another', () => {
  assert.equal(read('record.ſtatus2'), undefined);
  assert.equal(read('jwt.ro\u212ae'), undefined);
});
