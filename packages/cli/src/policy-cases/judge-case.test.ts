import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeCase, type Simulated } from './judge-case.ts';
import { type PolicyCase, readCases } from './read-cases.ts';

function policyCase(outcome: string): PolicyCase {
  const text = `cases:\n  - {name: n, user: u, method: GET, path: /list/order, ${outcome}}`;
  const { cases, mistakes } = readCases(text, 'f');
  assert.deepEqual(mistakes, []);
  assert.ok(cases[0] !== undefined);
  return cases[0];
}

const deny = { policy: 'clerk', index: 1, Sid: 'KeepPaid', Effect: 'Deny', matched: true } as const;
const allow = { policy: 'clerk', index: 0, Sid: 'Read', Effect: 'Allow', matched: true } as const;
const denied: Simulated = { decision: 'explicit_deny', reason: 'denied by KeepPaid', matched: [allow, deny] };
const allowed: Simulated = { decision: 'allowed', reason: 'allowed by Read', matched: [deny, allow] };
const none: Simulated = { decision: 'implicit_deny', reason: 'no statement allows it', matched: [] };

const table: readonly (readonly [outcome: string, reply: Simulated, passed: boolean])[] = [
  ['expect: deny', denied, true],
  ['expect: allow', denied, false],
  ['expect: deny, reason: explicit_deny, sid: KeepPaid', denied, true],
  ['expect: deny, reason: implicit_deny', denied, false],
  ['expect: deny, sid: Other', denied, false],
  ['expect: allow, sid: Read', allowed, true],
  ['expect: deny, reason: implicit_deny', none, true],
  ['expect: deny, sid: KeepPaid', none, false],
  ['expect: deny', { ...none, decision: 'undecided', needs: ['record'] }, false],
  ['expect: allow', { ...allowed, user: { status: 'suspended' } }, false],
  ['expect: deny', { ...allowed, user: { status: 'suspended' } }, true],
];

for (const [outcome, reply, passed] of table)
  test(`\`${outcome}\` ${passed ? 'holds' : 'fails'} for ${reply.decision} (${reply.user?.status ?? 'active'})`, () => {
    assert.equal(judgeCase(policyCase(outcome), reply).passed, passed);
  });

test('a failure says what was expected, what came, and which statement decided', () => {
  const { expected, got, statement } = judgeCase(policyCase('expect: allow, sid: Read'), denied);
  assert.deepEqual([expected, got, statement?.policy], ['allow (Sid Read)', 'deny (Sid KeepPaid)', 'clerk']);
});

test('an undecided case says what it must also give', () => {
  const { got, why } = judgeCase(policyCase('expect: deny'), {
    ...none,
    decision: 'undecided',
    needs: ['record', 'body'],
  });
  assert.deepEqual([got, why], ['undecided', 'the case must also give: `record`, `context.request.body`']);
});
