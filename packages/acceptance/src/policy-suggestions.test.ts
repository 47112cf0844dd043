import assert from 'node:assert/strict';
import { test } from 'node:test';
import { act, allow, create, deny, manage, memberWith } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { replayed, type Shop, shop } from './recorded-calls.ts';

const gateways = await platformForTests();

const orders = allow('*order');

test('a suggestion allows what was done, says what was not used, passes lint, and denies nothing when it is replayed', async () => {
  const own = {
    Sid: 'Own',
    ...allow(['updateorder', 'deleteorder']),
    Condition: { StringEquals: { 'record.created_by': '$\u007buser.id}' } },
  };
  const of = await shop(gateways, [
    { Sid: 'All', ...allow(['get*', 'list*', 'createorder', 'browse*']) },
    own,
    deny('deletegroup'),
  ]);
  const { clerk, policyId, org, founder } = of;
  const { id } = await create(clerk, 'order', { title: 'Lamp' });
  for (const path of [`/item/order/${id}`, '/list/order']) assert.equal((await act(clerk, 'GET', path)).status, 200);
  assert.equal((await act(clerk, 'PUT', `/update/order/${id}`, { body: { title: 'Desk' } })).status, 200);
  const reply = await manage<{
    readonly statements: readonly { readonly Action: readonly string[]; readonly Condition?: object }[];
    readonly unused: readonly { readonly Sid?: string; readonly Action: readonly string[]; readonly whole: boolean }[];
    readonly stands_for: number;
    readonly days: number;
    readonly warning?: string;
  }>(org, 'GET', `/acl/suggest?tenant_code=${founder.tenantCode}&policy_id=${policyId}`);
  assert.equal(reply.status, 200, reply.text);
  const { statements, unused, stands_for, days, warning } = reply.body;
  assert.deepEqual(
    statements.map(({ Action }) => Action),
    [['createorder', 'getorder', 'listorder'], ['updateorder'], ['deletegroup']],
  );
  assert.deepEqual(
    statements[1]?.Condition,
    own.Condition && { StringEquals: { 'record.created_by': ['$\u007buser.id}'] } },
  );
  assert.deepEqual(
    unused.map(({ Sid, Action, whole }) => ({ Sid, Action, whole })),
    [
      { Sid: 'All', Action: ['browse*'], whole: false },
      { Sid: 'Own', Action: ['deleteorder'], whole: false },
    ],
  );
  assert.deepEqual([stands_for, days], [6, 1]);
  assert.match(warning ?? '', /rests on 6 calls of 1 day:/);
  const lint = await manage<{ readonly findings: readonly { readonly severity: string }[] }>(org, 'POST', '/acl/lint', {
    body: { statements },
  });
  assert.deepEqual(
    lint.body.findings.filter(({ severity }) => severity !== 'info'),
    [],
  );
  const { newly_denied, undecidable } = await replayed(of, { draft: { policy_id: policyId, statements } });
  assert.deepEqual([newly_denied.count, undecidable.count], [0, 0]);
});

interface Suggested {
  readonly statements: readonly object[];
  readonly unused: readonly { readonly Sid?: string }[];
  readonly reports_left_out: number;
}

async function suggested({ org, founder, policyId }: Shop): Promise<Suggested> {
  const path = `/acl/suggest?tenant_code=${founder.tenantCode}&policy_id=${policyId}`;
  const { status, body, text } = await manage<Suggested>(org, 'GET', path);
  assert.equal(status, 200, text);
  return body;
}

const whileStatus = (status: string, actions: string) => {
  return { Sid: status, ...allow(actions), Condition: { StringEquals: { 'record.status': status } } };
};

test('a suggestion keeps what allows an update before it and what allows it after', async () => {
  const of = await shop(gateways, [
    allow(['get*', 'create*']),
    whileStatus('open', 'updateorder'),
    whileStatus('shut', 'updateorder'),
    whileStatus('lost', 'updateorder'),
  ]);
  const { id } = await create(of.founder, 'order', { title: 'a', status: 'open' });
  assert.equal((await act(of.clerk, 'PUT', `/update/order/${id}`, { body: { status: 'shut' } })).status, 200);
  const { statements, unused } = await suggested(of);
  assert.deepEqual(
    unused.flatMap(({ Sid = [] }) => Sid),
    ['lost'],
  );
  const { newly_denied, unchanged } = await replayed(of, { draft: { policy_id: of.policyId, statements } });
  assert.deepEqual([newly_denied.count, unchanged.count], [0, 2]);
});

test('a suggestion for a policy has nothing of what other policies of its holders allow and deny', async () => {
  const of = await shop(gateways, [allow(['get*', 'list*']), { Sid: 'NoCount', ...deny('countorder') }]);
  const other = await memberWith(of.founder, []);
  await create(of.founder, 'useraclpolicy', { user_id: other.id, acl_policy_id: of.policyId });
  const more = await create(of.founder, 'aclpolicy', {
    name: 'more',
    statements: [orders, { ...deny('getorder'), Condition: { StringEquals: { 'record.status': 'secret' } } }],
  });
  await create(of.founder, 'useraclpolicy', { user_id: other.id, acl_policy_id: more.id });
  const open = await create(other, 'order', { title: 'a', status: 'open' });
  const secret = await create(of.founder, 'order', { title: 'b', status: 'secret' });
  assert.equal((await act(other, 'GET', `/item/order/${open.id}`)).status, 200);
  assert.equal((await act(of.clerk, 'GET', `/item/order/${secret.id}`)).status, 200);
  const { statements, unused } = await suggested(of);
  assert.deepEqual(
    statements.map((one) => ({ ...one, Resource: undefined })),
    [
      { Effect: 'Allow', Action: ['getorder'], Resource: undefined },
      { Effect: 'Deny', Action: ['countorder'], Resource: undefined },
    ],
  );
  assert.equal(unused.length, 1);
  const { newly_denied, newly_allowed } = await replayed(of, { draft: { policy_id: of.policyId, statements } });
  assert.deepEqual([newly_denied.count, newly_allowed.count], [0, 0]);
  const group = await create(of.founder, 'group', { name: 'g', acl_policies: [of.policyId] });
  await create(of.founder, 'usergroup', { user_id: other.id, group_id: group.id });
  const path = `/acl/suggest?tenant_code=${of.founder.tenantCode}`;
  const ofGroup = await manage<Suggested>(of.org, 'GET', `${path}&group_id=${group.id}`);
  assert.deepEqual(ofGroup.body.statements, statements);
  const ofUser = await manage<Suggested>(of.org, 'GET', `${path}&user_id=${other.id}`);
  assert.match(JSON.stringify(ofUser.body.statements), /createorder.*"Deny".*secret/);
});

test('a suggestion for a policy keeps its report-only statements, which change no decision', async () => {
  const tried = { Sid: 'Try', ...deny('getorder'), Mode: 'report' };
  const maybe = { Sid: 'Maybe', ...allow('countorder'), Mode: 'report' };
  const of = await shop(gateways, [tried, allow(['get*', 'create*']), maybe]);
  const { id } = await create(of.clerk, 'order', { title: 'a' });
  assert.equal((await act(of.clerk, 'GET', `/item/order/${id}`)).status, 200);
  const { statements, reports_left_out } = await suggested(of);
  assert.deepEqual([statements.slice(1), reports_left_out], [[maybe, tried], 0]);
  const { newly_denied, newly_allowed } = await replayed(of, { draft: { policy_id: of.policyId, statements } });
  assert.deepEqual([newly_denied.count, newly_allowed.count], [0, 0]);
  const saved = await act(of.founder, 'PUT', `/update/aclpolicy/${of.policyId}`, { body: { statements } });
  assert.equal(saved.status, 200, saved.text);
  const group = await create(of.founder, 'group', { name: 'g', acl_policies: [of.policyId] });
  await create(of.founder, 'usergroup', { user_id: of.clerk.id, group_id: group.id });
  const path = `/acl/suggest?tenant_code=${of.founder.tenantCode}`;
  const ofGroup = await manage<Suggested>(of.org, 'GET', `${path}&group_id=${group.id}`);
  assert.deepEqual(ofGroup.body.statements, statements);
  // The policies of a member stay beside what is suggested for the member alone.
  const ofUser = await manage<Suggested>(of.org, 'GET', `${path}&user_id=${of.clerk.id}`);
  assert.doesNotMatch(ofUser.text, /"report"/);
});

test('a suggestion keeps what may have allowed a call that is no sample', async () => {
  const someone = { ...whileStatus('new', 'getorder'), Sid: 'someone' };
  const of = await shop(gateways, [
    whileStatus('open', 'getorder'),
    whileStatus('rare', 'getorder'),
    { ...someone, Condition: { StringLike: { 'user.email': 'someone@*' }, ...someone.Condition } },
  ]);
  const get = async (status: string): Promise<void> => {
    const { id } = await create(of.founder, 'order', { title: 'a', status });
    assert.equal((await act(of.clerk, 'GET', `/item/order/${id}`)).status, 200);
  };
  await get('rare');
  // More than there are samples: by now the rare call may be none of them.
  for (let count = 0; count < 12; count++) await get('open');
  const { statements, unused } = await suggested(of);
  assert.equal(statements.length, 2);
  assert.deepEqual(
    unused.map(({ Sid }) => Sid),
    ['someone'],
  );
});
