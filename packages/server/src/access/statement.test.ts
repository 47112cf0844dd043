import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseStatements, readStatement, type Statement } from './statement.ts';

const sound = { Effect: 'Allow', Action: ['get*'], Resource: ['*'] };

function accepted(input: unknown): readonly Statement[] {
  const result = parseStatements(input);
  return 'statements' in result ? result.statements : assert.fail(JSON.stringify(result.errors));
}

/** Every mistake as `pointer code`. */
function mistakes(input: unknown): readonly string[] {
  const result = parseStatements(input);
  return 'errors' in result ? result.errors.map((error) => `${error.pointer} ${error.code}`) : [];
}

test('reads sound statements, a single string where a list is asked for, and runs of stars as one', () => {
  assert.deepEqual(accepted([]), []);
  assert.deepEqual(accepted([sound]), [sound]);
  assert.deepEqual(
    accepted([
      { Sid: 'Read1', Effect: 'Allow', Action: 'get**', Resource: '/item/***/a*' },
      { Sid: '', Effect: 'Deny', Action: ['*', 'CreateOrder', 'd?leteorder'], Resource: ['/a b/é😀', '*'] },
    ]),
    [
      { Sid: 'Read1', Effect: 'Allow', Action: ['get*'], Resource: ['/item/*/a*'] },
      { Sid: '', Effect: 'Deny', Action: ['*', 'CreateOrder', 'd?leteorder'], Resource: ['/a b/é😀', '*'] },
    ],
  );
});

const refusals: readonly (readonly [name: string, statement: unknown, ...mistakes: string[]])[] = [
  ['no object', null, '/0 invalid_type'],
  ['a string', 'Allow', '/0 invalid_type'],
  ['a list', [], '/0 invalid_type'],
  ['nothing in it', {}, '/0/Effect required', '/0/Action required', '/0/Resource required'],
  ['an unknown effect', { ...sound, Effect: 'Permit' }, '/0/Effect invalid_value'],
  ['an effect in other case', { ...sound, Effect: 'allow' }, '/0/Effect invalid_value'],
  ['an effect in a list', { ...sound, Effect: ['Allow'] }, '/0/Effect invalid_value'],
  ['an effect of a name on every object', { ...sound, Effect: 'constructor' }, '/0/Effect invalid_value'],
  ['unknown members', { ...sound, effect: 'Deny', 'a/~b': 1 }, '/0/effect unknown_field', '/0/a~1~0b unknown_field'],
  [
    'members on every object',
    JSON.parse('{"__proto__":{},"toString":1}'),
    ...unknownThenRequired('__proto__', 'toString'),
  ],
  ['no actions', { ...sound, Action: [] }, '/0/Action invalid_type'],
  ['a number for an action', { ...sound, Action: 5 }, '/0/Action invalid_type'],
  ['null for an action', { ...sound, Action: null }, '/0/Action invalid_type'],
  ['an object for resources', { ...sound, Resource: { 0: '*', length: 1 } }, '/0/Resource invalid_type'],
  [
    'other things among patterns',
    { ...sound, Action: ['*', 1, null] },
    '/0/Action/1 invalid_type',
    '/0/Action/2 invalid_type',
  ],
  ['lists in lists', { ...sound, Resource: [['*']] }, '/0/Resource/0 invalid_type'],
  ['an action of no verb', { ...sound, Action: ['get*', 'read*'] }, '/0/Action/1 invalid_value'],
  ['a verb alone', { ...sound, Action: 'get' }, '/0/Action invalid_value'],
  [
    'empty patterns',
    { ...sound, Action: '', Resource: [''] },
    '/0/Action invalid_value',
    '/0/Resource/0 invalid_value',
  ],
  ['a resource without a slash', { ...sound, Resource: ['/a', 'item/order'] }, '/0/Resource/1 invalid_value'],
  ['a resource that begins with `?`', { ...sound, Resource: '?item' }, '/0/Resource invalid_value'],
  ['a Sid of 129 characters', { ...sound, Sid: '😀'.repeat(129) }, '/0/Sid too_long'],
  ['a Sid that is no string', { ...sound, Sid: 1 }, '/0/Sid invalid_value'],
  ['a lone surrogate', { ...sound, Resource: '/\ud83d' }, '/0/Resource invalid_value'],
];

function unknownThenRequired(...names: readonly string[]): readonly string[] {
  const required = ['Effect', 'Action', 'Resource'].map((name) => `/0/${name} required`);
  return [...names.map((name) => `/0/${name} unknown_field`), ...required];
}

for (const [name, statement, ...expected] of refusals) {
  test(`refuses a statement with ${name} and says where`, () => {
    assert.deepEqual(mistakes([statement]), expected);
  });
}

test('lists the mistakes of every statement', () => {
  assert.deepEqual(mistakes([sound, { ...sound, Effect: '' }, 1]), ['/1/Effect invalid_value', '/2 invalid_type']);
});

test('refuses statements that are no list', () => {
  for (const input of [undefined, null, {}, 'x', 1, { length: 0 }])
    assert.deepEqual(mistakes(input), [' invalid_type']);
});

test('does not look at what a statement inherits', () => {
  assert.deepEqual(mistakes([Object.create(sound)]), unknownThenRequired());
});

test('a Sid is a label in any script, kept and compared as it is sent', () => {
  const sids = [
    'Read the orders: own & public',
    'Größe',
    'Gro\u0308ße',
    '注文を読む',
    'קריאה',
    'order-1_2.3',
    ' a',
    'a',
    '😀'.repeat(128),
  ];
  const statements = sids.map((Sid) => ({ ...sound, Sid }));
  assert.deepEqual(
    accepted(statements).map(({ Sid }) => Sid),
    sids,
  );
});

test('a Sid has no control, no line separator, no direction mark and no half of a character', () => {
  const marks = ['\0', '\t', '\n', '\r', '\x7f', '\x85', '\u2028', '\u2029', '\ud83d'];
  const directions = ['\u061c', '\u200e', '\u200f', '\u202a', '\u202e', '\u2066', '\u2069'];
  for (const mark of [...marks, ...directions])
    assert.deepEqual(mistakes([{ ...sound, Sid: `a${mark}b` }]), ['/0/Sid invalid_value']);
});

test('a stored statement with a longer Sid, as earlier versions took it, stays sound', () => {
  assert.deepEqual(readStatement({ ...sound, Sid: 'a'.repeat(1000) }).errors, []);
});

test('a Sid is unique within a policy; statements without one are many', () => {
  const sids = ['a', 'A', 'a', '', '', undefined, undefined, 'a'];
  const statements = sids.map((Sid) => (Sid === undefined ? sound : { ...sound, Sid }));
  assert.deepEqual(mistakes(statements), ['/2/Sid duplicate', '/7/Sid duplicate']);
});

test('allows 50 statements and refuses 51', () => {
  assert.equal(accepted(Array.from({ length: 50 }, () => sound)).length, 50);
  assert.deepEqual(mistakes(Array.from({ length: 51 }, () => sound)), [' too_many']);
});

test('allows 10 KB of UTF-8 and refuses a byte more', () => {
  const full = Array.from({ length: 39 }, () => `/${'a'.repeat(255)}`);
  const padded = (length: number) => [{ ...sound, Resource: ['/é', ...full, `/${'a'.repeat(length)}`] }];
  const rest = new TextEncoder().encode(JSON.stringify(padded(0))).length;
  assert.equal(accepted(padded(10_240 - rest)).length, 1);
  assert.deepEqual(mistakes(padded(10_241 - rest)), [' too_long']);
});

test('allows patterns of 256 characters and 16 stars and refuses more, whatever they are made of', () => {
  const long = (length: number) => `/${'😀'.repeat(length - 1)}`;
  assert.deepEqual(mistakes([{ ...sound, Resource: long(256) }]), []);
  assert.deepEqual(mistakes([{ ...sound, Resource: long(257) }]), ['/0/Resource too_long']);
  assert.deepEqual(mistakes([{ ...sound, Resource: `/${'*'.repeat(255)}` }]), []);
  assert.deepEqual(mistakes([{ ...sound, Resource: `/${'*'.repeat(256)}` }]), ['/0/Resource too_long']);
  assert.deepEqual(mistakes([{ ...sound, Action: `get${'*'.repeat(254)}` }]), ['/0/Action too_long']);
  const like = (value: string) => ({ ...sound, Condition: { StringLike: { 'user.email': value } } });
  assert.deepEqual(mistakes([like('*'.repeat(256))]), []);
  assert.deepEqual(mistakes([like('*'.repeat(257))]), ['/0/Condition/StringLike/user.email too_long']);
  assert.deepEqual(mistakes([{ ...sound, Action: `get${'a'.repeat(254)}` }]), ['/0/Action too_long']);
  assert.deepEqual(mistakes([{ ...sound, Resource: '/a**'.repeat(16) }]), []);
  assert.deepEqual(mistakes([{ ...sound, Resource: '*/'.repeat(17) }]), ['/0/Resource too_many']);
});

test('keeps what is sound of a broken statement, but nothing beside a member that it does not know', () => {
  const { errors, ...rest } = readStatement({ Sid: 'a', Effect: 'Deny', Action: 'get*', Resource: [1] });
  const unread = { Resource: undefined, Condition: undefined, Fields: undefined, Mode: undefined };
  assert.deepEqual(rest, { Sid: 'a', Effect: 'Deny', Action: ['get*'], ...unread });
  assert.equal(errors.length, 1);
  assert.deepEqual(readStatement({ ...sound, Condition: [] }).Action, ['get*']);
  assert.equal(readStatement({ ...sound, NotAction: '*' }).Action, undefined);
});

test('never throws, and what it gives it accepts again unchanged', () => {
  const anyMember = fc.oneof(
    fc.constantFrom('Allow', 'Deny', '*', 'get*', 'listorder', '/item/*', '/'),
    fc.array(fc.constantFrom('*', '**', 'get*', 'countorder', '/item/*', '/a?')),
    fc.jsonValue(),
  );
  const anyStatement = fc.dictionary(fc.constantFrom('Sid', 'Effect', 'Action', 'Resource', 'toString'), anyMember);
  const likely = fc.record({
    Effect: fc.constantFrom('Allow', 'Deny'),
    Action: fc.constantFrom('*', ['get**'], ['listorder', '*user']),
    Resource: fc.constantFrom('**', ['/item/*'], ['/a', '*/b']),
  });
  const anyInput = fc.oneof(fc.array(fc.oneof(anyStatement, likely, fc.jsonValue())), fc.array(likely), fc.jsonValue());
  let acceptedInputs = 0;
  fc.assert(
    fc.property(anyInput, (input) => {
      const result = parseStatements(input);
      if ('errors' in result) return assert.ok(result.errors.length > 0);
      acceptedInputs += 1;
      assert.deepEqual(parseStatements(result.statements), result);
    }),
    { numRuns: 1000 },
  );
  assert.ok(acceptedInputs > 100, `${acceptedInputs}`);
});
