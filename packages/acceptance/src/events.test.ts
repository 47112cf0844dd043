/** Events after writes: sent to webhooks, signed, repeated until they arrive, and shown with their receipts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { documentedManagement } from './documented-gateway.ts';
import {
  type Delivery,
  deliveries,
  type Message,
  makeEvent,
  sentAgain,
  startReceiver,
  webhookEvent,
} from './event-receiver.ts';
import { act, create, defineEntity, definition, foundedOrg, joinOrg, manage, type Org } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { deploy, prodFounder, provision } from './promotion.ts';
import { verifyMessage } from './standard-webhook.ts';

const gateways = await platformForTests();

async function shop() {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, definition('order', [{ name: 'title' }, { name: 'amount', colType: 'integer' }]));
  return { org, founder };
}

interface Body {
  readonly type: string;
  readonly timestamp: string;
  readonly data: { readonly record: Readonly<Record<string, unknown>>; readonly before?: object };
}

const bodyOf = ({ body }: Message): Body => JSON.parse(body);
const allAre = (state: string) => (items: readonly Delivery[]) =>
  items.length > 0 && items.every((item) => item.state === state);

async function secretOf(org: Org, event: string): Promise<string> {
  const { status, text, body } = await manage<{ secret: string }>(org, 'POST', `/events/${event}/secret`);
  assert.equal(status, 201, text);
  return body.secret;
}

test('creates, updates and deletes are sent with the record before and after, and each leaves a receipt', async (t) => {
  const { org, founder } = await shop();
  const receiver = await startReceiver(t);
  for (const event_optype of ['create', 'update', 'delete'])
    await makeEvent(org, `on-${event_optype}`, receiver.url, {
      event_optype,
      destination_config: { url: receiver.url, headers: { 'X-Shop': 'yes' } },
    });
  await makeEvent(org, 'large', receiver.url, { entry_conditions: [{ field: 'amount', op: 'gt', value: 5 }] });
  const made = await create(founder, 'order', { title: 'one', amount: 1 });
  const [first] = await receiver.arrived(1);
  assert.ok(first);
  const { version, ...record } = bodyOf(first).data.record;
  assert.deepEqual([record.id, record.title, version], [made.id, 'one', made.version]);
  assert.deepEqual(Object.keys(bodyOf(first)), ['type', 'timestamp', 'data']);
  assert.equal(first.headers['x-shop'], 'yes');
  const changed = await act(founder, 'PUT', `/update/order/${made.id}`, { body: { title: 'two' } });
  assert.equal(changed.status, 200, changed.text);
  await receiver.arrived(2);
  assert.equal((await act(founder, 'DELETE', `/delete/order/${made.id}`)).status, 204);
  const all = (await receiver.arrived(3)).map(bodyOf);
  assert.deepEqual(
    all.map(({ type, data }) => [type, data.record.title, (data.before as { title?: string } | undefined)?.title]),
    [
      ['order.create', 'one', undefined],
      ['order.update', 'two', 'one'],
      ['order.delete', 'two', undefined],
    ],
  );
  const items = await deliveries(org, '', (found) => found.length === 3 && allAre('delivered')(found));
  assert.deepEqual(
    items.map(({ event }) => event),
    ['on-delete', 'on-update', 'on-create'],
  );
  for (const { record: id, attempts, next_at } of items) {
    assert.deepEqual([id, next_at], [made.id, null]);
    assert.deepEqual(
      attempts.map(({ status, answer }) => [status, answer]),
      [[200, 'thanks']],
    );
  }
  const ids = receiver.messages.map(({ headers }) => headers['webhook-id']);
  assert.deepEqual(
    items.map(({ id }) => id),
    ids.toReversed(),
  );
});

test('a message is signed by the secret of its event, and while that is changed by the one before it too', async (t) => {
  const { org, founder } = await shop();
  const receiver = await startReceiver(t);
  await makeEvent(org, 'tell', receiver.url);
  const first = await secretOf(org, 'tell');
  await create(founder, 'order', {});
  const second = await secretOf(org, 'tell');
  await create(founder, 'order', {});
  const [one, two] = await receiver.arrived(2);
  assert.ok(one && two);
  verifyMessage(first, one);
  verifyMessage(first, two);
  verifyMessage(second, two);
  assert.throws(() => verifyMessage(second, { ...two, body: `${two.body} ` }));
  await secretOf(org, 'tell');
  await create(founder, 'order', {});
  const three = (await receiver.arrived(3)).at(-1);
  assert.ok(three);
  verifyMessage(second, three);
  assert.throws(() => verifyMessage(first, three));
  const shown = await manage(org, 'GET', '/events/tell/secret');
  assert.deepEqual(Object.keys(shown.body).sort(), ['created_at', 'previous_until']);
  for (const secret of [first, second]) assert.ok(!shown.text.includes(secret));
});

test('a receiver that fails is asked again with the same id, and writes of a record keep their order', async (t) => {
  const { org, founder } = await shop();
  const receiver = await startReceiver(t);
  await makeEvent(org, 'tell', receiver.url, { event_optype: 'update' });
  const made = await create(founder, 'order', { title: '0' });
  let failures = 2;
  receiver.answer = (reply) => {
    failures -= 1;
    reply.writeHead(failures >= 0 ? 503 : 204).end();
  };
  for (const title of ['1', '2', '3']) await act(founder, 'PUT', `/update/order/${made.id}`, { body: { title } });
  const messages = await receiver.arrived(5);
  assert.deepEqual(
    messages.map((message) => bodyOf(message).data.record.title),
    ['1', '1', '1', '2', '3'],
  );
  assert.equal(new Set(messages.slice(0, 3).map(({ headers }) => headers['webhook-id'])).size, 1);
  const items = await deliveries(org, '?event=tell', (found) => found.length === 3 && allAre('delivered')(found));
  const attempts = items.at(-1)?.attempts ?? [];
  assert.deepEqual(
    attempts.map(({ status }) => status),
    [503, 503, 204],
  );
});

test('what a receiver has refused for good is dead, and is sent again alone or with others', async (t) => {
  const { org, founder } = await shop();
  const receiver = await startReceiver(t);
  await makeEvent(org, 'tell', receiver.url);
  receiver.answer = (reply, { headers }) => void reply.writeHead(410).end(`gone ${headers['webhook-signature']}`);
  await create(founder, 'order', { title: 'a' });
  await create(founder, 'order', { title: 'b' });
  const dead = await deliveries(org, '?state=dead', (found) => found.length === 2);
  const [signature = ''] = receiver.messages.map(({ headers }) => String(headers['webhook-signature']).slice(3));
  assert.ok(dead.every(({ attempts }) => attempts[0]?.answer.startsWith('gone v1,***')));
  assert.ok(!JSON.stringify(dead).includes(signature));
  receiver.answer = (reply) => void reply.end();
  const { send } = await documentedManagement(org);
  const { token } = org.builder;
  const [one, other] = dead;
  assert.ok(one && other);
  const again = await sentAgain(() => send('redeliver', { token, path: { id: one.id } }));
  assert.equal(again.status, 202, again.text);
  await deliveries(org, '?state=delivered', (found) => found.length === 1);
  const body = { event: 'tell', state: 'dead' };
  const many = await send('redeliverMany', { token, body });
  assert.deepEqual([many.status, many.body], [202, { count: 1, more: false }]);
  const all = await deliveries(org, '', allAre('delivered'));
  assert.deepEqual(
    all.map(({ attempts }) => attempts.map(({ status }) => status)),
    [
      [410, 200],
      [410, 200],
    ],
  );
  assert.deepEqual(
    receiver.messages.map(({ headers }) => headers['webhook-id']).toSorted(),
    [one.id, one.id, other.id, other.id].toSorted(),
  );
  assertProblem(await send('redeliver', { token, path: { id: '01890a5d-ac96-774b-bcce-b302099a8057' } }), 'not_found');
});

test('a sample is sent at once, says that it is one, and leaves no receipt', async (t) => {
  const { org } = await shop();
  const receiver = await startReceiver(t);
  await makeEvent(org, 'tell', receiver.url, { entry_conditions: [{ field: 'amount', op: 'gt', value: 5 }] });
  const { send } = await documentedManagement(org);
  const ask = (record: object) =>
    send('testEvent', { token: org.builder.token, path: { name: 'tell' }, body: { record } });
  const sent = await ask({ id: 'sample', amount: 6 });
  assert.deepEqual([sent.status, (sent.body as { ran: boolean }).ran], [200, true]);
  const [message] = await receiver.arrived(1);
  assert.ok(message);
  assert.equal((bodyOf(message) as Body & { test?: boolean }).test, true);
  assert.deepEqual((await ask({ amount: 1 })).body, { ran: false });
  assert.equal(receiver.messages.length, 1);
  assert.deepEqual(await deliveries(org), []);
  assertProblem(await manage(org, 'POST', '/events/none/test', { body: { record: {} } }), 'not_found');
});

test('production has events, secrets and deliveries of its own, which a developer can see and not send again', async (t) => {
  const { org } = await shop();
  await provision(org);
  const receiver = await startReceiver(t);
  await makeEvent(org, 'tell', receiver.url);
  await deploy(org);
  const developer = await joinOrg(org, 'developer');
  const { token } = developer;
  assert.equal((await manage(org, 'GET', '/events/deliveries?env=prod', { token })).status, 200);
  const body = { event: 'tell', state: 'dead' };
  assertProblem(await manage(org, 'POST', '/events/deliveries/redeliver?env=prod', { token, body }), 'role_required');
  assertProblem(
    await manage(org, 'POST', '/events/tell/test?env=prod', { token, body: { record: {} } }),
    'role_required',
  );
  assertProblem(await manage(org, 'POST', '/events/tell/secret', { token }), 'role_required');
  const sent = await manage(org, 'POST', '/events/tell/test?env=prod', { body: { record: {} } });
  assert.equal(sent.status, 200, sent.text);
  await receiver.arrived(1);
});

test('an event whose address may not be called is retried, and never calls it', async () => {
  const { org, founder } = await shop();
  const body = { name: 'inside', content: webhookEvent('inside', 'https://10.0.0.1/hook') };
  assert.equal((await manage(org, 'POST', '/config/event', { body })).status, 201);
  await create(founder, 'order', {});
  const [delivery] = await deliveries(org, '?event=inside', (found) => found.length === 1);
  assert.equal(delivery?.attempts[0]?.answer, 'the address is not public');
  assert.equal(delivery?.attempts[0]?.status, null);
});

test('what waits for hours is sent at once by a new version of its event, in both environments, and by a resume', async (t) => {
  const { org, founder } = await shop();
  const [asks, takes] = [await startReceiver(t), await startReceiver(t)];
  asks.answer = (reply) => void reply.writeHead(503, { 'Retry-After': '3600' }).end();
  await makeEvent(org, 'tell', asks.url);
  await provision(org);
  await deploy(org);
  const isHeld = (items: readonly Delivery[]) => items.length === 1 && items[0]?.state === 'retrying';
  await create(founder, 'order', { title: 'test' });
  await create(await prodFounder(org), 'order', { title: 'prod' });
  for (const env of ['test', 'prod']) await deliveries(org, `?env=${env}&state=retrying`, isHeld);

  const body = webhookEvent('tell', takes.url);
  const changed = await manage(org, 'PUT', '/config/event/tell', { body });
  assert.equal(changed.status, 200, changed.text);
  const [first] = await takes.arrived(1);
  assert.ok(first);
  assert.equal(bodyOf(first).data.record.title, 'test');
  await deploy(org);
  const [, second] = await takes.arrived(2);
  assert.ok(second);
  assert.equal(bodyOf(second).data.record.title, 'prod');

  await makeEvent(org, 'other', asks.url);
  await create(founder, 'order', { title: 'again' });
  await deliveries(org, '?event=other&state=retrying', isHeld);
  asks.answer = (reply) => void reply.end('thanks');
  assert.equal((await manage(org, 'POST', '/events/other/resume')).status, 204);
  await deliveries(org, '?event=other', allAre('delivered'));
});
