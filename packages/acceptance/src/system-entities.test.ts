import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, assertRefusal, pointers } from './assert-problem.ts';
import { act, allow, count, create, deny, foundedOrg, list, memberWith, random } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { founder } = await foundedOrg(gateways);

function policyBody(statements: unknown, change: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { name: `p-${random()}`, statements, ...change };
}

test('2.3: creating a policy or a group answers with an object that has its `id`', async () => {
  const policy = await create(founder, 'aclpolicy', policyBody([{ Sid: 'Read', ...allow('get*', '/content/*') }]));
  assert.equal(typeof policy.id, 'string');
  const group = await create(founder, 'group', { name: `g-${random()}`, acl_policies: [policy.id] });
  assert.equal(typeof group.id, 'string');
});

test('2.3: policies, groups, links and role labels go through the routes of any entity', async () => {
  const member = await memberWith(founder, []);
  const policy = await create(founder, 'aclpolicy', policyBody([allow('get*'), deny('getsecret')]));
  const group = await create(founder, 'group', { name: `g-${random()}`, acl_policies: [policy.id] });
  const records = {
    aclpolicy: policy,
    group,
    useraclpolicy: await create(founder, 'useraclpolicy', { user_id: member.id, acl_policy_id: policy.id }),
    usergroup: await create(founder, 'usergroup', { user_id: member.id, group_id: group.id }),
    userrole: await create(founder, 'userrole', { name: `clerk-${random()}` }),
  };
  for (const [entity, record] of Object.entries(records).toReversed()) {
    assert.deepEqual((await act(founder, 'GET', `/item/${entity}/${record.id}`)).body, record);
    assert.ok((await list(founder, entity, '?pagesize=200')).items.some((item) => item.id === record.id));
    assert.ok((await count(founder, entity)) > 0);
    assert.equal((await act(founder, 'DELETE', `/delete/${entity}/${record.id}`)).status, 204);
    assertProblem(await act(founder, 'GET', `/item/${entity}/${record.id}`), 'not_found');
  }
});

test('2.4: a statement comes back as it was written', async () => {
  const statements = [
    { Sid: 'Read: all of it', Effect: 'Allow', Action: ['get*', 'list*', 'count*'], Resource: ['*'] },
    { Sid: 'NoContent', Effect: 'Deny', Action: ['*'], Resource: ['/content/*'] },
  ];
  const policy = await create(founder, 'aclpolicy', policyBody(statements));
  assert.deepEqual((await act(founder, 'GET', `/item/aclpolicy/${policy.id}`)).body.statements, statements);
});

test('B14: the lookup keys of a link are the platform’s: a client that sends one is refused', async () => {
  const member = await memberWith(founder, []);
  const policy = await create(founder, 'aclpolicy', policyBody([allow('get*')]));
  const group = await create(founder, 'group', { name: `g-${random()}`, acl_policies: [policy.id] });
  const links = {
    useraclpolicy: { user_id: member.id, acl_policy_id: policy.id },
    usergroup: { user_id: member.id, group_id: group.id },
  };
  for (const [entity, link] of Object.entries(links)) {
    const before = await count(founder, entity);
    for (const name of [
      'gpk',
      'gsk',
      'gpk1',
      'gsk1',
      'pk',
      'sk',
      'lookup',
      'lookup_key',
      'tenant_id',
      'admin',
      'org',
      'name',
    ]) {
      const reply = await act(founder, 'POST', `/create/${entity}`, { body: { ...link, [name]: 'x' } });
      assert.deepEqual(pointers(assertProblem(reply, 'unknown_field')), [`/${name}`]);
    }
    assert.equal(await count(founder, entity), before);
    const made = await create(founder, entity, link);
    const changed = await act(founder, 'PUT', `/update/${entity}/${made.id}`, { body: { gpk1: 'x' } });
    assertProblem(changed, 'unknown_field');
  }
});

test('a link needs both of its ids, and both must be ids that resolve', async () => {
  const member = await memberWith(founder, []);
  const policy = await create(founder, 'aclpolicy', policyBody([allow('get*')]));
  const missing = '01890000-0000-7000-8000-000000000000';
  for (const body of [
    {},
    { user_id: member.id },
    { acl_policy_id: policy.id },
    { user_id: missing, acl_policy_id: policy.id },
    { user_id: member.id, acl_policy_id: missing },
    { user_id: { $ne: null }, acl_policy_id: policy.id },
    { user_id: [member.id], acl_policy_id: policy.id },
    { user_id: '*', acl_policy_id: policy.id },
  ]) {
    const before = await count(founder, 'useraclpolicy');
    assertRefusal(await act(founder, 'POST', '/create/useraclpolicy', { body }), [400, 404]);
    assert.equal(await count(founder, 'useraclpolicy'), before);
  }
});

const good = { Effect: 'Allow', Action: ['get*'], Resource: ['*'] };
const badStatements: readonly (readonly [string, unknown])[] = [
  ['no array', good],
  ['nothing', undefined],
  ['a statement that is no object', ['Allow']],
  ['null for a statement', [null]],
  ['no Effect', [{ ...good, Effect: undefined }]],
  ['the Effect `allow`', [{ ...good, Effect: 'allow' }]],
  ['the Effect `Maybe`', [{ ...good, Effect: 'Maybe' }]],
  ['an Effect in an array', [{ ...good, Effect: ['Allow'] }]],
  ['no Action', [{ ...good, Action: undefined }]],
  ['an empty Action', [{ ...good, Action: [] }]],
  ['an Action of an empty text', [{ ...good, Action: [''] }]],
  ['an Action that is a number', [{ ...good, Action: [7] }]],
  ['an Action without a verb', [{ ...good, Action: ['fetchorder'] }]],
  ['no Resource', [{ ...good, Resource: undefined }]],
  ['an empty Resource', [{ ...good, Resource: [] }]],
  ['a Resource that is no path', [{ ...good, Resource: ['order'] }]],
  ['NotAction', [{ ...good, NotAction: ['get*'] }]],
  ['a misspelt member', [{ ...good, effect: 'Allow' }]],
  ['a Sid with a line end', [{ ...good, Sid: 'a\nb' }]],
  [
    'a Sid twice',
    [
      { ...good, Sid: 'A' },
      { ...good, Sid: 'A' },
    ],
  ],
  ['a pattern of 257 characters', [{ ...good, Resource: [`/${'a'.repeat(256)}`] }]],
  ['B09: a pattern of 17 stars', [{ ...good, Resource: [`/${'*a'.repeat(17)}`] }]],
  ['51 statements', Array.from({ length: 51 }, () => good)],
  ['more than 10 KB', Array.from({ length: 45 }, () => ({ ...good, Resource: [`/${'a'.repeat(250)}`] }))],
];
for (const [what, statements] of badStatements) {
  test(`2.4: a policy with ${what} is refused, on create and on update`, async () => {
    const policy = await create(founder, 'aclpolicy', policyBody([good]));
    const before = await count(founder, 'aclpolicy');
    const created = await act(founder, 'POST', '/create/aclpolicy', { body: policyBody(statements) });
    const problem = assertRefusal(created, [400]);
    for (const pointer of pointers(problem)) assert.match(pointer, /^\/statements/);
    assert.equal(await count(founder, 'aclpolicy'), before);
    if (statements === undefined) return;
    assertRefusal(await act(founder, 'PUT', `/update/aclpolicy/${policy.id}`, { body: { statements } }), [400]);
    assert.deepEqual((await act(founder, 'GET', `/item/aclpolicy/${policy.id}`)).body, policy);
  });
}

for (const [what, member, value, pointer] of [
  ['an unknown operator', 'Condition', { Equals: { 'user.id': 'a' } }, '/Condition/Equals'],
  [
    'a condition on the role',
    'Condition',
    { StringEquals: { 'jwt.ROLE': 'admin' } },
    '/Condition/StringEquals/jwt.ROLE',
  ],
  ['no fields', 'Fields', [], '/Fields'],
] as const) {
  test(`B29: a statement with ${what} is refused with a pointer to it`, async () => {
    const body = policyBody([{ ...good, [member]: value }]);
    const problem = assertRefusal(await act(founder, 'POST', '/create/aclpolicy', { body }), [400]);
    assert.deepEqual(pointers(problem), [`/statements/0${pointer}`]);
  });
}

test('B09: a pattern made to be slow decides like any other', async () => {
  const resource = `/list/${'*a'.repeat(14)}*b`;
  const member = await memberWith(founder, [allow('*'), deny('*', resource)]);
  assert.equal((await act(member, 'GET', '/list/aclpolicy')).status, 200);
  const long = await act(member, 'GET', `/list/${'a'.repeat(6000)}`);
  assertRefusal(long, [400, 403, 404]);
});

test('names of policies and groups are given once, whatever their case', async () => {
  const policy = await create(founder, 'aclpolicy', policyBody([good], { name: `Name-${random()}` }));
  for (const name of [policy.name, String(policy.name).toUpperCase()]) {
    assertRefusal(await act(founder, 'POST', '/create/aclpolicy', { body: policyBody([good], { name }) }), [409]);
  }
  const again = await act(founder, 'POST', '/create/group', { body: { name: 'default-admins', acl_policies: [] } });
  assertRefusal(again, [409]);
});

test('a user’s identity is not changed through the data routes', async () => {
  const member = await memberWith(founder, []);
  const before = (await act(founder, 'GET', `/item/user/${member.id}`)).body;
  for (const body of [{ email: 'other@example.com' }, { id: founder.id }, { status: 'nonsense' }, { password: 'x' }]) {
    assertRefusal(await act(founder, 'PUT', `/update/user/${member.id}`, { body }), [400, 403]);
  }
  assert.deepEqual((await act(founder, 'GET', `/item/user/${member.id}`)).body, before);
  const named = await act(founder, 'PUT', `/update/user/${member.id}`, { body: { fn: 'Ann', ln: 'Other' } });
  assert.deepEqual([named.status, named.body.fn, named.body.ln], [200, 'Ann', 'Other']);
});

test('a role label is at most 64 characters', async () => {
  const member = await memberWith(founder, []);
  const path = `/update/user/${member.id}`;
  assert.equal((await act(founder, 'PUT', path, { body: { role: 'r'.repeat(64) } })).status, 200);
  assertRefusal(await act(founder, 'PUT', path, { body: { role: 'r'.repeat(65) } }), [400]);
});

test('no secret of a user can be read', async () => {
  const { items } = await list(founder, 'user', '?pagesize=200');
  assert.doesNotMatch(JSON.stringify(items), /argon2|password|secret|token/i);
});

for (const entity of [
  'apiname',
  '_meter',
  'org',
  'tenant',
  'workspace',
  'identity',
  'session',
  'membership',
  'config',
  'settings',
  'audit',
  'head',
  'index',
  'counter',
  'data',
]) {
  test(`B17: the internal kind ${entity} is reached by no data route`, async () => {
    const id = '01890000-0000-7000-8000-000000000000';
    assertProblem(await act(founder, 'GET', `/list/${entity}`), 'not_found');
    assertProblem(await act(founder, 'GET', `/count/${entity}`), 'not_found');
    assertProblem(await act(founder, 'GET', `/item/${entity}/${id}`), 'not_found');
    assertProblem(await act(founder, 'POST', `/create/${entity}`, { body: { name: 'x' } }), 'not_found');
    assertProblem(await act(founder, 'PUT', `/update/${entity}/${id}`, { body: { name: 'x' } }), 'not_found');
    assertProblem(await act(founder, 'DELETE', `/delete/${entity}/${id}`), 'not_found');
  });
}
