/** A reference to a record that its sender may not get is answered as one to no record at all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { apart, atomic, creating, updating } from './batches.ts';
import type { Reply } from './call.ts';
import {
  type AppUser,
  act,
  allow,
  create,
  defineEntity,
  definition,
  foundedOrg,
  list,
  manage,
  memberWith,
  withCondition,
  withFields,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { importFile, jsonLines, jsonl } from './transfer-calls.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
const missing = '01890000-0000-7000-8000-000000000000';

const lookup = (name: string, entity: string) => ({ name, colType: 'guid', lookup: { entity } });
await defineEntity(org, definition('customer', [{ name: 'title' }, { name: 'kind' }]));
const invoiceFields = [
  { name: 'title' },
  lookup('customer_id', 'customer'),
  { name: 'shared_ids', colType: 'array', items: { colType: 'guid', lookup: { entity: 'customer' } } },
  lookup('clerk_id', 'user'),
  { name: 'note' },
];
await defineEntity(org, definition('invoice', invoiceFields));

const open = await create(founder, 'customer', { title: 'open', kind: 'open' });
const hidden = await create(founder, 'customer', { title: 'hidden', kind: 'secret' });
const writes = allow(['createinvoice', 'updateinvoice', 'getinvoice', 'listinvoice', 'runfile']);
const getOpen = withCondition(allow('getcustomer'), { StringEquals: { 'record.kind': 'open' } });
const clerk = await memberWith(founder, [writes, getOpen]);

const step = { id: 'made', type: 'create', entity: 'invoice', values: { customer_id: '{{ input.id }}' } };
const block = { name: 'file', content: { name: 'file', steps: [step], returns: '{{ steps.made.id }}' } };
assert.equal((await manage(org, 'POST', '/config/logicblock', { body: block })).status, 201);

type Ask = (user: AppUser, id: string, invoice: string) => Promise<Reply<unknown> | object>;

const make = (user: AppUser, body: unknown) => act(user, 'POST', '/create/invoice', { body });
const change = (user: AppUser, id: string, body: unknown) => act(user, 'PUT', `/update/invoice/${id}`, { body });
const imported = (user: AppUser, id: string, query = '') =>
  importFile(user, `invoice${query}`, jsonLines([{ customer_id: id }]), jsonl);

/** Every way in which a caller can send a reference. */
const ways: Readonly<Record<string, Ask>> = {
  'a create': (user, id) => make(user, { customer_id: id }),
  'an element of an array': (user, id) => make(user, { shared_ids: [open.id, id] }),
  'an update': (user, id, invoice) => change(user, invoice, { customer_id: id }),
  'an update that adds an element': (user, id, invoice) => change(user, invoice, { shared_ids: [open.id, id] }),
  'an atomic batch': (user, id) => atomic(user, [creating('invoice', { customer_id: id })]),
  'an update in a batch': (user, id, invoice) =>
    apart(user, [updating('invoice', { id: invoice }, { customer_id: id })]),
  'an independent batch': (user, id) => apart(user, [creating('invoice', { customer_id: id })]),
  'an import': (user, id) => imported(user, id),
  'a dry run of an import': (user, id) => imported(user, id, '?dry_run=true'),
  'a step of a block': (user, id) => act(user, 'POST', '/logicblocks/file', { body: { id } }),
};

/** All that a caller can tell from an answer, but for what he sent and what names the request. */
function face(reply: Reply<unknown> | object, id: string): unknown {
  const text = 'text' in reply ? `${reply.status} ${reply.text}` : JSON.stringify(reply);
  return text.replaceAll(id, 'ID').replaceAll(/"(request_id|instance|decision_id|run_id|run)":"[^"]*"/g, '');
}

for (const [way, ask] of Object.entries(ways))
  test(`${way} tells a record that the caller may not get from none in nothing, and writes nothing`, async () => {
    const invoice = await create(clerk, 'invoice', { customer_id: open.id, shared_ids: [open.id] });
    const before = await list(founder, 'invoice', '?pagesize=200');
    const [toHidden, toMissing] = [await ask(clerk, hidden.id, invoice.id), await ask(clerk, missing, invoice.id)];
    assert.equal(face(toHidden, hidden.id), face(toMissing, missing));
    assert.match(JSON.stringify(toHidden), /unknown_reference/);
    assert.deepEqual(await list(founder, 'invoice', '?pagesize=200'), before);
    // The callers that may get it may refer to it.
    assert.doesNotMatch(JSON.stringify(await ask(founder, hidden.id, invoice.id)), /unknown_reference/);
  });

test('a reference that stays as it is, the own id and what the platform sets need no right to get', async () => {
  const invoice = await create(founder, 'invoice', { customer_id: hidden.id, shared_ids: [hidden.id, open.id] });
  const form = { customer_id: hidden.id, shared_ids: [hidden.id, open.id], title: 'sent back' };
  assert.equal((await change(clerk, invoice.id, form)).status, 200);
  assert.equal((await change(clerk, invoice.id, { shared_ids: [hidden.id] })).status, 200);
  assert.equal((await change(clerk, invoice.id, { customer_id: null })).status, 200);
  // Once it is taken out, it is not the caller's to put in again.
  const again = await change(clerk, invoice.id, { customer_id: hidden.id });
  assert.deepEqual(pointers(assertProblem(again, 'validation_failed')), ['/customer_id']);
  assert.equal((await make(clerk, { clerk_id: clerk.id })).status, 201);
  assert.deepEqual(pointers(assertProblem(await make(clerk, { clerk_id: founder.id }), 'validation_failed')), [
    '/clerk_id',
  ]);
  const kept = { ...lookup('kept_id', 'customer'), default: hidden.id };
  await defineEntity(org, definition('letter', [{ name: 'title' }, kept]));
  const writer = await memberWith(founder, [allow('createletter')]);
  assert.equal((await create(writer, 'letter', { title: 'by default' })).title, 'by default');
});

test('a builder finds why a reference was refused', async () => {
  const refused = await make(clerk, { customer_id: hidden.id });
  const query = `?request_id=${refused.headers.get('x-request-id')}`;
  const found = await manage<{ readonly action: string }>(org, 'GET', `/acl/decisions${query}`);
  assert.equal(found.body.action, 'getcustomer', found.text);
});

test('a field that the caller may write and not read does not tell by its answer what it holds', async () => {
  const fields = withFields(allow(['getinvoice', 'listinvoice']), 'title');
  const blind = await memberWith(founder, [allow('updateinvoice'), fields]);
  const invoice = await create(founder, 'invoice', { customer_id: hidden.id });
  const [held, other] = [hidden.id, missing].map((id) => change(blind, invoice.id, { customer_id: id }));
  assert.ok(held !== undefined && other !== undefined);
  assert.equal(face(await held, hidden.id), face(await other, missing));
});

test('an event before the write may set a reference that its caller may not make', async () => {
  await defineEntity(org, definition('order', [{ name: 'title' }, lookup('customer_id', 'customer')]));
  const steps = [{ id: 'none', type: 'set', values: {} }];
  const content = { name: 'giver', steps, returns: { customer_id: hidden.id } };
  const made = await manage(org, 'POST', '/config/logicblock', { body: { name: 'giver', content } });
  assert.equal(made.status, 201, made.text);
  const event = {
    event_name: 'giver',
    entity_name: 'order',
    event_stage: 'before',
    event_optype: 'create',
    event_type: 'logicblock',
    enabled: true,
    destination_config: { logicblock: 'giver' },
  };
  const set = await manage(org, 'POST', '/config/event', { body: { name: 'giver', content: event } });
  assert.equal(set.status, 201, set.text);
  const seller = await memberWith(founder, [allow('createorder'), getOpen]);
  const { id } = await create(seller, 'order', { customer_id: open.id });
  const stored = await act(founder, 'GET', `/item/order/${id}`);
  assert.equal(stored.body.customer_id, hidden.id);
});
