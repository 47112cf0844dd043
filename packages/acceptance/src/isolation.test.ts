import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, assertRefusal } from './assert-problem.ts';
import { call, type Reply } from './call.ts';
import {
  type AppUser,
  act,
  allow,
  appUrl,
  count,
  create,
  defineEntity,
  definition,
  foundedOrg,
  list,
  manage,
  memberWith,
  signIn,
} from './org.ts';

import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const acme = await foundedOrg(gateways);
const beta = await foundedOrg(gateways);
const canary = 'canary-in-a-coal-mine';
for (const { org } of [acme, beta]) {
  await defineEntity(org, definition('order', [{ name: 'title', colType: 'string', index: true }]));
}
const ours = await create(acme.founder, 'order', { title: 'ours' });
const theirs = await create(beta.founder, 'order', { title: canary });
const missing = '01890000-0000-7000-8000-000000000000';

/** All that a caller can tell from an answer, but for what names the very request. */
function face(reply: Reply<unknown>): unknown {
  const headers = [...reply.headers].filter(
    ([name]) => !['date', 'connection', 'keep-alive', 'x-request-id'].includes(name),
  );
  const own = reply.headers.get('x-request-id') ?? 'no request id';
  return { status: reply.status, headers, text: reply.text.replaceAll(own, '').replace(/"decision_id":"[^"]*"/, '') };
}

async function assertUntouched(): Promise<void> {
  assert.deepEqual((await list(beta.founder, 'order')).items, [theirs]);
  assert.deepEqual((await list(acme.founder, 'order')).items, [ours]);
}

const byId = [
  ['GET', (id: string) => `/item/order/${id}`, undefined],
  ['PUT', (id: string) => `/update/order/${id}`, { title: 'mine now' }],
  ['DELETE', (id: string) => `/delete/order/${id}`, undefined],
] as const;

for (const [method, path, body] of byId) {
  test(`B23, C19: ${method} of another org’s record is, byte for byte, the 404 of a missing one`, async () => {
    const options = body === undefined ? {} : { body };
    const foreign = await act(acme.founder, method, path(theirs.id), options);
    const absent = await act(acme.founder, method, path(missing), options);
    assertProblem(foreign, 'not_found');
    assert.deepEqual(face(foreign), face(absent));
    await assertUntouched();
  });

  test(`${method} of a caller without permission answers the same for a record that stands and for a missing one`, async () => {
    const stranger = await memberWith(acme.founder, []);
    const options = body === undefined ? {} : { body };
    const current = await act(stranger, method, path(ours.id), options);
    assertProblem(current, 'access_denied');
    assert.deepEqual(face(current), face(await act(stranger, method, path(missing), options)));
    assert.deepEqual(face(current), face(await act(stranger, method, path(theirs.id), options)));
    await assertUntouched();
  });
}

test('A19: an app JWT of one org opens no route of another', async () => {
  const crossed: AppUser = { ...acme.founder, org: beta.org };
  const calls = [
    await act(crossed, 'GET', '/list/order'),
    await act(crossed, 'GET', '/count/order'),
    await act(crossed, 'GET', `/item/order/${theirs.id}`),
    await act(crossed, 'POST', '/create/order', { body: { title: 'planted' } }),
    await act(crossed, 'PUT', `/update/order/${theirs.id}`, { body: { title: 'planted' } }),
    await act(crossed, 'DELETE', `/delete/order/${theirs.id}`),
    await act(crossed, 'GET', '/list/aclpolicy'),
    await act(crossed, 'GET', '/user/me'),
    await act(crossed, 'GET', '/user/tenants'),
  ];
  for (const reply of calls) {
    assertRefusal(reply, [401, 403]);
    assert.doesNotMatch(reply.text, new RegExp(canary));
  }
  await assertUntouched();
});

test('an app JWT opens no route of an org that does not exist', async () => {
  const reply = await call('GET', `${gateways.app}/app/nosuchorg/list/order`, { token: acme.founder.token });
  assertRefusal(reply, [401, 403, 404]);
});

test('lists, counts and filters see the caller’s own org only', async () => {
  assert.deepEqual((await list(acme.founder, 'order', `?title=${canary}`)).items, []);
  assert.equal(await count(acme.founder, 'order', `?title=${canary}`), 0);
  assert.equal(await count(acme.founder, 'order'), 1);
  for (const entity of ['user', 'aclpolicy', 'group', 'useraclpolicy', 'usergroup']) {
    const mine = (await list(acme.founder, entity)).items.map((record) => record.id);
    const others = (await list(beta.founder, entity)).items.map((record) => record.id);
    assert.deepEqual(
      mine.filter((id) => others.includes(id)),
      [],
    );
  }
});

test('the same person in two orgs is two users, and neither token serves for the other', async () => {
  const here = await signIn(acme.org, 'same.person@example.com');
  const there = await signIn(beta.org, 'same.person@example.com');
  assert.notEqual(here.id, there.id);
  assertRefusal(await call('GET', appUrl(beta.org, '/user/me'), { token: here.token }), [401, 403]);
});

test('B20: a link to a policy, a group or a user of another org is refused', async () => {
  const member = await memberWith(acme.founder, []);
  const foreignPolicy = (await list(beta.founder, 'aclpolicy')).items.find((policy) => policy.name === 'adminacl');
  const foreignGroup = (await list(beta.founder, 'group')).items[0];
  const ownPolicy = (await list(acme.founder, 'aclpolicy')).items.find((policy) => policy.name === 'adminacl');
  const attempts = [
    ['useraclpolicy', { user_id: member.id, acl_policy_id: foreignPolicy?.id }],
    ['useraclpolicy', { user_id: beta.founder.id, acl_policy_id: ownPolicy?.id }],
    ['usergroup', { user_id: member.id, group_id: foreignGroup?.id }],
    ['usergroup', { user_id: beta.founder.id, group_id: (await list(acme.founder, 'group')).items[0]?.id }],
    ['group', { name: 'borrowed', acl_policies: [foreignPolicy?.id] }],
  ] as const;
  for (const [entity, body] of attempts) {
    const before = await count(acme.founder, entity);
    assertRefusal(await act(acme.founder, 'POST', `/create/${entity}`, { body }), [400, 404]);
    assert.equal(await count(acme.founder, entity), before);
  }
  assertProblem(await act(member, 'GET', '/list/order'), 'access_denied');
});

test('a policy of one org grants nothing in another', async () => {
  const member = await memberWith(acme.founder, [allow('*')]);
  const crossed: AppUser = { ...member, org: beta.org };
  assertRefusal(await act(crossed, 'GET', '/list/order'), [401, 403]);
});

test('a builder sees and changes the entities of its own org only', async () => {
  await defineEntity(beta.org, definition('secret', [{ name: 'title', colType: 'string' }]));
  const entities = await manage(acme.org, 'GET', '/api/entities');
  assert.doesNotMatch(entities.text, /secret/);
  assertProblem(await manage(acme.org, 'GET', '/api/entity?entityName=secret'), 'not_found');
  assertProblem(await manage(acme.org, 'DELETE', '/api/entity?entityname=secret'), 'not_found');
  assert.equal((await manage(beta.org, 'GET', '/api/entity?entityName=secret')).status, 200);
});
