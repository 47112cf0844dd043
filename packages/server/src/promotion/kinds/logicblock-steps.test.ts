import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logicBlockKind } from './logicblock.ts';

function mistakes(steps: readonly object[]): readonly string[] {
  const parsed = logicBlockKind.parse('block', { name: 'block', steps });
  return 'errors' in parsed ? parsed.errors.map(({ pointer, code }) => `${pointer} ${code}`) : [];
}

const set = (id: string): object => ({ id, type: 'set', values: {} });
const loop = (id: string, steps: readonly object[]): object => ({ id, type: 'loop', over: [], max: 5, steps });
const raise = (more: object): object => ({
  id: 'no',
  type: 'raise',
  status: 409,
  code: 'late',
  message: 'No.',
  ...more,
});

for (const [what, steps, expected] of [
  ['every step that is run', [loop('a', [set('b')]), raise({})], []],
  ['a condition in CEL', [{ id: 'a', type: 'condition', if: 'input.a', else: 'b' }, set('b')], []],
  ['a status that no block may raise', [raise({ status: 500 })], ['/steps/0/status not_in_enum']],
  ['more passes than a loop may have', [{ ...loop('a', [set('b')]), max: 1001 }], ['/steps/0/max out_of_range']],
  ['a member that is not known', [loop('a', [{ ...set('b'), over: 1 }])], ['/steps/0/steps/0/over unknown_field']],
  ['a type that is not known', [loop('a', [{ id: 'b', type: 'sleep' }])], ['/steps/0/steps/0/type not_in_enum']],
  ['an id that is used further in', [set('a'), loop('b', [set('a')])], ['/steps/1/steps/0/id duplicate']],
  [
    'a branch',
    [{ id: 'a', type: 'switch', on: 1, cases: [{ is: 1, steps: [set('b')] }], default: [{ id: 'c', type: 'get' }] }],
    ['/steps/0/default/0/entity required', '/steps/0/default/0/record required'],
  ],
  [
    'an `else` into another list',
    [loop('a', [{ id: 'b', type: 'condition', if: 'true', else: 'c' }]), set('c')],
    ['/steps/0/steps/0/else unknown_reference'],
  ],
  [
    'a branch beside another one',
    [{ id: 'a', type: 'parallel', branches: [[set('b')], [{ id: 'c', type: 'get' }]] }],
    ['/steps/0/branches/1/0/entity required', '/steps/0/branches/1/0/record required'],
  ],
  ['one branch alone', [{ id: 'a', type: 'parallel', branches: [[set('b')]] }], ['/steps/0/branches too_few']],
  ['four loops in one another', [loop('a', [loop('b', [loop('c', [set('d')])])])], []],
  [
    'five lists in one another',
    [loop('a', [loop('b', [loop('c', [loop('d', [set('e')])])])])],
    ['/steps/0/steps/0/steps/0/steps/0/steps too_deep'],
  ],
  [
    'more steps than a block may have',
    Array.from({ length: 3 }, (_, at) =>
      loop(
        `l${at}`,
        Array.from({ length: 70 }, (_, index) => set(`s${at}_${index}`)),
      ),
    ),
    ['/steps too_many'],
  ],
] as const)
  test(`a block with ${what}`, () => {
    assert.deepEqual(mistakes(steps), expected);
  });

test('what a step within another one works on is a reference, and where it sends data is a widening', () => {
  const before = { name: 'block', steps: [] };
  const http = { id: 'tell', type: 'http', method: 'GET', url: 'https://shop.example/' } as const;
  const steps = [
    {
      id: 'each',
      type: 'loop',
      over: [],
      max: 1,
      steps: [
        { id: 'read', type: 'get', entity: 'order', record: 'x' },
        { id: 'go', type: 'call', logicblock: 'other' },
        http,
      ],
    },
  ] as const;
  const after = { name: 'block', steps };
  assert.deepEqual(
    logicBlockKind.references(after, 'block').map(({ pointer, kind, name }) => [pointer, kind, name]),
    [
      ['/steps/0/steps/0/entity', 'entity', 'order'],
      ['/steps/0/steps/1/logicblock', 'logicblock', 'other'],
    ],
  );
  assert.deepEqual(logicBlockKind.widening({ name: 'block', before, after }), [
    'data may be sent to `https://shop.example/`',
  ]);
  assert.equal(logicBlockKind.isIdle?.(after), true);
  assert.equal(logicBlockKind.isIdle?.({ name: 'block', steps: [steps[0].steps[0]] }), false);
  assert.equal(logicBlockKind.isIdle?.({ name: 'block', steps: [], input_schema: { pattern: '^a' } }), true);
});
