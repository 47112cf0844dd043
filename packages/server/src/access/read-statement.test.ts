import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseStatements, readStatement } from './statement.ts';

const sound = { Effect: 'Allow', Action: ['get*'], Resource: ['*'] };
const variable = (inside: string) => `$\u007b${inside}}`;

/** Every mistake as `pointer code`. */
function mistakes(more: object): readonly string[] {
  return readStatement({ ...sound, ...more }).errors.map(({ pointer, code }) => `${pointer} ${code}`);
}

const conditions: readonly (readonly [name: string, condition: unknown, ...mistakes: string[]])[] = [
  ['that is no object', 'x', ' invalid_type'],
  ['that is a list', [], ' invalid_type'],
  ['that is null', null, ' invalid_type'],
  ['with an unknown operator', { StringMatches: { 'user.id': 'a' } }, '/StringMatches invalid_value'],
  ['with an operator in other case', { stringEquals: { 'user.id': 'a' } }, '/stringEquals invalid_value'],
  ['with a name of every object', { constructor: { 'user.id': 'a' } }, '/constructor invalid_value'],
  ['with an unknown qualifier', { 'ForSome:Bool': { 'user.id': 'true' } }, '/ForSome:Bool invalid_value'],
  ['with a qualifier alone', { 'ForAnyValue:': { 'user.id': 'a' } }, '/ForAnyValue: invalid_value'],
  [
    'with a set qualifier and IfExists',
    { 'ForAnyValue:StringEqualsIfExists': { 'record.tags': 'a' }, 'ForAllValues:BoolIfExists': { 'record.f': 'true' } },
    '/ForAnyValue:StringEqualsIfExists invalid_value',
    '/ForAllValues:BoolIfExists invalid_value',
  ],
  ['with NullIfExists', { NullIfExists: { 'user.id': 'true' } }, '/NullIfExists invalid_value'],
  ['with a qualified Null', { 'ForAnyValue:Null': { 'user.id': 'true' } }, '/ForAnyValue:Null invalid_value'],
  ['with a list of keys', { Bool: ['user.id'] }, '/Bool invalid_type'],
  ['with an unknown key', { Bool: { 'env.x': 'true' } }, '/Bool/env.x invalid_value'],
  ['on the role', { StringEquals: { 'JWT.Role': 'admin' } }, '/StringEquals/JWT.Role invalid_value'],
  [
    'with the role in a value',
    { StringEquals: { 'user.id': [variable('jwt.role')] } },
    '/StringEquals/user.id/0 invalid_value',
  ],
  ['with no values', { StringEquals: { 'user.id': [] } }, '/StringEquals/user.id invalid_type'],
  ['with null for a value', { StringEquals: { 'user.id': null } }, '/StringEquals/user.id invalid_type'],
  [
    'with objects for values',
    { StringEquals: { 'a/b': ['x', {}, 1, [1]] } },
    '/StringEquals/a~1b invalid_value',
    '/StringEquals/a~1b/1 invalid_type',
    '/StringEquals/a~1b/3 invalid_type',
  ],
  [
    'with a word for a number',
    { NumericEquals: { 'record.n': [1, 'one'] } },
    '/NumericEquals/record.n/1 invalid_value',
  ],
  [
    'with a variable for a number',
    { NumericEquals: { 'record.n': variable('record.m') } },
    '/NumericEquals/record.n invalid_value',
  ],
  ['with a word for a date', { DateLessThan: { 'request.time': 'now' } }, '/DateLessThan/request.time invalid_value'],
  ['with a word for a truth', { Bool: { 'record.b': 'yes' } }, '/Bool/record.b invalid_value'],
  ['with a word for an address', { IpAddress: { 'request.ip': 'home' } }, '/IpAddress/request.ip invalid_value'],
  ['with a Null of a word', { Null: { 'record.b': 'maybe' } }, '/Null/record.b invalid_value'],
  [
    'with a variable that does not end',
    { StringLike: { 'user.id': 'a$\u007buser.id' } },
    '/StringLike/user.id invalid_value',
  ],
  ['with a variable of nothing', { StringLike: { 'user.id': variable('') } }, '/StringLike/user.id invalid_value'],
  [
    'with a default without quotes',
    { StringLike: { 'user.id': variable('user.id, x') } },
    '/StringLike/user.id invalid_value',
  ],
  ['with a pattern too long', { StringLike: { 'user.id': 'a'.repeat(257) } }, '/StringLike/user.id too_long'],
  ['with too many stars', { StringLike: { 'user.id': 'a*'.repeat(17) } }, '/StringLike/user.id too_many'],
  ['with too many values', { StringEquals: { 'user.id': Array(51).fill('a') } }, '/StringEquals/user.id too_many'],
];

for (const [name, Condition, ...expected] of conditions)
  test(`refuses a condition ${name} and says where`, () => {
    assert.deepEqual(
      mistakes({ Condition }),
      expected.map((mistake) => `/Condition${mistake}`),
    );
  });

test('a statement has at most 20 conditions, whatever their operators', () => {
  const keys = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`record.f${index}`, 'a']));
  assert.deepEqual(mistakes({ Condition: { StringEquals: keys(10), StringLike: keys(10) } }), []);
  assert.deepEqual(mistakes({ Condition: { StringEquals: keys(10), StringLike: keys(11) } }), ['/Condition too_many']);
});

test('reads values of every type as texts, and a single one where a list is asked for', () => {
  const Condition = {
    StringLike: { 'user.id': ['a**b', 5, `*${variable('user.id')}`] },
    NumericLessThan: { 'record.n': [1e21, '07'] },
    Bool: { 'record.b': true },
  };
  assert.deepEqual(readStatement({ ...sound, Condition }).Condition, [
    { operator: 'StringLike', key: 'user.id', expected: ['a*b', '5', `*${variable('user.id')}`] },
    { operator: 'NumericLessThan', key: 'record.n', expected: ['1000000000000000000000', '07'] },
    { operator: 'Bool', key: 'record.b', expected: ['true'] },
  ]);
});

const resources: readonly (readonly [pattern: string, ...mistakes: string[]])[] = [
  [`/update/user/${variable('user.id')}`],
  [`/a/${variable("user.id, 'x*y'")}/${variable('*')}${variable('?')}${variable('$')}$x`],
  [`/a/${variable('user.name')}`, '/Resource invalid_value'],
  [`/a/${variable('jwt.role')}`, '/Resource invalid_value'],
  [`/a/$\u007buser.id`, '/Resource invalid_value'],
  [`/a/$\u007ba${variable('user.id')}`, '/Resource invalid_value'],
  [`${variable('request.path')}`, '/Resource invalid_value'],
];

for (const [Resource, ...expected] of resources)
  test(`${expected.length === 0 ? 'takes' : 'refuses'} the resource \`${Resource}\``, () => {
    assert.deepEqual(mistakes({ Resource }), expected);
  });

test('takes no stars out of a variable', () => {
  const { Resource } = readStatement({ ...sound, Resource: `/**${variable("user.id, '**'")}**` });
  assert.deepEqual(Resource, [`/*${variable("user.id, '**'")}*`]);
});

test('an action takes no variables', () => {
  assert.deepEqual(mistakes({ Action: `get${variable('user.id')}` }), ['/Action invalid_value']);
});

test('fields are a list of patterns that name something', () => {
  assert.deepEqual(mistakes({ Fields: ['a', 'b*', '!c', 'a'.repeat(64)] }), []);
  for (const Fields of ['a', {}, null, [], 5]) assert.deepEqual(mistakes({ Fields }), ['/Fields invalid_type']);
  assert.deepEqual(mistakes({ Fields: ['a', 1, '', '!', 'a'.repeat(65)] }), [
    '/Fields/1 invalid_type',
    '/Fields/2 invalid_value',
    '/Fields/3 invalid_value',
    '/Fields/4 too_long',
  ]);
  assert.deepEqual(mistakes({ Fields: Array(100).fill('a') }), []);
  assert.deepEqual(mistakes({ Fields: Array(101).fill('a') }), ['/Fields too_many']);
});

test('a mode is `report`, and what is only reported keeps all that it says', () => {
  assert.equal(readStatement({ ...sound, Mode: 'report' }).Mode, 'report');
  assert.equal(readStatement(sound).Mode, undefined);
  assert.deepEqual(parseStatements([{ ...sound, Mode: 'report' }]), { statements: [{ ...sound, Mode: 'report' }] });
  for (const Mode of ['enforce', 'Report', '', null, true, ['report']])
    assert.deepEqual(mistakes({ Mode }), ['/Mode invalid_value']);
});
