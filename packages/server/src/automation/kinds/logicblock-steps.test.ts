import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InputError } from '@freehold/contract/problem';
import { logicBlockKind } from './logicblock.ts';
import { stepErrors } from './logicblock-steps.ts';

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
  [
    'what is done where steps are refused',
    [
      { ...set('a'), on_error: 'continue' },
      { ...set('b'), on_error: { goto: 'd' } },
      { ...loop('c', [{ ...set('e'), on_error: { steps: [raise({})] } }]), on_error: { steps: [set('f')] } },
      set('d'),
    ],
    [],
  ],
  ['an `on_error` that is none', [{ ...set('a'), on_error: 'stop' }], ['/steps/0/on_error not_in_enum']],
  ['an `on_error` with too little', [{ ...set('a'), on_error: {} }], ['/steps/0/on_error/goto required']],
  ['no steps after an error', [{ ...set('a'), on_error: { steps: [] } }], ['/steps/0/on_error/steps too_few']],
  [
    'two ways to go on',
    [{ ...set('a'), on_error: { goto: 'b', steps: [set('c')] } }, set('b')],
    ['/steps/0/on_error/steps unknown_field'],
  ],
  [
    'a step after an error that is none',
    [{ ...set('a'), on_error: { steps: [{ id: 'b', type: 'get' }] } }],
    ['/steps/0/on_error/steps/0/entity required', '/steps/0/on_error/steps/0/record required'],
  ],
  [
    'a way back',
    [
      set('a'),
      { ...set('b'), on_error: { goto: 'a' } },
      loop('c', [{ ...set('d'), on_error: { goto: 'e' } }]),
      set('e'),
    ],
    ['/steps/1/on_error/goto unknown_reference', '/steps/2/steps/0/on_error/goto unknown_reference'],
  ],
  [
    'errors that are never caught',
    [raise({ on_error: 'continue' }), { id: 'w', type: 'wait', seconds: 1, on_error: 'continue' }],
    ['/steps/0/on_error unknown_field', '/steps/1/on_error unknown_field'],
  ],
  [
    'an id that is used after an error',
    [{ ...set('a'), on_error: { steps: [set('a')] } }],
    ['/steps/0/on_error/steps/0/id duplicate'],
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

test('a transaction catches no errors', () => {
  const steps = [loop('a', [{ ...set('b'), on_error: 'continue' }])];
  const parsed = logicBlockKind.parse('block', { name: 'block', transaction: true, steps });
  const [error] = 'errors' in parsed ? parsed.errors : [];
  assert.deepEqual([error?.pointer, error?.code], ['/steps/0/steps/0/on_error', 'contradiction']);
});

test('what the steps after an error work on is a reference, and where they send data is a widening', () => {
  const steps = [
    { id: 'get', type: 'get', entity: 'order', record: 'a' },
    { id: 'mail', type: 'mail', to: 'a@b.example', subject: 'a', text: 'b' },
    { id: 'call', type: 'call', logicblock: 'other' },
    { id: 'compute', type: 'script', source: 'return 1' },
  ] as const;
  const after = { name: 'block', steps: [{ id: 'a', type: 'set', values: {}, on_error: { steps } }] } as const;
  assert.deepEqual(
    logicBlockKind.references(after, 'block').map(({ kind, name, pointer }) => `${pointer} ${kind} ${name}`),
    ['/steps/0/on_error/steps/0/entity entity order', '/steps/0/on_error/steps/2/logicblock logicblock other'],
  );
  const before = { name: 'block', steps: [] };
  assert.deepEqual(logicBlockKind.widening({ name: 'block', before, after }), [
    'mails are sent to `a@b.example`',
    'another script is run in the step `compute`',
  ]);
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
  assert.equal(logicBlockKind.isIdle?.(after), false);
  assert.equal(logicBlockKind.isIdle?.({ name: 'block', steps: [], input_schema: { pattern: '^a' } }), true);
});

const call = {
  id: 'go',
  type: 'http',
  method: 'POST',
  url: 'https://shop.example/{{ input.id }}?at={{ now }}',
} as const;
const key = { name: 'shop_key', header: 'Authorization' } as const;

for (const [what, step, expected] of [
  ['expressions behind the host', call, undefined],
  ['braces in an expression', { ...call, url: 'https://a.example/{{ "}} / # ?" }}' }, undefined],
  ['an expression for the host', { ...call, url: 'https://{{input.host}}/' }, '/url invalid_address'],
  ['an expression in the host', { ...call, url: 'https://a{{input.host}}/' }, '/url invalid_address'],
  [
    'an expression behind the host without a slash',
    { ...call, url: 'https://a.example{{input.x}}' },
    '/url invalid_address',
  ],
  ['an expression for the port', { ...call, url: 'https://a.example:{{input.port}}/' }, '/url invalid_address'],
  ['an expression for the user', { ...call, url: 'https://{{input.user}}@a.example/' }, '/url invalid_address'],
  ['an expression for all of it', { ...call, url: '{{ input.url }}' }, '/url pattern_mismatch'],
  ['an expression for the scheme', { ...call, url: '{{ input.x }}://a.example/' }, '/url pattern_mismatch'],
  ['braces that stand for themselves in the host', { ...call, url: 'https://{{{{x/' }, '/url invalid_address'],
  ['a fragment', { ...call, url: 'https://a.example/#x' }, '/url invalid_address'],
  ['a fragment after the host', { ...call, url: 'https://a.example#x' }, '/url pattern_mismatch'],
  ['a user', { ...call, url: 'https://a@b.example/' }, '/url invalid_address'],
  ['plain http', { ...call, url: 'http://a.example/{{ input.id }}' }, '/url invalid_address'],
  ['a secret', { ...call, secret: key }, undefined],
  ['a secret with a prefix', { ...call, secret: { ...key, prefix: 'Bearer ' } }, undefined],
  ['a secret as a password', { ...call, secret: { ...key, basic: 'user' } }, undefined],
  [
    'a secret as a password with a prefix',
    { ...call, secret: { ...key, basic: 'u', prefix: 'x' } },
    '/secret/prefix contradiction',
  ],
  [
    'a secret in a header of the platform',
    { ...call, secret: { ...key, header: 'Host' } },
    '/secret/header refused_header',
  ],
  [
    'a secret as the key of repetition',
    { ...call, secret: { ...key, header: 'Idempotency-Key' } },
    '/secret/header refused_header',
  ],
  [
    'a secret in a header twice',
    { ...call, headers: { 'X-Key': 'a' }, secret: { ...key, header: 'x-key' } },
    '/secret/header duplicate',
  ],
  ['a secret without a name', { ...call, secret: { header: 'x' } }, '/secret/name required'],
  [
    'a secret whose name is a template',
    { ...call, secret: { ...key, name: '{{ input.s }}' } },
    '/secret/name pattern_mismatch',
  ],
  ['a secret in the body', { ...call, secret: { ...key, body: 'x' } }, '/secret/body unknown_field'],
  ['a mail', { id: 'go', type: 'mail', to: '{{ input.to }}', subject: 'Hi', text: 'Hello' }, undefined],
  ['a mail to no one', { id: 'go', type: 'mail', to: '', subject: 'Hi', text: 'Hello' }, '/to too_short'],
  [
    'a mail with a sender',
    { id: 'go', type: 'mail', to: 'a', subject: 'b', text: 'c', from: 'd' },
    '/from unknown_field',
  ],
] as const)
  test(`K10 a step that sends something, with ${what}`, () => {
    assert.deepEqual(mistakes([step]), expected === undefined ? [] : [`/steps/0${expected}`]);
  });

test('a transaction sends nothing to other systems', () => {
  const mail = { id: 'mail', type: 'mail', to: 'a@b.example', subject: 'a', text: 'b' };
  const read = logicBlockKind.parse('block', { name: 'block', transaction: true, steps: [call, mail] });
  assert.deepEqual('errors' in read ? read.errors.map(({ pointer, code }) => `${pointer} ${code}`) : [], [
    '/steps/0/type contradiction',
    '/steps/1/type contradiction',
  ]);
});

test('where secrets and mails go is a widening', () => {
  const mail = { id: 'mail', type: 'mail', to: '{{ input.to }}', subject: 'a', text: 'b' } as const;
  const before = { name: 'block', steps: [call] };
  const after = { name: 'block', steps: [{ ...call, secret: key }, mail] };
  assert.deepEqual(logicBlockKind.widening({ name: 'block', before, after }), [
    'the secret `shop_key` is sent to `shop.example`',
    'mails are sent to `{{ input.to }}`',
  ]);
  assert.deepEqual(logicBlockKind.widening({ name: 'block', before: after, after: before }), []);
});

function errorsOf(source: string): readonly InputError[] {
  return stepErrors([{ id: 'a', type: 'script', source }]);
}

test('a script is the body of a function, and a mistake is told with its line', () => {
  for (const body of [
    'return 1',
    ' ',
    '// only a comment',
    'const f = async () => await 1;\nreturn f()',
    'return "{{ x }}"',
  ])
    assert.deepEqual(errorsOf(body), [], body);
  const mistake = (message: string) => [{ pointer: '/steps/0/source', code: 'invalid_script', message }];
  assert.deepEqual(errorsOf('const a = 1;\n\nreturn a a'), mistake("at line 3: Unexpected identifier 'a'"));
  for (const body of [
    '}), (function () {',
    'return 1 } + function () {',
    '/*',
    'import x from "fs"',
    'with (a) {}',
    'await 1',
  ])
    assert.deepEqual(
      errorsOf(body).map(({ code }) => code),
      ['invalid_script'],
      body,
    );
});

test('a script is parsed and not run', () => {
  assert.deepEqual(errorsOf('globalThis.wasRun = 1; for (;;);'), []);
  assert.ok(!('wasRun' in globalThis));
  assert.equal(errorsOf('['.repeat(16_000)).length, 1);
});
