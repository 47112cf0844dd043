/** A logic block may act by policies of its own, as far as it declares them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import {
  type AppUser,
  act,
  allow,
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
import { provision, publish } from './promotion.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(
  org,
  definition('order', [
    { name: 'title', index: true },
    { name: 'state', index: true },
  ]),
);
const order = await create(founder, 'order', { title: 'one', state: 'open' });
const hidden = await create(founder, 'order', { title: 'two', state: 'hidden' });
const user = await memberWith(founder, [allow('run*', '/logicblocks/*')]);

const read = { id: 'read', type: 'get', entity: 'order', record: '{{ input.id }}' };
const reads = { steps: [read], returns: '{{ steps.read }}' };
const asApp = (...policies: readonly object[]) => ({ run_as: 'app', policies });

async function block(name: string, content: object, of: Org = org): Promise<void> {
  const body = { name, content: { name, ...content } };
  const reply = await manage(of, 'POST', '/config/logicblock', { body });
  assert.equal(reply.status, 201, reply.text);
}

function run(name: string, input: object, by: AppUser = user) {
  return act<Readonly<Record<string, unknown>>>(by, 'POST', `/logicblocks/${name}`, { body: input });
}

test('a block that runs as the app may do what its policies allow, and no more', async () => {
  const open = withCondition(withFields(allow('getorder', '/item/order/*'), 'title'), {
    StringEquals: { 'record.state': 'open' },
  });
  await block('show', { ...reads, ...asApp(open) });
  const shown = await run('show', { id: order.id });
  assert.equal(shown.status, 200, shown.text);
  assert.deepEqual([shown.body.title, 'state' in shown.body], ['one', false]);
  assertProblem(await run('show', { id: hidden.id }), 'not_found');
  // Also a caller who may do everything is held to them.
  assertProblem(await run('show', { id: hidden.id }, founder), 'not_found');
  const steps = [{ id: 'found', type: 'list', entity: 'order' }];
  await block('other', { steps, returns: '{{ steps.found }}', ...asApp(open) });
  assert.equal(assertProblem(await run('other', {}, founder), 'access_denied').step, 'found');
  await block('denied', { ...reads, ...asApp(allow('*'), deny('getorder')) });
  assertProblem(await run('denied', { id: order.id }), 'access_denied');
});

test('a block decides by its own policies about its own steps alone: a caller gains nothing beside what it returns', async () => {
  await block('inner', { ...reads, ...asApp(allow('getorder')) });
  const call = { id: 'called', type: 'call', logicblock: 'inner', input: { id: '{{ input.id }}' } };
  await block('outer', { steps: [call, read], returns: '{{ steps.called.title }}' });
  assert.equal(assertProblem(await run('outer', { id: order.id }), 'access_denied').step, 'read');
  await block('wrapped', { steps: [call], returns: '{{ steps.called.title }}' });
  assert.equal((await run('wrapped', { id: order.id })).body, 'one');
  // What a block calls acts by the same policies, unless it has some of its own.
  await block('plain', reads);
  const lent = [{ ...call, logicblock: 'plain' }];
  await block('lends', { steps: lent, returns: '{{ steps.called.title }}', ...asApp(allow('getorder')) });
  assert.equal((await run('lends', { id: order.id })).body, 'one');
  await block('narrow', { steps: [call], returns: '{{ steps.called.title }}', ...asApp(allow('listorder')) });
  assert.equal((await run('narrow', { id: order.id })).body, 'one');
  assertProblem(await run('plain', { id: order.id }), 'access_denied');
  const { status } = await act(user, 'GET', `/item/order/${order.id}`);
  assert.equal(status, 403);
});

test('policies of a block know the caller as the user, and no input changes in whose name it runs', async () => {
  const own = withCondition(allow('getorder'), { StringEquals: { 'user.id': user.id } });
  await block('own', { ...reads, ...asApp(own) });
  assert.equal((await run('own', { id: order.id })).status, 200);
  assertProblem(await run('own', { id: order.id }, founder), 'access_denied');
  const claimed = { id: order.id, run_as: 'app', policies: [allow('*')], user: { id: founder.id }, env: 'prod' };
  assertProblem(await run('plain', claimed), 'access_denied');
});

for (const [what, content, expected] of [
  ['policies without the app', { policies: [allow('getorder')] }, ['/content/policies']],
  ['the app without policies', { run_as: 'app' }, ['/content/policies']],
  ['a statement that is none', asApp({ ...allow('getorder'), Effect: 'Maybe' }), ['/content/policies/0/Effect']],
  ['an action that there is none of', asApp(allow('read')), ['/content/policies/0/Action/0']],
  ['another name to run by', { run_as: 'admin' }, ['/content/run_as']],
] as const)
  test(`a block with ${what} is refused`, async () => {
    const body = { name: 'wrong', content: { name: 'wrong', ...reads, ...content } };
    const refused = assertProblem(await manage(org, 'POST', '/config/logicblock', { body }), 'validation_failed');
    assert.deepEqual(pointers(refused), expected);
  });

test('what a block may do by policies of its own is shown as wider access before it goes to production', async () => {
  const { org: app } = await foundedOrg(gateways);
  await provision(app);
  await block(
    'tidy',
    { steps: [{ id: 'a', type: 'transform', value: 1 }], ...asApp(allow('getuser', '/item/user/*')) },
    app,
  );
  const description = JSON.stringify(await publish(app));
  assert.match(description, /policies of its own, and not by those of its caller/);
  assert.match(description, /`getuser` on `\/item\/user\/\*`/);
});

test('what a block writes by policies of its own bears the name of the caller, and grants no rights that the caller does not hold', async () => {
  const statements = [allow('createorder'), allow(['createuseraclpolicy', 'createaclpolicy'])];
  const values = { title: '{{ input.title }}', state: 'made' };
  const made = { id: 'made', type: 'create', entity: 'order', values };
  await block('make', { steps: [made], returns: '{{ steps.made }}', ...asApp(...statements) });
  const { status, body, text } = await run('make', { title: 'three' });
  assert.equal(status, 200, text);
  const stored = await act(founder, 'GET', `/item/order/${String(body.id)}`);
  assert.deepEqual([stored.body.title, stored.body.created_by], ['three', user.id]);
  assertProblem(await act(user, 'POST', '/create/order', { body: { title: 'four' } }), 'access_denied');
  const policy = { id: 'policy', type: 'create', entity: 'aclpolicy' };
  const all = { name: 'all', statements: [allow('*')] };
  await block('grant', { steps: [{ ...policy, values: all }], ...asApp(...statements) });
  assertProblem(await run('grant', {}), 'escalation_refused');
});
