import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ValueType } from '../../expressions/port.ts';
import { blockTemplateErrors } from './logicblock-expressions.ts';

const order: ValueType = {
  kind: 'fields',
  types: new Map([
    ['title', 'string'],
    ['total', 'double'],
  ]),
};
const typeOf = (name: string): ValueType | undefined => (name === 'order' ? order : undefined);
const input_schema = {
  type: 'object',
  properties: { id: { type: 'string' }, count: { type: 'integer' }, any: {} },
  additionalProperties: false,
};

interface Step {
  readonly id: string;
  readonly type: string;
  readonly [member: string]: unknown;
}

function errorsOf(steps: readonly Step[], rest: object = {}): readonly string[] {
  return blockTemplateErrors({ input_schema, steps, ...rest }, typeOf).map(
    ({ pointer, code, message }) => `${pointer} ${code} ${message}`,
  );
}

const read = { id: 'read', type: 'get', entity: 'order', record: '{{input.id}}' };
const list = {
  id: 'find',
  type: 'list',
  entity: 'order',
  filters: [{ field: 'title', op: 'eq', value: '{{steps.read.title}}' }],
};

test('the expressions of a block read its input, the steps before, and the fields of their entities', () => {
  assert.deepEqual(
    errorsOf(
      [
        read,
        list,
        { id: 'note', type: 'create', entity: 'note', values: { text: '{{read.title}} of {{steps.find.count + 1}}' } },
        { id: 'tell', type: 'http', url: 'https://shop.example', body: ['{{steps.note.anything}}', '{{user.email}}'] },
      ],
      {
        returns: {
          items: '{{steps.find.items}}',
          more: '{{steps.find.has_more ? "y" : "n"}}',
          any: '{{input.any.deep}}',
        },
      },
    ),
    [],
  );
});

test('a mistake is reported at its place in the content', () => {
  const wrong = {
    id: 'wrong',
    type: 'update',
    entity: 'order',
    record: '{{steps.later.id}}',
    values: { a: { b: ['{{read.nope}}'] } },
  };
  assert.deepEqual(errorsOf([read, wrong, { ...list, id: 'later' }], { returns: '{{input.other + input.count}}' }), [
    '/steps/1/record invalid_expression at character 3: there is no step `later` before this one',
    '/steps/1/values/a/b/0 invalid_expression at character 3: there is no field `nope` that it can read',
    '/returns invalid_expression at character 3: there is no field `other` that it can read',
  ]);
  assert.deepEqual(errorsOf([{ ...read, record: '{{input.id + input.count}}' }]), [
    '/steps/0/record invalid_expression at character 3: no operator takes these types: `string + int`',
  ]);
  assert.deepEqual(errorsOf([read], { input_schema: { properties: { id: {} } }, returns: '{{input.other}}' }), []);
});

test('steps within a step read those before them, and descriptions are no templates', () => {
  const loop = {
    id: 'each',
    type: 'loop',
    over: '{{steps.read.nope}}',
    max: 5,
    description: 'such as {{nothing}}',
    steps: [{ id: 'inner', type: 'set', values: { a: '{{steps.each.item.title}}', b: '{{steps.after.x}}' } }],
  };
  const choice = {
    id: 'choice',
    type: 'switch',
    on: '{{steps.inner.a}}',
    cases: [{ is: '{{input.nope}}', steps: [{ id: 'case', type: 'transform', value: '{{input.nope}}' }] }],
    default: [{ id: 'other', type: 'condition', if: 'input.count > "a"' }],
  };
  assert.deepEqual(
    errorsOf([read, loop, choice, { id: 'after', type: 'set', values: { a: '{{steps.case}}' } }]).map(
      (error) => error.split(' ')[0],
    ),
    [
      '/steps/1/over',
      '/steps/1/steps/0/values/b',
      '/steps/2/cases/0/is',
      '/steps/2/cases/0/steps/0/value',
      '/steps/2/default/0/if',
    ],
  );
});

test('expressions behind a step with `on_error` read why it was refused', () => {
  const caught = {
    ...{
      ...read,
      on_error: {
        steps: [{ id: 'why', type: 'set', values: { a: '{{errors.read.code}}', b: '{{errors.read.nope}}' } }],
      },
    },
  };
  const later = { id: 'later', type: 'condition', if: 'errors.read.status == 404 && errors.other.code == "a"' };
  const plain = { ...list, on_error: 'continue' };
  const behind = {
    id: 'behind',
    type: 'set',
    values: ['{{errors.find.message + steps.find.items[0].title}}', '{{errors.later.code}}'],
  };
  assert.deepEqual(errorsOf([caught, later, plain, behind]), [
    '/steps/0/on_error/steps/0/values/b invalid_expression at character 3: there is no field `nope` that it can read',
    '/steps/1/if invalid_expression at character 30: there is no step `other` with `on_error` before this one',
    '/steps/3/values/1 invalid_expression at character 3: there is no step `later` with `on_error` before this one',
  ]);
  // The value is that of the steps after the error, of any type.
  assert.deepEqual(errorsOf([caught, { id: 'any', type: 'set', values: { a: '{{steps.read.anything}}' } }]).length, 1);
  assert.deepEqual(
    errorsOf([
      { id: 'errors', type: 'set', values: {} },
      { id: 'a', type: 'set', values: { a: '{{errors.b}}' } },
    ]),
    [],
  );
});

test('a list keeps fields that its entity has, and later steps read these alone', () => {
  const kept = { ...list, id: 'kept', fields: ['title'] };
  const use = { id: 'use', type: 'set', values: ['{{steps.kept.items[0].title}}', '{{steps.kept.items[0].total}}'] };
  assert.deepEqual(errorsOf([read, kept, use]), [
    '/steps/2/values/1 invalid_expression at character 3: there is no field `total` that it can read',
  ]);
  assert.deepEqual(errorsOf([read, { ...kept, fields: ['title', 'none'] }]), [
    '/steps/1/fields/1 unknown_field records of `order` have no field `none`',
  ]);
  assert.deepEqual(errorsOf([{ ...kept, entity: 'unknown', filters: [], fields: ['any'] }]), []);
});

test('a block has at most 200 expressions', () => {
  const steps = Array.from({ length: 3 }, (_, index) => ({
    id: `s${index}`,
    type: 'set',
    values: Array(100).fill('{{1}}'),
  }));
  assert.deepEqual(errorsOf(steps), [' too_many a block may have at most 200 expressions']);
  assert.deepEqual(errorsOf(steps.slice(1)), []);
});
