import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blockTemplateErrors, knownEntity } from './logicblock-expressions.ts';

const order = knownEntity({
  entityName: 'order',
  UpdateParams: [
    { name: 'title' },
    { name: 'total', colType: 'number' },
    { name: 'n', colType: 'integer' },
    { name: 'at', colType: 'datetime' },
    { name: 'tags', colType: 'array' },
    { name: 'card', colType: 'encrypted' },
    { name: 'any', colType: 'json' },
    { name: 'before_id', colType: 'guid', lookup: { entity: 'order' } },
  ],
});
const known = (name: string) => (name === 'order' ? order : undefined);
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
  return blockTemplateErrors({ input_schema, steps, ...rest }, known).map(
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

test('lists and aggregates filter by fields that their entity has and that lists filter by', () => {
  const fields = ['title', 'tags', 'id', 'created_at', 'owner', 'none', 'any', 'card'];
  const filters = fields.map((field) => ({ field, op: 'eq', value: '{{input.id}}' }));
  for (const type of ['list', 'aggregate'])
    assert.deepEqual(errorsOf([{ id: 'some', type, entity: 'order', filters }]), [
      '/steps/0/filters/5/field unknown_field `none` is neither a parameter nor a field of `order`',
      '/steps/0/filters/6/field not_filterable field `any` cannot be filtered on',
      '/steps/0/filters/7/field not_filterable field `card` cannot be filtered on',
    ]);
  assert.deepEqual(errorsOf([{ id: 'some', type: 'list', entity: 'unknown', filters }]), []);
});

const aggregate = {
  id: 'sums',
  type: 'aggregate',
  entity: 'order',
  group: 'title,month(at)',
  measure: 'count,sum:total,max:at',
};

test('later steps read the groups and the figures of an aggregate, by their names and types', () => {
  const use = (...values: readonly string[]) => ({ id: 'use', type: 'set', values });
  const item = 'steps.sums.items[0]';
  assert.deepEqual(
    errorsOf([
      aggregate,
      use(
        `{{ ${item}.group.title + ${item}.group.month_at }}`,
        `{{ ${item}.values.sum_total / 2.0 }}`,
        `{{ ${item}.values.count + steps.sums.count }}`,
        `{{ ${item}.values.max_at < now }}`,
        '{{ steps.sums.has_more || steps.sums.partial }}',
      ),
    ]),
    [],
  );
  assert.deepEqual(
    errorsOf([
      aggregate,
      use(
        `{{ ${item}.group.at }}`,
        `{{ ${item}.values.sum_n }}`,
        `{{ ${item}.title }}`,
        `{{ ${item}.values.count + "a" }}`,
        '{{ steps.sums.nexttoken }}',
      ),
    ]).map((error) => error.split(' character')[0]),
    [0, 1, 2, 3, 4].map((at) => `/steps/1/values/${at} invalid_expression at`),
  );
  const overLookup = { ...aggregate, group: 'before_id.n,year(before_id.at)' };
  assert.deepEqual(
    errorsOf([overLookup, use(`{{ ${item}.group.before_id_n + 1 }}`, `{{ ${item}.group.year_before_id_at + "" }}`)]),
    [],
  );
  assert.deepEqual(
    errorsOf([{ ...aggregate, group: 'before_id.none' }]).map((error) => error.split(' ').slice(0, 2)),
    [['/steps/0/group', 'unknown_field']],
  );
  const plain = { id: 'all', type: 'aggregate', entity: 'order' };
  assert.deepEqual(errorsOf([plain, use('{{ steps.all.items[0].values.count + 1 }}')]), []);
});

for (const [what, more, expected] of [
  ['an unknown field', { group: 'none' }, ['/group unknown_field']],
  ['an unknown field to add up', { measure: 'sum:none' }, ['/measure unknown_field']],
  [
    'what has no plain values',
    { group: 'tags,any', measure: 'distinct:card' },
    ['/group not_measurable', '/group not_measurable', '/measure not_measurable'],
  ],
  ['a sum of texts', { measure: 'sum:title' }, ['/measure wrong_type']],
  ['a part of time of a text', { group: 'month(title)' }, ['/group wrong_type']],
  ['an order by what is not there', { sortby: 'sum_n' }, ['/sortby unknown_name']],
  ['a zone that there is not', { time_zone: 'Mars/Base' }, ['/time_zone unknown_time_zone']],
  ['a zone that is known later', { time_zone: '{{ input.id }}' }, []],
  ['a condition', { having: 'count > 1 && sum_total > {{ input.count }} || title == {{ input.id }}' }, []],
  ['a condition on another name', { having: 'sum_n > {{ input.count }}' }, ['/having invalid_expression']],
  ['a condition of another type', { having: 'count > "a"' }, ['/having invalid_expression']],
  ['a value within quotes', { having: 'title == "{{ input.id }}"' }, ['/having invalid_expression']],
  ['a value in the place of a condition', { having: '{{ input.any }}' }, ['/having invalid_expression']],
  ['a value of a step that there is not', { having: 'count > {{ steps.none }}' }, ['/having invalid_expression']],
] as const)
  test(`an aggregate is checked with its block: ${what}`, () => {
    const errors = errorsOf([{ ...aggregate, ...more }]).map((error) => error.split(' ').slice(0, 2).join(' '));
    assert.deepEqual(
      errors,
      expected.map((one) => `/steps/0${one}`),
    );
    assert.deepEqual(
      errorsOf([{ ...aggregate, ...more, entity: 'unknown' }]).filter((one) => !one.includes('none')),
      [],
    );
  });

test('the place of a mistake in a condition is that in its text', () => {
  const having = 'count > {{ input.count }} && nope > 1';
  assert.match(errorsOf([{ ...aggregate, having }])[0] ?? '', /at character 30: .*nope/);
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
