import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccessContext } from './context/context.ts';
import { compilePolicies } from './decide.ts';
import type { Explanation } from './explanation.ts';
import { namingOf } from './testing/random-naming.ts';

function explain(
  statements: readonly object[],
  record: Readonly<Record<string, unknown>>,
  more: Pick<AccessContext, 'pending' | 'naming'> = {},
): Explanation {
  const context: AccessContext = {
    request: { method: 'GET', path: '/p', pathParameters: {}, queryParameters: new Map(), ip: '', time: 0 },
    user: { id: 'u1', email: 'u@x' },
    tenant: { id: 't1', code: 'one' },
    jwt: {},
    record,
    ...more,
  };
  const access = compilePolicies([{ policyId: 'p', policyName: 'policy', via: { kind: 'direct' }, statements }]);
  return access.explain('getorder', '/item/order/7', () => context);
}

const statement = { Effect: 'Allow', Action: 'get*', Resource: ['/x', '/item/*'] };
const shown = {
  policyId: 'p',
  policyName: 'policy',
  via: { kind: 'direct' },
  index: 0,
  Effect: 'Allow',
  actionPattern: 'get*',
  resourcePattern: '/item/*',
};

type Condition = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The way the conditions of a statement are shown. */
const asShown = (Condition: Condition) => ({
  conditions: Object.entries(Condition).flatMap(([operator, keys]) =>
    Object.entries(keys).map(([key, values]) => ({ operator, key, expected: [values].flat().map(String) })),
  ),
});

test('tells of a near miss the first condition that failed, with what was expected and what was there', () => {
  const Condition = {
    StringEquals: { 'user.id': 'u1', 'record.status': ['open', 'new'] },
    NumericLessThan: { 'record.n': 5 },
  };
  const { decision, matched, near } = explain([{ ...statement, Condition }], { status: 'closed', n: 7 });
  assert.deepEqual([decision, matched], ['implicit_deny', []]);
  const failed_condition = {
    operator: 'StringEquals',
    key: 'record.status',
    expected: ['open', 'new'],
    actual: ['closed'],
  };
  assert.deepEqual(near, [{ ...shown, ...asShown(Condition), failed_condition }]);
});

test('tells what was expected by the values of its variables, and as it was written where one has none', () => {
  const expected = (text: string) => {
    const Condition = { StringLike: { 'record.owner': text } };
    return explain([{ ...statement, Condition }], { owner: 'u2' }).near[0]?.failed_condition?.expected;
  };
  const written = (text: string) => text.replaceAll('@', '$');
  assert.deepEqual(expected(written('@{user.id}')), ['u1']);
  assert.deepEqual(expected(written("a*@{tenant.code}-@{jwt.team, 'none'}@{*}")), ['a*one-none*']);
  assert.deepEqual(expected(written('@{jwt.team}')), [written('@{jwt.team}')]);
});

test('tells of what is missing, of lists and of objects', () => {
  const Condition = { 'ForAnyValue:StringEquals': { 'record.x': 'a' } };
  const actual = (x: unknown) => explain([{ ...statement, Condition }], { x }).near[0]?.failed_condition?.actual;
  assert.deepEqual(actual(undefined), []);
  assert.deepEqual(actual(null), []);
  assert.deepEqual(actual([1, true, { a: 1 }, ['a']]), ['1', 'true', '{…}', '[…]']);
  assert.equal(actual(Array(100).fill('b'))?.length, 20);
  assert.deepEqual(actual('b'.repeat(300)), [`${'b'.repeat(256)}…`]);
});

test('names the fields of a statement, and no condition of a statement that cannot be evaluated yet', () => {
  const Condition = { StringEquals: { 'record.status': 'open' } };
  const { decision, matched, near } = explain(
    [
      { ...statement, Fields: ['a'] },
      { ...statement, Condition },
    ],
    {},
    { pending: ['record'] },
  );
  assert.equal(decision, 'undecided');
  assert.deepEqual(matched, [{ ...shown, Fields: ['a'] }]);
  assert.deepEqual(near, [{ ...shown, index: 1, ...asShown(Condition) }]);
});

test('tells of no statement that is about something else, and of 20 near misses at most', () => {
  const Condition = { Bool: { 'user.id': true } };
  const { near, considered } = explain(
    [
      { ...statement, Condition, Resource: '/list/*' },
      { ...statement, Condition, Action: 'list*' },
      ...Array.from({ length: 30 }, () => ({ ...statement, Condition })),
    ],
    {},
  );
  assert.deepEqual([near.length, considered], [20, 32]);
});

test('names the members that make several values of a key, in matching and in other statements', () => {
  const Condition = { StringEquals: { 'record.meta.level': 'public' } };
  const held = [
    { ...statement, Condition },
    { ...statement, Effect: 'Deny', Condition },
  ];
  const { matched, near } = explain(held, { meta: { LEVEL: 'secret', Level: 'x', level: null } });
  const ambiguous = [{ key: 'record.meta.level', members: ['meta.LEVEL', 'meta.Level', 'meta.level'] }];
  const failed_condition = {
    operator: 'StringEquals',
    key: 'record.meta.level',
    expected: ['public'],
    actual: ['secret', 'x'],
  };
  const denies = { ...shown, ...asShown(Condition), index: 1, Effect: 'Deny' };
  assert.deepEqual(matched, [{ ...denies, ambiguous }]);
  assert.deepEqual(near, [{ ...shown, ...asShown(Condition), ambiguous, failed_condition }]);
  assert.deepEqual(explain(held, { meta: { Level: ['secret', 'x'] } }).matched, [denies]);
});

test('names the members that make several values of a variable', () => {
  const Resource = '/item/order/@{record.meta.id}'.replace('@', '$');
  const Condition = { StringNotEquals: { 'user.id': '@{record.meta.id}'.replace('@', '$') } };
  const { near, matched } = explain(
    [
      { ...statement, Condition },
      { ...statement, Effect: 'Deny', Resource },
    ],
    { meta: { ID: '7', Id: '7' } },
  );
  const ambiguous = [{ key: 'record.meta.id', members: ['meta.ID', 'meta.Id'] }];
  const expected = Condition.StringNotEquals['user.id'];
  const failed_condition = { operator: 'StringNotEquals', key: 'user.id', expected: [expected], actual: ['u1'] };
  assert.deepEqual(near, [{ ...shown, ...asShown(Condition), ambiguous, failed_condition }]);
  assert.deepEqual(matched, [{ ...shown, index: 1, Effect: 'Deny', resourcePattern: Resource, ambiguous }]);
});

test('calls fields as the statement does, and says what they are called now', () => {
  const naming = namingOf([['text', 'body', 'note'], ['owner', 'author'], ['plain']]);
  const Condition = {
    StringEquals: { 'record.Body': 'a', 'record.plain': `$\u007brecord.author}`, 'request.body.note.x': 'a' },
  };
  const allow = { ...statement, Condition, Fields: ['plain', 'bo*', '!auth??', '*'] };
  const { near, matched } = explain([allow, { ...statement, Fields: ['text'] }], { text: 'b', plain: 'p' }, { naming });
  const renamed = [
    { name: 'record.Body', field: 'text' },
    { name: 'record.author', field: 'owner' },
    { name: 'request.body.note.x', field: 'text' },
    { name: 'bo*', field: 'text' },
    { name: '!auth??', field: 'owner' },
  ];
  const failed_condition = { operator: 'StringEquals', key: 'record.Body', expected: ['a'], actual: ['b'] };
  assert.deepEqual(near, [{ ...shown, ...asShown(Condition), Fields: allow.Fields, renamed, failed_condition }]);
  assert.deepEqual(matched, [{ ...shown, index: 1, Fields: ['text'] }]);
});
