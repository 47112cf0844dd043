import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionOperators, existsSuffix, setQualifiers } from '@freehold/contract/condition-operators';
import fc from 'fast-check';
import { formOf, statementOf, withValues } from './statement-form.ts';

const text = fc.string({ minLength: 1, maxLength: 8 });
const written = <Value>(value: fc.Arbitrary<Value>) => fc.oneof(value, fc.array(value, { minLength: 1, maxLength: 4 }));
const scalar = fc.oneof(text, fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean());
const operator = fc
  .tuple(
    fc.constantFrom('', ...Object.keys(setQualifiers)),
    fc.constantFrom(...Object.keys(conditionOperators)),
    fc.constantFrom('', existsSuffix),
  )
  .map((parts) => parts.join(''));
const condition = fc.dictionary(operator, fc.dictionary(text, written(scalar), { minKeys: 1, maxKeys: 3 }), {
  maxKeys: 3,
});

/** Statements of any shape that the platform takes, with their members in any order. */
const statement = fc
  .record(
    {
      Sid: fc.oneof(fc.constant(''), text),
      Effect: fc.constantFrom('Allow', 'Deny'),
      Action: written(text),
      Resource: written(text),
      Condition: condition,
      Fields: fc.array(text, { minLength: 1, maxLength: 4 }),
      Mode: fc.constant('report'),
    },
    { requiredKeys: ['Effect', 'Action', 'Resource'] },
  )
  .chain((made) =>
    fc
      .shuffledSubarray(Object.keys(made), { minLength: Object.keys(made).length })
      .map((names) => [made, names] as const),
  )
  // As it arrives: a number such as -0 is no other than its JSON.
  .map(([made, names]) => JSON.stringify(Object.fromEntries(names.map((name) => [name, Reflect.get(made, name)]))));

test('every statement that the platform takes goes through the form unchanged', () => {
  fc.assert(
    fc.property(statement, (json) => {
      const form = formOf(JSON.parse(json));
      assert.ok(form !== undefined, json);
      assert.equal(JSON.stringify(statementOf(form)), json);
    }),
  );
});

test('any other value is left to the JSON, or goes through the form unchanged', () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      statement,
      fc.constantFrom('Sid', 'Effect', 'Action', 'Condition', 'Fields', 'Mode', 'x'),
      (value, json, name) => {
        for (const input of [value, { ...JSON.parse(json), [name]: value }]) {
          const form = formOf(input);
          if (form !== undefined) assert.equal(JSON.stringify(statementOf(form)), JSON.stringify(input));
        }
      },
    ),
  );
});

test('an operator without keys, an unknown member and a broken list are not shown', () => {
  const sound = { Effect: 'Allow', Action: 'get*', Resource: ['*'] };
  assert.ok(formOf(sound));
  assert.equal(formOf({ ...sound, Condition: { Bool: {} } }), undefined);
  assert.equal(formOf({ ...sound, NotAction: 'x' }), undefined);
  assert.equal(formOf({ ...sound, Action: ['get*', 1] }), undefined);
  assert.equal(formOf({ ...sound, Condition: { Bool: { a: [null] } } }), undefined);
  assert.equal(formOf(null), undefined);
});

test('a change of one part leaves the others as they were written', () => {
  const form = formOf({ Resource: '*', Effect: 'Deny', Action: 'get*', Condition: { Bool: { 'jwt.a': true } } });
  assert.ok(form !== undefined);
  const changed = { ...form, actions: withValues(form.actions, ['get*', 'list*']) };
  assert.equal(
    JSON.stringify(statementOf(changed)),
    '{"Resource":"*","Effect":"Deny","Action":["get*","list*"],"Condition":{"Bool":{"jwt.a":true}}}',
  );
  assert.equal(
    JSON.stringify(statementOf({ ...changed, actions: withValues(form.actions, ['list*']), terms: undefined })),
    '{"Resource":"*","Effect":"Deny","Action":"list*"}',
  );
});
