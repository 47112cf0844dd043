/** What builders and callers do with automation beside its configuration: try, begin and follow runs, and pause events. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { deliveries, makeEvent, startReceiver } from './event-receiver.ts';
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
  list,
  manage,
  memberWith,
  type Org,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { deploy, prodFounder, provision } from './promotion.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
const fields = [
  { name: 'title', index: true },
  { name: 'amount', colType: 'integer' },
  { name: 'card', colType: 'encrypted' },
];
await defineEntity(org, definition('order', fields));
const tenant_code = await workspaceOf(org);
const other = await foundedOrg(gateways);

async function workspaceOf(of: Org): Promise<string> {
  const { items } = (await manage<{ items: readonly { code: string }[] }>(of, 'GET', '/org/workspaces')).body;
  return items[0]?.code ?? assert.fail('there is no workspace');
}

async function block(name: string, steps: readonly object[], more: object = {}): Promise<void> {
  const body = { name, content: { name, steps, ...more } };
  const reply = await manage(org, 'POST', '/config/logicblock', { body });
  assert.equal(reply.status, 201, reply.text);
}

interface Shown {
  readonly id: string;
  readonly state: string;
  readonly user: object;
  readonly trigger: { readonly kind: string };
  readonly returns?: unknown;
  readonly error?: { readonly code: string; readonly step?: string };
}

/** As the callers of the app see it. */
function own(user: AppUser, id: string) {
  return act<Shown>(user, 'GET', `/runs/${id}`);
}

/** Stands for the app where a user is named. */
const appUserId = '00000000-0000-7000-8000-000000000000';

async function ended(id: string, of = org, query = ''): Promise<Shown> {
  return eventually('the end of the run', async () => {
    const { status, text, body } = await manage<Shown>(of, 'GET', `/runs/${id}${query}`);
    if (status !== 404) assert.equal(status, 200, text);
    return status === 200 && body.state !== 'running' && body.state !== 'waiting' && body;
  });
}

const made = { id: 'made', type: 'create', entity: 'order', values: { title: '{{ input.title }}', amount: 1 } };
const shortPause = { id: 'pause', type: 'wait', seconds: 1 };

/** Begun early, so that the test of what they leave does not wait for them. */
const keptRuns = startStored();

async function startStored(): Promise<{ readonly card: string; readonly fails: string }> {
  const secret = { ...made, values: { title: 'x', card: '{{ input.card }}' } };
  await block('card', [secret, shortPause], { returns: '{{ input.card }}' });
  await block('fails', [made, shortPause, { id: 'no', type: 'raise', status: 409, code: 'taken', message: 'taken' }]);
  const begin = async (name: string, body: object) =>
    (await act<{ run: string }>(founder, 'POST', `/logicblocks/${name}`, { body })).body.run;
  return { card: await begin('card', { card: '4111-2222' }), fails: await begin('fails', { title: 'x' }) };
}

interface Draft {
  readonly returns?: unknown;
  readonly error?: { readonly code: string; readonly message: string; readonly step?: string };
  readonly steps: readonly { readonly id: string; readonly output?: unknown; readonly skipped?: true }[];
}

function draft(content: object, more: object = {}, of: Org = org) {
  return manage<Draft>(of, 'POST', '/logicblocks/test', { body: { content, tenant_code, ...more } });
}

test('a draft is tried with sample data, and leaves neither record nor run', async () => {
  const content = {
    name: 'draft',
    input_schema: { type: 'object', required: ['title'], properties: { title: { type: 'string' } } },
    steps: [made, { id: 'was', type: 'transform', value: '{{ before.title }} {{ record.title }}' }],
    returns: { amount: '{{ steps.made.amount }}', was: '{{ steps.was }}' },
  };
  const samples = { input: { title: 'draft' }, record: { title: 'b' }, before: { title: 'a' } };
  const { status, text, body } = await draft(content, samples);
  assert.equal(status, 200, text);
  assert.deepEqual([body.error, body.returns], [undefined, { amount: 1, was: 'a b' }]);
  assert.deepEqual(
    body.steps.map(({ id, skipped }) => [id, skipped]),
    [
      ['made', true],
      ['was', undefined],
    ],
  );
  assert.deepEqual((await list(founder, 'order', '?title=draft')).items, []);
  assert.deepEqual((await manage<{ items: unknown[] }>(org, 'GET', '/runs?block=draft')).body.items, []);
  assertProblem(await manage(org, 'GET', '/config/logicblock/draft'), 'not_found');
  const wrong = assertProblem(await draft(content, { input: { title: 1 } }), 'validation_failed');
  assert.deepEqual(pointers(wrong), ['/input/title']);
});

test('a draft is refused as its definition would be, and a refusal while it runs is shown with its step', async () => {
  const wrong = await draft({ name: 'draft', steps: [{ id: 'a', type: 'condition', if: 'steps.none > ' }] });
  assert.deepEqual(pointers(assertProblem(wrong, 'validation_failed')), ['/content/steps/0/if']);
  const unknown = await draft({ name: 'draft', steps: [{ ...made, entity: 'nothing' }] });
  assertProblem(unknown, 'dangling_reference');
  assertProblem(await draft({ steps: [] }), 'validation_failed');
  const refused = await draft({ name: 'draft', steps: [{ ...made, values: { amount: 'much' } }] });
  assert.deepEqual([refused.status, refused.body.error?.step], [200, 'made'], refused.text);
  const ofApp = { name: 'draft', run_as: 'app', policies: [allow('getorder', '*')], steps: [made] };
  assert.equal((await draft(ofApp, { input: { title: 'x' } })).body.error?.code, 'access_denied');
  const step = { id: 'a', type: 'transform', value: 1 };
  assertProblem(await draft({ name: 'draft', steps: [step] }, { tenant_code: 'none' }), 'not_found');
  assertProblem(await draft({ name: 'draft', steps: [step] }, { tenant_code: '../x' }), 'not_found');
  assertProblem(await draft({ name: 'draft', steps: [step] }, { env: 'prod' }), 'unknown_field');
  // The workspace of another org is none of this one.
  const theirs = await workspaceOf(other.org);
  if (theirs !== tenant_code)
    assertProblem(await draft({ name: 'draft', steps: [step] }, { tenant_code: theirs }), 'not_found');
});

test('L11: a draft shows a builder no secret, and nothing of production', async () => {
  const content = {
    name: 'draft',
    steps: [{ ...made, values: { title: 'x', card: '{{ input.card }}' } }],
    returns: '{{ input.card }}',
  };
  const reply = await draft(content, { input: { card: '4111-1111-1111-1111' } });
  assert.equal(reply.status, 200, reply.text);
  assert.ok(!reply.text.includes('4111-1111'), reply.text);
  assert.equal(reply.body.returns, '***');
  const record = await create(founder, 'order', { title: 'secret', card: '5500-0000-0000-0004' });
  const read = { name: 'draft', steps: [{ id: 'a', type: 'get', entity: 'order', record: record.id }] };
  const shown = await draft(read);
  assert.equal(shown.body.error, undefined);
  assert.ok(!shown.text.includes('5500'), shown.text);
});

test('a builder begins a run of a live block in the test environment, in his own name', async () => {
  await block('nightly', [made], { returns: '{{ steps.made.title }}' });
  const body = { tenant_code, input: { title: 'begun' } };
  const headers = { 'idempotency-key': 'begin-1' };
  const started = await manage<{ run: string }>(org, 'POST', '/logicblocks/nightly/run', { body, headers });
  assert.equal(started.status, 202, started.text);
  const again = await manage<{ run: string }>(org, 'POST', '/logicblocks/nightly/run', { body, headers });
  assert.deepEqual(again.body, started.body);
  const run = await ended(started.body.run);
  assert.deepEqual([run.state, run.trigger.kind, run.returns], ['done', 'manual', 'begun']);
  assert.equal((await list(founder, 'order', '?title=begun')).items.length, 1);
  const audit = await manage<{ items: readonly { target: object }[] }>(
    org,
    'GET',
    `/audit?action=run.begun&tenant_code=${tenant_code}`,
  );
  assert.deepEqual(audit.body.items[0]?.target, { kind: 'run', id: run.id, name: 'nightly' });
  // What a builder began is no caller's.
  assertProblem(await own(founder, run.id), 'not_found');
});

test('a run is begun only of a live block, in a workspace of the org, with an input that fits', async () => {
  const input_schema = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } };
  await block('typed', [{ id: 'a', type: 'transform', value: 1 }], { input_schema });
  const begin = (name: string, body: object, query = '') =>
    manage(org, 'POST', `/logicblocks/${name}/run${query}`, { body });
  assertProblem(await begin('none', { tenant_code }), 'not_found');
  assertProblem(await begin('typed', { tenant_code: 'none', input: { n: 1 } }), 'not_found');
  const wrong = assertProblem(await begin('typed', { tenant_code, input: { n: 'x' } }), 'validation_failed');
  assert.deepEqual(pointers(wrong), ['/input/n']);
  assertProblem(await begin('typed', { tenant_code }), 'validation_failed');
  assertProblem(await begin('typed', {}), 'validation_failed');
  assertProblem(await begin('typed', { tenant_code, user: founder.id }), 'unknown_field');
  assertProblem(await begin('typed', { tenant_code, input: { n: 1 } }, '?env=prod'), 'conflict');
});

test('K05: production’s runs, and pauses of its events, are for admins', async () => {
  await provision(org);
  const developer = await joinOrg(org, 'developer');
  const as = { token: developer.token };
  const body = { tenant_code, input: {} };
  assertProblem(await manage(org, 'POST', '/logicblocks/nightly/run?env=prod', { ...as, body }), 'role_required');
  assertProblem(await manage(org, 'POST', '/events/tell/pause?env=prod', as), 'role_required');
  assertProblem(await manage(org, 'POST', '/events/tell/resume?env=prod', as), 'role_required');
  assertProblem(await manage(org, 'POST', '/events/tell/pause?env=prod'), 'not_found');
  assert.equal((await manage(org, 'GET', '/events/state?env=prod', as)).status, 200);
});

test('in production a run is begun as the app, by the policies of its block alone', async () => {
  const { org: shop } = await foundedOrg(gateways);
  await defineEntity(shop, definition('order', fields));
  const step = { ...made, values: { title: 'by the app' } };
  const make = async (name: string, more: object) => {
    const body = { name, content: { name, steps: [step], ...more } };
    assert.equal((await manage(shop, 'POST', '/config/logicblock', { body })).status, 201);
  };
  await make('own', {});
  await make('app', { run_as: 'app', policies: [allow('createorder', '/create/order')] });
  await make('narrow', { run_as: 'app', policies: [allow('getorder', '/item/order/*')] });
  await provision(shop);
  const user = await prodFounder(shop);
  await deploy(shop);
  const code = (await manage<{ items: readonly { code: string }[] }>(shop, 'GET', '/org/workspaces?env=prod')).body;
  const body = { tenant_code: code.items[0]?.code };
  const begin = (name: string) => manage<{ run: string }>(shop, 'POST', `/logicblocks/${name}/run?env=prod`, { body });
  assertProblem(await begin('own'), 'conflict');
  const [wide, narrow] = [await begin('app'), await begin('narrow')];
  assert.deepEqual([wide.status, narrow.status], [202, 202], wide.text + narrow.text);
  const done = await ended(wide.body.run, shop, '?env=prod');
  assert.deepEqual([done.state, done.user], ['done', { id: appUserId, kind: 'app' }], JSON.stringify(done));
  const { items } = await list(user, 'order');
  assert.deepEqual(
    items.map(({ title, created_by }) => [title, created_by]),
    [['by the app', appUserId]],
  );
  const refused = await ended(narrow.body.run, shop, '?env=prod');
  assert.deepEqual([refused.state, refused.error?.code], ['failed', 'access_denied']);
  const shown = await manage<{ items: readonly Shown[] }>(shop, 'GET', '/runs?env=prod&trigger=manual');
  assert.equal(shown.body.items.length, 2);
  assert.deepEqual((await manage<{ items: unknown[] }>(shop, 'GET', '/runs?env=prod&trigger=call')).body.items, []);
  assertProblem(await manage(shop, 'GET', '/runs?trigger=other'), 'invalid_request');
  assertProblem(await own(user, wide.body.run), 'not_found');
});

test('a caller follows a run that waits, and other callers do not', async () => {
  await block('slow', [made, shortPause], { returns: { title: '{{ steps.made.title }}' } });
  const policies = [allow('run*', '/logicblocks/*'), allow(['createorder', 'getorder'], '*')];
  const [caller, stranger] = [await memberWith(founder, policies), await memberWith(founder, policies)];
  const reply = await act<{ run: string }>(caller, 'POST', '/logicblocks/slow', { body: { title: 'own' } });
  assert.equal(reply.status, 202, reply.text);
  const { run } = reply.body;
  const waiting = await own(caller, run);
  assert.equal(waiting.status, 200, waiting.text);
  assert.deepEqual(Object.keys(waiting.body).toSorted(), ['block', 'id', 'started_at', 'state']);
  for (const one of [stranger, founder]) assertProblem(await own(one, run), 'not_found');
  assertProblem(await own(other.founder, run), 'not_found');
  await ended(run);
  const done = (await own(caller, run)).body;
  assert.deepEqual([done.state, done.returns], ['done', { title: 'own' }]);
  assertProblem(await own(caller, 'none'), 'not_found');
  assertProblem(await own(stranger, run), 'not_found');
});

test('K08: a caller’s own run shows no value of an encrypted field, and a run that failed says why', async () => {
  const { card, fails } = await keptRuns;
  await ended(card);
  await ended(fails);
  const shown = await own(founder, card);
  assert.ok(!shown.text.includes('4111-2222'), shown.text);
  const failed = (await own(founder, fails)).body;
  assert.deepEqual([failed.state, failed.error?.code, failed.error?.step], ['failed', 'taken', 'no']);
});

test('an event that is paused sends nothing until it is resumed, and what waits is shown', async (t) => {
  const { org: shop, founder: owner } = await foundedOrg(gateways);
  await defineEntity(shop, definition('order', fields));
  const receiver = await startReceiver(t);
  await makeEvent(shop, 'tell', receiver.url);
  await makeEvent(shop, 'also', receiver.url);
  const paused = await manage(shop, 'POST', '/events/tell/pause');
  assert.equal(paused.status, 204, paused.text);
  await create(owner, 'order', { title: 'one' });
  await create(owner, 'order', { title: 'two' });
  await deliveries(
    shop,
    '?event=also',
    (items) => items.length === 2 && items.every(({ state }) => state === 'delivered'),
  );
  interface States {
    readonly items: readonly { readonly name: string; readonly waiting: number; readonly paused?: { by: string } }[];
    readonly nexttoken: string | null;
  }
  const states = (await manage<States>(shop, 'GET', '/events/state')).body;
  const [eventState] = states.items.filter(({ name }) => name === 'tell');
  assert.deepEqual([states.items.map(({ name }) => name), eventState?.waiting], [['also', 'tell'], 2]);
  assert.equal(typeof eventState?.paused?.by, 'string');
  assert.equal(states.nexttoken, null);
  assertProblem(await manage(shop, 'GET', '/events/state?nexttoken=x'), 'invalid_cursor');
  assert.equal(receiver.messages.length, 2);
  // The pause of another org’s event is another one.
  assertProblem(await manage(org, 'POST', '/events/tell/pause'), 'not_found');
  assertProblem(await manage(shop, 'POST', '/events/none/resume'), 'not_found');
  assert.equal((await manage(shop, 'POST', '/events/tell/resume')).status, 204);
  await receiver.arrived(4);
  const after = (await manage<States>(shop, 'GET', '/events/state')).body;
  assert.deepEqual(
    after.items.map(({ paused: by }) => by),
    [undefined, undefined],
  );
});
