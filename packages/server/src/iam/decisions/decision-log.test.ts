import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compilePolicies } from '../../access/port.ts';
import { asKept, createDecisionLog } from './decision-log.ts';
import { describeDecision } from './describe-decision.ts';

const clock = { now: () => Date.parse('2026-11-21T00:00:00Z') };
const path = '/item/order/1';

function explained(statements: readonly object[], user = { id: 'u1', email: '' }) {
  const access = compilePolicies([{ policyId: 'p1', policyName: 'own', via: { kind: 'direct' }, statements }]);
  const request = { method: 'GET', path, pathParameters: {}, queryParameters: new Map(), ip: '', time: 0 };
  const context = { request, user, tenant: { id: 't1', code: 'one' }, jwt: {} };
  return access.explain('getorder', path, () => context);
}

function many(count: number, statement: object): readonly object[] {
  return Array.from({ length: count }, () => ({ Action: 'getorder', Resource: '*', ...statement }));
}

const denied: Parameters<typeof asKept>[0] = {
  ...{ request_id: 'r1', env: 'test', tenant_code: 'main', user_id: 'u1', email: '' },
  ...{ action: 'getorder', resource: path },
};

test('of a denial a bounded part is kept: its statements without their conditions, and short values', () => {
  const ids = { StringEquals: { 'user.id': ['x'] } };
  const explanation = explained(
    [
      ...many(30, { Effect: 'Deny', Condition: { StringLike: { 'user.id': '*' } } }),
      ...many(30, { Effect: 'Allow', Condition: ids }),
    ],
    { id: 'i'.repeat(300), email: '' },
  );
  const kept = asKept({ ...denied, explanation }).explanation;
  assert.equal(kept?.matched.length, 20);
  assert.equal(kept.near.length, 10);
  for (const statement of [...kept.matched, ...kept.near]) assert.ok(!('conditions' in statement));
  for (const { failed_condition } of kept.near) assert.deepEqual(failed_condition?.actual, ['i'.repeat(128)]);
  assert.equal(kept.decision, 'explicit_deny');
  assert.deepEqual(asKept(denied), denied);
});

test('of one request so many denials are kept, of an org the last ones, each found by its id or its request', () => {
  const log = createDecisionLog(clock, { perOrgMax: 15 });
  const [first = ''] = Array.from({ length: 11 }, () => log.add('acme', denied));
  assert.equal(log.latest('acme', { limit: 99 }).length, 10);
  assert.equal(log.find('acme', { decisionId: first })?.request_id, 'r1');
  assert.equal(log.find('other', { decisionId: first }), undefined);
  for (let nr = 0; nr < 6; nr++) log.add('acme', { ...denied, request_id: `s${nr}`, user_id: `v${nr}` });
  assert.equal(log.latest('acme', { limit: 99 }).length, 15);
  assert.equal(log.find('acme', { decisionId: first }), undefined);
  assert.deepEqual(
    log.latest('acme', { limit: 2 }).map(({ request_id }) => request_id),
    ['s5', 's4'],
  );
  assert.deepEqual(
    log.latest('acme', { userId: 'v3', limit: 9 }).map(({ request_id }) => request_id),
    ['s3'],
  );
  for (const other of [{ env: 'prod' }, { tenantCode: 'other' }, { userId: 'other' }] as const)
    assert.deepEqual(log.latest('acme', { ...other, limit: 9 }), []);
});

test('a described decision says which statements matched, which came near and why, and conditions where they are asked for', () => {
  const Condition = { StringEquals: { 'user.id': Array.from({ length: 30 }, (_, nr) => `${nr}`.padEnd(300, 'x')) } };
  const explanation = explained([
    { Sid: 'All', Effect: 'Allow', Action: '*', Resource: '*' },
    { Sid: 'Some', Effect: 'Allow', Action: 'get*', Resource: '/item/*', Condition },
  ]);
  const plain = describeDecision(explanation);
  assert.deepEqual(
    [plain.decision, plain.reason, plain.considered, 'reported' in plain, 'over_budget' in plain],
    ['allowed', 'statement `All` of policy `own` allows it', 2, false, false],
  );
  assert.deepEqual(
    plain.matched.map(({ Sid, matched, open }) => [Sid, matched, open]),
    [
      ['All', true, undefined],
      ['Some', false, undefined],
    ],
  );
  assert.deepEqual(plain.matched[1]?.failed_condition?.key, 'user.id');
  assert.ok(plain.matched.every((one) => !('conditions' in one)));
  const [all, some] = describeDecision(explanation, { withConditions: true }).matched;
  assert.ok(all !== undefined && !('conditions' in all));
  const [condition] = some?.conditions ?? [];
  assert.deepEqual([condition?.operator, condition?.key, condition?.expected.length], ['StringEquals', 'user.id', 20]);
  assert.equal(condition?.expected[0], `${'0'.padEnd(256, 'x')}…`);
});

test('a statement that is only reported is described with what it would do', () => {
  const { reported = [], ...explanation } = explained([{ Sid: 'All', Effect: 'Allow', Action: '*', Resource: '*' }]);
  assert.deepEqual(reported, []);
  const [statement] = explanation.matched;
  assert.ok(statement !== undefined);
  const described = (would?: 'deny') =>
    describeDecision({ ...explanation, reported: [{ ...statement, ...(would && { would }) }] }).reported;
  assert.deepEqual(
    described('deny')?.map(({ Sid, matched, Mode, would }) => [Sid, matched, Mode, would]),
    [['All', true, 'report', 'deny']],
  );
  assert.ok(described()?.every((one) => !('would' in one)));
});
