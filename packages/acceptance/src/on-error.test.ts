/** Steps of logic blocks that are refused while their runs go on. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { call } from './call.ts';
import { eventually } from './eventually.ts';
import { mailsTo } from './mails.ts';
import { act, count, create, defineEntity, definition, foundedOrg, manage, type Org, random } from './org.ts';
import type { Platform } from './platform.ts';
import { platformForTests, platformOf } from './platform-for-tests.ts';
import { startSmtpServer } from './smtp-server.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(org, definition('customer', [{ name: 'email' }, { name: 'name', required: true }]));

interface ShownRun {
  readonly id: string;
  readonly state: string;
  readonly failed_passes?: number;
  readonly returns?: unknown;
  readonly trigger: { readonly kind: string };
  readonly steps: readonly {
    path: string;
    id: string;
    state: string;
    caught?: true;
    error?: { code: string; status?: number };
  }[];
}

async function define(name: string, steps: readonly object[], more: object = {}, of = org) {
  const reply = await manage(of, 'POST', '/config/logicblock', { body: { name, content: { name, steps, ...more } } });
  assert.equal(reply.status, 201, reply.text);
}

async function runsOf(of: Org, block: string): Promise<readonly ShownRun[]> {
  return (await manage<{ items: readonly ShownRun[] }>(of, 'GET', `/runs?block=${block}`)).body.items;
}

/** The last run of a block, once it is over. */
async function ended(of: Org, block: string): Promise<ShownRun> {
  return eventually(`the end of a run of ${block}`, async () => {
    const [run] = await runsOf(of, block);
    if (run?.state !== 'done' && run?.state !== 'failed') return false;
    const { body } = await manage<ShownRun & { input?: unknown }>(of, 'GET', `/runs/${run.id}`);
    return body.input !== undefined && body;
  });
}

/** A mail to each customer. */
const reminders = {
  id: 'each',
  type: 'loop',
  over: '{{ steps.customers.items }}',
  max: 20,
  steps: [
    {
      id: 'mail',
      type: 'mail',
      to: '{{ steps.each.item.email }}',
      subject: 'Hello',
      text: 'Hello {{ steps.each.item.name }}',
    },
  ],
  on_error: 'continue',
};
const customers = { id: 'customers', type: 'list', entity: 'customer', sortby: 'created_at' };

test('a loop of mails goes on past a customer without an address, and its run says that a pass failed', async () => {
  const [first, last] = [`${random()}@a.example`, `${random()}@a.example`];
  for (const [name, email] of [
    ['Ann', first],
    ['Bob', undefined],
    ['Cid', last],
  ] as const)
    await create(founder, 'customer', { name, ...(email === undefined ? {} : { email }) });
  await define('remind', [customers, reminders], {
    returns: { failed: '{{ steps.each.failed }}', items: '{{ steps.each.items }}' },
  });
  const reply = await act<unknown>(founder, 'POST', '/logicblocks/remind');
  assert.deepEqual([reply.status, reply.body], [200, { failed: 1, items: [{}, null, {}] }], reply.text);
  assert.deepEqual([(await mailsTo(gateways, first)).length, (await mailsTo(gateways, last)).length], [1, 1]);
  const run = await ended(org, 'remind');
  assert.deepEqual([run.state, run.failed_passes, (await runsOf(org, 'remind'))[0]?.failed_passes], ['done', 1, 1]);
  const failed = run.steps.filter(({ state }) => state === 'failed');
  assert.deepEqual(
    failed.map(({ path, id, caught, error }) => [path, id, caught, error?.code, error?.status]),
    [['0001.0001.0000', 'mail', true, 'block_failed', 422]],
  );
});

test('a step that is refused goes on as it says, and later steps read why', async () => {
  await define(
    'upsert',
    [
      {
        ...{ id: 'found', type: 'get', entity: 'customer', record: '{{ input.id }}' },
        on_error: { steps: [{ id: 'made', type: 'create', entity: 'customer', values: { name: '{{ input.name }}' } }] },
      },
      {
        id: 'change',
        type: 'update',
        entity: 'customer',
        record: '{{ steps.found.id }}',
        values: { name: '{{ input.other }}' },
        on_error: { goto: 'end' },
      },
      { id: 'skipped', type: 'set', values: { was: 'here' } },
      {
        id: 'end',
        type: 'transform',
        value: ['{{ errors.found.code }}', '{{ errors.change }}', '{{ steps.skipped.was }}', '{{ steps.found.name }}'],
      },
    ],
    { returns: '{{ steps.end }}' },
  );
  const run = async (input: object) =>
    (await act<unknown>(founder, 'POST', '/logicblocks/upsert', { body: input })).body;
  assert.deepEqual(await run({ id: 'none', name: 'Dan', other: 'Dana' }), ['not_found', null, 'here', 'Dan']);
  const { id } = await create(founder, 'customer', { name: 'Eve' });
  const refused = { status: 400, code: 'wrong_type', message: '`name` must be a string' };
  const [code, error, was, name] = (await run({ id, other: 7 })) as readonly [
    unknown,
    { message: string },
    unknown,
    unknown,
  ];
  assert.deepEqual([code, { ...error, message: '' }, was, name], [null, { ...refused, message: '' }, null, 'Eve']);
});

test('errors are not caught in transactions, by `raise` and `wait`, or on the way back', async () => {
  const set = (id: string, more: object = {}) => ({ id, type: 'set', values: {}, ...more });
  const refused = async (steps: readonly object[], more: object = {}) =>
    manage(org, 'POST', '/config/logicblock', { body: { name: 'wrong', content: { name: 'wrong', steps, ...more } } });
  const inTransaction = assertProblem(
    await refused([set('a', { on_error: 'continue' })], { transaction: true }),
    'validation_failed',
  );
  assert.deepEqual(pointers(inTransaction), ['/content/steps/0/on_error']);
  const back = assertProblem(await refused([set('a'), set('b', { on_error: { goto: 'a' } })]), 'validation_failed');
  assert.deepEqual(pointers(back), ['/content/steps/1/on_error/goto']);
  const raise = { id: 'a', type: 'raise', status: 409, code: 'late', message: 'no', on_error: 'continue' };
  assert.deepEqual(pointers(assertProblem(await refused([raise]), 'unknown_field')), ['/content/steps/0/on_error']);
});

test('a transaction calls no block with `on_error`, also where one block calls the other, in runs and drafts', async () => {
  const made = { id: 'made', type: 'create', entity: 'customer', values: { name: 'Together' } };
  const calling = (logicblock: string, more: object = {}) => ({ id: 'go', type: 'call', logicblock, ...more });
  const catching = { id: 'tried', type: 'set', values: {}, on_error: 'continue' };
  await define('catches', [catching]);
  await define('between', [calling('catches')]);
  const before = await count(founder, 'customer');
  const message = 'logic block `catches` has `on_error`, and a transaction catches no errors';
  for (const block of ['catches', 'between']) {
    const content = { name: `of-${block}`, transaction: true, steps: [made, calling(block)] };
    await define(content.name, content.steps, { transaction: true });
    const problem = assertProblem(await act(founder, 'POST', `/logicblocks/${content.name}`), 'block_failed');
    assert.deepEqual([problem.detail, problem.step], [message, 'go']);
    const { body } = await tried(content);
    assert.deepEqual(body.error, { code: 'block_failed', message, step: 'go' });
  }
  const wrong = assertProblem(
    await tried({ name: 'wrong', transaction: true, steps: [catching] }),
    'validation_failed',
  );
  assert.deepEqual(pointers(wrong), ['/content/steps/0/on_error']);
  // Nor does `on_error` go on past a transaction that a block may not call.
  await define('whole', [made], { transaction: true });
  await define('past', [calling('whole', { on_error: 'continue' })]);
  const { detail } = assertProblem(await act(founder, 'POST', '/logicblocks/past'), 'block_failed');
  assert.equal(detail, 'logic block `whole` is a transaction, which only transactions call');
  assert.equal(await count(founder, 'customer'), before);
});

interface Tried {
  readonly returns: unknown;
  readonly error?: unknown;
  readonly steps: readonly { id: string; error?: { code: string } }[];
}

function tried(content: object) {
  return manage<Tried>(org, 'POST', '/logicblocks/test', { body: { tenant_code: 'main', content } });
}

test('a draft shows each step that was refused, and goes on', async () => {
  const content = {
    name: 'tried',
    steps: [{ id: 'read', type: 'get', entity: 'customer', record: 'none', on_error: 'continue' }],
    returns: '{{ errors.read.status }}',
  };
  const reply = await tried(content);
  assert.deepEqual([reply.status, reply.body.returns, reply.body.error], [200, 404, undefined], reply.text);
  assert.deepEqual(
    reply.body.steps.map(({ id, error }) => [id, error?.code]),
    [['read', 'not_found']],
  );
});

const day = 24 * 3600 * 1000;

/** The platform on the same data, with a clock that is ahead. */
function ahead(
  context: TestContext,
  { dataDir }: Platform,
  env: Readonly<Record<string, string>>,
  milliseconds: number,
) {
  return platformOf(context, {
    dataDir,
    env: { ...env, FREEHOLD_TEST_CLOCK_AHEAD: String(milliseconds) },
    nodeFlags: ['--import', new URL('./clock-ahead.ts', import.meta.url).href],
  });
}

test('a schedule’s loop of mails that is killed with kill -9 in the middle goes on past the same failures', async (t) => {
  let isHeld = true;
  let reached = (): void => undefined;
  const inTheMiddle = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const server = await startSmtpServer({
    toRecipients: async (address) => {
      // Two customers are refused for good: one before the kill, one after it.
      if (address.startsWith('refused')) return '550 no such mailbox';
      if (!address.startsWith('held') || !isHeld) return '250 fine';
      reached();
      return new Promise(() => undefined);
    },
  });
  t.after(() => server.close());
  const env = { FREEHOLD_SMTP_URL: `smtp://${server.host}`, FREEHOLD_MAIL_FROM: 'freehold@acme.example' };
  const first = await platformOf(t, { env });
  const { org: own, founder: user } = await foundedOrg(first);
  await defineEntity(own, definition('customer', [{ name: 'email' }, { name: 'name' }]));
  const addresses = ['ann', 'refused-1', '', 'held', 'refused-2', 'bob'];
  for (const name of addresses) await create(user, 'customer', { name, email: name === '' ? '' : `${name}@a.example` });
  const policies = [{ Effect: 'Allow', Action: ['listcustomer'], Resource: ['*'] }];
  // Due once within the day by which the clock goes ahead, and far from its ends.
  const hour = (new Date().getUTCHours() + 12) % 24;
  const schedule = { cron: `0 ${hour} * * *`, timezone: 'UTC', missed: 'once' };
  await define(
    'nightly',
    [customers, reminders],
    { run_as: 'app', policies, schedule, returns: '{{ steps.each.failed }}' },
    own,
  );
  const isScheduled = async () =>
    (await manage<{ items: readonly unknown[] }>(own, 'GET', '/schedules')).body.items.length === 1;
  await eventually('the schedule', isScheduled);
  await first.terminate();

  const second = await ahead(t, first, env, day);
  await inTheMiddle;
  await second.kill();
  isHeld = false;
  const third = await ahead(t, first, env, day + 5 * 60_000);
  const { email, password } = own.builder;
  const { body } = await call<{ token: string }>('POST', `${third.management}/auth/login`, {
    body: { email, password },
  });
  const moved = {
    ...own,
    app: third.app,
    management: third.management,
    builder: { ...own.builder, token: body.token },
  };
  const run = await ended(moved, 'nightly');
  assert.deepEqual([run.trigger.kind, run.state, run.failed_passes, run.returns], ['schedule', 'done', 3, 3]);
  const to = server.deliveries.flatMap((delivery) => delivery.to).filter((address) => address.endsWith('@a.example'));
  assert.deepEqual(to, ['ann@a.example', 'held@a.example', 'bob@a.example']);
  // What was refused before the kill was not tried again.
  assert.equal(server.logged.filter((line) => line.includes('refused-1@')).length, 1);
});
