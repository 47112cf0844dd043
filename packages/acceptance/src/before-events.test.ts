/** Events before a write: a logic block refuses it or changes its record, and everything is decided on what it leaves. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { creating, updating } from './batches.ts';
import {
  act,
  allow,
  create,
  defineEntity,
  definition,
  foundedOrg,
  manage,
  memberWith,
  type Org,
  withCondition,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { deploy, provisionedOrg, publish } from './promotion.ts';

const gateways = await platformForTests();

const fields = [
  { name: 'title', index: true },
  { name: 'total', colType: 'number' },
  { name: 'status' },
  { name: 'label' },
];

interface Block {
  readonly name: string;
  readonly on: 'create' | 'update' | 'delete';
  readonly steps: readonly object[];
  readonly returns?: unknown;
  readonly conditions?: readonly object[];
}

async function before(org: Org, { name, on, steps, returns, conditions }: Block): Promise<void> {
  const content = { name, steps, ...(returns === undefined ? {} : { returns }) };
  const block = await manage(org, 'POST', '/config/logicblock', { body: { name, content } });
  assert.equal(block.status, 201, block.text);
  const event = await manage(org, 'POST', '/config/event', { body: { name, content: eventOf(name, on, conditions) } });
  assert.equal(event.status, 201, event.text);
  assert.deepEqual((event.body as { warnings?: readonly string[] }).warnings, undefined);
}

function eventOf(name: string, on: Block['on'], conditions?: readonly object[]) {
  return {
    entity_name: 'order',
    event_name: name,
    event_type: 'logicblock',
    event_stage: 'before',
    event_optype: on,
    enabled: true,
    ...(conditions === undefined ? {} : { entry_conditions: conditions }),
    destination_config: { logicblock: name },
  };
}

async function orders(): Promise<Awaited<ReturnType<typeof foundedOrg>>> {
  const founded = await foundedOrg(gateways);
  await defineEntity(founded.org, {
    ...definition('order', fields),
    UniqueIndexes: [{ indexName: 'labels', fields: ['label'] }],
  });
  return founded;
}

const refuseLarge = [
  { id: 'large', type: 'condition', if: 'record.total > 100.0', else: 'end' },
  { id: 'no', type: 'raise', status: 409, code: 'too_large', message: '{{record.total}} is too much', field: '/total' },
  { id: 'end', type: 'transform', value: null },
];

test('a block refuses a create, an update and a removal with its own code, and nothing is written', async () => {
  const { org, founder } = await orders();
  for (const on of ['create', 'update'] as const) await before(org, { name: `large-${on}`, on, steps: refuseLarge });
  const keep = [{ id: 'no', type: 'raise', status: 403, code: 'is_kept', message: '{{record.title}} is kept' }];
  const conditions = [{ field: 'status', op: 'eq', value: 'paid' }];
  await before(org, { name: 'keep', on: 'delete', steps: keep, conditions });
  const refused = assertProblem(
    await act(founder, 'POST', '/create/order', { body: { title: 'a', total: 101 } }),
    'before_event_failed',
  );
  assert.equal(refused.status, 424);
  assert.equal(refused.detail, '101 is too much');
  assert.deepEqual(refused.errors, [{ pointer: '/total', code: 'too_large', message: '101 is too much' }]);
  assert.deepEqual([refused.event, refused.logicblock], ['large-create', 'large-create']);
  assert.equal((await act<{ items: unknown[] }>(founder, 'GET', '/list/order')).body.items.length, 0);
  const { id } = await create(founder, 'order', { title: 'a', total: 100, status: 'open' });
  assertProblem(await act(founder, 'PUT', `/update/order/${id}`, { body: { total: 200 } }), 'before_event_failed');
  const operations = [creating('order', { title: 'b', total: 1 }), updating('order', { id }, { total: 300 })];
  const batch = { mode: 'atomic', operations };
  assertProblem(await act(founder, 'POST', '/batch', { body: batch }), 'before_event_failed');
  assert.equal((await act<{ items: unknown[] }>(founder, 'GET', '/list/order')).body.items.length, 1);
  assert.equal((await act(founder, 'PUT', `/update/order/${id}`, { body: { status: 'paid' } })).status, 200);
  assertProblem(await act(founder, 'DELETE', `/delete/order/${id}`), 'before_event_failed');
  assert.equal((await act(founder, 'PUT', `/update/order/${id}`, { body: { status: 'open' } })).status, 200);
  assert.equal((await act(founder, 'DELETE', `/delete/order/${id}`)).status, 204);
});

test('a block changes fields, in the order of the events, and checks and uniqueness hold of what it leaves', async () => {
  const { org, founder } = await orders();
  const label = { label: '{{record.title.lowerAscii()}}', status: '{{before.status}}' };
  await before(org, { name: 'a-label', on: 'create', steps: [{ id: 'no', type: 'set', values: {} }], returns: label });
  const second = { status: '{{record.label + "!"}}' };
  await before(org, {
    name: 'b-status',
    on: 'create',
    steps: [{ id: 'no', type: 'set', values: {} }],
    returns: second,
  });
  const twice = { total: '{{record.total + before.total}}' };
  await before(org, { name: 'sum', on: 'update', steps: [{ id: 'no', type: 'set', values: {} }], returns: twice });
  const made = await create(founder, 'order', { title: 'Lamp', total: 2 });
  assert.deepEqual([made.label, made.status, made.total], ['lamp', 'lamp!', 2]);
  const again = await act(founder, 'POST', '/create/order', { body: { title: 'LAMP', total: 3 } });
  assertProblem(again, 'unique_violation');
  const updated = await act<Record<string, unknown>>(founder, 'PUT', `/update/order/${made.id}`, {
    body: { total: 5 },
  });
  assert.equal(updated.body.total, 7, updated.text);
});

test('values that a record cannot take are refused with the names of the event and the block', async () => {
  const { org, founder } = await orders();
  const returns = { total: 'many', nothing: 1, id: 'x' };
  await before(org, { name: 'wrong', on: 'create', steps: [{ id: 'no', type: 'set', values: {} }], returns });
  const refused = assertProblem(
    await act(founder, 'POST', '/create/order', { body: { title: 'a' } }),
    'before_event_failed',
  );
  assert.deepEqual((refused.errors ?? []).map(({ pointer }) => pointer).sort(), ['/id', '/nothing', '/total']);
  assert.equal(refused.event, 'wrong');
});

test('before a write only blocks are run whose steps work on values alone', async () => {
  const { org } = await orders();
  const reads = [{ id: 'read', type: 'get', entity: 'order', record: '1' }];
  const define = (name: string, content: object) =>
    manage(org, 'POST', '/config/logicblock', { body: { name, content: { name, ...content } } });
  assert.equal((await define('reads', { steps: reads })).status, 201);
  assert.equal((await define('calls', { steps: [{ id: 'go', type: 'call', logicblock: 'reads' }] })).status, 201);
  const refusals = [
    { ...eventOf('calls', 'create') },
    { ...eventOf('hook', 'create'), event_type: 'webhook', destination_config: { url: 'https://shop.example/' } },
    { ...eventOf('rights', 'create'), entity_name: 'aclpolicy' },
  ];
  const errors: (string | undefined)[] = [];
  for (const content of refusals) {
    const reply = await manage(org, 'POST', '/config/event', { body: { name: content.event_name, content } });
    const [error] = assertProblem(reply, 'validation_failed').errors ?? [];
    errors.push(`${error?.pointer} ${error?.code}`);
  }
  assert.deepEqual(errors, [
    '/content/destination_config/logicblock unsuitable_step',
    '/content/event_type not_in_enum',
    '/content/entity_name unsuitable_entity',
  ]);
});

test('a caller is judged by the fields that he sends, and by the record that the block leaves', async () => {
  const { org, founder } = await orders();
  const returns = { status: '{{record.title == "secret" ? "closed" : "open"}}' };
  await before(org, { name: 'status', on: 'create', steps: [{ id: 'no', type: 'set', values: {} }], returns });
  const open = withCondition(allow('createorder'), { StringEquals: { 'record.status': 'open' } });
  const clerk = await memberWith(founder, [{ ...open, Fields: ['title', 'total'] }]);
  assert.equal((await act(clerk, 'POST', '/create/order', { body: { title: 'a' } })).status, 201);
  assertProblem(await act(clerk, 'POST', '/create/order', { body: { title: 'a', status: 'open' } }), 'access_denied');
  assertProblem(await act(clerk, 'POST', '/create/order', { body: { title: 'secret' } }), 'access_denied');
});

test('a publication is refused that would have a block do before a write what none does, also through other blocks', async () => {
  const org = await provisionedOrg(gateways);
  await defineEntity(org, definition('order', fields));
  const block = (name: string, step: object) =>
    manage(org, 'POST', '/config/logicblock', { body: { name, content: { name, steps: [step] } } });
  assert.equal((await block('last', { id: 'no', type: 'set', values: {} })).status, 201);
  assert.equal((await block('first', { id: 'go', type: 'call', logicblock: 'last' })).status, 201);
  const content = eventOf('first', 'create');
  assert.equal((await manage(org, 'POST', '/config/event', { body: { name: 'first', content } })).status, 201);
  await deploy(org);
  const steps = [{ id: 'read', type: 'list', entity: 'order' }];
  const changed = await manage(org, 'PUT', '/config/logicblock/last', { body: { name: 'last', steps } });
  assert.equal(changed.status, 200, changed.text);
  const { checks } = await publish(org);
  const errors = checks.filter(({ level }) => level === 'error').map(({ kind, name }) => `${kind} ${name}`);
  assert.deepEqual(errors, ['event first']);
});
