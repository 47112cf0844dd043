/** Events after writes that stay on the platform: mails, records of other entities, and runs of logic blocks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, assertRefusal, pointers } from './assert-problem.ts';
import { type Delivery, deliveries, sentAgain } from './event-receiver.ts';
import { eventually } from './eventually.ts';
import { mailsTo } from './mails.ts';
import {
  act,
  allow,
  create,
  defineEntity,
  definition,
  foundedOrg,
  grant,
  list,
  manage,
  memberWith,
  newEmail,
  type Org,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();

async function shop() {
  const founded = await foundedOrg(gateways);
  await defineEntity(
    founded.org,
    definition('order', [
      { name: 'title' },
      { name: 'email' },
      { name: 'amount', colType: 'integer' },
      { name: 'code', colType: 'encrypted' },
    ]),
  );
  await defineEntity(founded.org, definition('log', [{ name: 'of', index: true }, { name: 'note' }]));
  return founded;
}

function eventOf(name: string, more: object) {
  const on = { entity_name: 'order', event_stage: 'after', event_optype: 'create', enabled: true };
  return { name, content: { ...on, event_name: name, ...more } };
}

async function define(org: Org, name: string, more: object): Promise<void> {
  const { status, text } = await manage(org, 'POST', '/config/event', { body: eventOf(name, more) });
  assert.equal(status, 201, text);
}

const copy = {
  event_type: 'record',
  destination_config: {
    entity: 'log',
    action: 'create',
    values: { of: '{{record.id}}', note: '{{record.title}} by {{user.id}}' },
  },
};

const ended = (count: number) => (items: readonly Delivery[]) =>
  items.length === count && items.every(({ state }) => state === 'delivered' || state === 'dead');
const answersOf = (items: readonly Delivery[]) =>
  items.map(({ event, state, attempts }) => [event, state, attempts.at(-1)?.answer]);

test('a write makes, changes and removes a record of another entity, in the name of its writer', async () => {
  const { org, founder } = await shop();
  await define(org, 'copy', copy);
  const { id } = await create(founder, 'order', { title: 'one' });
  await deliveries(org, '', ended(1));
  const [made] = (await list(founder, 'log', `?of=${id}`)).items;
  assert.deepEqual([made?.note, made?.created_by], [`one by ${founder.id}`, founder.id]);
  await define(org, 'note', {
    event_optype: 'update',
    event_type: 'record',
    destination_config: {
      entity: 'log',
      action: 'update',
      record: '{{record.email}}',
      values: { note: '{{before.title}} → {{record.title}}' },
    },
  });
  await define(org, 'clear', {
    event_optype: 'delete',
    event_type: 'record',
    destination_config: { entity: 'log', action: 'delete', record: '{{record.email}}' },
  });
  const changed = await act(founder, 'PUT', `/update/order/${id}`, { body: { title: 'two', email: made?.id } });
  assert.equal(changed.status, 200, changed.text);
  await deliveries(org, '', ended(2));
  assert.equal((await list(founder, 'log')).items[0]?.note, 'one → two');
  assert.equal((await act(founder, 'DELETE', `/delete/order/${id}`)).status, 204);
  assert.deepEqual(answersOf(await deliveries(org, '', ended(3))), [
    ['clear', 'delivered', 'written'],
    ['note', 'delivered', 'written'],
    ['copy', 'delivered', 'written'],
  ]);
  assert.deepEqual((await list(founder, 'log')).items, []);
});

test('a delivery writes by the rights that its writer has then, and its receipt holds no values', async () => {
  const { org, founder } = await shop();
  await define(org, 'copy', copy);
  const clerk = await memberWith(founder, [allow(['createorder', 'getorder'])]);
  await create(clerk, 'order', { title: 'canary-title' });
  const [refused] = await deliveries(org, '', ended(1));
  assert.deepEqual(answersOf([refused as Delivery]), [['copy', 'dead', 'access_denied']]);
  assert.ok(!JSON.stringify(refused).includes('canary'));
  assert.deepEqual((await list(founder, 'log')).items, []);
  await grant(founder, clerk, [allow('createlog')]);
  await create(clerk, 'order', { title: 'two' });
  await deliveries(org, '', (items) => items.length === 2 && items[0]?.state === 'delivered');
  const [made] = (await list(founder, 'log')).items;
  assert.equal(made?.created_by, clerk.id);
});

test('sending a delivery again writes no second record and starts no second run', async () => {
  const { org, founder } = await shop();
  await define(org, 'copy', copy);
  const steps = [{ id: 'put', type: 'create', entity: 'log', values: { of: '{{record.id}}', note: '{{event.type}}' } }];
  const block = await manage(org, 'POST', '/config/logicblock', {
    body: { name: 'keep', content: { name: 'keep', steps } },
  });
  assert.equal(block.status, 201, block.text);
  await define(org, 'run', { event_type: 'logicblock', destination_config: { logicblock: 'keep' } });
  const { id } = await create(founder, 'order', { title: 'one' });
  const sent = await deliveries(org, '', ended(2));
  const runs = async () =>
    (await manage<{ items: readonly Record<string, unknown>[] }>(org, 'GET', '/runs')).body.items;
  await eventually('the end of the run', async () => (await runs())[0]?.state === 'done');
  const [run] = await runs();
  const ofEvent = sent.find(({ event }) => event === 'run');
  assert.deepEqual([run?.id, run?.trigger], [ofEvent?.id, { kind: 'event', id: ofEvent?.id, name: 'run' }]);
  const notes = async () => (await list(founder, 'log', `?of=${id}`)).items.map(({ note }) => note).toSorted();
  assert.deepEqual(await notes(), [`one by ${founder.id}`, 'order.create'].toSorted());
  for (const one of sent) {
    const reply = await sentAgain(() => manage(org, 'POST', `/events/deliveries/${one.id}/redeliver`));
    assert.equal(reply.status, 202, reply.text);
  }
  const twice = await deliveries(org, '', (items) => items.every(({ attempts }) => attempts.length === 2));
  assert.deepEqual(twice.map(({ attempts }) => attempts.at(-1)?.answer).toSorted(), [
    'it was written before',
    'the run has been started',
  ]);
  assert.deepEqual([(await runs()).length, (await notes()).length], [1, 2]);
});

test('a mail is written from the record and sent to the one address that its template gives', async () => {
  const { org, founder } = await shop();
  const to = newEmail('customer');
  await define(org, 'welcome', {
    event_type: 'mail',
    when: 'record.email != ""',
    destination_config: {
      to: '{{record.email}}',
      subject: 'Order {{record.title}}',
      text: '{{record.amount}} pieces for {{record.email}}, {{record.code}}.\n',
    },
  });
  await create(founder, 'order', { title: 'one\r\nBcc: eve@example.com', email: to, amount: 3, code: 'canary-code' });
  await create(founder, 'order', { title: 'two', email: `${to}, eve@example.com` });
  await create(founder, 'order', { title: 'three' });
  assert.deepEqual(answersOf(await deliveries(org, '', ended(2))), [
    ['welcome', 'dead', 'the template of the recipient gives no address'],
    ['welcome', 'delivered', 'sent'],
  ]);
  const mails = await mailsTo(gateways, to);
  assert.deepEqual(
    mails.map(({ subject, text }) => [subject, text]),
    [['Order one Bcc: eve@example.com', `3 pieces for ${to}, .\n`]],
  );
});

test('a sample writes nothing, starts nothing, and is mailed to the builder who asks alone', async () => {
  const { org, founder } = await shop();
  await define(org, 'copy', copy);
  await define(org, 'welcome', {
    event_type: 'mail',
    when: 'record.amount > 5',
    destination_config: { to: '{{record.email}}', subject: 'Hello {{record.title}}', text: 'Hello' },
  });
  const request = async (name: string, record: object) =>
    (
      await manage<{ ran: boolean; delivery?: { state: string; answer: string } }>(
        org,
        'POST',
        `/events/${name}/test`,
        { body: { record } },
      )
    ).body;
  const tested = await request('copy', { id: 'x', title: 'one' });
  assert.deepEqual([tested.delivery?.state, tested.delivery?.answer], ['delivered', 'would create a record of `log`']);
  assert.deepEqual((await list(founder, 'log')).items, []);
  const customer = newEmail('customer');
  assert.deepEqual(await request('welcome', { title: 'one', email: customer, amount: 5 }), { ran: false });
  const sent = await request('welcome', { title: 'one', email: customer, amount: 6 });
  assert.deepEqual([sent.delivery?.state, sent.delivery?.answer], ['delivered', 'sent to you alone']);
  assert.deepEqual(await mailsTo(gateways, customer), []);
  const me = org.builder.email;
  assert.equal((await mailsTo(gateways, me))[0]?.subject, '[test] Hello one');
});

test('K11: an event that sets itself off stops after 8 writes, and its receipt names the way', async () => {
  const { org, founder } = await shop();
  await define(org, 'again', {
    event_type: 'record',
    destination_config: { entity: 'order', action: 'create', values: { title: '{{record.title}}x' } },
  });
  await create(founder, 'order', { title: '' });
  const items = await deliveries(org, '', (found) => found[0]?.state === 'dead');
  assert.equal(items.filter(({ state }) => state === 'delivered').length, 8);
  assert.equal((await list(founder, 'order')).items.length, 9);
  assert.equal(
    items[0]?.attempts[0]?.answer,
    `more than 8 writes came of one another: ${Array(9).fill('again').join(' → ')}`,
  );
});

test('K11: two events that set each other off by a record and a block stop after 8 writes', async () => {
  const { org, founder } = await shop();
  const steps = [{ id: 'put', type: 'create', entity: 'order', values: { title: '{{record.note}}x' } }];
  const body = { name: 'back', content: { name: 'back', steps } };
  assert.equal((await manage(org, 'POST', '/config/logicblock', { body })).status, 201);
  await define(org, 'there', {
    event_type: 'record',
    destination_config: { entity: 'log', action: 'create', values: { note: '{{record.title}}' } },
  });
  await define(org, 'back', {
    entity_name: 'log',
    event_type: 'logicblock',
    destination_config: { logicblock: 'back' },
  });
  await create(founder, 'order', { title: '' });
  const [dead] = await deliveries(org, '', (found) => found.some(({ state }) => state === 'dead'));
  const way = dead?.attempts.at(-1)?.answer ?? '';
  assert.match(way, /^more than 8 writes came of one another: there → back → back → there/);
  const written = (await list(founder, 'order')).items.length + (await list(founder, 'log')).items.length;
  assert.equal(written, 9);
});

test('what a destination names and says is checked when the event is defined', async () => {
  const { org } = await shop();
  const refused = async (more: object) =>
    assertRefusal(await manage(org, 'POST', '/config/event', { body: eventOf('wrong', more) }), [400]);
  const record = (config: object) => ({ event_type: 'record', destination_config: config });
  const mail = (config: object) => ({
    event_type: 'mail',
    destination_config: { to: 'a@b.example', subject: 's', text: 't', ...config },
  });
  const cases: readonly (readonly [object, readonly string[]])[] = [
    [record({ entity: 'log', action: 'create' }), ['/content/destination_config/values']],
    [record({ entity: 'log', action: 'delete', record: 'x', values: {} }), ['/content/destination_config/values']],
    [record({ entity: 'log', action: 'update', values: {} }), ['/content/destination_config/record']],
    [record({ entity: 'aclpolicy', action: 'create', values: {} }), ['/content/destination_config/entity']],
    [
      record({ entity: 'log', action: 'create', values: { of: '{{record.nothing}}' } }),
      ['/content/destination_config/values/of'],
    ],
    [mail({ to: '{{record.emial}}' }), ['/content/destination_config/to']],
    [mail({ text: '{{ secrets.key }}' }), ['/content/destination_config/text']],
    [mail({ bcc: 'x@y.example' }), ['/content/destination_config/bcc']],
  ];
  for (const [more, expected] of cases) assert.deepEqual(pointers(await refused(more)), expected, JSON.stringify(more));
  assertProblem(
    await manage(org, 'POST', '/config/event', {
      body: eventOf('wrong', record({ entity: 'nowhere', action: 'create', values: {} })),
    }),
    'dangling_reference',
  );
  const content = {
    name: 'needs',
    input_schema: { type: 'object', required: ['a'], properties: { a: {} } },
    steps: [{ id: 'x', type: 'transform', value: 1 }],
  };
  assert.equal((await manage(org, 'POST', '/config/logicblock', { body: { name: 'needs', content } })).status, 201);
  const needs = await refused({ event_type: 'logicblock', destination_config: { logicblock: 'needs' } });
  assert.deepEqual(pointers(needs), ['/content/destination_config/logicblock']);
});
