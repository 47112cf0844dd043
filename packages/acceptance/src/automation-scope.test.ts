/** What a caller writes into a body names no org, environment, workspace or user for automation. */
import assert from 'node:assert/strict';
import { assertProblem } from './assert-problem.ts';
import { deliveries, makeEvent, startReceiver } from './event-receiver.ts';
import { eventually } from './eventually.ts';
import { testOnOneDay as test } from './on-one-day.ts';
import { act, create, defineEntity, definition, foundedOrg, joinOrg, manage, type Org } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();

async function orgWithOrders() {
  const founded = await foundedOrg(gateways);
  await defineEntity(founded.org, definition('order', [{ name: 'title', index: true }]));
  return founded;
}

async function runsOf(org: Org) {
  const { items } = (await manage<{ items: readonly { id: string; tenant_code: string }[] }>(org, 'GET', '/runs')).body;
  return items;
}

async function countedRuns(org: Org): Promise<number> {
  return (await manage<{ work: { today: { runs: number } } }>(org, 'GET', '/observability')).body.work.today.runs;
}

test('K14: a call and the worker that goes on with it act for the caller of the token alone, and count to his org', async (t) => {
  const [own, other] = [await orgWithOrders(), await orgWithOrders()];
  const receiver = await startReceiver(t);
  const body = { group: 'automation', name: 'http_hosts', value: ['127.0.0.1'] };
  assert.equal((await manage(own.org, 'PUT', '/org/settings', { body })).status, 200);
  const content = {
    name: 'later',
    steps: [
      { id: 'first', type: 'create', entity: 'order', values: { title: '{{ input.tenant_code }}' } },
      { id: 'pause', type: 'wait', seconds: 1 },
      {
        id: 'tell',
        type: 'http',
        method: 'POST',
        url: receiver.url,
        body: { env: '{{ env }}', tenant: '{{ tenant }}' },
      },
      { id: 'second', type: 'create', entity: 'order', values: { title: 'by {{ user.id }}' } },
    ],
  };
  const made = await manage(own.org, 'POST', '/config/logicblock', { body: { name: 'later', content } });
  assert.equal(made.status, 201, made.text);
  const names = {
    ...{ org: other.org.code, orgCode: other.org.code, tenant_id: other.founder.tenantId, env: 'prod', run_as: 'app' },
    ...{ tenant_code: other.founder.tenantCode, user: { id: other.founder.id }, user_id: other.founder.id },
  };
  const before = [await countedRuns(own.org), await countedRuns(other.org)];
  const input = { ...names, place: names, metadata: { ...names, place: names } };
  const reply = await act<{ run: string }>(own.founder, 'POST', '/logicblocks/later', { body: input });
  assert.equal(reply.status, 202, reply.text);
  const [message] = await receiver.arrived(1);
  const tenant = { id: own.founder.tenantId, code: own.founder.tenantCode };
  assert.deepEqual(JSON.parse(message?.body ?? ''), { env: 'test', tenant });
  await eventually('the end of the run', async () => {
    const { body: run } = await manage<{ state: string }>(own.org, 'GET', `/runs/${reply.body.run}`);
    assert.ok(['waiting', 'running', 'done'].includes(run.state), run.state);
    return run.state === 'done';
  });
  const list = await act<{ items: readonly { title: string; created_by: string }[] }>(
    own.founder,
    'GET',
    '/list/order',
  );
  assert.deepEqual(
    new Set(list.body.items.map(({ title, created_by }) => `${title} ${created_by}`)),
    new Set([`${names.tenant_code} ${own.founder.id}`, `by ${own.founder.id} ${own.founder.id}`]),
  );
  const [run, ...more] = await runsOf(own.org);
  assert.deepEqual([run?.id, run?.tenant_code, more], [reply.body.run, own.founder.tenantCode, []]);
  assert.deepEqual(await runsOf(other.org), []);
  assert.deepEqual((await act<{ items: readonly unknown[] }>(other.founder, 'GET', '/list/order')).body.items, []);
  const after = [await countedRuns(own.org), await countedRuns(other.org)];
  assert.deepEqual(
    after.map((count, index) => count - (before[index] ?? 0)),
    [1, 0],
  );
});

test('K14: a delivery is that of the org of the token, whatever else a call names', async (t) => {
  const [own, other] = [await orgWithOrders(), await orgWithOrders()];
  const receiver = await startReceiver(t);
  await makeEvent(own.org, 'tell', receiver.url);
  await create(own.founder, 'order', { title: 'one' });
  const [delivery] = await deliveries(own.org, '', ([first]) => first?.state === 'delivered');
  const path = `/events/deliveries/${delivery?.id}/redeliver`;
  assertProblem(await manage(other.org, 'POST', path), 'not_found');
  const foreign = { org: own.org.code, tenant_code: own.founder.tenantCode, event: 'tell' };
  const { status } = await manage(other.org, 'POST', '/events/deliveries/redeliver', { body: foreign });
  assert.equal(status, 400);
  const query = new URLSearchParams({ org: own.org.code });
  const listed = await manage<{ items?: readonly unknown[] }>(other.org, 'GET', `/events/deliveries?${query}`);
  assert.deepEqual(listed.status === 200 ? listed.body.items : [], []);
  assert.equal(receiver.messages.length, 1);
  // A developer of the org may send again what any of its workspaces has sent.
  const developer = await joinOrg(own.org, 'developer');
  const asDeveloper = { ...own.org, builder: { ...own.org.builder, ...developer } };
  assert.ok((await manage(asDeveloper, 'POST', path)).status < 300);
  await receiver.arrived(2);
});
