/** Checks across fields and typed formulas: expressions in CEL, type-checked when an entity is defined. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { act, create, defineEntity, definition, foundedOrg, list, manage } from './org.ts';
import { platformOfFile } from './platform-for-tests.ts';

const { org, founder } = await foundedOrg(await platformOfFile());

const fields = [
  { name: 'title' },
  { name: 'starts', colType: 'datetime' },
  { name: 'ends', colType: 'datetime' },
  { name: 'day', colType: 'date' },
  { name: 'minutes', colType: 'integer' },
  { name: 'rate', colType: 'number' },
  { name: 'paid', colType: 'boolean' },
  { name: 'tags', colType: 'array' },
  { name: 'notes', colType: 'json' },
  { name: 'cost', colType: 'formula', formula: { cel: 'minutes * rate / 60', type: 'number' }, index: true },
  { name: 'hours', colType: 'formula', formula: { cel: 'minutes / 60', type: 'integer' } },
  { name: 'isLong', colType: 'formula', formula: { cel: 'minutes > 120', type: 'boolean' } },
  { name: 'due', colType: 'formula', formula: { cel: 'ends + duration("24h")', type: 'datetime' } },
  { name: 'dueOn', colType: 'formula', formula: { cel: 'ends', type: 'date' } },
  { name: 'label', colType: 'formula', formula: { cel: 'title.trim() + (paid ? " (paid)" : "")', type: 'string' } },
  { name: 'text', colType: 'formula', formula: '{title}: {minutes}' },
];
const endsAfterStart = { cel: 'ends > starts', message: 'ends after it starts' };
const paidHasRate = { cel: '!(has(paid) && paid) || has(rate)', message: 'what is paid has a rate' };
const checks = [endsAfterStart, paidHasRate];
await defineEntity(org, { ...definition('entry', fields), checks });

const at = (hour: number) => `2026-11-20T${String(hour).padStart(2, '0')}:00:00.000Z`;
const refused = { starts: at(10), ends: at(9) };
const errorsOf = (reply: Awaited<ReturnType<typeof act>>) => assertProblem(reply, 'validation_failed').errors;
const failed = (check: { readonly message: string }) => ({ pointer: '', code: 'check_failed', message: check.message });
const change = (id: string, body: unknown) => act(founder, 'PUT', `/update/entry/${id}`, { body });

test('a record that does not meet a check is refused with its message, at a create and at an update, and nothing is written', async () => {
  assert.deepEqual(errorsOf(await act(founder, 'POST', '/create/entry', { body: refused })), [failed(endsAfterStart)]);
  const both = { ...refused, paid: true };
  assert.deepEqual(errorsOf(await act(founder, 'POST', '/create/entry', { body: both })), checks.map(failed));
  assert.deepEqual((await list(founder, 'entry')).items, []);
  const made = await create(founder, 'entry', { starts: at(9), ends: at(10) });
  assert.deepEqual(errorsOf(await change(made.id, { ends: at(8) })), [failed(endsAfterStart)]);
  assert.deepEqual(errorsOf(await change(made.id, { paid: true })), [failed(paidHasRate)]);
  assert.deepEqual((await act(founder, 'GET', `/item/entry/${made.id}`)).body, made);
  assert.equal((await change(made.id, { starts: at(11), ends: at(12) })).status, 200);
});

test('a check that reads a field without a value holds', async () => {
  const { id } = await create(founder, 'entry', { starts: at(9) });
  assert.equal((await change(id, { starts: null, ends: at(1) })).status, 200);
  assert.deepEqual(errorsOf(await change(id, { starts: at(2) })), [failed(endsAfterStart)]);
});

test('a value that is wrong by itself is told before any check is asked', async () => {
  const reply = await act(founder, 'POST', '/create/entry', { body: { ...refused, minutes: 'x' } });
  assert.deepEqual(pointers(assertProblem(reply, 'validation_failed')), ['/minutes']);
});

test('batches and imports are held to checks too', async () => {
  const operations = [
    { action: 'create', entity: 'entry', data: { title: 'good' } },
    { action: 'create', entity: 'entry', data: refused },
  ];
  const batch = await act(founder, 'POST', '/batch', { body: { mode: 'independent', operations } });
  const { results } = batch.body as unknown as { readonly results: readonly { readonly status: number }[] };
  assert.deepEqual(
    results.map(({ status }) => status),
    [201, 400],
  );
  const body = `${JSON.stringify({ title: 'row' })}\n${JSON.stringify(refused)}\n`;
  const headers = { 'content-type': 'application/x-ndjson', accept: 'application/json' };
  const { text } = await act(founder, 'POST', '/import/entry', { body, headers });
  assert.match(text, /"failed":1/);
  assert.match(text, /ends after it starts/);
});

test('typed formulas are computed at each write, and are nothing where a field that they read has no value', async () => {
  const made = await create(founder, 'entry', { title: ' a ', minutes: 150, rate: 3, ends: at(23) });
  const { cost, hours, isLong, due, dueOn, text } = made;
  assert.deepEqual(
    { cost, hours, isLong, due, dueOn, text },
    { cost: 7.5, hours: 2, isLong: true, due: '2026-11-21T23:00:00.000Z', dueOn: '2026-11-20', text: ' a : 150' },
  );
  assert.equal('label' in made, false);
  assert.equal((await change(made.id, { paid: true })).body.label, 'a (paid)');
  const without = (await change(made.id, { rate: null, paid: null })).body;
  assert.deepEqual(['cost' in without, 'label' in without, without.hours], [false, false, 2]);
});

test('a typed formula is sorted and filtered as a value of its type', async () => {
  await defineEntity(org, definition('shift', fields));
  for (const minutes of [600, 60, 1200, 90]) await create(founder, 'shift', { minutes, rate: 2 });
  await create(founder, 'shift', { minutes: 1 });
  const costs = async (query: string) => (await list(founder, 'shift', query)).items.map(({ cost }) => cost);
  assert.deepEqual(
    (await costs('?sortby=cost')).filter((cost) => cost !== undefined),
    [2, 3, 20, 40],
  );
  assert.deepEqual(await costs('?cost=20'), [20]);
  assert.deepEqual(await costs('?cost=3&cost_op=gte&sortby=cost'), [3, 20, 40]);
  assert.deepEqual(await costs('?isLong=true&sortby=cost&sortdir=desc'), [40, 20]);
  const bad = await act(founder, 'GET', '/list/shift?cost=many');
  assertProblem(bad, 'invalid_request');
});

test('the app’s document gives typed formulas their type', async () => {
  const { body } = await act(founder, 'GET', '/openapi.json');
  const text = JSON.stringify(body);
  assert.match(text, /"cost":\{[^}]*"type":"number"/);
  assert.match(text, /"isLong":\{[^}]*"type":"boolean"/);
});

const wrong: readonly (readonly [what: string, extra: object, pointer: string, message: RegExp])[] = [
  [
    'a field that there is not',
    { checks: [{ cel: 'begins < ends', message: 'x' }] },
    '/checks/0/cel',
    /character 1: .*`begins`/,
  ],
  [
    'types that do not go together',
    { checks: [{ cel: 'has(ends) && title > 1', message: 'x' }] },
    '/checks/0/cel',
    /character 14: .*string > int/,
  ],
  [
    'a check that is no condition',
    { checks: [{ cel: 'minutes + 1', message: 'x' }] },
    '/checks/0/cel',
    /`int`, not bool/,
  ],
  ['a check that does not end', { checks: [{ cel: 'minutes >', message: 'x' }] }, '/checks/0/cel', /character 10/],
  [
    'a pattern',
    { checks: [{ cel: 'title.matches("(a*)*b")', message: 'x' }] },
    '/checks/0/cel',
    /no function `matches`/,
  ],
  ['no message', { checks: [{ cel: 'minutes > 1' }] }, '/checks/0/message', /`message`/],
  [
    'another member',
    { checks: [{ cel: 'minutes > 1', message: 'x', when: 'now' }] },
    '/checks/0/when',
    /unknown member/,
  ],
  ['no list', { checks: { cel: 'minutes > 1' } }, '/checks', /array/],
  [
    'too many checks',
    { checks: Array.from({ length: 21 }, () => ({ cel: 'true', message: 'x' })) },
    '/checks',
    /at most 20/,
  ],
];

const wrongFormulas: readonly (readonly [what: string, formula: unknown, message: RegExp])[] = [
  ['of another type', { cel: 'title', type: 'number' }, /`string`, not double or int/],
  ['of a type that there is not', { cel: 'title', type: 'json' }, /type/],
  ['that reads one that is computed', { cel: 'hours * 2', type: 'integer' }, /no field `hours`/],
  ['without a type', { cel: 'minutes' }, /type/],
  ['with another member', { cel: 'minutes', type: 'integer', unit: 'h' }, /unit/],
  ['that is no expression', { cel: 5, type: 'integer' }, /cel/],
  [
    'that reads a field too often',
    { cel: Array.from({ length: 21 }, () => 'minutes').join('+'), type: 'integer' },
    /20 values/,
  ],
];

const refusal = async (extra: object) => {
  const body = { ...definition('broken', fields), ...extra };
  const reply = await manage(org, 'POST', '/api/create-broken', { body });
  return assertProblem(reply, /unknown member/.test(reply.text) ? 'unknown_field' : 'validation_failed');
};

for (const [what, extra, pointer, message] of wrong)
  test(`a definition is refused for a check with ${what}, with the place`, async () => {
    const { errors = [] } = await refusal(extra);
    assert.deepEqual([errors[0]?.pointer, errors.length], [pointer, 1]);
    assert.match(errors[0]?.message ?? '', message);
  });

for (const [what, formula, message] of wrongFormulas)
  test(`a definition is refused for a formula ${what}, with the place`, async () => {
    const { errors = [] } = await refusal({ UpdateParams: [...fields, { name: 'made', colType: 'formula', formula }] });
    assert.equal(errors.length, 1, JSON.stringify(errors));
    assert.match(errors[0]?.pointer ?? '', /^\/UpdateParams\/16\/formula/);
    assert.match(errors[0]?.message ?? '', message);
  });

test('a check that stored records do not meet is refused with examples, and taken by force', async () => {
  await defineEntity(org, definition('visit', fields));
  const { id } = await create(founder, 'visit', refused);
  await create(founder, 'visit', { starts: at(9), ends: at(10) });
  const request = (query = '') => manage(org, 'PUT', `/api/create-visit${query}`, { body: { checks } });
  const problem = assertProblem(await request(), 'conflict') as unknown as Readonly<Record<string, unknown>>;
  assert.deepEqual([problem.would_fail, problem.checked], [1, 2]);
  assert.match(JSON.stringify(problem.examples), /ends after it starts/);
  assert.equal((await request('?force=true')).status, 200);
  const update = (body: unknown) => act(founder, 'PUT', `/update/visit/${id}`, { body });
  assert.deepEqual(errorsOf(await update({ title: 'x' })), [failed(endsAfterStart)]);
  assert.equal((await update({ ends: at(11) })).status, 200);
  assert.equal((await manage(org, 'PUT', '/api/create-visit', { body: { checks: null } })).status, 200);
  assert.equal((await update(refused)).status, 200);
});
