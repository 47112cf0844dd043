import assert from 'node:assert/strict';
import { assertProblem } from './assert-problem.ts';
import { type CallOptions, call } from './call.ts';
import { testOnOneDay as test } from './on-one-day.ts';
import { act, allow, create, deny, manage, memberWith, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { ask, replayed, type Shop, shop } from './recorded-calls.ts';

const gateways = await platformForTests();

const orders = allow('*order');

test('a replay says which recorded calls a draft would deny, with the statement, and which it would allow', async () => {
  const of = await shop(gateways, [allow(['get*', 'list*', 'createorder'])]);
  const { clerk, policyId } = of;
  const { id } = await create(clerk, 'order', { title: 'Lamp' });
  for (const _ of [1, 2, 3]) assert.equal((await act(clerk, 'GET', `/item/order/${id}`)).status, 200);
  assertProblem(await act(clerk, 'DELETE', `/delete/order/${id}`), 'access_denied');
  const draft = {
    policy_id: policyId,
    statements: [allow(['create*', 'list*', 'delete*', 'get*']), { Sid: 'NoRead', ...deny('getorder') }],
  };
  const { decisions, stands_for, unchanged, newly_denied, newly_allowed, ...rest } = await replayed(of, { draft });
  // Each created item is read once.
  assert.equal(newly_denied.stands_for, 4);
  // Up to two calls of each process are samples.
  assert.ok(newly_denied.count >= 2 && newly_denied.count <= 4, String(newly_denied.count));
  const [denied] = newly_denied.items;
  assert.deepEqual(
    [denied?.user_id, denied?.email, denied?.action, denied?.resource, denied?.calls, denied?.decision],
    [clerk.id, clerk.email, 'getorder', `/item/order/${id}`, 4, 'explicit_deny'],
  );
  assert.equal(denied?.statement?.Sid, 'NoRead');
  assert.match(denied?.reason ?? '', /`NoRead` of policy `clerks` denies it/);
  assert.deepEqual(
    newly_allowed.items.map(({ action, calls, decision }) => [action, calls, decision]),
    [['deleteorder', 1, 'allowed']],
  );
  assert.deepEqual([unchanged.count, unchanged.stands_for], [1, 1]);
  assert.deepEqual([decisions, stands_for], [newly_denied.count + 2, 6]);
  assert.deepEqual([rest.undecidable.count, rest.changed_since, rest.truncated], [0, 0, false]);
  const cut = await replayed(of, { draft, limit: 3 });
  assert.deepEqual([cut.truncated, cut.decisions < decisions], [true, true]);
});

test('a new policy is replayed for those who would hold it, and for no others', async () => {
  const of = await shop(gateways, [orders]);
  const other = await memberWith(of.founder, []);
  for (const user of [of.clerk, other]) await act(user, 'GET', '/count/order');
  const draft = { name: 'trial', statements: [{ Sid: 'Count', ...allow('countorder') }] };
  const { newly_allowed, decisions } = await replayed(of, { draft, principals: [other.id] });
  assert.equal(decisions, 1);
  const [item] = newly_allowed.items;
  assert.deepEqual([item?.user_id, item?.action, item?.statement?.Sid], [other.id, 'countorder', 'Count']);
  assert.match(item?.reason ?? '', /of policy `trial` allows it/);
});

test('a call is decided by the values that its conditions read, and is undecidable by others', async () => {
  const mine = { ...orders, Condition: { StringEquals: { 'record.status': 'open' } } };
  const of = await shop(gateways, [mine]);
  const { founder, clerk, policyId } = of;
  const open = await create(founder, 'order', { title: 'a', status: 'open' });
  const shut = await create(founder, 'order', { title: 'b', status: 'shut' });
  assert.equal((await act(clerk, 'GET', `/item/order/${open.id}`)).status, 200);
  assertProblem(await act(clerk, 'GET', `/item/order/${shut.id}`), 'not_found');
  const on = (Condition: object) =>
    replayed(of, { draft: { policy_id: policyId, statements: [{ ...orders, Condition }] } });
  const turned = await on({ StringEquals: { 'record.status': 'shut' } });
  assert.deepEqual(
    [turned.newly_denied.items, turned.newly_allowed.items].map((items) => items.map(({ resource }) => resource)),
    [[`/item/order/${open.id}`], [`/item/order/${shut.id}`]],
  );
  const unknown = await on({ StringEquals: { 'record.title': 'a' } });
  assert.deepEqual([unknown.undecidable.count, unknown.newly_denied.count], [2, 0]);
  assert.match(unknown.undecidable.reasons[0]?.reason ?? '', /not recorded/);
});

test('an update is decided by the record before and after it, as it was', async () => {
  const from = { ...allow('updateorder'), Condition: { StringEquals: { 'record.before.status': 'open' } } };
  const of = await shop(gateways, [allow(['get*', 'create*']), from]);
  const { id } = await create(of.founder, 'order', { title: 'a', status: 'open' });
  assert.equal((await act(of.clerk, 'PUT', `/update/order/${id}`, { body: { status: 'shut' } })).status, 200);
  const statements = [allow(['get*', 'create*']), from];
  const same = await replayed(of, {
    draft: { policy_id: of.policyId, statements: [...statements, deny('updatenothing')] },
  });
  assert.deepEqual([same.unchanged.count, same.undecidable.count], [same.decisions, 0]);
  const changed = { ...from, Condition: { StringEquals: { 'record.before.status': 'new' } } };
  const { newly_denied } = await replayed(of, {
    draft: { policy_id: of.policyId, statements: [statements[0], changed] },
  });
  assert.deepEqual(
    newly_denied.items.map(({ action }) => action),
    ['updateorder'],
  );
});

test('a draft that denies getting records leaves a list undecidable, whose records it hides', async () => {
  const all = allow(['get*', 'list*', 'count*']);
  const of = await shop(gateways, [all]);
  await create(of.founder, 'order', { title: 'a' });
  for (const path of ['/list/order', '/count/order']) assert.equal((await act(of.clerk, 'GET', path)).status, 200);
  const draft = { policy_id: of.policyId, statements: [all, deny('getorder')] };
  const { undecidable, unchanged } = await replayed(of, { draft });
  assert.deepEqual([undecidable.count, unchanged.count], [2, 0]);
  assert.match(undecidable.reasons[0]?.reason ?? '', /by each record/);
  const other = { policy_id: of.policyId, statements: [all, allow('getorder'), deny('getnothing')] };
  assert.deepEqual((await replayed(of, { draft: other })).unchanged.count, 2);
});

test('what present policies decide otherwise than when the call was made is said', async () => {
  const of = await shop(gateways, [orders]);
  assert.equal((await act(of.clerk, 'GET', '/count/order')).status, 200);
  await act(of.founder, 'PUT', `/update/aclpolicy/${of.policyId}`, { body: { statements: [allow('getorder')] } });
  const draft = { policy_id: of.policyId, statements: [orders] };
  const { newly_allowed, changed_since } = await replayed(of, { draft });
  assert.equal(changed_since, 1);
  assert.deepEqual(
    newly_allowed.items.map((one) => [one.action, one.changed_since]),
    [['countorder', true]],
  );
});

test('values of encrypted fields, and calls of an org that does not record, are not kept', async () => {
  const of = await shop(gateways, [{ ...orders, Condition: { StringNotEquals: { 'request.body.secret': 'no' } } }]);
  await create(of.clerk, 'order', { title: 'a', secret: 'pssst' });
  const draft = {
    policy_id: of.policyId,
    statements: [{ ...orders, Condition: { StringEquals: { 'request.body.secret': 'pssst' } } }],
  };
  const { undecidable, newly_denied } = await replayed(of, { draft });
  // The body of the create has a secret; what is created is read without a body.
  assert.deepEqual([undecidable.count, newly_denied.items.map(({ action }) => action)], [1, ['getorder']]);
  const setting = { group: 'acl', name: 'record_decisions', value: false };
  assert.equal((await manage(of.org, 'PUT', '/org/settings', { body: setting })).status, 200);
  await act(of.clerk, 'GET', '/count/order');
  const { decisions } = await replayed(of, { draft });
  assert.equal(decisions, 2);
});

test('report-only statements change nothing, and what they would have done is counted', async () => {
  const of = await shop(gateways, [
    orders,
    { Sid: 'NoCount', ...deny('countorder'), Mode: 'report' },
    { Sid: 'Users', ...allow('listuser'), Mode: 'report' },
  ]);
  for (const _ of [1, 2]) assert.equal((await act(of.clerk, 'GET', '/count/order')).status, 200);
  const problem = assertProblem(await act(of.clerk, 'GET', '/list/user'), 'access_denied');
  const why = await manage<{ readonly reported: readonly object[] }>(
    of.org,
    'GET',
    `/acl/decisions/${problem.decision_id}`,
  );
  assert.deepEqual(why.body.reported.length, 1);
  assert.match(why.text, /"Sid":"Users".*"Mode":"report","would":"allow"/);
  const path = `/acl/reported?tenant_code=${of.founder.tenantCode}`;
  const { body } = await manage<{
    readonly items: readonly Readonly<Record<string, unknown>>[];
    readonly nexttoken: string | null;
  }>(of.org, 'GET', path);
  assert.deepEqual(
    body.items.map(({ policy, Sid, Effect, would_deny, would_allow }) => ({
      policy,
      Sid,
      Effect,
      would_deny,
      would_allow,
    })),
    [
      { policy: 'clerks', Sid: 'NoCount', Effect: 'Deny', would_deny: 2, would_allow: 0 },
      { policy: 'clerks', Sid: 'Users', Effect: 'Allow', would_deny: 0, would_allow: 1 },
    ],
  );
  const first = await manage<{ readonly items: readonly object[]; readonly nexttoken: string }>(
    of.org,
    'GET',
    `${path}&pagesize=1`,
  );
  const second = await manage<{ readonly items: readonly object[] }>(
    of.org,
    'GET',
    `${path}&pagesize=1&nexttoken=${first.body.nexttoken}`,
  );
  assert.deepEqual([...first.body.items, ...second.body.items], body.items);
});

test('a statement is reported apart from another one that had its place before', async () => {
  const reporting = (Sid: string) => [orders, { Sid, ...deny('countorder'), Mode: 'report' }];
  const of = await shop(gateways, reporting('First'));
  assert.equal((await act(of.clerk, 'GET', '/count/order')).status, 200);
  const statements = reporting('Second');
  assert.equal(
    (await act(of.founder, 'PUT', `/update/aclpolicy/${of.policyId}`, { body: { statements } })).status,
    200,
  );
  for (const _ of [1, 2]) assert.equal((await act(of.clerk, 'GET', '/count/order')).status, 200);
  const { body } = await manage<{ readonly items: readonly { readonly Sid: string; readonly would_deny: number }[] }>(
    of.org,
    'GET',
    `/acl/reported?tenant_code=${of.founder.tenantCode}`,
  );
  assert.deepEqual(
    body.items.map(({ Sid, would_deny }) => [Sid, would_deny]),
    [
      ['First', 1],
      ['Second', 2],
    ],
  );
});

test('a report-only Allow gives nothing, and nothing can be granted by it', async () => {
  const of = await shop(gateways, [
    allow(['*order', 'createaclpolicy', 'getaclpolicy']),
    { ...allow('*'), Mode: 'report' },
  ]);
  const { clerk } = of;
  assertProblem(await act(clerk, 'GET', '/list/user'), 'access_denied');
  const granting = { name: 'more', statements: [allow('listuser')] };
  assertProblem(await act(clerk, 'POST', '/create/aclpolicy', { body: granting }), 'escalation_refused');
  const trying = { name: 'trial', statements: [{ ...allow('listuser'), Mode: 'report' }] };
  assert.equal((await act(clerk, 'POST', '/create/aclpolicy', { body: trying })).status, 201);
  const permissions = await act(clerk, 'GET', '/user/permissions');
  assert.doesNotMatch(permissions.text, /report/);
});

/** One after the other: an org has one replay or suggestion at a time. */
async function answers(of: Shop, options: CallOptions, code = of.founder.tenantCode) {
  const { management } = of.org;
  const draft = { policy_id: of.policyId, statements: [] };
  return [
    await call('POST', `${management}/acl/replay`, { ...options, body: { tenant_code: code, draft } }),
    await call('GET', `${management}/acl/suggest?tenant_code=${code}&policy_id=${of.policyId}`, options),
    await call('GET', `${management}/acl/reported?tenant_code=${code}`, options),
  ];
}

test('recorded calls are for the builders of the org alone', async () => {
  const of = await shop(gateways, [orders]);
  await act(of.clerk, 'GET', '/count/order');
  for (const reply of await answers(of, {})) assertProblem(reply, 'token_missing');
  for (const reply of await answers(of, { token: of.founder.token })) assertProblem(reply, 'token_invalid');
  const other = await shop(gateways, [orders]);
  const { token } = other.org.builder;
  for (const reply of await answers(of, { token })) {
    // A workspace of the same code may be there; then what is in it is that of the other org.
    if (reply.status === 200) assert.doesNotMatch(reply.text, new RegExp(of.clerk.id));
    else assertProblem(reply, 'not_found');
  }
  const builder = of.org.builder.token;
  for (const reply of await answers(of, { token: builder }, 'elsewhere')) assertProblem(reply, 'not_found');
});

test('a replay is refused that says too little, too much or nonsense', async () => {
  const of = await shop(gateways, [orders]);
  const { policyId, clerk } = of;
  const statements = [orders];
  const unknownId = '01890a5d-ac96-774b-bcce-b302099a8057';
  const refused: readonly (readonly [body: object, code: Parameters<typeof assertProblem>[1]])[] = [
    [{ draft: { statements } }, 'validation_failed'],
    [{ draft: { policy_id: policyId, statements }, principals: [clerk.id] }, 'validation_failed'],
    [{ draft: { policy_id: policyId, statements: [{ ...orders, Mode: 'x' }] } }, 'validation_failed'],
    [{ draft: { policy_id: policyId, statements: Array(51).fill(orders) } }, 'validation_failed'],
    [{ draft: { policy_id: unknownId, statements } }, 'not_found'],
    [{ draft: { statements }, principals: [unknownId] }, 'not_found'],
    [{ draft: { policy_id: policyId, statements }, since: 'yesterday' }, 'validation_failed'],
    [{ draft: { policy_id: policyId, statements }, limit: 10_001 }, 'validation_failed'],
    [{ draft: { policy_id: policyId, statements }, more: 1 }, 'unknown_field'],
  ];
  for (const [body, code] of refused) assertProblem(await ask(of, '/acl/replay', body), code);
  const path = `/acl/suggest?tenant_code=${of.founder.tenantCode}`;
  assertProblem(await manage(of.org, 'GET', path), 'invalid_request');
  assertProblem(await manage(of.org, 'GET', `${path}&user_id=${clerk.id}&policy_id=${policyId}`), 'invalid_request');
  assertProblem(await manage(of.org, 'GET', `${path}&user_id=${unknownId}`), 'not_found');
  assertProblem(await manage(of.org, 'GET', `${path}&group_id=${unknownId}`), 'not_found');
  assertProblem(await manage(await signUp(gateways), 'GET', `${path}&user_id=${clerk.id}`), 'not_found');
});
