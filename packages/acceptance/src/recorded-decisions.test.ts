/** Of which calls decisions are recorded, and that a replay finds them. */
import assert from 'node:assert/strict';
import { assertProblem } from './assert-problem.ts';
import type { Reply } from './call.ts';
import { testOnOneDay as test } from './on-one-day.ts';
import { type AppUser, act, allow, create, defineEntity, definition, manage } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { ask, type Replayed, replayed, type Shop, shop } from './recorded-calls.ts';

const gateways = await platformForTests();
const orders = allow('*order');

/** What of the clerk is recorded: each action with the calls that it stands for. */
async function recordedOf(of: Shop): Promise<Readonly<Record<string, number>>> {
  const draft = { name: 'nothing', statements: [{ Effect: 'Deny', Action: ['*'], Resource: ['*'] }] };
  const { newly_denied, unchanged } = await replayed(of, { draft, principals: [of.clerk.id] });
  assert.equal(unchanged.count, 0);
  return Object.fromEntries(newly_denied.items.map(({ action, calls }) => [action, calls]));
}

interface Suggestion {
  readonly statements: readonly { readonly Action: readonly string[]; readonly Resource: readonly string[] }[];
}

async function suggested(of: Shop): Promise<Suggestion> {
  const path = `/acl/suggest?tenant_code=${of.founder.tenantCode}&user_id=${of.clerk.id}`;
  const reply = await manage<Suggestion>(of.org, 'GET', path);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

test('each call is counted, however many are alike', async () => {
  const of = await shop(gateways, [orders]);
  const { id } = await create(of.founder, 'order', { title: 'Lamp' });
  for (let calls = 0; calls < 50; calls++) assert.equal((await act(of.clerk, 'GET', `/item/order/${id}`)).status, 200);
  assert.equal((await act(of.clerk, 'GET', '/count/order')).status, 200);
  assert.deepEqual(await recordedOf(of), { getorder: 50, countorder: 1 });
  await act(of.clerk, 'GET', `/item/order/${id}`);
  assert.deepEqual(await recordedOf(of), { getorder: 51, countorder: 1 });
});

test('calls of a builder who impersonates a user are not recorded', async () => {
  const of = await shop(gateways, [orders]);
  const { org, clerk } = of;
  const body = { env: 'test', tenant_code: clerk.tenantCode, user_id: clerk.id };
  const { body: acting } = await manage<{ readonly token: string }>(org, 'POST', '/org/impersonate', { body });
  const builder: AppUser = { ...clerk, token: acting.token };
  for (const _ of [1, 2]) assert.equal((await act(builder, 'GET', '/count/order')).status, 200);
  assertProblem(await act(builder, 'GET', '/count/user'), 'access_denied');
  assert.equal((await act(clerk, 'GET', '/list/order')).status, 200);
  assert.deepEqual(await recordedOf(of), { listorder: 1 });
});

test('questions are not recorded: who asks whether a call is allowed does not make it', async () => {
  const of = await shop(gateways, [orders]);
  const { clerk, founder } = of;
  const { id } = await create(founder, 'order', { title: 'Lamp' });
  const question = (name: string) => ({
    ...{ subject: { type: 'user', id: clerk.id }, action: { name } },
    resource: { type: 'order', id },
  });
  const request = { body: question('get') };
  assert.equal((await act(clerk, 'POST', '/access/v1/evaluation', request)).status, 200);
  const several = { body: { evaluations: [question('delete'), question('update')] } };
  assert.equal((await act(clerk, 'POST', '/access/v1/evaluations', several)).status, 200);
  assert.equal((await act(clerk, 'GET', '/user/permissions')).status, 200);
  assert.equal((await act(clerk, 'GET', '/count/order')).status, 200);
  assert.deepEqual(await recordedOf(of), { countorder: 1 });
});

test('what a logic block does by policies of its own is not recorded, and what it does by those of its caller is', async () => {
  const of = await shop(gateways, [orders, allow('run*')]);
  const { org, founder, clerk } = of;
  const { id } = await create(founder, 'order', { title: 'Lamp' });
  const read = { id: 'read', type: 'get', entity: 'order', record: '{{ input.id }}' };
  const blocks = {
    own: { steps: [read], run_as: 'app', policies: [allow('getorder')] },
    callers: { steps: [read] },
  };
  for (const [name, content] of Object.entries(blocks)) {
    const body = { name, content: { name, ...content } };
    assert.equal((await manage(org, 'POST', '/config/logicblock', { body })).status, 201);
    const ran = await act(clerk, 'POST', `/logicblocks/${name}`, { body: { id } });
    assert.equal(ran.status, 200, ran.text);
    if (name === 'own') assert.deepEqual(await recordedOf(of), { runown: 1 });
  }
  assert.deepEqual(await recordedOf(of), { runown: 1, runcallers: 1, getorder: 1 });
});

test('records that are shown beside those that a call is about count as a use of their entity, once a call', async () => {
  const of = await shop(gateways, [
    orders,
    allow(['getcustomer', 'listnote']),
    allow('getvendor', '/item/vendor/none'),
  ]);
  const { org, founder, clerk } = of;
  for (const entity of ['customer', 'vendor']) await defineEntity(org, definition(entity, [{ name: 'name' }]));
  const lookup = (name: string, entity: string) => ({ name, colType: 'guid', lookup: { entity } });
  const fields = [{ name: 'title' }, lookup('customer_id', 'customer'), lookup('vendor_id', 'vendor')];
  await defineEntity(org, definition('ticket', fields));
  await defineEntity(org, definition('note', [{ name: 'body' }, lookup('ticket_id', 'ticket')]));
  const customers = [
    await create(founder, 'customer', { name: 'Ann' }),
    await create(founder, 'customer', { name: 'Bo' }),
  ];
  const vendor = await create(founder, 'vendor', { name: 'Vera' });
  for (const { id } of customers)
    await create(founder, 'ticket', { title: 't', customer_id: id, vendor_id: vendor.id });
  const policy = await create(founder, 'aclpolicy', {
    name: 'tickets',
    statements: [allow(['listticket', 'getticket'])],
  });
  await create(founder, 'useraclpolicy', { user_id: clerk.id, acl_policy_id: policy.id });
  const expand = 'customer_id,vendor_id,note_via_ticket_id';
  const shown = await act(clerk, 'GET', `/list/ticket?expand=${expand}`);
  assert.equal(shown.status, 200, shown.text);
  assert.match(shown.text, /"Ann"/);
  assert.doesNotMatch(shown.text, /"Vera"/);
  assert.deepEqual(await recordedOf(of), { listticket: 1, getcustomer: 1, listnote: 1 });
  const { statements } = await suggested(of);
  const actions = statements.flatMap(({ Action }) => Action);
  assert.deepEqual(actions.toSorted(), ['getcustomer', 'listnote', 'listticket']);
  const resources = statements.flatMap(({ Resource }) => Resource);
  assert.deepEqual(resources, ['/item/customer/*', '/list/note', '/list/ticket']);
});

test('a filter over a lookup is no list of the entity that it looks at', async () => {
  const of = await shop(gateways, [allow(['listticket', '*customer'])]);
  const { org, founder, clerk } = of;
  await defineEntity(org, definition('customer', [{ name: 'tier' }]));
  const lookup = { name: 'customer_id', colType: 'guid', lookup: { entity: 'customer' } };
  await defineEntity(org, definition('ticket', [{ name: 'title' }, lookup]));
  const { id } = await create(founder, 'customer', { tier: 'gold' });
  await create(founder, 'ticket', { title: 't', customer_id: id });
  const filter = encodeURIComponent('customer_id.tier == "gold"');
  const found = await act(clerk, 'GET', `/list/ticket?filter=${filter}`);
  assert.equal(found.status, 200, found.text);
  assert.deepEqual(await recordedOf(of), { listticket: 1, getcustomer: 1 });
});

test('an org replays once at a time, and what comes meanwhile is told when to come again', async () => {
  const of = await shop(gateways, [orders]);
  const draft = { policy_id: of.policyId, statements: [orders] };
  const refused: Reply<Replayed>[] = [];
  let counted = 0;
  // Whether two overlap, chance says.
  for (let round = 0; round < 50 && refused.length === 0; round++) {
    counted += 1;
    assert.equal((await act(of.clerk, 'GET', '/count/order')).status, 200);
    const pending = Array.from({ length: 20 }, () => ask<Replayed>(of, '/acl/replay', { draft }));
    const replies = await Promise.all(pending);
    refused.push(...replies.filter(({ status }) => status !== 200));
    assert.ok(refused.length < replies.length, 'none is answered');
  }
  assert.ok(refused.length > 0, 'none is refused');
  for (const reply of refused) {
    assertProblem(reply, 'rate_limited');
    assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/);
  }
  assert.equal((await replayed(of, { draft })).stands_for, counted);
});
