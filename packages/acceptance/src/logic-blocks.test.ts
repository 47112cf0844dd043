/** Logic blocks are run in the name of their caller. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { call } from './call.ts';
import {
  type AppUser,
  act,
  allow,
  appUrl,
  create,
  defineEntity,
  definition,
  deny,
  foundedOrg,
  manage,
  memberWith,
  type Org,
  withCondition,
  withFields,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { activate, deploy, prodFounder, publish, rollback } from './promotion.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(
  org,
  definition('order', [
    { name: 'title', index: true },
    { name: 'state', index: true },
    { name: 'amount', colType: 'number' },
  ]),
);
const open = await create(founder, 'order', { title: 'one', state: 'open', amount: 2.5 });
const closed = await create(founder, 'order', { title: 'two', state: 'closed', amount: 4 });

async function block(name: string, steps: readonly object[], more: object = {}, of: Org = org): Promise<void> {
  const content = { name, steps, ...more };
  const reply = await manage(of, 'POST', '/config/logicblock', { body: { name, content } });
  assert.equal(reply.status, 201, reply.text);
}

function run(user: AppUser, name: string, input?: object) {
  return act<unknown>(user, 'POST', `/logicblocks/${name}`, input === undefined ? {} : { body: input });
}

async function returned(name: string, input?: object, user = founder): Promise<unknown> {
  const { status, body, text } = await run(user, name, input);
  assert.equal(status, 200, text);
  return body;
}

test('a block reads records, decides by them and returns values of their types', async () => {
  await block(
    'show',
    [
      { id: 'read', type: 'get', entity: 'order', record: '{{ input.id }}' },
      { id: 'is_open', type: 'condition', if: 'steps.read.state == "open"', else: 'told' },
      { id: 'more', type: 'set', values: { title: '{{ steps.read.title }}', twice: '{{ steps.read.amount * 2.0 }}' } },
      { id: 'told', type: 'transform', value: '{{ steps.read.title }} is {{ steps.read.state }}' },
    ],
    { returns: { said: '{{ steps.told }}', more: '{{ steps.more }}', by: '{{ user.id }}', env: '{{ env }}' } },
  );
  const ofBoth = { by: founder.id, env: 'test' };
  const more = { title: 'one', twice: 5 };
  assert.deepEqual(await returned('show', { id: open.id }), { said: 'one is open', more, ...ofBoth });
  assert.deepEqual(await returned('show', { id: closed.id }), { said: 'two is closed', more: null, ...ofBoth });
});

test('conditions that compare values, and texts that name a step by its id alone, mean what they did when they were stored', async () => {
  const steps = [
    { id: 'read', type: 'get', entity: 'order', record: '{{input.id}}' },
    { id: 'open', type: 'condition', if: [{ value: '{{read.state}}', op: 'eq', than: 'open' }], else: 'end' },
    { id: 'yes', type: 'set', values: { open: true } },
    { id: 'end', type: 'set', values: {} },
  ];
  await block('compare', steps, { returns: { open: '{{ steps.yes.open }}' } });
  assert.deepEqual(await returned('compare', { id: open.id }), { open: true });
  assert.deepEqual(await returned('compare', { id: closed.id }), { open: null });
});

test('a block lists, loops, switches and calls another block', async () => {
  await block('price', [{ id: 'sum', type: 'transform', value: '{{ input.amount * 10.0 }}' }], {
    input_schema: { type: 'object', required: ['amount'], properties: { amount: { type: 'number' } } },
    returns: '{{ steps.sum }}',
  });
  const one = [{ id: 'priced', type: 'call', logicblock: 'price', input: { amount: '{{ steps.each.item.amount }}' } }];
  await block(
    'all',
    [
      {
        id: 'found',
        type: 'list',
        entity: 'order',
        filters: [{ field: 'state', op: 'in', value: '{{ input.states }}' }],
        sortby: 'title',
      },
      { id: 'each', type: 'loop', over: '{{ steps.found.items }}', max: 10, steps: one },
      {
        id: 'size',
        type: 'switch',
        on: '{{ steps.found.count }}',
        cases: [
          { is: 1, steps: [{ id: 'single', type: 'transform', value: 'one' }] },
          { is: 2, steps: [{ id: 'pair', type: 'transform', value: 'two' }] },
        ],
        default: [{ id: 'many', type: 'transform', value: 'many' }],
      },
    ],
    { returns: { prices: '{{ steps.each.items }}', size: '{{ steps.size }}' } },
  );
  assert.deepEqual(await returned('all', { states: ['open', 'closed'] }), { prices: [25, 40], size: 'two' });
  assert.deepEqual(await returned('all', { states: ['open'] }), { prices: [25], size: 'one' });
  assert.deepEqual(await returned('all', { states: ['gone'] }), { prices: [], size: 'many' });
});

test('the rest of the path is `event.path`, and a block without `returns` returns null', async () => {
  await block('echo', [{ id: 'path', type: 'transform', value: '{{ event.path }}' }], { returns: '{{ steps.path }}' });
  await block('silent', [{ id: 'path', type: 'transform', value: 1 }]);
  assert.equal((await act<unknown>(founder, 'POST', '/logicblocks/echo/ab-c')).body, 'ab-c');
  assert.equal((await act<unknown>(founder, 'POST', '/logicblocks/echo')).body, '');
  assert.equal(await returned('silent'), null);
});

test('an input that does not fit the schema is refused with the place of each mistake', async () => {
  await block('strict', [{ id: 'a', type: 'transform', value: 1 }], {
    input_schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'string', title: 'Id' }, n: { type: 'array', items: { type: 'integer', maximum: 3 } } },
      additionalProperties: false,
    },
  });
  assert.equal(await returned('strict', { id: 'x', n: [1, 3] }), null);
  const wrong = assertProblem(await run(founder, 'strict', { n: [1, 4], other: 1 }), 'validation_failed');
  assert.deepEqual(pointers(wrong), ['/id', '/n/1', '/other']);
  assertProblem(await act(founder, 'POST', '/logicblocks/strict', { body: [1] }), 'validation_failed');
  const much = { n: Array.from({ length: 20_000 }, () => 1) };
  assert.deepEqual(pointers(assertProblem(await run(founder, 'strict', much), 'validation_failed')), ['']);
});

for (const [status, code] of [
  [400, 'validation_failed'],
  [403, 'access_denied'],
  [404, 'not_found'],
  [409, 'conflict'],
  [422, 'block_refused'],
] as const)
  test(`a block that raises ${status} refuses with its own code and message`, async () => {
    const raise = {
      id: 'no',
      type: 'raise',
      status,
      code: 'too_late',
      message: 'closed for {{ input.who }}',
      field: '/who',
    };
    await block(`raise${status}`, [raise]);
    const problem = assertProblem(await run(founder, `raise${status}`, { who: 'ann' }), code);
    assert.equal(problem.detail, 'closed for ann');
    assert.deepEqual(problem.errors, [{ pointer: '/who', code: 'too_late', message: 'closed for ann' }]);
    assert.equal(problem.step, 'no');
  });

test('steps read what the caller may read: fields, records and entities', async () => {
  await block('peek', [{ id: 'read', type: 'get', entity: 'order', record: '{{ input.id }}' }], {
    returns: '{{ steps.read }}',
  });
  await block('peeks', [{ id: 'found', type: 'list', entity: 'order' }], { returns: '{{ steps.found }}' });
  const mayRun = allow('run*', '/logicblocks/*');
  const part = await memberWith(founder, [mayRun, withFields(allow(['getorder', 'listorder']), 'title')]);
  const shown = (await returned('peek', { id: open.id }, part)) as object;
  assert.ok('title' in shown && !('state' in shown) && !('amount' in shown));
  const page = (await returned('peeks', {}, part)) as { items: readonly object[]; count: number; has_more: boolean };
  assert.deepEqual([page.count, page.has_more, page.items.some((item) => 'amount' in item)], [2, false, false]);

  const some = await memberWith(founder, [
    mayRun,
    withCondition(allow(['getorder', 'listorder']), { StringEquals: { 'record.state': 'open' } }),
  ]);
  assert.equal(assertProblem(await run(some, 'peek', { id: closed.id }), 'not_found').step, 'read');
  assert.equal(((await returned('peeks', {}, some)) as { count: number }).count, 1);
  const none = await memberWith(founder, [mayRun]);
  assert.equal(assertProblem(await run(none, 'peek', { id: open.id }), 'access_denied').step, 'read');
  assertProblem(await run(founder, 'peek', { id: '../user' }), 'not_found');
});

test('a list of all records has those of each page, up to twenty pages', async () => {
  await defineEntity(org, definition('leaf', [{ name: 'title', index: true }]));
  const found = { id: 'found', type: 'list', entity: 'leaf', pagesize: 1 };
  await block('first', [found], { returns: '{{ steps.found }}' });
  await block('every', [{ ...found, all: true }], { returns: '{{ steps.found }}' });
  const request = async (name: string) =>
    (await returned(name)) as { items: readonly { id: string }[]; count: number; has_more: boolean };
  const ids: string[] = [];
  for (let count = 0; count < 20; count += 1) ids.push((await create(founder, 'leaf', { title: `t${count}` })).id);
  assert.deepEqual([(await request('first')).count, (await request('first')).has_more], [1, true]);
  const every = await request('every');
  assert.deepEqual(every.items.map(({ id }) => id).sort(), ids.sort());
  assert.deepEqual([every.count, every.has_more], [20, false]);
  await create(founder, 'leaf', { title: 'last' });
  const bounded = await request('every');
  assert.deepEqual([bounded.count, bounded.has_more], [20, true]);
});

test('a policy may decide by the block, the path and the input', async () => {
  await block('by-name', [{ id: 'a', type: 'transform', value: 1 }]);
  await block('by-name-2', [{ id: 'a', type: 'transform', value: 1 }]);
  const user = await memberWith(founder, [
    allow('runby-name', '/logicblocks/by-name'),
    withCondition(allow('runby-name-2', '/logicblocks/by-name-2/*'), { StringEquals: { 'request.body.kind': 'a' } }),
  ]);
  assert.equal(await returned('by-name', {}, user), null);
  assertProblem(await run(user, 'by-name-2', { kind: 'a' }), 'access_denied');
  const at = (kind: string) => act(user, 'POST', '/logicblocks/by-name-2/x', { body: { kind } });
  assert.equal((await at('a')).status, 200);
  assertProblem(await at('b'), 'access_denied');
  assertProblem(await act(user, 'POST', '/logicblocks/by-name/x', {}), 'access_denied');
});

test('what a run may do is simulated and linted like any other action', async () => {
  await block('judged', [{ id: 'a', type: 'transform', value: 1 }]);
  const statements = [allow('runjudged', '/logicblocks/judged')];
  const simulated = async (request: object) =>
    (
      await manage<{ action: string; decision: string }>(org, 'POST', '/acl/simulate', {
        body: { statements, ...request },
      })
    ).body;
  const byCall = await simulated({ method: 'POST', path: '/logicblocks/judged' });
  assert.deepEqual([byCall.action, byCall.decision], ['runjudged', 'allowed']);
  const byAction = await simulated({ action: 'runjudged', resource: '/logicblocks/judged' });
  assert.equal(byAction.decision, 'allowed');
  assert.equal((await simulated({ action: 'runother', resource: '/logicblocks/other' })).decision, 'implicit_deny');
  const linted = async (given: readonly object[]) =>
    (await manage<{ findings: readonly { code: string }[] }>(org, 'POST', '/acl/lint', { body: { statements: given } }))
      .body.findings;
  assert.deepEqual(await linted(statements), []);
  assert.deepEqual(
    (await linted([allow('runnothing', '/logicblocks/nothing')])).map(({ code }) => code),
    ['unknown_entity'],
  );
});

test('blocks that call each other stop at the stated depth, with the calls named', async () => {
  await block('ping', [{ id: 'go', type: 'condition', if: 'false' }]);
  await block('pong', [{ id: 'back', type: 'call', logicblock: 'ping' }]);
  const steps = [{ id: 'forth', type: 'call', logicblock: 'pong' }];
  const changed = await manage(org, 'PUT', '/config/logicblock/ping', { body: { name: 'ping', steps } });
  assert.equal(changed.status, 200, changed.text);
  const { detail } = assertProblem(await run(founder, 'ping'), 'block_failed');
  assert.match(detail, /8 deep: ping → pong → ping → pong → ping → pong → ping → pong → ping$/);
});

test('a loop ends a run that does too much, and goes over no more elements than it says', async () => {
  const inner = {
    id: 'inner',
    type: 'loop',
    over: '{{ input.list }}',
    max: 100,
    steps: [{ id: 'a', type: 'transform', value: 1 }],
  };
  await block('much', [{ id: 'outer', type: 'loop', over: '{{ input.list }}', max: 100, steps: [inner] }]);
  const list = Array.from({ length: 100 }, (_, index) => index);
  assert.match(assertProblem(await run(founder, 'much', { list }), 'block_failed').detail, /at most 1000 steps/);
  assert.match(
    assertProblem(await run(founder, 'much', { list: [...list, 1] }), 'block_failed').detail,
    /at most 100 elements/,
  );
  assertProblem(await run(founder, 'much', { list: 'x' }), 'block_failed');
});

test('K08: a step that fails says which, and shows no value of another step', async () => {
  const secret = 'canary-in-a-step';
  await block('fails', [
    { id: 'kept', type: 'set', values: { secret } },
    { id: 'wrong', type: 'transform', value: '{{ 1 / size(input.empty) }} {{ steps.kept.secret }}' },
  ]);
  const reply = await run(founder, 'fails', { empty: [] });
  assert.equal(assertProblem(reply, 'block_failed').step, 'wrong');
  assert.ok(!reply.text.includes(secret));
});

test('a block with a step of an unknown type is refused', async () => {
  const content = { name: 'unknown', steps: [{ id: 'a', type: 'sleep' }] };
  const reply = await manage(org, 'POST', '/config/logicblock', { body: { name: 'unknown', content } });
  const { errors = [] } = assertProblem(reply, 'validation_failed');
  assert.deepEqual(
    errors.map(({ pointer, code }) => [pointer, code]),
    [['/content/steps/0/type', 'not_in_enum']],
  );
});

test('K07: a call without a token, without the action, or with a hidden record runs nothing', async () => {
  await block(
    'three',
    [
      {
        id: 'each',
        type: 'loop',
        over: '{{ input.ids }}',
        max: 3,
        steps: [{ id: 'one', type: 'get', entity: 'order', record: '{{ steps.each.item }}' }],
      },
    ],
    { returns: '{{ steps.each.items }}' },
  );
  const third = await create(founder, 'order', { title: 'three', state: 'hidden' });
  const ids = [open.id, third.id, closed.id];
  const target = appUrl(org, '/logicblocks/three');
  assertProblem(await call('POST', target, { body: { ids } }), 'token_missing');
  const reads = allow(['getorder', 'listorder']);
  const unable = await memberWith(founder, [reads]);
  // Whether there is such a block is not told.
  assertProblem(await run(unable, 'three', { ids }), 'access_denied');
  assertProblem(await run(unable, 'no-such-block', { ids }), 'access_denied');
  assertProblem(await run(await memberWith(founder, [allow('*'), deny('run*')]), 'three', { ids }), 'access_denied');
  const user = await memberWith(founder, [
    allow('runthree', '/logicblocks/three'),
    withCondition(reads, { StringNotEquals: { 'record.state': 'hidden' } }),
  ]);
  const refused = await run(user, 'three', { ids });
  assertProblem(refused, 'not_found');
  assert.ok(!refused.text.includes(open.id));
  assert.equal(((await returned('three', { ids }, founder)) as readonly object[]).length, 3);

  // Taken out, or of another org: as an event that never was.
  assertProblem(await run(founder, 'no-such-block'), 'not_found');
  assert.equal((await manage(org, 'DELETE', '/config/logicblock/three')).status, 204);
  assertProblem(await run(founder, 'three', { ids }), 'not_found');
  const other = await foundedOrg(gateways);
  await block('theirs', [{ id: 'a', type: 'transform', value: 1 }], {}, other.org);
  assertProblem(await run(founder, 'theirs'), 'not_found');
  const foreign = await call('POST', appUrl(other.org, '/logicblocks/theirs'), { token: founder.token, body: {} });
  assertProblem(foreign, 'token_invalid');
});

test('K07: a block of production is there once it is activated, as the version that was published, and gone after a rollback', async () => {
  const { org: app } = await foundedOrg(gateways);
  const step = { id: 'env', type: 'transform', value: '{{ env }}' };
  await block('where', [step], { returns: '{{ steps.env }}' }, app);
  const user = await prodFounder(app);
  assertProblem(await run(user, 'where'), 'not_found');
  await publish(app);
  assertProblem(await run(user, 'where'), 'not_found');
  const later = { name: 'where', steps: [step], returns: 'later' };
  assert.equal((await manage(app, 'PUT', '/config/logicblock/where', { body: later })).status, 200);
  await activate(app);
  assert.equal(await returned('where', {}, user), 'prod');
  await deploy(app);
  assert.equal(await returned('where', {}, user), 'later');
  await rollback(app);
  assert.equal(await returned('where', {}, user), 'prod');
});

test('branches read beside each other, and the value is what each of them came to', async () => {
  const read = (id: string, record: { readonly id: string }) => ({
    id,
    type: 'get',
    entity: 'order',
    record: record.id,
  });
  const branches = [
    [read('a', open)],
    [read('b', closed), { id: 'c', type: 'transform', value: '{{ steps.b.title }}' }],
  ];
  await block('beside', [{ id: 'both', type: 'parallel', branches }], {
    returns: ['{{ steps.both[1] }}', '{{ steps.a.title }}'],
  });
  assert.deepEqual(await returned('beside'), ['two', 'one']);
  const user = await memberWith(founder, [
    allow('run*', '/logicblocks/*'),
    allow('getorder', `/item/order/${open.id}`),
  ]);
  assert.equal(assertProblem(await run(user, 'beside'), 'access_denied').step, 'b');
});
