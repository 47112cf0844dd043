import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { publishedKeys } from './app-token.ts';
import { creating, together } from './batches.ts';
import { call } from './call.ts';
import { eventually } from './eventually.ts';
import {
  type AppUser,
  act,
  allow,
  count,
  create,
  defineEntity,
  definition,
  foundedOrg,
  grant,
  list,
  manage,
  memberWith,
} from './org.ts';
import { runToEnd, temporaryDirectory } from './platform.ts';
import { platformOf } from './platform-for-tests.ts';
import { change, deploy, diff, history, prodFounder, provision, publish, rollback, tryActivate } from './promotion.ts';
import { assertSeenAfter, assertSound, orgOn, skip, twoNodes, userOn } from './two-nodes.ts';
import { putSetting } from './workspaces.ts';

test('a second node serves what the first one made, and sees its configuration within a second', {
  skip,
}, async (t) => {
  const { one, other } = await twoNodes(t);
  const { org, founder } = await foundedOrg(one);
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  const { id } = await create(founder, 'order', { title: 'a' });
  const elsewhere = userOn(other, founder);
  assert.equal((await act(elsewhere, 'GET', `/item/order/${id}`)).body.title, 'a');
  await defineEntity(org, definition('invoice', [{ name: 'title' }]));
  await assertSeenAfter(1000, async () => (await act(elsewhere, 'GET', '/list/invoice')).status === 200);
  const body = { UpdateParams: [{ name: 'title', validate: true, maxlength: 3 }] };
  const changed = await manage(org, 'PUT', '/api/create-order', { body });
  assert.equal(changed.status, 200, changed.text);
  const long = { body: { title: 'long' } };
  await assertSeenAfter(1000, async () => (await act(elsewhere, 'POST', '/create/order', long)).status === 400);
});

test('an activation and a rollback on one node are seen on the other within a second', { skip }, async (t) => {
  const { one, other } = await twoNodes(t);
  const { org } = await foundedOrg(one);
  await provision(org);
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  const founder = await prodFounder(org);
  const elsewhere = userOn(other, founder);
  assert.equal((await act(elsewhere, 'GET', '/list/order')).status, 404);
  await deploy(org);
  await assertSeenAfter(1000, async () => (await act(elsewhere, 'GET', '/list/order')).status === 200);
  await change(org, 'create-order', { UpdateParams: [{ name: 'title', validate: true, maxlength: 3 }] });
  await deploy(org);
  const long = { body: { title: 'long' } };
  await assertSeenAfter(1000, async () => (await act(elsewhere, 'POST', '/create/order', long)).status === 400);
  await rollback(orgOn(other, org));
  await assertSeenAfter(1000, async () => (await act(founder, 'POST', '/create/order', long)).status === 201);
});

test('of activations on two nodes at once one makes everything live, and provisions make one production', {
  skip,
}, async (t) => {
  const { one, other } = await twoNodes(t);
  const { org } = await foundedOrg(one);
  const there = orgOn(other, org);
  const provisioned = await Promise.all(Array.from({ length: 10 }, () => [provision(org), provision(there)]).flat());
  assert.equal(provisioned.filter(({ created }) => created).length, 1);
  assert.equal(new Set(provisioned.map(({ client_id }) => client_id)).size, 1);
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  await publish(org);
  const replies = await Promise.all(Array.from({ length: 10 }, () => [tryActivate(org), tryActivate(there)]).flat());
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, ...Array(19).fill(409)]);
  assert.equal((await history(there)).length, 1);
  await assertSeenAfter(1000, async () => (await diff(there)).length === 0);
});

test('policies, members and ended tokens change on the other node within `acl.cache_seconds`', { skip }, async (t) => {
  const { one, other } = await twoNodes(t);
  const { org, founder } = await foundedOrg(one);
  await putSetting(org, 'acl', 'cache_seconds', 1);
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  const statusElsewhere = async (user: AppUser) => (await act(userOn(other, user), 'GET', '/list/order')).status;
  const granted = await memberWith(founder, []);
  assert.equal(await statusElsewhere(granted), 403);
  await grant(founder, granted, [allow('*', '*')]);
  await assertSeenAfter(1100, async () => (await statusElsewhere(granted)) === 200);
  await act(founder, 'DELETE', `/delete/user/${granted.id}`);
  await assertSeenAfter(1100, async () => (await statusElsewhere(granted)) !== 200);
  const leaving = await memberWith(founder, [allow('*', '*')]);
  assert.equal(await statusElsewhere(leaving), 200);
  await act(leaving, 'POST', '/user/logout', { body: { everywhere: true } });
  await assertSeenAfter(1100, async () => (await statusElsewhere(leaving)) === 401);
});

test('transactions on two nodes lose no increment, and go on when others keep overtaking them', { skip }, async (t) => {
  const nodes = await twoNodes(t);
  const { org, founder } = await foundedOrg(nodes.one);
  await defineEntity(org, definition('counter', [{ name: 'n', colType: 'integer' }]));
  const record = '{{ input.id }}';
  const steps = [
    { id: 'read', type: 'get', entity: 'counter', record },
    { id: 'write', type: 'update', entity: 'counter', record, values: { n: '{{ steps.read.n + 1.0 }}' } },
  ];
  const content = { name: 'increment', transaction: true, steps };
  const defined = await manage(org, 'POST', '/config/logicblock', { body: { name: 'increment', content } });
  assert.equal(defined.status, 201, defined.text);
  const { id } = await create(founder, 'counter', { n: 0 });
  const users = [founder, userOn(nodes.other, founder)];
  const increment = (user: AppUser) => act(user, 'POST', '/logicblocks/increment', { body: { id } });
  for (const user of users) await assertSeenAfter(1000, async () => (await increment(user)).status === 200);
  const before = Number((await act(founder, 'GET', `/item/counter/${id}`)).body.n);
  const caller = async (index: number): Promise<readonly number[]> => {
    const statuses: number[] = [];
    for (let calls = 0; calls < 10; calls++) statuses.push((await increment(users[index % 2] ?? founder)).status);
    return statuses;
  };
  const statuses = (await Promise.all(Array.from({ length: 8 }, (_, index) => caller(index)))).flat();
  const done = statuses.filter((status) => status === 200).length;
  assert.ok(statuses.every((status) => status === 200 || status === 409));
  assert.ok(done >= 60, `${done} of 80 were done`);
  assert.equal((await act(users[1] ?? founder, 'GET', `/item/counter/${id}`)).body.n, before + done);
});

test('numbers, unique values and counts are right under 32 writers on two nodes', { skip }, async (t) => {
  const nodes = await twoNodes(t);
  const { org, founder } = await foundedOrg(nodes.one);
  const fields = [{ name: 'nr', colType: 'autoincrement' }, { name: 'code' }];
  const UniqueIndexes = [{ indexName: 'by_code', fields: ['code'] }];
  await defineEntity(org, { ...definition('order', fields), UniqueIndexes });
  const users = [founder, userOn(nodes.other, founder)];
  const write = async (writer: number): Promise<readonly number[]> => {
    const statuses: number[] = [];
    for (let turn = 0; turn < 5; turn++)
      for (const user of users) {
        const body = { code: `${(writer + turn) % 16};${turn}` };
        statuses.push((await act(user, 'POST', '/create/order', { body })).status);
      }
    return statuses;
  };
  const statuses = (await Promise.all(Array.from({ length: 32 }, (_, writer) => write(writer)))).flat();
  assert.deepEqual([...new Set(statuses)].sort(), [201, 409]);
  const made = statuses.filter((status) => status === 201).length;
  assert.equal(made, 16 * 5, 'each value was taken once');
  for (const user of users) assert.equal(await count(user, 'order'), made);
  const { items } = await list(founder, 'order', '?pagesize=200');
  assert.equal(new Set(items.map(({ nr }) => nr)).size, made);
  assert.equal(new Set(items.map(({ code }) => code)).size, made);
  await assertSound(nodes);
});

test('a request with an `Idempotency-Key` counts once, whichever node it is sent to', { skip }, async (t) => {
  const { one, other } = await twoNodes(t);
  const { org, founder } = await foundedOrg(one);
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  const users = [founder, userOn(other, founder)];
  const options = { body: { title: 'a' }, headers: { 'idempotency-key': randomBytes(8).toString('hex') } };
  const send = () => Promise.all(users.map((user) => act(user, 'POST', '/create/order', options)));
  for (const reply of [...(await send()), ...(await send())]) assert.ok([201, 409].includes(reply.status), reply.text);
  const [first, second] = await send();
  assert.deepEqual([first?.status, second?.status], [201, 201]);
  assert.equal(first?.body.id, second?.body.id);
  assert.equal(await count(founder, 'order'), 1);
});

test('another node finishes an index when its builder is killed', { skip }, async (t) => {
  const nodes = await twoNodes(t);
  const { org, founder } = await foundedOrg(nodes.one);
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  const batch = Array.from({ length: 100 }, (_, index) => creating('order', { title: `t${index}` }));
  for (let turn = 0; turn < 5; turn++) await together(founder, batch);
  const body = { UpdateParams: [{ name: 'title', index: true }] };
  const changed = await manage(org, 'PUT', '/api/create-order', { body });
  assert.equal(changed.status, 200, changed.text);
  await nodes.one.kill();
  const there = orgOn(nodes.other, org);
  await eventually('the index', async () => {
    const shown = await manage<{ indexes: readonly { state: string }[] }>(there, 'GET', '/api/entity?entityName=order');
    return shown.body.indexes.every(({ state }) => state === 'ready');
  });
  assert.equal(await count(userOn(nodes.other, founder), 'order', '?title=t7'), 5);
  await assertSound(nodes);
});

test('another node removes an entity to its end when the only one that was at it is killed', { skip }, async (t) => {
  const dataDir = temporaryDirectory();
  const entity = definition('order', [{ name: 'title', index: true }]);
  const batch = Array.from({ length: 100 }, (_, index) => creating('order', { title: `t${index}` }));
  // A machine that is busy may give the node time to come to the end before it is killed.
  const { one, other, founder, define } = await eventually('a kill before the end of the removal', async () => {
    const one = await platformOf(t, { dataDir });
    const { org, founder } = await foundedOrg(one);
    await defineEntity(org, entity);
    for (let turn = 0; turn < 10; turn++) await together(founder, batch);
    const removed = await manage(org, 'DELETE', '/api/entity?entityname=order');
    assert.equal(removed.status, 204, removed.text);
    await one.kill();
    // Started when the first is gone: any lease that it finds belongs to a process that has ended.
    const other = await platformOf(t, { dataDir });
    const define = async () => (await manage(orgOn(other, org), 'POST', '/api/entity', { body: entity })).status;
    const status = await define();
    if (status === 409) return { one, other, founder, define };
    assert.equal(status, 201);
    await other.terminate();
    return undefined;
  });
  await eventually('the end of the removal', async () => (await define()) === 201);
  assert.equal(await count(userOn(other, founder), 'order'), 0);
  await assertSound({ one, other, dataDir });
});

test('a rotated key is published by both nodes within ten seconds, and a revoked one ends its tokens on both', {
  skip,
}, async (t) => {
  const token = randomBytes(32).toString('hex');
  const { one, other } = await twoNodes(t, { FREEHOLD_OPERATOR_KEY: token });
  const { founder } = await foundedOrg(one);
  const elsewhere = userOn(other, founder);
  assert.equal((await act(elsewhere, 'GET', '/user/me')).status, 200);
  const [signing] = await publishedKeys(one.app);
  const rotated = await call<{ kid: string }>('POST', `${one.management}/platform/keys/rotate`, { token });
  assert.equal(rotated.status, 201, rotated.text);
  const kids = async () => (await publishedKeys(other.app)).map(({ kid }) => kid);
  await assertSeenAfter(11_000, async () => (await kids()).includes(rotated.body.kid));
  const revoked = await call('DELETE', `${one.management}/platform/keys/${signing?.kid}`, { token });
  assert.equal(revoked.status, 204, revoked.text);
  await assertSeenAfter(11_000, async () => (await act(elsewhere, 'GET', '/user/me')).status === 401);
});

test('a node with another master key, or with none, does not start, and no sentence holds a secret', {
  skip,
}, async (t) => {
  const [key, wrong] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
  const dataDir = temporaryDirectory();
  const first = await platformOf(t, { dataDir, env: { FREEHOLD_MASTER_KEY: key } });
  await foundedOrg(first);
  for (const [env, expected] of [
    [{}, /^freehold cannot start: the secrets in the store are encrypted: set FREEHOLD_MASTER_KEY [^\n]+\n$/],
    [{ FREEHOLD_MASTER_KEY: wrong }, /^freehold cannot start: the secrets in the store do not open [^\n]+\n$/],
  ] as const) {
    const run = await runToEnd([], { dataDir, env });
    assert.equal(run.code, 1);
    assert.match(run.stderr, expected);
    assert.ok(!run.stderr.includes(wrong) && !run.stderr.includes('postgres://'));
  }
  await platformOf(t, { dataDir, env: { FREEHOLD_MASTER_KEY: key } });
});
