import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAppToken } from './app-token.ts';
import { assertProblem, assertRefusal } from './assert-problem.ts';
import {
  type AppUser,
  act,
  allow,
  create,
  defineEntity,
  definition,
  deny,
  foundedOrg,
  grant,
  list,
  memberWith,
  random,
  type Statement,
  signIn,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
const title = { name: 'title', colType: 'string' };
for (const entity of ['order', 'invoice', 'secret']) await defineEntity(org, definition(entity, [title]));
const orders = {
  order: await create(founder, 'order', { title: 'standing' }),
  invoice: await create(founder, 'invoice', { title: 'standing' }),
  secret: await create(founder, 'secret', { title: 'standing' }),
};
type Entity = keyof typeof orders;

type Verb = 'list' | 'count' | 'get' | 'create' | 'update' | 'delete';
const verbs: readonly Verb[] = ['list', 'count', 'get', 'create', 'update', 'delete'];

/** Tries one action, each time on a record of its own where one is changed, and returns the status. */
async function attempt(user: AppUser, verb: Verb, entity: Entity): Promise<number> {
  const body = { title: random() };
  if (verb === 'create') return (await act(user, 'POST', `/create/${entity}`, { body })).status;
  if (verb === 'list' || verb === 'count') return (await act(user, 'GET', `/${verb}/${entity}`)).status;
  if (verb === 'get') return (await act(user, 'GET', `/item/${entity}/${orders[entity].id}`)).status;
  const { id } = await create(founder, entity, body);
  if (verb === 'update') return (await act(user, 'PUT', `/update/${entity}/${id}`, { body })).status;
  return (await act(user, 'DELETE', `/delete/${entity}/${id}`)).status;
}

/** The actions that the user may do, as `verb entity`, sorted. */
async function permitted(user: AppUser): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entity of ['order', 'invoice'] as const) {
    for (const verb of verbs) {
      const status = await attempt(user, verb, entity);
      assert.ok(status === 403 || status < 300, `${verb} ${entity}: ${status}`);
      if (status < 300) found.push(`${verb} ${entity}`);
    }
  }
  return found.toSorted();
}

const everything = ['order', 'invoice'].flatMap((entity) => verbs.map((verb) => `${verb} ${entity}`)).toSorted();
const reading = everything.filter((action) => /^(?:get|list|count) /.test(action));
const without = (...actions: string[]) => everything.filter((action) => !actions.includes(action));

const cases: readonly (readonly [string, readonly Statement[], readonly string[]])[] = [
  ['nothing is allowed by no policy', [], []],
  [
    '`get*`, `list*` and `count*` let a user read, and no create of any entity',
    [allow(['get*', 'list*', 'count*'])],
    reading,
  ],
  [
    'the create, update and delete actions of an entity let a user write that entity',
    [allow(['get*', 'list*', 'count*']), allow(['createorder', 'updateorder', 'deleteorder'])],
    [...reading, 'create order', 'update order', 'delete order'].toSorted(),
  ],
  ['`*` on `*` allows everything', [allow('*')], everything],
  ['a Deny wins over an Allow', [allow('*'), deny('createorder')], without('create order')],
  ['a Deny wins in whatever order', [deny('createorder'), allow('*'), allow('createorder')], without('create order')],
  ['a Deny of everything leaves nothing', [allow('*'), deny('*')], []],
  ['a Deny alone allows nothing else', [deny('createorder')], []],
  [
    'a Deny with a verb wildcard wins over exact Allows',
    [allow('*'), deny('delete*')],
    without('delete order', 'delete invoice'),
  ],
  ['an action is verb and entity together', [allow('listorder')], ['list order']],
  ['the action of one verb covers no other', [allow('getorder')], ['get order']],
  ['actions match in any ASCII case', [allow('ListOrder'), allow('GET*')], ['get invoice', 'get order', 'list order']],
  ['`?` stands for exactly one character', [allow(['list?rder', 'getorder?'])], ['list order']],
  ['B08: an action without a wildcard is matched whole', [allow(['listorde', 'listorderx'])], []],
  ['a wildcard in front spans verbs', [allow('*order')], everything.filter((action) => action.endsWith(' order'))],
  ['a resource narrows an Allow', [allow('*', '/list/*')], ['list invoice', 'list order']],
  ['a resource names one record', [allow('get*', `/item/order/${orders.order.id}`)], ['get order']],
  ['B08: a resource without a wildcard is matched whole', [allow('*', ['/list/orde', '/list/order/', '/list'])], []],
  ['a resource spans `/`', [allow('*', '/i*')], ['get invoice', 'get order']],
  ['a resource is matched case by case', [allow('*', '/LIST/*')], []],
  ['both action and resource have to match', [allow('list*', '/item/*'), allow('get*', '/list/*')], []],
  ['statements add up', [allow('listorder'), allow('getinvoice')], ['get invoice', 'list order']],
  ['a Deny on a resource leaves the rest', [allow('*'), deny('*', '/list/invoice')], without('list invoice')],
];

for (const [sentence, statements, expected] of cases) {
  test(`5.2: ${sentence}`, async () => {
    assert.deepEqual(await permitted(await memberWith(founder, statements)), expected);
  });
}

test('a denial says whether a Deny matched or nothing did, with an opaque decision id', async () => {
  const user = await memberWith(founder, [allow('get*'), deny('deleteorder')]);
  const implicit = assertProblem(await act(user, 'GET', '/list/order'), 'access_denied');
  const explicit = assertProblem(await act(user, 'DELETE', `/delete/order/${orders.order.id}`), 'access_denied');
  assert.equal(implicit.reason, 'implicit_deny');
  assert.equal(explicit.reason, 'explicit_deny');
  assert.ok(typeof implicit.decision_id === 'string' && implicit.decision_id !== explicit.decision_id);
});

test('a denied write writes nothing', async () => {
  const user = await memberWith(founder, [allow(['get*', 'list*', 'count*'])]);
  const before = await list(founder, 'secret');
  await act(user, 'POST', '/create/secret', { body: { title: 'planted' } });
  await act(user, 'PUT', `/update/secret/${orders.secret.id}`, { body: { title: 'planted' } });
  await act(user, 'DELETE', `/delete/secret/${orders.secret.id}`);
  assert.deepEqual(await list(founder, 'secret'), before);
});

test('a denial is decided before the body is looked at', async () => {
  const user = await memberWith(founder, []);
  assertProblem(await act(user, 'POST', '/create/order', { body: { colour: 'red' } }), 'access_denied');
});

test('a group hands its policies to its members, for as long as they are in it', async () => {
  const user = await memberWith(founder, []);
  const listing = await create(founder, 'aclpolicy', { name: `l-${random()}`, statements: [allow('listorder')] });
  const getting = await create(founder, 'aclpolicy', { name: `g-${random()}`, statements: [allow('getorder')] });
  const group = await create(founder, 'group', { name: `group-${random()}`, acl_policies: [listing.id] });
  assert.deepEqual(await permitted(user), []);
  const link = await create(founder, 'usergroup', { user_id: user.id, group_id: group.id });
  assert.deepEqual(await permitted(user), ['list order']);
  await act(founder, 'PUT', `/update/group/${group.id}`, { body: { acl_policies: [listing.id, getting.id] } });
  assert.deepEqual(await permitted(user), ['get order', 'list order']);
  await act(founder, 'DELETE', `/delete/usergroup/${link.id}`);
  assert.deepEqual(await permitted(user), []);
});

test('a Deny from a group wins over a direct Allow, and a direct Deny over a group’s Allow', async () => {
  for (const [direct, inherited] of [
    [allow('*'), deny('listorder')],
    [deny('listorder'), allow('*')],
  ] as const) {
    const user = await memberWith(founder, [direct]);
    const policy = await create(founder, 'aclpolicy', { name: `p-${random()}`, statements: [inherited] });
    const group = await create(founder, 'group', { name: `group-${random()}`, acl_policies: [policy.id] });
    await create(founder, 'usergroup', { user_id: user.id, group_id: group.id });
    assert.deepEqual(await permitted(user), without('list order'));
  }
});

test('a change of policies applies at once on the node that made it, to tokens in hand', async () => {
  const user = await memberWith(founder, []);
  assert.equal(await attempt(user, 'list', 'order'), 403);
  const policy = await grant(founder, user, [allow('listorder')]);
  assert.equal(await attempt(user, 'list', 'order'), 200);
  const narrowed = await act(founder, 'PUT', `/update/aclpolicy/${policy.id}`, {
    body: { statements: [allow('getorder')] },
  });
  assert.equal(narrowed.status, 200, narrowed.text);
  assert.deepEqual([await attempt(user, 'list', 'order'), await attempt(user, 'get', 'order')], [403, 200]);
  const link = (await list(founder, 'useraclpolicy', '?pagesize=200')).items.find((each) => each.user_id === user.id);
  await act(founder, 'DELETE', `/delete/useraclpolicy/${link?.id}`);
  assert.equal(await attempt(user, 'get', 'order'), 403);
});

test('B29: the role label in the token grants nothing', async () => {
  const user = await memberWith(founder, []);
  const reply = await act(founder, 'PUT', `/update/user/${user.id}`, { body: { role: 'admin' } });
  assert.equal(reply.status, 200, reply.text);
  const again = await signIn(org, user.email);
  const { claims } = await readAppToken(gateways.app, again.token);
  assert.equal(claims.role, 'admin');
  assert.deepEqual(await permitted(again), []);
});

test('B29: a `userrole` record grants nothing', async () => {
  const user = await memberWith(founder, []);
  await create(founder, 'userrole', { name: `admin-${random()}` });
  assert.deepEqual(await permitted(user), []);
});

test('B21: a deleted policy grants nothing any more, and its links harm nothing', async () => {
  const user = await memberWith(founder, []);
  const policy = await grant(founder, user, [allow('listorder')]);
  await grant(founder, user, [allow('getorder')]);
  assertProblem(await act(founder, 'DELETE', `/delete/aclpolicy/${policy.id}`), 'in_use');
  assert.deepEqual(await permitted(user), ['get order', 'list order']);
  const reply = await act(founder, 'DELETE', `/delete/aclpolicy/${policy.id}?force=true`);
  assert.equal(reply.status, 204, reply.text);
  assert.deepEqual(await permitted(user), ['get order']);
});

test('B18: the id of a link is no id of a policy', async () => {
  const user = await memberWith(founder, [allow('listorder')]);
  const link = (await list(founder, 'useraclpolicy', '?pagesize=200')).items.find((each) => each.user_id === user.id);
  assert.notEqual(link?.id, link?.acl_policy_id);
  const other = await memberWith(founder, []);
  const body = { user_id: other.id, acl_policy_id: link?.id };
  assertRefusal(await act(founder, 'POST', '/create/useraclpolicy', { body }), [400, 404]);
  assert.deepEqual(await permitted(other), []);
});

test('the same policy linked twice, or directly and through a group, counts as one', async () => {
  const user = await memberWith(founder, []);
  const policy = await grant(founder, user, [allow('listorder')]);
  const group = await create(founder, 'group', { name: `group-${random()}`, acl_policies: [policy.id] });
  await create(founder, 'usergroup', { user_id: user.id, group_id: group.id });
  assert.deepEqual(await permitted(user), ['list order']);
});
