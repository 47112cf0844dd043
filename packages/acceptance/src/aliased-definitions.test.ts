/** What a definition may say of other names of its fields. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { create, defineEntity, foundedOrg, list, manage, random } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
const text = { name: 'text', aliases: ['body', 'note'] };
await defineEntity(org, {
  entityName: 'entry',
  UpdateParams: [text, { name: 'minutes', colType: 'integer', aliases: ['time'] }],
  checks: [{ cel: 'time < 1000', message: 'less than 1000 minutes' }],
  Views: { old: { fields: [{ name: 'time' }] } },
});

test('an entity shows its aliases, and the names that policies know', async () => {
  const { body } = await manage<{ create: { UpdateParams: readonly object[] } }>(
    org,
    'GET',
    '/api/entity?entityName=entry',
  );
  assert.deepEqual(body.create.UpdateParams[0], { ...text, formerNames: ['body', 'note'] });
});

const refused: readonly (readonly [what: string, fields: readonly object[], pointer: string, code: string])[] = [
  [
    'the name of another field',
    [{ name: 'a', aliases: ['b'] }, { name: 'b' }],
    '/UpdateParams/0/aliases/0',
    'duplicate',
  ],
  [
    'an alias of another field',
    [
      { name: 'a', aliases: ['c'] },
      { name: 'b', aliases: ['c'] },
    ],
    '/UpdateParams/1/aliases/0',
    'duplicate',
  ],
  [
    'a former name of another field',
    [
      { name: 'a', formerNames: ['c'] },
      { name: 'b', aliases: ['c'] },
    ],
    '/UpdateParams/1/aliases/0',
    'duplicate',
  ],
  ['its own name', [{ name: 'a', aliases: ['a'] }], '/UpdateParams/0/aliases/0', 'duplicate'],
  ['a name twice', [{ name: 'a', aliases: ['b', 'b'] }], '/UpdateParams/0/aliases/1', 'duplicate'],
  ['a field of the platform', [{ name: 'a', aliases: ['version'] }], '/UpdateParams/0/aliases/0', 'invalid_name'],
  ['a parameter of lists', [{ name: 'a', aliases: ['sortby'] }], '/UpdateParams/0/aliases/0', 'invalid_name'],
  ['a built-in name', [{ name: 'a', aliases: ['__proto__'] }], '/UpdateParams/0/aliases/0', 'invalid_name'],
  ['five names', [{ name: 'a', aliases: ['b', 'c', 'd', 'e', 'f'] }], '/UpdateParams/0/aliases', 'too_many'],
  ['a text', [{ name: 'a', aliases: 'b' }], '/UpdateParams/0/aliases', 'wrong_type'],
];

for (const [what, UpdateParams, pointer, code] of refused)
  test(`a field cannot have ${what} as an alias`, async () => {
    const entityName = `wrong_${random()}`;
    const reply = await manage(org, 'POST', `/api/create-${entityName}`, { body: { entityName, UpdateParams } });
    const [error] = assertProblem(reply, 'validation_failed').errors ?? [];
    assert.deepEqual([error?.pointer, error?.code], [pointer, code], reply.text);
    assert.equal((await manage(org, 'GET', `/api/entity?entityName=${entityName}`)).status, 404);
  });

test('an entity has forty aliases at most, and the refusal says so', async () => {
  const entityName = `many_${random()}`;
  const UpdateParams = Array.from({ length: 41 }, (_, at) => ({ name: `f${at}`, aliases: [`g${at}`] }));
  const reply = await manage(org, 'POST', `/api/create-${entityName}`, { body: { entityName, UpdateParams } });
  assert.match(assertProblem(reply, 'validation_failed').detail, /at most 40 aliases together, and each at most 4/);
  await defineEntity(org, { entityName, UpdateParams: UpdateParams.slice(1) });
});

test('an alias that an expression or a view still names is not removed', async () => {
  const change = (field: object) => manage(org, 'PUT', '/api/create-entry', { body: { UpdateParams: [field] } });
  const problem = assertProblem(await change({ name: 'minutes', aliases: null }), 'validation_failed');
  const codes = (problem.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`);
  for (const one of ['/checks/0/cel invalid_expression', '/Views/old/fields/0/name unknown_field'])
    assert.ok(codes.includes(one), codes.join('\n'));
  assert.equal((await create(founder, 'entry', { text: 'ab', time: 3 })).minutes, 3);
});

test('an alias that has the name of a parameter of lists keeps it, with a warning', async () => {
  const entityName = `warned_${random()}`;
  const {
    status,
    body,
    text: reply,
  } = await manage<{ warnings: readonly string[] }>(org, 'POST', `/api/create-${entityName}`, {
    body: { entityName, UpdateParams: [{ name: 'sum', colType: 'integer', aliases: ['total'] }] },
  });
  assert.equal(status, 201, reply);
  assert.match(body.warnings.join(), /lists take `total` as a filter on it/);
  await create(founder, entityName, { total: 5 });
  const page = await list(founder, entityName, '?total=5&$total=true');
  assert.deepEqual(
    page.items.map(({ sum, total }) => [sum, total]),
    [[5, 5]],
  );
});

test('what the platform keeps of a field is sent as it stands, and not otherwise', async () => {
  const entityName = `kept_${random()}`;
  await defineEntity(org, { entityName, UpdateParams: [{ name: 'text', aliases: ['body'] }] });
  const change = (field: object) =>
    manage(org, 'PUT', `/api/create-${entityName}`, { body: { UpdateParams: [field] } });
  for (const [member, field] of [
    ['formerNames', { name: 'text', formerNames: ['other'] }],
    ['storedAs', { name: 'text', storedAs: 'other' }],
    ['storedAs', { name: 'note', storedAs: 'other' }],
    ['formerNames', { name: 'note', formerNames: ['other'] }],
  ] as const) {
    const [error] = assertProblem(await change(field), 'validation_failed').errors ?? [];
    assert.deepEqual([error?.pointer, error?.code], [`/UpdateParams/0/${member}`, 'read_only']);
  }
  assert.equal((await change({ name: 'text', aliases: null, formerNames: ['body'] })).status, 200);
  const { body } = await manage<{ create: { UpdateParams: readonly object[] } }>(
    org,
    'GET',
    `/api/entity?entityName=${entityName}`,
  );
  assert.deepEqual(body.create.UpdateParams, [{ name: 'text', formerNames: ['body'] }]);
  assertProblem(await change({ name: 'body' }), 'validation_failed');
});
