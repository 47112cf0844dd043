/** The limits of a decision, whatever patterns a policy has and however long the texts are that callers send. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import {
  act,
  allow,
  count,
  create,
  defineEntity,
  definition,
  deny,
  foundedOrg,
  list,
  manage,
  memberWith,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

interface Explained {
  readonly decision: string;
  readonly reason: string;
  readonly over_budget?: boolean;
  readonly matched: readonly { readonly Sid?: string; readonly matched: boolean; readonly over_budget?: boolean }[];
}

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(org, definition('memo', [{ name: 'note', colType: 'string' }]));
const long = await create(founder, 'memo', { note: 'n'.repeat(500_000) });
const short = await create(founder, 'memo', { note: 'n'.repeat(500) });

/** None of them is in a note. */
const patterns = Array.from({ length: 36 }, (_, index) => `*${'?n'.repeat(120)}q${index}*`);
const slow = (key: string) => ({ Condition: { StringLike: { [key]: patterns } } });
const denied = [allow('*memo'), { Sid: 'Slow', ...deny('getmemo'), ...slow('record.note') }];

function explanationOf(requestId: string) {
  return manage<Explained>(org, 'GET', `/acl/decisions?request_id=${requestId}`);
}

test('a Deny that takes more than a decision may counts, in a get and in lists, and builders see why', async () => {
  const user = await memberWith(founder, denied);
  const problem = assertProblem(await act(user, 'GET', `/item/memo/${long.id}`), 'not_found');
  assert.equal((await act(user, 'GET', `/item/memo/${short.id}`)).status, 200);
  assert.deepEqual(
    (await list(user, 'memo')).items.map(({ id }) => id),
    [short.id],
  );
  assert.equal(await count(user, 'memo'), 1);
  const { body } = await explanationOf(problem.request_id);
  assert.deepEqual([body.decision, body.over_budget], ['explicit_deny', true]);
  assert.match(body.reason, /`Slow`.*denies it.*too long for the patterns/);
  const [statement] = body.matched.filter(({ Sid }) => Sid === 'Slow');
  assert.deepEqual([statement?.matched, statement?.over_budget], [true, true]);
});

test('an Allow that takes more than a decision may does not count, and the caller learns why', async () => {
  const anyOther = { 'request.body.note': [...patterns, '*'] };
  const user = await memberWith(founder, [{ ...allow('creatememo'), Condition: { StringLike: anyOther } }]);
  const refused = await act(user, 'POST', '/create/memo', { body: { note: 'n'.repeat(500_000) } });
  const problem = assertProblem(refused, 'access_denied');
  assert.match(problem.detail ?? '', /too long for the patterns/);
  assert.equal((await explanationOf(problem.request_id)).body.over_budget, true);
  assert.equal((await act(user, 'POST', '/create/memo', { body: { note: 'short' } })).status, 201);
});

test('a simulation decides as the request would be decided, and a look at the draft warns', async () => {
  const request = { env: 'test', statements: denied, action: 'getmemo', resource: `/item/memo/${long.id}` };
  for (const [note, decision] of [
    ['n'.repeat(500_000), 'explicit_deny'],
    ['n'.repeat(500), 'allowed'],
  ]) {
    const { body } = await manage<Explained>(org, 'POST', '/acl/simulate', { body: { ...request, record: { note } } });
    assert.deepEqual([body.decision, body.over_budget], [decision, decision === 'allowed' ? undefined : true]);
  }
  const { text } = await manage(org, 'POST', '/acl/lint', { body: { statements: denied } });
  assert.match(
    text,
    /"severity":"warning","code":"over_budget","pointer":"\/statements\/1\/Condition\/StringLike\/record.note"/,
  );
});
