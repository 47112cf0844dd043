/** Runs of logic blocks that write and wait. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { documentedManagement } from './documented-gateway.ts';
import { eventually } from './eventually.ts';
import {
  type AppUser,
  act,
  allow,
  create,
  defineEntity,
  definition,
  foundedOrg,
  joinOrg,
  manage,
  memberWith,
  random,
  withFields,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(
  org,
  definition('order', [
    { name: 'title', index: true },
    { name: 'amount', colType: 'number' },
    { name: 'card', colType: 'encrypted' },
  ]),
);

interface ShownRun {
  readonly id: string;
  readonly block: string;
  readonly state: string;
  readonly trigger: { readonly kind: string; readonly id?: string };
  readonly error?: { readonly code: string; readonly step?: string; readonly message?: string };
  readonly steps: readonly {
    readonly id: string;
    readonly type: string;
    readonly state: string;
    readonly record?: string;
  }[];
  readonly input?: unknown;
  readonly returns?: unknown;
}

async function block(name: string, steps: readonly object[], more: object = {}): Promise<void> {
  const content = { name, steps, ...more };
  const reply = await manage(org, 'POST', '/config/logicblock', { body: { name, content } });
  assert.equal(reply.status, 201, reply.text);
}

function run<T = unknown>(user: AppUser, name: string, input: object = {}, headers: Record<string, string> = {}) {
  return act<T>(user, 'POST', `/logicblocks/${name}`, { body: input, headers });
}

async function shown(id: string): Promise<ShownRun> {
  return (await manage<ShownRun>(org, 'GET', `/runs/${id}`)).body;
}

async function runsOf(name: string, query = ''): Promise<readonly ShownRun[]> {
  return (await manage<{ readonly items: readonly ShownRun[] }>(org, 'GET', `/runs?block=${name}${query}`)).body.items;
}

async function titles(title: string): Promise<readonly unknown[]> {
  const { items } = (await act<{ items: readonly { amount: number }[] }>(founder, 'GET', `/list/order?title=${title}`))
    .body;
  return items.map(({ amount }) => amount);
}

const made = { id: 'made', type: 'create', entity: 'order', values: { title: '{{ input.title }}', amount: 1 } };
const raised = {
  id: 'raised',
  type: 'update',
  entity: 'order',
  record: '{{ steps.made.id }}',
  values: { amount: '{{ steps.made.amount + 1.0 }}' },
  if_version: '{{ steps.made.version }}',
};

test('a block creates, changes and deletes records, and its run is shown with what each step did', async () => {
  const gone = { id: 'gone', type: 'delete', entity: 'order', record: '{{ input.other }}' };
  await block('write', [made, raised, gone], { returns: '{{ steps.raised.amount }}' });
  const title = random();
  const other = await create(founder, 'order', { title: 'other' });
  const reply = await run(founder, 'write', { title, other: other.id });
  assert.deepEqual([reply.status, reply.body], [200, 2], reply.text);
  assert.deepEqual(await titles(title), [2]);
  assertProblem(await act(founder, 'GET', `/item/order/${other.id}`), 'not_found');
  const [listed] = await runsOf('write');
  assert.equal(listed?.state, 'done');
  const whole = await shown(listed.id);
  assert.deepEqual(
    whole.steps.map(({ id, type, state }) => [id, type, state]),
    [
      ['made', 'create', 'done'],
      ['raised', 'update', 'done'],
      ['gone', 'delete', 'done'],
    ],
  );
  assert.deepEqual([whole.input, whole.returns], [{ title, other: other.id }, 2]);
  // A call that neither writes nor waits leaves no run.
  await block('read', [{ id: 'all', type: 'list', entity: 'order' }]);
  assert.equal((await run(founder, 'read')).status, 200);
  assert.deepEqual(await runsOf('read'), []);
});

test('each step writes what the caller may write, and a refusal names the step and leaves what was done before it', async () => {
  await block('half', [made, { ...raised, values: { amount: 2, card: 'x' } }]);
  const policy = [
    allow(['runhalf'], ['/logicblocks/half']),
    allow(['createorder', 'getorder'], ['/*']),
    withFields(allow(['updateorder'], ['/*']), 'amount'),
  ];
  const member = await memberWith(founder, policy);
  const title = random();
  const reply = await run<{ readonly step: string; readonly run: string }>(member, 'half', { title });
  assertProblem(reply, 'access_denied');
  assert.equal(reply.body.step, 'raised');
  assert.deepEqual(await titles(title), [1]);
  const failed = await shown(reply.body.run);
  assert.deepEqual([failed.state, failed.error?.code, failed.error?.step], ['failed', 'access_denied', 'raised']);
  assert.deepEqual(await runsOf('half', '&state=done'), []);
});

test('a transaction writes all or nothing', async () => {
  const second = { ...made, id: 'second' };
  await block('both', [made, second], { transaction: true, returns: '{{ steps.second.id }}' });
  await block('none', [made, { ...second, values: { title: '{{ input.title }}', amount: 'much' } }], {
    transaction: true,
  });
  const title = random();
  assertProblem(await run(founder, 'none', { title }), 'validation_failed');
  assert.deepEqual(await titles(title), []);
  const reply = await run(founder, 'both', { title });
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual(await titles(title), [1, 1]);
  assert.equal((await act<{ title: string }>(founder, 'GET', `/item/order/${String(reply.body)}`)).body.title, title);
  const content = { name: 'odd', transaction: true, steps: [{ id: 'a', type: 'wait', seconds: 1 }] };
  const refused = await manage(org, 'POST', '/config/logicblock', { body: { name: 'odd', content } });
  assert.deepEqual(pointers(assertProblem(refused, 'validation_failed')), ['/content/steps/0/type']);
});

test('a run that waits goes on by itself, may be cancelled, and is begun again where it was', async () => {
  const pause = { id: 'pause', type: 'wait', seconds: 1 };
  await block('short', [made, pause, raised]);
  const title = random();
  const waiting = await run<{ readonly run: string }>(founder, 'short', { title });
  assert.equal(waiting.status, 202, waiting.text);
  await eventually('the end of the run', async () => (await shown(waiting.body.run)).state === 'done');
  assert.deepEqual(await titles(title), [2]);

  await block('long', [made, { ...pause, seconds: 86_400 }, raised]);
  const other = random();
  const { body } = await run<{ readonly run: string }>(founder, 'long', { title: other });
  const { send } = await documentedManagement(org);
  const { token } = org.builder;
  const path = { id: body.run };
  assert.equal((await shown(body.run)).state, 'waiting');
  assert.equal((await send('cancelRun', { token, path })).status, 204);
  assertProblem(await send('cancelRun', { token, path }), 'conflict');
  assert.equal((await send<ShownRun>('readRun', { token, path })).body.state, 'cancelled');
  const retried = await send<{ readonly id: string }>('retryRun', { token, path, body: {} });
  assert.equal(retried.status, 202, retried.text);
  assertProblem(await send('retryRun', { token, path, body: {} }), 'conflict');
  await eventually('the pause of the run', async () => (await shown(retried.body.id)).state === 'waiting');
  assert.deepEqual((await shown(retried.body.id)).trigger, { kind: 'retry', id: body.run });
  assert.deepEqual(await titles(other), [1]);
  assert.equal((await send('listRuns', { token, query: { block: 'long', state: 'cancelled' } })).status, 200);
});

test('a call that is sent again with its key writes once, and gets the same answer, also that of a refusal', async () => {
  const no = { id: 'no', type: 'raise', status: 409, code: 'no', message: 'no' };
  await block('once', [made, { id: 'fails', type: 'condition', if: 'input.fails' }, no]);
  for (const fails of [false, true]) {
    const [title, key] = [random(), random()];
    const headers = { 'idempotency-key': key };
    const [first, second] = [
      await run(founder, 'once', { title, fails }, headers),
      await run(founder, 'once', { title, fails }, headers),
    ];
    assert.deepEqual([first.status, second.status], fails ? [409, 409] : [200, 200]);
    assert.deepEqual(second.body, first.body);
    assert.deepEqual(await titles(title), [1]);
  }
});

test('a run that wrote and returns more than is kept ends as failed, and is not done again when it is sent again', async () => {
  await block('large', [made], { returns: ['{{ input.text }}', '{{ input.text }}'] });
  const [title, key] = [random(), random()];
  const send = () =>
    run<{ readonly run: string }>(founder, 'large', { title, text: 'x'.repeat(300_000) }, { 'idempotency-key': key });
  const first = await send();
  assertProblem(first, 'block_failed');
  assert.equal((await shown(first.body.run)).state, 'failed');
  assert.deepEqual((await send()).body, first.body);
  assert.deepEqual(await titles(title), [1]);
});

test('K08: what a block wrote to an encrypted field is not shown of a run that is cancelled, which cannot be retried', async () => {
  const canary = `canary/${random()}`;
  const hide = { id: 'hide', type: 'create', entity: 'order', values: { title: 'hidden', card: '{{ input.card }}' } };
  await block('hideandwait', [hide, { id: 'pause', type: 'wait', seconds: 86_400 }]);
  const { body } = await run<{ readonly run: string }>(founder, 'hideandwait', { card: canary });
  assert.equal((await manage(org, 'POST', `/runs/${body.run}/cancel`)).status, 204);
  const { text } = await manage(org, 'GET', `/runs/${body.run}`);
  assert.ok(!text.includes(canary), text);
  for (const from of [{}, { from: 'hide' }])
    assertProblem(await manage(org, 'POST', `/runs/${body.run}/retry`, { body: from }), 'conflict');
});

test('K08: what a block writes to an encrypted field is in no reply, run, audit entry or export, however it is copied', async () => {
  const canary = `canary/${random()}+${random()}`;
  const forms = [canary, Buffer.from(canary).toString('base64'), encodeURIComponent(canary)];
  const hide = { id: 'hide', type: 'create', entity: 'order', values: { title: 'hidden', card: '{{ input.card }}' } };
  const copy = { id: 'copy', type: 'transform', value: '{{ input.copies }} {{ input.card }}' };
  const fail = { id: 'fail', type: 'get', entity: 'order', record: '{{ steps.copy }}' };
  await block('hide', [hide, copy, fail]);
  const reply = await run<{ readonly run: string }>(founder, 'hide', { card: canary, copies: forms });
  assertProblem(reply, 'not_found');
  const { token } = org.builder;
  const texts = [
    reply.text,
    (await manage(org, 'GET', `/runs/${reply.body.run}`)).text,
    (await manage(org, 'GET', '/runs')).text,
    (await manage(org, 'GET', '/audit')).text,
    (await act(founder, 'GET', '/list/order?title=hidden')).text,
    (await act(founder, 'GET', '/export/order')).text,
  ];
  for (const text of texts)
    for (const hidden of [...forms, token, founder.token]) assert.ok(!text.includes(hidden), text);
  assertProblem(await manage(org, 'POST', `/runs/${reply.body.run}/retry`), 'conflict');
});

test('K05: a developer does not change the runs of production, and another org sees none', async () => {
  const [any] = await runsOf('write');
  const other = await foundedOrg(gateways);
  for (const [method, path] of [
    ['GET', ''],
    ['POST', '/cancel'],
    ['POST', '/retry'],
  ] as const)
    assertProblem(await manage(other.org, method, `/runs/${any?.id}${path}`), 'not_found');
  assert.deepEqual((await manage<{ items: readonly ShownRun[] }>(other.org, 'GET', '/runs')).body.items, []);
  const developer = await joinOrg(org, 'developer');
  const asDeveloper = { ...org, builder: { ...org.builder, ...developer } };
  assertProblem(await manage(asDeveloper, 'POST', `/runs/${any?.id}/cancel?env=prod`), 'role_required');
  assertProblem(await manage(asDeveloper, 'POST', `/runs/${any?.id}/retry?env=prod`), 'role_required');
  assert.equal((await manage(asDeveloper, 'GET', `/runs/${any?.id}`)).status, 200);
});
