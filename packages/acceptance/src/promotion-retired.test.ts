/** An entity that production serves no more keeps its records until their removal is requested. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { assertNow } from './moments.ts';
import {
  type AppUser,
  act,
  count,
  create,
  defineEntity,
  definition,
  list,
  manage,
  type Org,
  type StoredRecord,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import {
  activate,
  type Check,
  change,
  deploy,
  diff,
  entity,
  onceAccepted,
  prodFounder,
  provisionedOrg,
  publish,
  removeEntity,
  rollback,
  settledIndexes,
  tryActivate,
  tryRollback,
} from './promotion.ts';

const gateways = await platformForTests();
const memo = {
  ...definition('memo', [{ name: 'text', index: true }, { name: 'code' }]),
  UniqueIndexes: [{ indexName: 'by_code', fields: ['code'] }],
};

interface Retired {
  readonly name: string;
  readonly records: number;
  readonly retired_at: string;
}

async function retired(org: Org): Promise<readonly Retired[]> {
  const reply = await manage<{ items: readonly Retired[] }>(org, 'GET', '/deploy/retired');
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items;
}

/** An org whose production had an entity with two records and has it no more. */
async function orgWithRetired(): Promise<{ org: Org; user: AppUser; records: readonly StoredRecord[] }> {
  const org = await provisionedOrg(gateways);
  await defineEntity(org, memo);
  await deploy(org);
  const user = await prodFounder(org);
  const records = [
    await create(user, 'memo', { text: 'a', code: '1' }),
    await create(user, 'memo', { text: 'b', code: '2' }),
  ];
  await removeEntity(org, 'memo');
  await deploy(org);
  return { org, user, records };
}

async function definedAgain(org: Org, body: Readonly<Record<string, unknown>>): Promise<void> {
  await onceAccepted(() => manage(org, 'POST', '/api/create-memo', { body }));
}

test('an entity that is taken out is served no more, and its records are counted', async () => {
  const { org, user, records } = await orgWithRetired();
  assertProblem(await act(user, 'GET', '/list/memo'), 'not_found');
  assertProblem(await act(user, 'GET', `/item/memo/${records[0]?.id}`), 'not_found');
  assertProblem(await act(user, 'POST', '/create/memo', { body: {} }), 'not_found');
  const [one, ...others] = await retired(org);
  assert.deepEqual([one?.name, one?.records, others], ['memo', 2, []]);
  assertNow(one?.retired_at);
});

test('a rollback brings it back with every record, its indexes and its unique values', async () => {
  const { org, user, records } = await orgWithRetired();
  await rollback(org);
  assert.deepEqual(await retired(org), []);
  assert.deepEqual((await list(user, 'memo')).items, records.toReversed());
  assert.equal(await count(user, 'memo', '?text=b'), 1);
  assertProblem(await act(user, 'POST', '/create/memo', { body: { code: '2' } }), 'unique_violation');
  await create(user, 'memo', { text: 'c', code: '3' });
  assert.equal(await count(user, 'memo'), 3);
});

test('an entity of the same name that is published again has the records, as far as its definition shows them', async () => {
  const { org, user } = await orgWithRetired();
  await definedAgain(org, definition('memo', [{ name: 'text' }, { name: 'place' }]));
  await deploy(org);
  assert.deepEqual(await retired(org), []);
  assert.deepEqual(
    (await list(user, 'memo')).items.map(({ text, code }) => [text, code]),
    [
      ['b', undefined],
      ['a', undefined],
    ],
  );
  assert.equal((await act(user, 'POST', '/create/memo', { body: { text: 'c', place: 'Ulm' } })).status, 201);
});

test('records that a definition would refuse block it even if they were not served', async () => {
  const { org } = await orgWithRetired();
  await definedAgain(org, definition('memo', [{ name: 'text', validate: true, minlength: 2 }]));
  await publish(org);
  assertProblem(await tryActivate(org), 'conflict');
  await activate(org, { force: true });
});

test('missing targets of its records are reported before it comes back, and block no rollback', async () => {
  const org = await provisionedOrg(gateways);
  const line = definition('line', [{ name: 'customer_id', lookup: { entity: 'customer' } }]);
  await defineEntity(org, definition('customer', [{ name: 'name' }]));
  await defineEntity(org, line);
  await deploy(org);
  const user = await prodFounder(org);
  const [gone, kept] = [await create(user, 'customer', {}), await create(user, 'customer', {})];
  const left = await create(user, 'line', { customer_id: gone.id });
  await create(user, 'line', { customer_id: kept.id });
  await removeEntity(org, 'line');
  await deploy(org);
  assert.equal((await act(user, 'DELETE', `/delete/customer/${gone.id}`)).status, 204);
  await onceAccepted(() => manage(org, 'POST', '/api/create-line', { body: line }));
  await publish(org);
  const { checks } = assertProblem(await tryActivate(org), 'conflict') as unknown as { checks: readonly Check[] };
  const [warnings] = checks.filter(({ check }) => check === 'records');
  const [example] = (warnings?.examples ?? []) as readonly { id: string; errors: readonly { code: string }[] }[];
  assert.deepEqual(
    [warnings?.name, warnings?.would_fail, warnings?.checked, example?.id, example?.errors.map(({ code }) => code)],
    ['line', 1, 2, left.id, ['unknown_reference']],
  );
  assert.deepEqual(
    (await retired(org)).map(({ name }) => name),
    ['line'],
  );
  await rollback(org);
  assert.equal(await count(user, 'line'), 2);
});

test('an entity whose keys production cannot take is named, and what has to be done first', async () => {
  const { org } = await orgWithRetired();
  await definedAgain(org, { ...memo, baseKeys: { pkTemplate: 'org#{org};other#memo', skTemplate: 'm#{id}' } });
  const { checks } = await publish(org);
  const [warnings] = checks.filter(({ check }) => check === 'switch');
  assert.deepEqual([warnings?.kind, warnings?.name, warnings?.level], ['entity', 'memo', 'error']);
  assert.match(warnings?.message ?? '', /`memo`.*remove the entity and its records first/);
  assertProblem(await tryActivate(org, { force: true }), 'conflict');
  assert.equal((await manage(org, 'DELETE', '/deploy/retired/memo')).status, 204);
  await onceAccepted(() => tryActivate(org));
});

test('its records are removed when they are asked to, and the name is free then', async () => {
  const { org, user } = await orgWithRetired();
  assert.equal((await manage(org, 'DELETE', '/deploy/retired/memo')).status, 204);
  assert.deepEqual(await retired(org), []);
  assertProblem(await manage(org, 'DELETE', '/deploy/retired/memo'), 'not_found');
  await onceAccepted(() => tryRollback(org));
  assert.deepEqual((await list(user, 'memo')).items, []);
  await create(user, 'memo', { text: 'a', code: '1' });
  assert.equal(await count(user, 'memo'), 1);
  const log = await manage<{ items: { target: object; env: string }[] }>(
    org,
    'GET',
    '/audit?action=deploy.records_removed',
  );
  assert.deepEqual(
    log.body.items.map(({ target, env }) => [target, env]),
    [[{ kind: 'entity', id: 'memo' }, 'prod']],
  );
});

test('what is removed is not what test has, and no other entity of production', async () => {
  const { org, user } = await orgWithRetired();
  await defineEntity(org, definition('note', [{ name: 'title' }]));
  await deploy(org);
  const kept = await create(user, 'note', { title: 'kept' });
  assert.equal((await manage(org, 'DELETE', '/deploy/retired/memo')).status, 204);
  assertProblem(await manage(org, 'DELETE', '/deploy/retired/note'), 'not_found');
  await onceAccepted(() => tryRollback(org));
  await rollback(org, 3);
  assert.deepEqual((await list(user, 'note')).items, [kept]);
});

test('what referred to its records refers to nothing while it is retired, and does so again when it comes back', async () => {
  const org = await provisionedOrg(gateways);
  await defineEntity(org, memo);
  await defineEntity(org, definition('note', [{ name: 'memo_id', colType: 'guid', lookup: { entity: 'memo' } }]));
  await deploy(org);
  const user = await prodFounder(org);
  const { id } = await create(user, 'memo', { text: 'a' });
  const note = await create(user, 'note', { memo_id: id });
  await change(org, 'create-note', { UpdateParams: [{ name: 'memo_id', colType: 'guid' }] });
  await removeEntity(org, 'memo');
  await publish(org, [entity('memo')]);
  await activate(org);
  assert.deepEqual(await diff(org), []);
  assert.equal((await act(user, 'GET', `/item/note/${note.id}`)).body.memo_id, id);
  assert.equal((await act(user, 'POST', '/create/note', { body: { memo_id: id } })).status, 201);
  await rollback(org);
  await settledIndexes(org, 'note');
  assertProblem(await act(user, 'DELETE', `/delete/memo/${id}`), 'dangling_reference');
  assertProblem(await act(user, 'POST', '/create/note', { body: { memo_id: user.id } }), 'validation_failed');
});
