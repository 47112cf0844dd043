/** What the console shows of events and their deliveries: lists, single deliveries, and what a filter would send again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { documentedManagement } from './documented-gateway.ts';
import { type Delivery, deliveries, makeEvent, startReceiver } from './event-receiver.ts';
import { create, defineEntity, definition, foundedOrg, joinOrg, manage, type Org } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const other = await foundedOrg(gateways);

interface Listed {
  readonly name: string;
  readonly last_delivery?: { readonly id: string; readonly state: string; readonly attempt: { status: number } | null };
}

interface Page {
  readonly items: readonly Listed[];
  readonly nexttoken: string | null;
}

async function shop() {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, definition('order', [{ name: 'title' }, { name: 'amount', colType: 'integer' }]));
  return { org, founder };
}

/** An order whose delivery the receiver has refused for good. */
async function gone(t: Parameters<typeof startReceiver>[0]) {
  const { org, founder } = await shop();
  const receiver = await startReceiver(t);
  receiver.answer = (reply) => void reply.writeHead(410).end('gone');
  await makeEvent(org, 'tell', receiver.url);
  const order = await create(founder, 'order', { title: 'a' });
  const [delivery] = await deliveries(org, '?state=dead', (found) => found.length === 1);
  return { org, founder, receiver, order, delivery: delivery ?? assert.fail() };
}

test('the live events are listed with what they wait for, where they send, and their last delivery', async (t) => {
  const { org, delivery, receiver } = await gone(t);
  const { send } = await documentedManagement(org);
  const { token } = org.builder;
  const more = { when: 'record.amount > 1', entry_conditions: [{ field: 'title', op: 'eq', value: 'a' }] };
  const headers = { 'X-Key': 'of the receiver' };
  await makeEvent(org, 'quiet', receiver.url, {
    ...{ event_optype: 'update', enabled: false, ...more },
    destination_config: { url: receiver.url, headers },
  });
  const mail = { to: 'a@example.com', subject: 'long text', text: 'long text' };
  await makeEvent(org, 'mailed', receiver.url, {
    event_type: 'mail',
    event_optype: 'delete',
    destination_config: mail,
  });
  const { status, text, body } = await send<Page>('listEvents', { token });
  assert.equal(status, 200, text);
  const base = { entity_name: 'order', event_stage: 'after', enabled: true, entry_conditions: 0 };
  const [attempt] = delivery.attempts;
  assert.deepEqual(body, {
    items: [
      {
        ...{ ...base, name: 'mailed', event_type: 'mail', event_optype: 'delete' },
        destination: { to: 'a@example.com' },
      },
      {
        ...{ ...base, name: 'quiet', event_type: 'webhook', event_optype: 'update', enabled: false },
        ...{ when: more.when, entry_conditions: 1, destination: { url: receiver.url } },
      },
      {
        ...{ ...base, name: 'tell', event_type: 'webhook', event_optype: 'create' },
        destination: { url: receiver.url },
        last_delivery: { id: delivery.id, state: 'dead', written_at: delivery.written_at, attempt },
      },
    ],
    nexttoken: null,
  });
  for (const hidden of ['of the receiver', 'long text']) assert.ok(!text.includes(hidden));
  const names: string[] = [];
  for (let next: string | null = ''; next !== null; ) {
    const page: Page = (
      await send<Page>('listEvents', { token, query: { pagesize: '1', ...(next === '' ? {} : { nexttoken: next }) } })
    ).body;
    assert.equal(page.items.length, 1);
    names.push(...page.items.map(({ name }) => name));
    next = page.nexttoken;
  }
  assert.deepEqual(names, ['mailed', 'quiet', 'tell']);
});

test('a delivery is shown alone to builders of its org, and to no others', async (t) => {
  const { org, delivery, order } = await gone(t);
  const { send } = await documentedManagement(org);
  const path = { id: delivery.id };
  const shown = await send<Delivery>('readDelivery', { token: org.builder.token, path });
  assert.deepEqual(shown.body, delivery);
  assert.deepEqual([shown.body.record, shown.body.count], [order.id, 1]);
  const late = Math.abs(Date.parse(shown.body.written_at) - Date.parse(String(order.created_at)));
  assert.ok(late < 60_000, shown.body.written_at);
  const developer = await joinOrg(org, 'developer');
  assert.equal((await send('readDelivery', { token: developer.token, path })).status, 200);
  assertProblem(await send('readDelivery', { token: other.org.builder.token, path }), 'not_found');
  assertProblem(await manage(org, 'GET', `/events/deliveries/${delivery.id}/attempts?env=prod`), 'not_found');
  for (const id of ['none', `${delivery.id}x`, '01890a5d-ac96-774b-bcce-b302099a8057', 'x'.repeat(200)])
    assertProblem(await manage(org, 'GET', `/events/deliveries/${id}/attempts`), 'not_found');
});

test('deliveries are found by the time of their writes, and what is no time is refused', async (t) => {
  const { org, founder, delivery } = await gone(t);
  const at = delivery.written_at;
  const after = new Date(Date.parse(at) + 1).toISOString();
  const found = async (query: string) => (await deliveries(org, query)).map(({ id }) => id);
  assert.deepEqual(await found(`?since=${at}&until=${after}`), [delivery.id]);
  assert.deepEqual(await found(`?until=${at}`), []);
  assert.deepEqual(await found(`?since=${after}`), []);
  await create(founder, 'order', { title: 'b' });
  const [last, first] = await deliveries(org, '?state=dead', (items) => items.length === 2);
  const page = await manage<Page>(org, 'GET', `/events/deliveries?pagesize=1&until=${end(last)}`);
  const token = page.body.nexttoken ?? assert.fail(page.text);
  assert.deepEqual(await found(`?until=${end(last)}&nexttoken=${token}`), [first?.id]);
  const elsewhere = `/events/deliveries?until=${end(first)}&nexttoken=${token}`;
  assertProblem(await manage(org, 'GET', elsewhere), 'invalid_cursor');
  for (const query of ['since=yesterday', 'until=2026-13-45', 'since=', 'until=%00'])
    assertProblem(await manage(org, 'GET', `/events/deliveries?${query}`), 'invalid_request');
  for (const member of ['since', 'until']) {
    const body = { event: 'tell', state: 'dead', [member]: 'yesterday' };
    const refused = assertProblem(
      await manage(org, 'POST', '/events/deliveries/redeliver', { body }),
      'validation_failed',
    );
    assert.deepEqual(pointers(refused), [`/${member}`]);
  }
  assert.deepEqual(
    (await deliveries(org)).map(({ state }) => state),
    ['dead', 'dead'],
  );
});

function end(delivery: Delivery | undefined): string {
  return new Date(Date.parse(delivery?.written_at ?? assert.fail()) + 1).toISOString();
}

test('a dry run says how many deliveries a filter would send again, and sends none', async (t) => {
  const { org, receiver } = await gone(t);
  const { send } = await documentedManagement(org);
  const { token } = org.builder;
  const query = { dry_run: 'true' };
  const count = async (body: object) => (await send('redeliverMany', { token, query, body })).body;
  const filter = { event: 'tell', state: 'dead' };
  assert.deepEqual(await count(filter), { count: 1, more: false });
  assert.deepEqual(await count({ ...filter, state: 'delivered' }), { count: 0, more: false });
  assert.deepEqual(await count({ ...filter, event: 'other' }), { count: 0, more: false });
  assert.deepEqual(await count({ ...filter, until: '2026-01-01T00:00:00Z' }), { count: 0, more: false });
  assert.equal(receiver.messages.length, 1);
  assert.deepEqual(
    (await deliveries(org)).map(({ state }) => state),
    ['dead'],
  );
  assert.deepEqual(await sentAgainIn(org), []);
  const sent = await send<{ count: number }>('redeliverMany', { token, body: filter });
  assert.deepEqual([sent.status, sent.body.count], [202, 1]);
  assert.deepEqual(await sentAgainIn(org), ['delivery.sent_again']);
});

async function sentAgainIn(org: Org): Promise<readonly string[]> {
  const { items } = (await manage<{ items: readonly { action: string }[] }>(org, 'GET', '/audit?pagesize=200')).body;
  return items.map(({ action }) => action).filter((action) => action === 'delivery.sent_again');
}

test('events of an environment that is not there are a conflict, and those of another org are not shown', async () => {
  const { org } = await shop();
  await makeEvent(org, 'tell', 'http://127.0.0.1:9/');
  assert.deepEqual((await manage<Page>(other.org, 'GET', '/events')).body.items, []);
  assertProblem(await manage(org, 'GET', '/events?env=prod'), 'conflict');
  assertProblem(await manage(org, 'GET', '/events?env=dev'), 'invalid_request');
  assertProblem(await manage(org, 'GET', '/events?pagesize=201'), 'invalid_request');
  assertProblem(await manage(org, 'GET', '/events?pagesize=0'), 'invalid_request');
  assertProblem(await manage(org, 'GET', '/events?nexttoken=nonsense'), 'invalid_cursor');
  const { token } = await joinOrg(org, 'developer');
  assert.equal((await manage(org, 'GET', '/events', { token })).status, 200);
});
