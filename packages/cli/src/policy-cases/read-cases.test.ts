import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCases } from './read-cases.ts';

const good = `
defaults:
  workspace: main
  user: bob@example.com
cases:
  - name: members read
    method: GET
    path: /list/order
    expect: allow
  - name: clerks delete no paid order
    policies: [clerk]
    action: deleteorder
    resource: /delete/order/1
    record: { status: paid }
    expect: deny
    reason: explicit_deny
    sid: KeepPaid
`;

test('a case says its caller itself, or takes the caller of the defaults', () => {
  const { cases, mistakes } = readCases(good, 'policies/order.cases.yaml');
  assert.deepEqual(mistakes, []);
  assert.deepEqual(
    cases.map(({ place, env, workspace, user, policies }) => [place, env, workspace, user, policies]),
    [
      ['policies/order.cases.yaml:6', 'test', 'main', 'bob@example.com', undefined],
      ['policies/order.cases.yaml:10', 'test', 'main', undefined, ['clerk']],
    ],
  );
  assert.deepEqual(cases[0]?.call, { method: 'GET', path: '/list/order' });
  assert.deepEqual(cases[1]?.record, { status: 'paid' });
});

const bad: readonly (readonly [what: string, text: string, expected: RegExp])[] = [
  ['text that is not YAML', 'cases: [', /^f:1: not YAML/],
  ['a file without cases', 'case: []', /^f: must have a list `cases`/],
  [
    'a member that is not known',
    `cases:\n  - {name: a, user: b, method: GET, path: /x, expected: allow, expect: deny}`,
    /^f:2: `expected` is not known/,
  ],
  ['a case without a caller', 'cases:\n  - {name: a, method: GET, path: /x, expect: deny}', /^f:2: name the caller/],
  [
    'two callers',
    'cases:\n  - {name: a, user: u, policies: [p], method: GET, path: /x, expect: deny}',
    /cannot be combined/,
  ],
  ['a case without a call', 'cases:\n  - {name: a, user: u, method: GET, expect: deny}', /name the call/],
  ['another outcome', 'cases:\n  - {name: a, user: u, method: GET, path: /x, expect: yes please}', /`expect` must be/],
  [
    'a reason of an Allow',
    'cases:\n  - {name: a, user: u, method: GET, path: /x, expect: allow, reason: implicit_deny}',
    /for `expect: deny` only/,
  ],
  ['no case', 'cases:\n  - 5', /^f:2: a case must be a mapping/],
];

for (const [what, text, expected] of bad)
  test(`${what} is refused with its place`, () => {
    const { cases, mistakes } = readCases(text, 'f');
    assert.deepEqual(cases, []);
    assert.match(mistakes.join('\n'), expected);
  });

test('aliases that multiply without end are refused', () => {
  const bomb = [
    'a0: &a0 [x]',
    ...Array.from({ length: 20 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}, *a${n}]`),
  ];
  assert.match(readCases(bomb.join('\n'), 'f').mistakes.join(), /^f: must have a list `cases`/);
});
