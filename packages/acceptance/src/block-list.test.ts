/** The list of logic blocks, with what starts each. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { documentedManagement } from './documented-gateway.ts';
import { act, allow, defineEntity, definition, foundedOrg, joinOrg, manage, type Org } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { deploy, provision } from './promotion.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(org, definition('order', [{ name: 'title' }]));

interface Listed {
  readonly name: string;
  readonly last_run: { readonly id: string; readonly state: string } | null;
}

interface Page {
  readonly items: readonly Listed[];
  readonly nexttoken: string | null;
}

const step = { id: 'made', type: 'create', entity: 'order', values: { title: 'x' } };
const ofApp = { run_as: 'app', policies: [allow('createorder', '/create/order')] };

async function put(kind: string, name: string, content: object, of: Org = org): Promise<void> {
  const reply = await manage(of, 'POST', `/config/${kind}`, { body: { name, content } });
  assert.equal(reply.status, 201, reply.text);
}

function blocks(query = '', of: Org = org) {
  return manage<Page>(of, 'GET', `/logicblocks${query}`);
}

const schedule = { cron: '0 3 * * *', timezone: 'Europe/Berlin', missed: 'skip' };

test('the blocks are listed with what starts them and their last run', async () => {
  await put('logicblock', 'called', { name: 'called', description: '<b>', transaction: true, steps: [step] });
  await put('logicblock', 'nightly', { name: 'nightly', ...ofApp, schedule, steps: [step, { ...step, id: 'two' }] });
  const hook = { signature: 'standard', secrets: ['payments'] };
  await put('logicblock', 'paid', { name: 'paid', ...ofApp, hook, steps: [step] });
  const event = {
    ...{ entity_name: 'order', event_name: 'on_order', event_type: 'logicblock', event_stage: 'after' },
    ...{ event_optype: 'update', enabled: true, destination_config: { logicblock: 'called' } },
  };
  await put('event', 'on_order', event);
  await put('event', 'off', { ...event, event_name: 'off', enabled: false });
  const called = await act<{ run?: string }>(founder, 'POST', '/logicblocks/called', { body: {} });
  assert.equal(called.status, 200, called.text);
  const { send } = await documentedManagement(org);
  const { status, body, text } = await send<Page>('listLogicBlocks', { token: org.builder.token });
  assert.equal(status, 200, text);
  const common = { run_as: 'app', transaction: false, schedule: null, hook: false, events: [], last_run: null };
  const [first, ...others] = body.items;
  assert.equal(first?.last_run?.state, 'done');
  assert.deepEqual(
    { ...first, last_run: null, version: 1 },
    {
      ...{ ...common, name: 'called', version: 1, description: '<b>', run_as: 'caller', transaction: true, steps: 1 },
      events: ['on_order'],
    },
  );
  const { missed: _, ...shown } = schedule;
  assert.deepEqual(
    others.map((one) => ({ ...one, version: 1 })),
    [
      { ...common, name: 'nightly', version: 1, steps: 2, schedule: { ...shown, paused: false } },
      { ...common, name: 'paid', version: 1, steps: 1, hook: true },
    ],
  );
  const [last] = (await manage<Page & { items: readonly { id: string }[] }>(org, 'GET', '/runs?block=called')).body
    .items;
  assert.equal(first?.last_run?.id, last?.id);
});

test('the list comes in pages, and is searched by names', async () => {
  const { org: shop } = await foundedOrg(gateways);
  const steps = [{ id: 'a', type: 'transform', value: 1 }];
  for (const name of ['b-one', 'a_two', 'c-one']) await put('logicblock', name, { name, steps }, shop);
  const names = ({ items }: Page) => items.map(({ name }) => name);
  const first = await blocks('?pagesize=2', shop);
  assert.deepEqual(names(first.body), ['a_two', 'b-one']);
  const rest = await blocks(`?pagesize=2&nexttoken=${first.body.nexttoken}`, shop);
  assert.deepEqual([names(rest.body), rest.body.nexttoken], [['c-one'], null]);
  assert.deepEqual(names((await blocks('?q=ONE', shop)).body), ['b-one', 'c-one']);
  assert.deepEqual(names((await blocks('?q=none', shop)).body), []);
  assertProblem(await blocks(`?q=one&nexttoken=${first.body.nexttoken}`, shop), 'invalid_cursor');
  assertProblem(await blocks('?nexttoken=x', shop), 'invalid_cursor');
  assertProblem(await blocks(`?nexttoken=${first.body.nexttoken}`), 'invalid_cursor');
  assertProblem(await blocks(`?q=${'x'.repeat(129)}`, shop), 'invalid_request');
  assertProblem(await blocks('?pagesize=201', shop), 'invalid_request');
});

test('the blocks of production are those that were deployed, and another org sees none', async () => {
  const { org: shop } = await foundedOrg(gateways);
  const developer = await joinOrg(shop, 'developer');
  await put('logicblock', 'only', { name: 'only', steps: [{ id: 'a', type: 'transform', value: 1 }] }, shop);
  await provision(shop);
  const as = { token: developer.token };
  const seen = async (of: Org, query: string) =>
    (await manage<Page>(of, 'GET', `/logicblocks${query}`, as)).body.items.map(({ name }) => name);
  assert.deepEqual([await seen(shop, ''), await seen(shop, '?env=prod')], [['only'], []]);
  await deploy(shop);
  assert.deepEqual(await seen(shop, '?env=prod'), ['only']);
  const other = await foundedOrg(gateways);
  assert.deepEqual((await blocks('', other.org)).body.items, []);
});
