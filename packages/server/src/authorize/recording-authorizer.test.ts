import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compilePolicies } from '../access/port.ts';
import { Problem } from '../lib/problem.ts';
import type { AppCaller } from '../people/sessions/app-sessions.ts';
import type { RecordData } from '../records/port.ts';
import { compileEntity } from '../schema/compile-entity.ts';
import { requestAlone } from './authorization-request.ts';
import { assertAllowed } from './authorizer.ts';
import { recordPolicyAlone, recordPolicyFor } from './record-policies.ts';
import { CallDecisions, type CallRecorder } from './recorded-calls.ts';
import { authorizerOf } from './recording-authorizer.ts';

const entity = compileEntity({ entityName: 'order', UpdateParams: [{ name: 'owner_id' }, { name: 'title' }] }, 1);
const all = { Effect: 'Allow', Action: '*', Resource: '*' };
const own = { ...all, Condition: { StringEquals: { 'record.owner_id': 'ann' } } };
const record = { id: 'id1', owner_id: 'ann', title: 'a' } as unknown as RecordData;
const other = { ...record, owner_id: 'bob' };

/** Authorizes a call by statements, and gives what is noted of it once it is answered. */
function callBy(statements: readonly object[], isCounted: CallRecorder['count'] = () => false) {
  const noted: (readonly [action: string, outcome: string, isAside: boolean])[] = [];
  const recorder: CallRecorder = {
    count: isCounted,
    note: (call) => noted.push([call.action, call.outcome, 'isAside' in call && call.isAside === true]),
  };
  const access = compilePolicies([{ policyId: 'p', policyName: 'p', via: { kind: 'direct' }, statements }]);
  const workspace = { orgCode: 'acme', env: 'test', tenantId: 't', tenantCode: 'main' };
  const claims = { sub: 'ann', email: 'ann@example.com', org: 'acme', env: 'test' };
  const caller = { kind: 'person', claims, place: { workspace, access } } as unknown as AppCaller;
  const recording = new CallDecisions(recorder);
  const requester = { caller, requestId: 'r', ip: '127.0.0.1', origin: undefined, time: 1, recording };
  const authorizer = authorizerOf({ add: () => 'd_1' }, requester);
  const policyOf = (verb: 'get' | 'list' | 'update' | 'delete', id?: string) =>
    recordPolicyFor(authorizer, requestAlone({ verb, entityName: 'order', id }, entity));
  const answered = () => {
    recording.note();
    return noted;
  };
  return { authorizer, policyOf, answered };
}

test('what is allowed whatever follows is counted, and is noted where it cannot be', () => {
  const counted = callBy([all], () => true);
  assert.equal(counted.policyOf('get', 'id1'), undefined);
  assert.deepEqual(counted.answered(), []);
  const noted = callBy([all]);
  assert.equal(noted.policyOf('list'), undefined);
  assert.deepEqual(noted.answered(), [['listorder', 'allowed', false]]);
});

test('a get is noted by what became of its record', () => {
  const allowed = callBy([own]);
  assert.ok(allowed.policyOf('get', 'id1')?.judge(record));
  assert.deepEqual(allowed.answered(), [['getorder', 'allowed', false]]);
  const refused = callBy([own]);
  const policy = refused.policyOf('get', 'id1');
  assert.equal(policy?.judge(other), undefined);
  assert.equal(policy?.missing(other).code, 'not_found');
  assert.deepEqual(refused.answered(), [['getorder', 'implicit_deny', false]]);
  assert.deepEqual(callBy([own]).answered(), []);
  const unknown = callBy([own]);
  unknown.policyOf('get', 'id1');
  assert.deepEqual(unknown.answered(), []);
});

test('a list is noted as allowed whichever records it holds, and a denial as what it is', () => {
  const list = callBy([own]);
  assert.equal(list.policyOf('list')?.judge(other), undefined);
  assert.deepEqual(list.answered(), [['listorder', 'allowed', false]]);
  const denied = callBy([all, { ...all, Effect: 'Deny' }]);
  assert.equal(denied.policyOf('list')?.denied().code, 'access_denied');
  assert.deepEqual(denied.answered(), [['listorder', 'explicit_deny', false]]);
});

test('what an update asks on its way is noted aside, as long as it is allowed', () => {
  const statements = [
    { ...all, Action: 'update*' },
    { ...own, Action: 'get*' },
  ];
  const readable = callBy(statements);
  assert.ok(readable.policyOf('update', 'id1')?.readable?.(record));
  assert.deepEqual(readable.answered(), [
    ['updateorder', 'allowed', false],
    ['getorder', 'allowed', true],
  ]);
  const hidden = callBy(statements);
  assert.equal(hidden.policyOf('update', 'id1')?.readable?.(other), undefined);
  assert.deepEqual(hidden.answered(), [['updateorder', 'allowed', false]]);
});

test('a hint is noted nowhere', () => {
  const { authorizer, answered } = callBy([own]);
  const get = { verb: 'get', entityName: 'order', id: 'id1' } as const;
  assert.ok(recordPolicyAlone(authorizer.plain, get, entity)?.judge(record));
  assert.deepEqual(answered(), []);
  assert.ok(recordPolicyAlone(authorizer.aside, get, entity)?.judge(record));
  assert.deepEqual(answered(), [['getorder', 'allowed', true]]);
});

test('what is about no record is noted too, and a body that is read decides it once', () => {
  const onBody = { ...all, Condition: { StringEquals: { 'request.body.title': 'a' } } };
  const { authorizer, answered } = callBy([onBody]);
  const put = { method: 'PUT', resource: '/user/workspace', params: {}, query: '' };
  const request = { action: 'updateworkspace', ...put, takesBody: true };
  assert.equal(assertAllowed(authorizer, request), 'undecided');
  assert.throws(
    () => assertAllowed(authorizer, { ...request, takesBody: false, body: { title: 'b' } }),
    (error) => error instanceof Problem && error.code === 'access_denied',
  );
  assert.deepEqual(answered(), [['updateworkspace', 'implicit_deny', false]]);
});
