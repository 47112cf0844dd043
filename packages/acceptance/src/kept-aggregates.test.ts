/** Aggregates that a definition keeps: over HTTP, in production, and after an erase. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { type AppUser, act, create, defineEntity, foundedOrg, manage, type Org, signIn } from './org.ts';
import { erase } from './person-jobs.ts';
import { platformForTests } from './platform-for-tests.ts';
import { deploy, prodFounder, provisionedOrg, settledIndexes } from './promotion.ts';

const gateways = await platformForTests();

const order = {
  entityName: 'order',
  UpdateParams: [
    { name: 'status' },
    { name: 'amount', colType: 'integer' },
    { name: 'price', colType: 'number' },
    { name: 'tags', colType: 'array' },
    { name: 'owner_id', colType: 'guid', required: false },
  ],
  ownerIndexes: [
    { ownerFieldName: 'owner_id', gpkTemplate: 'org#{org};data#order;owner#{owner_id}', gskTemplate: '{id}' },
  ],
};
const kept = {
  aggregates: [
    { name: 'by_status', group: ['status'], measures: ['count', 'sum:amount'] },
    { name: 'by_owner', group: ['owner_id', 'created_by'], measures: ['count'] },
  ],
};

interface Groups {
  readonly items: readonly { readonly group: object; readonly values: object }[];
}

async function groups(user: AppUser, query: string): Promise<Groups['items']> {
  const { status, text, body } = await act<Groups>(user, 'GET', `/aggregate/order?${query}`);
  assert.equal(status, 200, text);
  return body.items;
}

async function statesOf(org: Org, env = 'test'): Promise<readonly unknown[]> {
  const all = await settledIndexes(org, 'order', env);
  return all.filter(({ kind }) => kind === 'aggregate').map(({ name, state }) => [name, state]);
}

const ready = [
  ['by_status', 'ready'],
  ['by_owner', 'ready'],
];

test('an aggregate is built from the records, goes with their writes, and is built again in production', async () => {
  const org = await provisionedOrg(gateways);
  await defineEntity(org, order);
  const founder = await signIn(org);
  const made = await create(founder, 'order', { status: 'open', amount: 4 });
  await create(founder, 'order', { status: 'open', amount: 6 });
  const changed = await manage(org, 'PUT', '/api/create-order', { body: kept });
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual(await statesOf(org), ready);
  await act(founder, 'PUT', `/update/order/${made.id}`, { body: { status: 'paid', amount: 5 } });
  assert.deepEqual(await groups(founder, 'group=status&measure=count,sum:amount'), [
    { group: { status: 'open' }, values: { count: 1, sum_amount: 6 } },
    { group: { status: 'paid' }, values: { count: 1, sum_amount: 5 } },
  ]);
  await deploy(org);
  assert.deepEqual(await statesOf(org, 'prod'), ready);
  const user = await prodFounder(org);
  assert.deepEqual(await groups(user, 'group=status'), []);
  await create(user, 'order', { status: 'sent', amount: 1 });
  assert.deepEqual(await groups(user, 'group=status'), [{ group: { status: 'sent' }, values: { count: 1 } }]);
});

test('an erased person is in no group', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, { ...order, ...kept });
  assert.deepEqual(await statesOf(org), ready);
  const person = await signIn(org);
  await create(founder, 'order', { status: 'open', owner_id: person.id });
  await create(founder, 'order', { status: 'open' });
  const query = 'group=owner_id&owner_id_op=exists&owner_id=true';
  assert.match(JSON.stringify(await groups(founder, 'group=owner_id')), new RegExp(person.id));
  await erase(org, person, 'keep');
  assert.doesNotMatch(JSON.stringify(await groups(founder, 'group=owner_id')), new RegExp(person.id));
  assert.deepEqual(await statesOf(org), ready);
  assert.equal((await groups(founder, query)).length, 1);
});

test('an aggregate that cannot be kept is refused, and its definition with it', async () => {
  const { org } = await foundedOrg(gateways);
  const of = (...aggregates: readonly object[]) =>
    manage(org, 'POST', '/api/create-order', { body: { ...order, aggregates } });
  const [one] = kept.aggregates;
  for (const [wrong, pointer, code] of [
    [{ ...one, group: ['nothing'] }, '/aggregates/0/group/0', 'unknown_field'],
    [{ ...one, group: ['tags'] }, '/aggregates/0/group/0', 'validation_failed'],
    [{ ...one, measures: ['sum:price'] }, '/aggregates/0/measures/0', 'validation_failed'],
    [{ ...one, measures: ['max:amount'] }, '/aggregates/0/measures/0', 'validation_failed'],
    [{ ...one, name: 'By Status' }, '/aggregates/0/name', 'validation_failed'],
  ] as const)
    assert.deepEqual(pointers(assertProblem(await of(wrong), code)), [pointer], JSON.stringify(wrong));
  assertProblem(await of(...Array.from({ length: 6 }, (_, at) => ({ ...one, name: `a${at}` }))), 'validation_failed');
  assertProblem(await of({ ...one }, { ...one }), 'validation_failed');
  assert.equal((await of({ ...one })).status, 201);
});
