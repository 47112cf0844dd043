/** Events are held to conditions in CEL, before and after a write alike. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { deliveries } from './event-receiver.ts';
import { act, create, defineEntity, definition, foundedOrg, list, manage, type Org } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { change, deploy, entity, provisionedOrg, publish } from './promotion.ts';

const gateways = await platformForTests();

const order = definition('order', [
  { name: 'title' },
  { name: 'state' },
  { name: 'amount', colType: 'integer' },
  { name: 'code', colType: 'encrypted' },
  { name: 'tags', colType: 'json' },
]);
const log = definition('log', [{ name: 'note' }]);

async function shop() {
  const founded = await foundedOrg(gateways);
  for (const one of [order, log]) await defineEntity(founded.org, one);
  return founded;
}

function eventOf(name: string, more: object) {
  const content = {
    ...{ entity_name: 'order', event_name: name, event_stage: 'after', event_optype: 'create', enabled: true },
    event_type: 'record',
    destination_config: { entity: 'log', action: 'create', values: { note: `${name} {{record.title}}` } },
    ...more,
  };
  return { body: { name, content } };
}

async function define(org: Org, name: string, more: object): Promise<void> {
  const { status, text } = await manage(org, 'POST', '/config/event', eventOf(name, more));
  assert.equal(status, 201, text);
}

async function guard(org: Org, name: string, more: object): Promise<void> {
  const steps = [{ id: 'no', type: 'raise', status: 409, code: 'refused', message: '{{record.title}} may not' }];
  const block = await manage(org, 'POST', '/config/logicblock', { body: { name, content: { name, steps } } });
  assert.equal(block.status, 201, block.text);
  const to = { event_stage: 'before', event_type: 'logicblock', destination_config: { logicblock: name } };
  await define(org, name, { ...to, ...more });
}

const delivered = (count: number) => (items: readonly { state: string }[]) =>
  items.filter(({ state }) => state === 'delivered').length === count;

test('an event after a write happens where its fields and its condition hold of the record before and after it', async () => {
  const { org, founder } = await shop();
  await define(org, 'large', { when: 'record.amount > 10 && user.id == record.created_by && env == "test"' });
  await define(org, 'paid', { event_optype: 'update', when: 'before.state == "open" && record.state == "paid"' });
  const fields = [{ field: 'state', op: 'eq', value: 'open' }];
  await define(org, 'both', { when: 'record.amount > 10', entry_conditions: fields });
  await define(org, 'missing', { when: 'record.state.size() > 3' });
  await create(founder, 'order', { title: 'small', amount: 10, state: 'open' });
  const { id } = await create(founder, 'order', { title: 'large', amount: 11, state: 'open' });
  await create(founder, 'order', { title: 'other', amount: 11 });
  for (const state of ['held', 'open', 'paid', 'paid'])
    await act(founder, 'PUT', `/update/order/${id}`, { body: { state } });
  await deliveries(org, '', delivered(6));
  const notes = (await list(founder, 'log')).items.map(({ note }) => note).toSorted();
  assert.deepEqual(notes, ['both large', 'large large', 'large other', 'missing large', 'missing small', 'paid large']);
});

test('a guard before a write is asked where its condition holds', async () => {
  const { org, founder } = await shop();
  await guard(org, 'locked', {
    event_optype: 'update',
    when: 'before.state == "paid" && record.amount != before.amount',
  });
  await guard(org, 'kept', { event_optype: 'delete', when: 'record.state == "paid"' });
  const { id } = await create(founder, 'order', { title: 'one', state: 'open', amount: 1 });
  const change = (body: object) => act(founder, 'PUT', `/update/order/${id}`, { body });
  assert.equal((await change({ amount: 2, state: 'paid' })).status, 200);
  assert.equal((await change({ title: 'two' })).status, 200);
  assertProblem(await change({ amount: 3 }), 'before_event_failed');
  assertProblem(await act(founder, 'DELETE', `/delete/order/${id}`), 'before_event_failed');
  assert.equal((await change({ state: 'open' })).status, 200);
  assert.equal((await act(founder, 'DELETE', `/delete/order/${id}`)).status, 204);
});

/** Quadratic in the number of tags. */
const costly = 'record.tags.all(tag, record.tags == record.tags)';
const tags = Array.from({ length: 600 }, (_, index) => index);

test('a condition that takes too much lets no write past a guard, and leaves an event given up with the reason', async () => {
  const { org, founder } = await shop();
  await define(org, 'after', { when: costly });
  await create(founder, 'order', { title: 'few', tags: [1, 2] });
  await deliveries(org, '', delivered(1));
  await create(founder, 'order', { title: 'many', tags });
  const [dead] = await deliveries(org, '', (items) => items[0]?.state === 'dead');
  assert.equal(dead?.attempts[0]?.answer, 'the conditions of the events of this write take too much');
  await guard(org, 'before', { when: costly });
  const refused = assertProblem(
    await act(founder, 'POST', '/create/order', { body: { title: 'many', tags } }),
    'before_event_failed',
  );
  assert.deepEqual(
    refused.errors?.map(({ code }) => code),
    ['expression_too_costly'],
  );
});

test('a condition is checked against the fields of its entity when it is defined and when it is published', async () => {
  const { org } = await shop();
  const refused = async (when: unknown) => {
    const reply = await manage(org, 'POST', '/config/event', eventOf('wrong', { when }));
    return pointers(assertProblem(reply, 'validation_failed'));
  };
  for (const when of ['record.amuont > 1', 'record.amount > "x"', 'record.title', 'record.', '', 'secrets.a == "b"', 5])
    assert.deepEqual(await refused(when), ['/content/when'], String(when));
  const provisioned = await provisionedOrg(gateways);
  for (const one of [order, log]) await defineEntity(provisioned, one);
  await define(provisioned, 'large', { when: 'record.amount > 10' });
  await deploy(provisioned);
  const small = definition('order', [{ name: 'title' }, { name: 'state' }]);
  await change(provisioned, 'create-order', small);
  const { checks } = await publish(provisioned, [entity('order')]);
  const errors = checks.filter(({ level }) => level === 'error');
  assert.deepEqual(
    errors.map(({ check, kind, name, pointer }) => [check, kind, name, pointer]),
    [['definition', 'event', 'large', '/when']],
  );
});

test('no expression of an event reads an encrypted field, and nothing of it is stored or sent', async () => {
  const { org, founder } = await shop();
  await define(org, 'leak', {
    when: '!(record.code == "canary-code")',
    destination_config: { entity: 'log', action: 'create', values: { note: 'got {{record.code}}{{record}}' } },
  });
  await create(founder, 'order', { title: 'one', code: 'canary-code' });
  const receipts = await deliveries(org, '', delivered(1));
  const [made] = (await list(founder, 'log')).items;
  assert.match(String(made?.note), /^got \{.*"title":"one"/);
  assert.ok(!JSON.stringify([receipts, made]).includes('canary'));
});

test('an entity has at most 20 events', async () => {
  const { org } = await shop();
  for (let index = 0; index < 20; index++) await define(org, `e${index}`, {});
  assertProblem(await manage(org, 'POST', '/config/event', eventOf('one-more', {})), 'conflict');
  const { content } = eventOf('e3', { enabled: false }).body;
  const changed = await manage(org, 'PUT', '/config/event/e3', { body: content });
  assert.equal(changed.status, 200, changed.text);
  const config = { entity: 'order', action: 'create', values: {} };
  await define(org, 'other', { entity_name: 'log', destination_config: config });
});
