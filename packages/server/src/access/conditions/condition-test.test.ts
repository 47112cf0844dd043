import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccessContext } from '../context/context.ts';
import { TextPart } from '../context/member-path.ts';
import { wholeEffort } from '../effort.ts';
import type { Effect, Truth } from '../truth.ts';
import { compileTerm } from './condition-test.ts';
import { readCondition } from './read-condition.ts';

const variable = (key: string) => `$\u007b${key}}`;
const bare: AccessContext = {
  request: {
    method: 'GET',
    path: '/',
    pathParameters: {},
    queryParameters: new Map(),
    ip: '::ffff:10.0.0.7',
    time: 5000,
  },
  user: { id: 'u1', email: 'u@x' },
  tenant: { id: 't1', code: 'one' },
  jwt: { two: ['a', 'b'], star: '*', deep: { er: 1 } },
};

/** Tests `operator` on the record's field `x`. */
function ask(operator: string, expected: unknown, x: unknown, effect: Effect = 'Allow'): Truth {
  return askKey(operator, { 'record.x': expected }, { ...bare, record: { x } }, effect);
}

function askKey(operator: string, keys: unknown, context: AccessContext, effect: Effect = 'Allow'): Truth {
  const terms = readCondition({ [operator]: keys }, (_, code, message) => assert.fail(`${code} ${message}`));
  const [term] = terms ?? [];
  return term === undefined ? assert.fail() : compileTerm(term, effect).test(context, wholeEffort());
}

const answers: readonly (readonly [operator: string, expected: unknown, value: unknown, answer: boolean])[] = [
  ['StringEquals', 'a', 'a', true],
  ['StringEquals', 'a', 'A', false],
  ['StringEquals', 'é', 'e\u0301', false],
  ['StringEquals', ['b', 'a'], 'a', true],
  ['StringEquals', 5, 5, true],
  ['StringEquals', '5', 5, true],
  ['StringEquals', true, true, true],
  ['StringEquals', 'a*', 'ab', false],
  ['StringEquals', variable('*'), '*', true],
  ['StringEquals', `${variable('$')}{user.id}`, variable('user.id'), true],
  ['StringEquals', variable('user.id'), 'u1', true],
  ['StringEquals', `x-${variable('user.id')}-y`, 'x-u1-y', true],
  ['StringEquals', `$\u007bjwt.none, 'dflt, x'}`, 'dflt, x', true],
  ['StringEquals', variable('jwt.none'), 'u1', false],
  ['StringEquals', variable('jwt.two'), 'a', false],
  ['StringEquals', variable('jwt.deep'), '[object Object]', false],
  ['StringNotEquals', variable('jwt.none'), 'u1', true],
  ['StringNotEquals', ['a', 'b'], 'b', false],
  ['StringNotEquals', ['a', 'b'], 'c', true],
  ['StringEqualsIgnoreCase', 'AbC', 'aBc', true],
  ['StringEqualsIgnoreCase', 'k', '\u212a', false],
  ['StringEqualsIgnoreCase', variable('user.id'), 'U1', true],
  ['StringNotEqualsIgnoreCase', 'A', 'a', false],
  ['StringLike', 'a*', 'a\nb', true],
  ['StringLike', '?', '😀', true],
  ['StringLike', variable('*'), 'ab', false],
  ['StringLike', variable('jwt.star'), 'ab', false],
  ['StringLike', `${variable('user.id')}*`, 'u1/x', true],
  ['StringLike', variable('jwt.none'), '', false],
  ['StringNotLike', 'a*', 'ab', false],
  ['StringNotLike', 'a*', 'b', true],
  ['NumericEquals', '1.0', 1, true],
  ['NumericEquals', 1, '1', true],
  ['NumericEquals', '9007199254740993', '9007199254740992', false],
  ['NumericEquals', 1e21, 1e21, true],
  ['NumericNotEquals', [1, 2], 3, true],
  ['NumericNotEquals', [1, 3], 3, false],
  ['NumericLessThan', 2, 1, true],
  ['NumericLessThan', 2, 2, false],
  ['NumericLessThanEquals', 2, 2, true],
  ['NumericGreaterThan', 2, 10, true],
  ['NumericGreaterThan', [100, 2], 10, true],
  ['DateLessThan', '2026-01-01', '2025-12-31T23:59:59.999Z', true],
  ['DateEquals', '2026-01-01', 1767225600, true],
  ['Bool', 'true', true, true],
  ['Bool', false, 'false', true],
  ['IpAddress', '10.0.0.0/8', '10.1.1.1', true],
  ['NotIpAddress', '10.0.0.0/8', '10.1.1.1', false],
  ['StringEquals', 'a', ['a'], true],
  ['StringEquals', 'a', [null, 'a'], true],
  ['ForAnyValue:StringEquals', 'a', ['a', 'b'], true],
  ['ForAnyValue:StringEquals', 'c', ['a', 'b'], false],
  ['ForAnyValue:StringNotEquals', 'a', ['a', 'b'], true],
  ['ForAllValues:StringEquals', ['a', 'b', 'c'], ['a', 'b'], true],
  ['ForAllValues:StringEquals', 'a', ['a', 'b'], false],
  ['ForAllValues:StringNotEquals', 'a', ['a', 'b'], false],
  ['ForAnyValue:StringEquals', 'a', 'a', true],
  ['Null', 'false', {}, true],
  ['Null', 'false', '', true],
  ['Null', true, [null], true],
  ['Null', ['true', 'false'], 1, true],
];

for (const [operator, expected, value, answer] of answers)
  test(`${operator} ${JSON.stringify(expected)} ${answer ? 'holds' : 'does not hold'} of ${JSON.stringify(value)}`, () => {
    assert.equal(ask(operator, expected, value), answer);
    assert.equal(ask(operator, expected, value, 'Deny'), answer);
  });

const unreadable: readonly (readonly [operator: string, expected: unknown, value: unknown])[] = [
  ['StringEquals', '[object Object]', {}],
  ['StringNotEquals', 'a', {}],
  ['StringLike', '*', {}],
  ['StringEqualsIfExists', 'a', {}],
  ['StringEquals', 'a', [['a']]],
  ['ForAnyValue:StringEquals', 'a', ['b', {}]],
  ['ForAllValues:StringEquals', 'a', ['a', {}]],
  ['NumericNotEquals', 1, {}],
  ['NumericNotEquals', 1, 'many'],
  ['NumericGreaterThanEquals', 2, '1e3'],
  ['NumericLessThan', 2, ''],
  ['ForAllValues:NumericLessThan', 5, [1, 'x']],
  ['DateNotEquals', '2026-01-01', 'soon'],
  ['DateGreaterThan', '2026-01-01', '2026-06-01T00:00:00+01:00'],
  ['DateGreaterThan', '2026-01-01', new TextPart('2026')],
  ['NumericGreaterThan', 1, new TextPart('2')],
  ['Bool', true, 'TRUE'],
  ['Bool', true, 1],
  ['IpAddress', '10.0.0.0/8', 'home'],
  ['NotIpAddress', '10.0.0.0/8', 'home'],
];

for (const [operator, expected, value] of unreadable)
  test(`${operator} of ${JSON.stringify(value)}, which it cannot read, switches no Deny off and gives no Allow`, () => {
    assert.equal(ask(operator, expected, value), false);
    assert.equal(ask(operator, expected, value, 'Deny'), true);
  });

test('a part of a text that is looked for is compared as a text', () => {
  assert.equal(ask('StringEquals', 'ab', new TextPart('ab')), true);
  assert.equal(ask('StringLike', 'b*', new TextPart('ab')), false);
});

test('of what is missing only negated, IfExists, ForAllValues and Null hold', () => {
  for (const missing of [undefined, null, [], [null]]) {
    for (const operator of [
      'StringEquals',
      'NumericLessThan',
      'Bool',
      'ForAnyValue:StringEquals',
      'ForAnyValue:StringNotEquals',
    ])
      assert.equal(ask(operator, operator === 'Bool' ? 'true' : '1', missing), false, operator);
    for (const operator of ['StringNotEquals', 'NumericNotEquals', 'ForAllValues:StringEquals', 'StringEqualsIfExists'])
      assert.equal(ask(operator, '1', missing), true, operator);
    for (const operator of ['StringNotEqualsIfExists', 'NumericEqualsIfExists'])
      assert.equal(ask(operator, '1', missing), true, operator);
    assert.equal(ask('NotIpAddress', '10.0.0.0/8', missing), true);
    assert.equal(ask('Null', 'true', missing), true);
    assert.equal(ask('Null', 'false', missing), false);
  }
  assert.equal(ask('StringEqualsIfExists', 'a', 'b'), false);
});

test('several values where one is asked for switch no Deny off and give no Allow', () => {
  for (const operator of ['StringEquals', 'StringNotEquals', 'NumericLessThan', 'StringEqualsIfExists']) {
    assert.equal(ask(operator, '1', ['1', '1']), false, operator);
    assert.equal(ask(operator, '1', ['1', '1'], 'Deny'), true, operator);
  }
});

test('a variable that leads to several members switches no Deny off and gives no Allow, once it is known', () => {
  for (const meta of [
    { own: 'u1', OWN: 'u2' },
    { own: 'u2', Own: null },
    { OWN: null, Own: null },
  ])
    for (const operator of ['StringEquals', 'StringNotEquals', 'StringEqualsIgnoreCase', 'StringLike', 'StringNotLike'])
      for (const effect of ['Allow', 'Deny'] as const) {
        const own = { 'user.id': `$\u007brecord.meta.own, 'u1'}` };
        const known = { ...bare, record: { meta } };
        assert.equal(askKey(operator, own, { ...bare, pending: ['record'] }, effect), 'unknown', operator);
        assert.equal(askKey(operator, own, known, effect), effect === 'Deny', operator);
      }
});

test('what is pending makes a condition unknown, unless other values decide it', () => {
  const pending = { ...bare, pending: ['record'] } as const;
  for (const operator of ['StringEquals', 'StringNotEquals', 'StringEqualsIfExists', 'ForAllValues:StringEquals'])
    assert.equal(askKey(operator, { 'record.x': 'a' }, pending), 'unknown', operator);
  assert.equal(askKey('Null', { 'record.x': 'true' }, pending), 'unknown');
  assert.equal(askKey('StringEquals', { 'request.body.x': 'a' }, pending), false);
  assert.equal(askKey('StringEquals', { 'request.body.x': 'a' }, { ...bare, pending: ['body'] }), 'unknown');
  assert.equal(askKey('StringEquals', { 'user.id': variable('record.x') }, pending), 'unknown');
  assert.equal(askKey('StringEquals', { 'user.id': [variable('record.x'), 'u1'] }, pending), true);
  assert.equal(askKey('StringNotEquals', { 'user.id': [variable('record.x'), 'u1'] }, pending), false);
  assert.equal(askKey('StringNotEquals', { 'user.id': [variable('record.x'), 'u2'] }, pending), 'unknown');
});

test('compares the address and the time of the request', () => {
  assert.equal(askKey('IpAddress', { 'request.ip': '10.0.0.0/8' }, bare), true);
  assert.equal(askKey('DateLessThan', { 'request.time': '2026-01-01' }, bare), true);
  assert.equal(askKey('DateEquals', { 'request.time': 5 }, bare), true);
  assert.equal(askKey('StringEquals', { 'request.time': '1970-01-01T00:00:05.000Z' }, bare), true);
  assert.equal(askKey('NumericEquals', { 'request.time': 5 }, bare), false);
});

test('a value that would make a pattern too long matches nothing', () => {
  const long = (length: number) => ({ ...bare, user: { id: 'a'.repeat(length), email: 'a'.repeat(length) } });
  const own = { 'user.email': `*${variable('user.id')}` };
  assert.equal(askKey('StringLike', own, long(1023)), true);
  assert.equal(askKey('StringLike', own, long(1024)), false);
  assert.equal(askKey('StringEquals', { 'user.email': variable('user.id') }, long(5000)), true);
});
