import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProblemBody, ProblemCode } from '@freehold/contract/problem';
import { assertProblem, pointers } from './assert-problem.ts';
import { apart, atomic, creating, deleting, type Operation, type Results, together, updating } from './batches.ts';
import {
  type AppUser,
  act,
  allow,
  appUrl,
  count,
  create,
  defineEntity,
  definition,
  deny,
  foundedOrg,
  list,
  memberWith,
  type StoredRecord,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);

const code = { name: 'code', validate: true, maxlength: 5, required: false };
const UniqueIndexes = [{ indexName: 'by_code', fields: ['code'] }];
await defineEntity(org, { ...definition('part', [code, { name: 'note' }]), UniqueIndexes });
await defineEntity(org, definition('box', [{ name: 'title' }]));
const lookup = (onDelete: string) => ({ colType: 'guid', lookup: { entity: 'box', onDelete } });
await defineEntity(org, definition('thing', [{ name: 'in', ...lookup('cascade') }, { name: 'label' }]));
await defineEntity(org, definition('seal', [{ name: 'on', ...lookup('restrict') }]));
await defineEntity(org, definition('memo', [{ name: 'about', ...lookup('setnull') }]));

async function read(entity: string, { id }: { readonly id: string }): Promise<StoredRecord | undefined> {
  const { status, body } = await act(founder, 'GET', `/item/${entity}/${id}`);
  return status === 200 ? body : undefined;
}

/** A refused atomic batch leaves every record as it was, and no new one. */
async function refused(operations: readonly unknown[], code: ProblemCode, user: AppUser = founder) {
  const entities = ['part', 'box', 'thing', 'seal', 'memo'];
  const everything = async () => Promise.all(entities.map((entity) => list(founder, entity, '?pagesize=200')));
  const before = await everything();
  const problem = assertProblem(await atomic(user, operations), code);
  assert.deepEqual(await everything(), before);
  return problem;
}

for (const mode of ['atomic', 'independent'] as const) {
  test(`the results of a batch that is ${mode} are in the order of its operations`, async () => {
    const [changed, removed] = [await create(founder, 'part', { note: 'a' }), await create(founder, 'part', {})];
    const operations = [
      creating('part', { note: 'new' }),
      updating('part', changed, { note: 'b' }),
      deleting('part', removed),
    ];
    const { status, body, text } = await act<Results>(founder, 'POST', '/batch', { body: { mode, operations } });
    assert.equal(status, 200, text);
    const [made, updated, gone] = body.results;
    assert.deepEqual([made?.status, updated?.status, gone], [201, 200, { status: 204, id: removed.id }]);
    assert.deepEqual(made?.record, await read('part', { id: made?.id ?? '' }));
    assert.deepEqual(updated?.record, await read('part', changed));
    assert.deepEqual([updated?.id, updated?.record?.note], [changed.id, 'b']);
    assert.equal(await read('part', removed), undefined);
    const item = await act(founder, 'GET', `/item/part/${changed.id}`);
    assert.equal(updated?.etag, item.headers.get('etag'));
  });

  test(`a batch that is ${mode} holds an operation to the version that it names`, async () => {
    const record = await create(founder, 'part', { note: 'a' });
    const first = { ...updating('part', record, { note: 'b' }), if_match: `"${record.version}"` };
    const send = (operation: Operation) =>
      act<Results & ProblemBody>(founder, 'POST', '/batch', { body: { mode, operations: [operation] } });
    assert.equal((await send(first)).body.results[0]?.status, 200);
    for (const stale of [first, { ...deleting('part', record), if_match: `"${record.version}", "x"` }]) {
      const { body } = await send(stale);
      const problem = mode === 'atomic' ? body : body.results[0]?.error;
      assert.deepEqual([problem?.status, problem?.code], [412, 'version_mismatch']);
      assert.deepEqual(pointers(problem ?? body), ['/operations/0/if_match']);
    }
    const any = await send({ ...deleting('part', record), if_match: '*' });
    assert.equal(any.body.results[0]?.status, 204);
  });
}

test('the operations of an atomic batch are one write: its records have one version', async () => {
  const results = await together(founder, [creating('part', {}), creating('box', {}), creating('part', {})]);
  assert.equal(new Set(results.map(({ record }) => record?.version)).size, 1);
  assert.equal(new Set(results.map(({ id }) => id)).size, 3);
});

test('records may swap their unique values in an atomic batch, and take those that are freed in it', async () => {
  const [a, b] = [await create(founder, 'part', { code: 'swap1' }), await create(founder, 'part', { code: 'swap2' })];
  await together(founder, [updating('part', a, { code: 'swap2' }), updating('part', b, { code: 'swap1' })]);
  assert.deepEqual([(await read('part', a))?.code, (await read('part', b))?.code], ['swap2', 'swap1']);
  await together(founder, [creating('part', { code: 'swap2' }), deleting('part', a)]);
  assertProblem(await act(founder, 'POST', '/create/part', { body: { code: 'swap2' } }), 'unique_violation');
  const alone = await apart(founder, [updating('part', b, { code: 'swap2' })]);
  assert.equal(alone[0]?.status, 409);
});

test('of two operations that take one unique value the second is refused, and the first with it', async () => {
  const problem = await refused(
    [creating('part', { code: 'once' }), creating('part', { code: 'once' })],
    'unique_violation',
  );
  assert.equal(problem.detail, 'Unique constraint violation on field: by_code');
  assert.deepEqual(pointers(problem), ['/operations/1/data/code']);
});

test('a record is removed together with those that refer to it, each of them named or not', async () => {
  const box = await create(founder, 'box', {});
  const [thing, other, seal, memo] = [
    await create(founder, 'thing', { in: box.id }),
    await create(founder, 'thing', { in: box.id }),
    await create(founder, 'seal', { on: box.id }),
    await create(founder, 'memo', { about: box.id }),
  ];
  assert.deepEqual(pointers(await refused([creating('part', {}), deleting('box', box)], 'dangling_reference')), [
    '/operations/1/id',
  ]);
  const results = await together(founder, [deleting('box', box), deleting('thing', thing), deleting('seal', seal)]);
  assert.deepEqual(
    results.map(({ status }) => status),
    [204, 204, 204],
  );
  for (const [entity, record] of [
    ['box', box],
    ['thing', thing],
    ['thing', other],
    ['seal', seal],
  ] as const)
    assert.equal(await read(entity, record), undefined);
  assert.equal((await read('memo', memo))?.about, undefined);
  assert.equal(await count(founder, 'thing'), (await list(founder, 'thing', '?pagesize=200')).items.length);
});

test('an atomic batch is refused that changes what it removes, or refers to it', async () => {
  const box = await create(founder, 'box', {});
  const thing = await create(founder, 'thing', { in: box.id });
  const gone = deleting('box', box);
  const changing = await refused([updating('thing', thing, { label: 'x' }), gone], 'conflict');
  assert.deepEqual(pointers(changing), ['/operations/1/id']);
  const referring = await refused([gone, creating('seal', { on: box.id })], 'conflict');
  assert.match(JSON.stringify(referring.errors), /contradict/);
});

test('an operation that is refused takes an atomic batch with it, and says what is wrong where', async () => {
  const record = await create(founder, 'part', { code: 'held' });
  const missing = { id: '01890000-0000-7000-8000-000000000000' };
  const good = creating('part', { note: 'not to be made' });
  const cases: readonly (readonly [Operation, ProblemCode, readonly string[]])[] = [
    [creating('part', { code: 'toolong', nothing: 1 }), 'validation_failed', ['/data/code', '/data/nothing']],
    [creating('part', { nothing: 1, 'a/b': 2 }), 'unknown_field', ['/data/a~1b', '/data/nothing']],
    [creating('part', { code: 'held' }), 'unique_violation', ['/data/code']],
    [creating('thing', { in: missing.id }), 'validation_failed', ['/data/in']],
    [creating('nothing', {}), 'not_found', ['/entity']],
    [updating('part', missing, {}), 'not_found', ['/id']],
    [updating('box', record, {}), 'not_found', ['/id']],
    [deleting('part', missing), 'not_found', ['/id']],
    [deleting('part', { id: 'none' }), 'not_found', ['/id']],
    [updating('part', record, { id: missing.id }), 'unknown_field', ['/data/id']],
  ];
  for (const [operation, code, places] of cases) {
    const problem = await refused([good, operation, good], code);
    assert.deepEqual(
      pointers(problem),
      places.map((place) => `/operations/1${place}`),
    );
  }
});

test('an operation that is refused leaves the others of a batch that is not atomic', async () => {
  const [a, b] = [await create(founder, 'part', {}), await create(founder, 'part', {})];
  const results = await apart(founder, [
    updating('part', a, { note: 'first' }),
    creating('part', { nothing: 1 }),
    deleting('part', b),
    updating('part', b, { note: 'gone' }),
    updating('part', a, { note: 'second' }),
    creating('nothing', {}),
  ]);
  assert.deepEqual(
    results.map(({ status, error }) => [status, error?.status, error?.code]),
    [
      [200, undefined, undefined],
      [400, 400, 'unknown_field'],
      [204, undefined, undefined],
      [404, 404, 'not_found'],
      [200, undefined, undefined],
      [404, 404, 'not_found'],
    ],
  );
  assert.deepEqual(pointers(results[1]?.error as ProblemBody), ['/operations/1/data/nothing']);
  assert.match(results[1]?.error?.type ?? '', /^http:.*\/problems\/unknown_field$/);
  assert.equal((await read('part', a))?.note, 'second');
});

test('each operation is allowed or denied by the policies of its own route', async () => {
  const [mine, others] = [await create(founder, 'part', {}), await create(founder, 'part', {})];
  const member = await memberWith(founder, [
    allow('createpart', '/create/part'),
    allow('updatepart', `/update/part/${mine.id}`),
    allow('deletepart'),
    deny('deletepart', `/delete/part/${others.id}`),
  ]);
  const operations = [
    creating('part', {}),
    updating('part', mine, { note: 'mine' }),
    creating('box', {}),
    updating('part', others, {}),
    deleting('part', others),
    creating('nothing', {}),
  ];
  const results = await apart(member, operations);
  assert.deepEqual(
    results.map(({ status, error }) => [status, error?.reason]),
    [
      [201, undefined],
      [200, undefined],
      [403, 'implicit_deny'],
      [403, 'implicit_deny'],
      [403, 'explicit_deny'],
      [403, 'implicit_deny'],
    ],
  );
  for (const operation of operations.slice(2)) {
    const problem = await refused([creating('part', {}), operation], 'access_denied', member);
    assert.deepEqual(pointers(problem), ['/operations/1/action']);
    assert.ok(problem.decision_id);
  }
  assert.ok(await read('part', others));
});

test('records of another org’s workspace do not exist for a caller', async () => {
  const other = await foundedOrg(gateways);
  await defineEntity(other.org, definition('part', [{ name: 'note' }]));
  const theirs = await create(other.founder, 'part', { note: 'theirs' });
  for (const operation of [updating('part', theirs, { note: 'x' }), deleting('part', theirs)]) {
    await refused([operation], 'not_found');
    assert.equal((await apart(founder, [operation]))[0]?.status, 404);
  }
  const read = await act(other.founder, 'GET', `/item/part/${theirs.id}`);
  assert.deepEqual(read.body, theirs);
  const url = appUrl(other.org, '/batch');
  const { status } = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${founder.token}` } });
  assert.equal(status, 401);
});

test('a batch allows a caller nothing that single calls deny', async () => {
  const clerk = await memberWith(founder, [allow(['createaclpolicy', 'createpart'])]);
  const policy = creating('aclpolicy', { name: 'all', statements: [allow('*')] });
  const problem = await refused([creating('part', {}), policy], 'escalation_refused', clerk);
  assert.deepEqual(pointers(problem), ['/operations/1/data']);
  const [, made] = await apart(clerk, [creating('part', {}), policy]);
  assert.equal(made?.error?.code, 'escalation_refused');
});

test('an atomic batch comes through while others keep changing its records', async () => {
  const records = await Promise.all([1, 2, 3, 4].map(() => create(founder, 'part', { note: '0' })));
  let isDone = false;
  const changing = records.map(async (record) => {
    while (!isDone) await act(founder, 'PUT', `/update/part/${record.id}`, { body: { note: 'x' } });
  });
  for (let round = 0; round < 20; round++)
    await together(
      founder,
      records.map((record) => updating('part', record, { code: `r${records.indexOf(record)}` })),
    );
  isDone = true;
  await Promise.all(changing);
});
