import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, assertRefusal, pointers } from './assert-problem.ts';
import {
  type AppUser,
  act,
  allow,
  count,
  create,
  defineEntity,
  definition,
  foundedOrg,
  list,
  manage,
  memberWith,
  type StoredRecord,
  signUp,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);

const fields = [
  { name: 'title' },
  { name: 'owner_id', colType: 'guid' },
  { name: 'reviewer' },
  { name: 'project' },
  { name: 'score', colType: 'integer', index: true },
];
const owned = (ownerFieldName: string, gskTemplate: string, more: object = {}) => ({
  ownerFieldName,
  gpkTemplate: `org#{org};data#task;owner#{${ownerFieldName}}`,
  gskTemplate,
  ...more,
});
const parentIndex = {
  parentFieldName: 'project',
  gpkTemplate: 'org#{org};data#task;project#{project}',
  gskTemplate: '{score}#{id}',
};
const ownerIndexes = [owned('reviewer', 'task#{id}'), owned('owner_id', 'task#{score}#{id}', { scopeList: true })];
await defineEntity(org, { ...definition('task', fields), ownerIndexes, parentIndex });
await defineEntity(org, { ...definition('note', fields), ownerIndexes: [owned('owner_id', '{id}')] });
await defineEntity(org, { ...definition('memo', fields), ownerIndexes: [owned('created_by', '{id}')] });
await defineEntity(org, definition('plain', fields));

const verbs = ['create', 'get', 'list', 'count', 'update', 'delete'];
const member = await memberWith(founder, [allow(verbs.map((verb) => `${verb}*`))]);
const browser = await memberWith(founder, [allow([...verbs.map((verb) => `${verb}*`), 'browsetask'])]);

const tasks: StoredRecord[] = [];
for (let index = 0; index < 12; index++) {
  const user = [founder, member, browser][index % 3] ?? founder;
  const body = { title: `t${index}`, score: (index * 5) % 12, ...(index < 9 ? { project: `p${index % 2}` } : {}) };
  tasks.push(await create(user, 'task', body));
}

const ids = (records: readonly StoredRecord[]) => records.map(({ id }) => id);
const listed = async (user: AppUser, query = '', entity = 'task') => ids((await list(user, entity, query)).items);
const newestFirst = (holds: (record: StoredRecord) => boolean) => ids(tasks.filter(holds).toReversed());
const byScore = (holds: (record: StoredRecord) => boolean) =>
  ids(tasks.filter(holds).toSorted((a, b) => Number(a.score) - Number(b.score)));
const ofUser = (user: AppUser) => (record: StoredRecord) => record.owner_id === user.id;

test('an owner that is left out at the create is the caller, one that is sent stays', async () => {
  assert.deepEqual(
    tasks.slice(0, 3).map((task) => task.owner_id),
    [founder.id, member.id, browser.id],
  );
  const given = await create(founder, 'note', { owner_id: member.id });
  assert.equal(given.owner_id, member.id);
  const none = await create(founder, 'note', { owner_id: null });
  assert.equal(none.owner_id, undefined);
  for (const note of [given, none]) await act(founder, 'DELETE', `/delete/note/${note.id}`);
});

test('an owner index with the default `none` leaves a record without an owner, and asks for one that is required', async () => {
  const unowned = [owned('owner_id', '{id}', { default: 'none', scopeList: true }), owned('reviewer', 'task#{id}')];
  await defineEntity(org, { ...definition('lead', fields), ownerIndexes: unowned });
  const { id, owner_id, reviewer } = await create(founder, 'lead', {});
  assert.deepEqual([owner_id, reviewer], [undefined, founder.id]);
  assert.deepEqual(await listed(founder, '', 'lead'), []);
  assert.deepEqual(await listed(founder, '?all=true', 'lead'), [id]);
  await act(founder, 'PUT', `/update/lead/${id}`, { body: { owner_id: founder.id } });
  assert.deepEqual(await listed(founder, '', 'lead'), [id]);
  const needed = fields.map((field) => (field.name === 'owner_id' ? { ...field, validate: true } : field));
  await defineEntity(org, { ...definition('case', needed), ownerIndexes: unowned });
  const reply = await act(founder, 'POST', '/create/case', { body: {} });
  assert.deepEqual(pointers(assertProblem(reply, 'validation_failed')), ['/owner_id']);
});

test('a default of an owner index that there is not, and none for the creator, are refused', async () => {
  for (const [index, code] of [
    [owned('owner_id', '{id}', { default: 'team' }), 'not_in_enum'],
    [owned('created_by', '{id}', { default: 'none' }), 'contradiction'],
  ] as const) {
    const body = { ...definition('broken', fields), ownerIndexes: [index] };
    const { errors } = assertProblem(await manage(org, 'POST', '/api/create-broken', { body }), 'validation_failed');
    assert.deepEqual(
      errors?.map((error) => [error.pointer, error.code]),
      [['/ownerIndexes/0/default', code]],
    );
  }
});

test('a plain list and a plain count of an entity with `scopeList` hold the caller’s own records only', async () => {
  for (const user of [founder, member, browser]) {
    assert.deepEqual(await listed(user), newestFirst(ofUser(user)));
    assert.equal(await count(user, 'task'), 4);
    assert.deepEqual(await listed(user, `?owner=${user.id}`), newestFirst(ofUser(user)));
  }
});

test('all records and those of another need `browse`, which `*` covers and `list*` does not', async () => {
  for (const query of ['?all=true', `?owner=${founder.id}`, '?all=true&score=1', `?owner=${founder.id}&sortby=score`]) {
    assertProblem(await act(member, 'GET', `/list/task${query}`), 'access_denied');
    assertProblem(await act(member, 'GET', `/count/task${query.replace('&sortby=score', '')}`), 'access_denied');
  }
  for (const user of [founder, browser]) {
    assert.deepEqual(
      await listed(user, '?all=true'),
      newestFirst(() => true),
    );
    assert.equal(await count(user, 'task', '?all=true'), 12);
    assert.deepEqual(await listed(user, `?owner=${member.id}`), newestFirst(ofUser(member)));
    assert.equal(await count(user, 'task', `?owner=${member.id}`), 4);
  }
  assert.deepEqual(await listed(member, '?all=false'), newestFirst(ofUser(member)));
});

test('filters, sorts and searches of a scoped list stay within the caller’s own records', async () => {
  for (const query of [`?owner_id=${founder.id}`, '?title=t0', `?created_by=${founder.id}`, '?title=t0&sortby=score'])
    assert.deepEqual(await listed(member, query), [], query);
  assert.deepEqual(
    await listed(member, '?project=p0'),
    newestFirst((task) => ofUser(member)(task) && task.project === 'p0'),
  );
  assert.deepEqual(await listed(member, '?sortby=score'), byScore(ofUser(member)));
  assert.deepEqual(await listed(member, '?sortby=score&sortdir=desc'), byScore(ofUser(member)).toReversed());
});

test('a cursor of a scoped list is of no use to another caller, nor to ask for all', async () => {
  const { nexttoken } = await list(member, 'task', '?pagesize=2');
  const token = `pagesize=2&nexttoken=${encodeURIComponent(nexttoken ?? '')}`;
  assert.deepEqual(await listed(member, `?${token}`), newestFirst(ofUser(member)).slice(2));
  assertProblem(await act(founder, 'GET', `/list/task?${token}`), 'invalid_cursor');
  assertProblem(await act(founder, 'GET', `/list/task?all=true&${token}`), 'invalid_cursor');
  assertProblem(await act(member, 'GET', `/list/task?all=true&${token}`), 'access_denied');
});

test('without `scopeList` an owner index scopes nothing, and lists by any owner', async () => {
  const notes: StoredRecord[] = [];
  for (const user of [founder, member, founder]) notes.unshift(await create(user, 'note', { title: user.email }));
  assert.deepEqual(await listed(member, '', 'note'), ids(notes));
  assert.deepEqual(
    await listed(member, `?owner=${founder.id}`, 'note'),
    ids([notes[0], notes[2]].flatMap((n) => n ?? [])),
  );
  assert.deepEqual(await listed(founder, `?owner=${browser.id}`, 'note'), []);
});

test('an owner index on `created_by` needs no field of its own', async () => {
  const memo = await create(member, 'memo', {});
  await create(founder, 'memo', {});
  assert.deepEqual(await listed(founder, `?owner=${member.id}`, 'memo'), [memo.id]);
});

test('`owner` needs an owner index, and `all` one that scopes lists', async () => {
  for (const [entity, query, pointer] of [
    ['plain', `?owner=${founder.id}`, '/owner'],
    ['plain', '?all=true', '/all'],
    ['note', '?all=true', '/all'],
    ['task', '?all=yes', '/all'],
    ['task', '?all=', '/all'],
    ['task', `?all=true&owner=${founder.id}`, '/all'],
    ['task', '?owner=me', '/owner'],
    ['task', '?owner=', '/owner'],
  ] as const)
    for (const route of ['list', 'count']) {
      const problem = assertProblem(await act(founder, 'GET', `/${route}/${entity}${query}`), 'invalid_request');
      assert.deepEqual(pointers(problem), [pointer], query);
    }
});

test('records are listed by their parent, without those that have none', async () => {
  for (const project of ['p0', 'p1']) {
    const holds = (task: StoredRecord) => task.project === project;
    assert.deepEqual(await listed(founder, `?all=true&project=${project}`), newestFirst(holds));
    assert.deepEqual(await listed(founder, `?all=true&project=${project}&sortby=score`), byScore(holds));
    assert.equal(await count(founder, 'task', `?all=true&project=${project}`), tasks.filter(holds).length);
  }
  for (const absent of ['', 'undefined', 'null', 'p', 'p0#', 'P0'])
    assert.deepEqual(await listed(founder, `?all=true&project=${encodeURIComponent(absent)}`), [], absent);
});

test('a record that gets another owner or parent is listed there at once, and there only', async () => {
  const moving = await create(member, 'task', { title: 'moving', project: 'from#here', score: 50 });
  const at = (query: string) => listed(founder, query);
  assert.deepEqual(await at('?all=true&project=from%23here'), [moving.id]);
  const body = { owner_id: browser.id, project: 'to;there' };
  assert.equal((await act(member, 'PUT', `/update/task/${moving.id}`, { body })).status, 200);
  assert.deepEqual(await at('?all=true&project=from%23here'), []);
  assert.deepEqual(await at('?all=true&project=to;there'), [moving.id]);
  assert.ok(!(await listed(member)).includes(moving.id));
  assert.equal((await listed(browser))[0], moving.id);
  assert.equal((await listed(browser, '?sortby=score&sortdir=desc'))[0], moving.id);
  await act(member, 'PUT', `/update/task/${moving.id}`, { body: { owner_id: null, project: null } });
  assert.deepEqual(await at('?all=true&project=to;there'), []);
  assert.ok(!(await listed(browser)).includes(moving.id));
  assert.ok((await at('?all=true')).includes(moving.id));
  await act(member, 'DELETE', `/delete/task/${moving.id}`);
  assert.ok(!(await at('?all=true')).includes(moving.id));
});

const badIndexes: readonly (readonly [string, object, readonly string[]])[] = [
  ['an owner index on a list parameter', { ownerIndexes: [owned('view', '{id}')] }, ['/ownerIndexes/0/ownerFieldName']],
  [
    'an owner index on `updated_by`',
    { ownerIndexes: [owned('updated_by', '{id}')] },
    ['/ownerIndexes/0/ownerFieldName'],
  ],
  ['an owner index on a number', { ownerIndexes: [owned('score', '{id}')] }, ['/ownerIndexes/0/ownerFieldName']],
  [
    'two indexes that scope lists',
    { ownerIndexes: [owned('reviewer', '{id}', { scopeList: true }), owned('owner_id', '{id}', { scopeList: true })] },
    ['/ownerIndexes/1/scopeList'],
  ],
  [
    'two indexes on one owner',
    { ownerIndexes: [owned('owner_id', '{id}'), owned('owner_id', '{score}')] },
    ['/ownerIndexes/1/ownerFieldName'],
  ],
  [
    'owner keys outside the workspace',
    { ownerIndexes: [{ ...owned('owner_id', '{id}'), gpkTemplate: 'owner#{owner_id}' }] },
    ['/ownerIndexes/0/gpkTemplate'],
  ],
  [
    'owner keys that do not name the owner',
    { ownerIndexes: [{ ...owned('owner_id', '{id}'), gpkTemplate: 'org#{org};owner' }] },
    ['/ownerIndexes/0/gpkTemplate'],
  ],
  ['an unknown token', { ownerIndexes: [owned('owner_id', '{colour}')] }, ['/ownerIndexes/0/gskTemplate']],
  ['an unknown member', { ownerIndexes: [owned('owner_id', '{id}', { sorted: true })] }, ['/ownerIndexes/0/sorted']],
  ['a list of parents', { parentIndex: [parentIndex] }, ['/parentIndex']],
  [
    'a parent that is no field',
    { parentIndex: { ...parentIndex, parentFieldName: 'colour' } },
    ['/parentIndex/parentFieldName'],
  ],
  [
    'a parent without templates',
    { parentIndex: { parentFieldName: 'project' } },
    ['/parentIndex/gpkTemplate', '/parentIndex/gskTemplate'],
  ],
];

for (const [what, indexes, expected] of badIndexes)
  test(`a definition with ${what} is refused, and nothing is stored`, async () => {
    const own = await signUp(gateways);
    const body = { ...definition('task', fields), ...indexes };
    const problem = assertRefusal(await manage(own, 'POST', '/api/create-task', { body }), [400]);
    assert.deepEqual([...new Set(pointers(problem))], expected);
    assertProblem(await manage(own, 'GET', '/api/entity?entityName=task'), 'not_found');
  });
