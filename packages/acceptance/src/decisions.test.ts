import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { act, allow, defineEntity, definition, deny, foundedOrg, manage, memberWith, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(org, definition('order', [{ name: 'title', colType: 'string' }]));
const user = await memberWith(founder, [allow('list*'), { Sid: 'NoOrders', ...deny('*', '/list/order') }]);

test('the builder finds out why a call was denied, by the id that the caller was given or by the request', async () => {
  const problem = assertProblem(await act(user, 'GET', '/list/order'), 'access_denied');
  for (const path of [`/acl/decisions/${problem.decision_id}`, `/acl/decisions?request_id=${problem.request_id}`]) {
    const reply = await manage(org, 'GET', path);
    assert.equal(reply.status, 200, reply.text);
    for (const word of [user.id, 'listorder', '/list/order', 'NoOrders', 'explicit_deny']) {
      assert.ok(reply.text.includes(word), `${word} is missing in ${reply.text}`);
    }
  }
});

test('the caller that was denied learns nothing of the statements', async () => {
  const reply = await act(user, 'GET', '/list/order');
  assert.doesNotMatch(reply.text, /NoOrders|Sid|statement|policy_id/);
});

test('a decision is shown to the builders of its own org only', async () => {
  const problem = assertProblem(await act(user, 'GET', '/list/order'), 'access_denied');
  const other = await signUp(gateways);
  for (const path of [`/acl/decisions/${problem.decision_id}`, `/acl/decisions?request_id=${problem.request_id}`]) {
    assertProblem(await manage(other, 'GET', path), 'not_found');
  }
  assertProblem(await manage(org, 'GET', '/acl/decisions/nothing'), 'not_found');
});

test('the last denials are listed, the latest first, as they are shown one by one', async () => {
  const problems = [];
  for (const path of ['/list/order', '/count/order'])
    problems.push(assertProblem(await act(user, 'GET', path), 'access_denied'));
  const { body } = await manage<{ readonly items: readonly { readonly decision_id: string }[] }>(
    org,
    'GET',
    '/acl/decisions?pagesize=2&env=test',
  );
  const [first, second] = problems.reverse();
  assert.deepEqual(
    body.items.map((item) => item.decision_id),
    [first?.decision_id, second?.decision_id],
  );
  assert.deepEqual((await manage(org, 'GET', `/acl/decisions/${first?.decision_id}`)).body, body.items[0]);
  assert.deepEqual((await manage(org, 'GET', '/acl/decisions?env=prod')).body, { items: [] });
  assert.deepEqual((await manage(await signUp(gateways), 'GET', '/acl/decisions')).body, { items: [] });
});

test('the denials of one workspace or one user are listed alone', async () => {
  const other = await memberWith(founder, []);
  const denied = assertProblem(await act(other, 'GET', '/list/order'), 'access_denied');
  assertProblem(await act(user, 'GET', '/list/order'), 'access_denied');
  const ids = async (query: string) => {
    const { body } = await manage<{ readonly items: readonly { readonly decision_id: string }[] }>(
      org,
      'GET',
      `/acl/decisions?${query}`,
    );
    return body.items.map((item) => item.decision_id);
  };
  assert.deepEqual(await ids(`user_id=${other.id}&tenant_code=${founder.tenantCode}&env=test`), [denied.decision_id]);
  assert.deepEqual(await ids('tenant_code=elsewhere'), []);
  assert.deepEqual(await ids(`user_id=${founder.id}`), []);
});

test('a list of denials by parameters that are wrong is refused', async () => {
  for (const query of [
    'pagesize=0',
    'pagesize=201',
    'env=dev',
    'user=x',
    'request_id=x&pagesize=1',
    'request_id=x&user_id=y',
    'request_id=x&tenant_code=y',
  ])
    assertProblem(await manage(org, 'GET', `/acl/decisions?${query}`), 'invalid_request');
});
