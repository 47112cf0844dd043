/** Fields whose values the platform makes: formulas and numbers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { eventually } from './eventually.ts';
import { act, create, defineEntity, definition, foundedOrg, list, manage, type StoredRecord, signUp } from './org.ts';
import { platformForTests, platformOf } from './platform-for-tests.ts';
import { founderOf, multiOrg } from './workspaces.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);

const fields = [
  { name: 'no', colType: 'autoincrement', index: true },
  { name: 'other_no', colType: 'autoincrement' },
  { name: 'title' },
  { name: 'score', colType: 'number' },
  { name: 'done', colType: 'boolean' },
  { name: 'day', colType: 'date' },
  { name: 'label', colType: 'formula', formula: '{title}-{score}', index: true, search: true },
  { name: 'code', colType: 'formula', formula: 'INV/{no}/{day}/{done}' },
];
await defineEntity(org, definition('invoice', fields));
await defineEntity(org, definition('parallel', fields));

const change = async (id: string, body: unknown) => (await act(founder, 'PUT', `/update/invoice/${id}`, { body })).body;
const numbers = (records: readonly StoredRecord[]) => records.map(({ no }) => Number(no)).sort((a, b) => a - b);

test('a formula is filled at the create, a missing input with nothing', async () => {
  const full = await create(founder, 'invoice', { title: 'a', score: 0.5, done: true, day: '2026-11-20' });
  assert.deepEqual([full.label, full.code], ['a-0.5', `INV/${full.no}/2026-11-20/true`]);
  const empty = await create(founder, 'invoice', {});
  assert.deepEqual([empty.label, empty.code], ['-', `INV/${empty.no}//`]);
});

test('a formula follows each update of its inputs, and a clearing too', async () => {
  const { id, no } = await create(founder, 'invoice', { title: 'a', score: 1 });
  assert.equal((await change(id, { score: 2 })).label, 'a-2');
  assert.equal((await change(id, { title: null })).label, '-2');
  assert.equal((await change(id, { done: false })).code, `INV/${no}//false`);
  const shown = (await act(founder, 'GET', `/item/invoice/${id}`)).body;
  assert.equal(shown.label, '-2');
  assert.deepEqual(await list(founder, 'invoice', '?label=-2'), { items: [shown], nexttoken: null });
  assert.deepEqual((await list(founder, 'invoice', '?label=a-2')).items, []);
});

test('what an input holds is put in as it is: no token in it is filled, no sign has a meaning', async () => {
  for (const title of ['{score}', '$&', '$1', '{title}', '\\', '%23', 'a\nb']) {
    const { label } = await create(founder, 'invoice', { title, score: 1 });
    assert.equal(label, `${title}-1`);
  }
});

test('what is computed is found by its words, sorted and filtered like any text', async () => {
  const made = await create(founder, 'invoice', { title: 'Zebra', score: 12 });
  assert.deepEqual((await list(founder, 'invoice', '?q=zebr')).items, [made]);
  assert.deepEqual((await list(founder, 'invoice', '?label=Zebra&label_op=startswith')).items, [made]);
  assert.deepEqual(
    (await list(founder, 'invoice', '?sortby=label&sortdir=desc&pagesize=200')).items[0]?.label,
    '{title}-1',
  );
});

for (const name of ['no', 'label'])
  test(`\`${name}\` is the platform’s: refused at a create, and at an update unless it is as it stands`, async () => {
    const made = await create(founder, 'invoice', { title: 'x', score: 3 });
    for (const value of [made[name], 999, 'x', null, {}]) {
      const reply = await act(founder, 'POST', '/create/invoice', { body: { title: 'x', [name]: value } });
      assert.deepEqual(pointers(assertProblem(reply, 'unknown_field')), [`/${name}`]);
    }
    for (const value of [999, 'other', null, [made[name]]]) {
      const reply = await act(founder, 'PUT', `/update/invoice/${made.id}`, { body: { [name]: value } });
      assert.deepEqual(pointers(assertProblem(reply, 'unknown_field')), [`/${name}`]);
    }
    assert.deepEqual((await act(founder, 'GET', `/item/invoice/${made.id}`)).body, made);
    assert.equal((await act(founder, 'PUT', `/update/invoice/${made.id}`, { body: made })).status, 200);
  });

test('numbers go up from 1 for each field, and stay with their record', async () => {
  await defineEntity(org, definition('counted', fields));
  const made: StoredRecord[] = [];
  for (let index = 1; index <= 5; index++) made.push(await create(founder, 'counted', {}));
  assert.deepEqual(
    made.map(({ no, other_no }) => [no, other_no]),
    [1, 2, 3, 4, 5].map((no) => [no, no]),
  );
  const { id } = made[1] ?? { id: '' };
  assert.equal((await act(founder, 'PUT', `/update/counted/${id}`, { body: { title: 'x' } })).body.no, 2);
  for (const { id } of made.slice(3)) await act(founder, 'DELETE', `/delete/counted/${id}`);
  assert.equal((await create(founder, 'counted', {})).no, 6);
});

test('a create that is refused for its body takes no number', async () => {
  const { no } = await create(founder, 'invoice', {});
  assertProblem(await act(founder, 'POST', '/create/invoice', { body: { score: 'x' } }), 'validation_failed');
  assert.equal((await create(founder, 'invoice', {})).no, Number(no) + 1);
});

test('of 100 records that are made at once each has a number of its own', async () => {
  const made = await Promise.all(Array.from({ length: 100 }, () => create(founder, 'parallel', {})));
  assert.deepEqual(
    numbers(made),
    Array.from({ length: 100 }, (_, index) => index + 1),
  );
  assert.deepEqual(numbers((await list(founder, 'parallel', '?sortby=no&pagesize=200')).items), numbers(made));
});

test('each workspace and each entity counts for itself, and an entity that is defined again from 1', async () => {
  const other = await foundedOrg(gateways);
  await defineEntity(other.org, definition('invoice', fields));
  assert.equal((await create(other.founder, 'invoice', {})).no, 1);
  await manage(other.org, 'DELETE', '/api/entity?entityname=invoice');
  await eventually('the removal of the old records', async () => {
    const reply = await manage(other.org, 'POST', '/api/create-invoice', { body: definition('invoice', fields) });
    return reply.status === 201;
  });
  assert.equal((await create(other.founder, 'invoice', {})).no, 1);
});

test('two workspaces of one org count each for itself', async () => {
  const own = await multiOrg(gateways);
  await defineEntity(own, definition('invoice', fields));
  for (const user of [await founderOf(own, 'First'), await founderOf(own, 'Second')])
    assert.deepEqual(numbers([await create(user, 'invoice', {}), await create(user, 'invoice', {})]), [1, 2]);
});

test('no number is given twice, also after the platform was killed', async (context) => {
  const first = await platformOf(context);
  const { org: own, founder: user } = await foundedOrg(first);
  await defineEntity(own, definition('invoice', fields));
  const seen: number[] = [];
  const body = {};
  const creating = Promise.allSettled(
    Array.from({ length: 60 }, async () => {
      const reply = await act(user, 'POST', '/create/invoice', { body });
      if (reply.status === 201) seen.push(Number(reply.body.no));
      if (seen.length === 20) await first.kill();
    }),
  );
  await creating;
  const second = await platformOf(context, { dataDir: first.dataDir });
  const again = { ...user, org: { ...own, app: second.app, management: second.management } };
  const last = await create(again, 'invoice', {});
  const stored = numbers((await list(again, 'invoice', '?pagesize=200')).items);
  assert.equal(new Set(stored).size, stored.length);
  assert.ok(seen.every((no) => stored.includes(no)) && stored.every((no) => no <= Number(last.no)));
});

const badFields: readonly (readonly [string, object, string])[] = [
  ['a formula without a text', { name: 'f', colType: 'formula' }, '/UpdateParams/8'],
  [
    'a formula of a field that is not there',
    { name: 'f', colType: 'formula', formula: '{colour}' },
    '/UpdateParams/8/formula',
  ],
  ['a formula of a formula', { name: 'f', colType: 'formula', formula: '{label}' }, '/UpdateParams/8/formula'],
  ['a formula that names itself', { name: 'f', colType: 'formula', formula: '{f}' }, '/UpdateParams/8/formula'],
  ['an open brace', { name: 'f', colType: 'formula', formula: '{title' }, '/UpdateParams/8'],
  [
    'a formula with a default',
    { name: 'f', colType: 'formula', formula: '{title}', default: 'x' },
    '/UpdateParams/8/default',
  ],
  ['a number with a default', { name: 'f', colType: 'autoincrement', default: 1 }, '/UpdateParams/8/default'],
  ['a number with bounds', { name: 'f', colType: 'autoincrement', max: 10 }, '/UpdateParams/8/max'],
  ['a formula of another type', { name: 'f', formula: '{title}' }, '/UpdateParams/8/formula'],
];

for (const [what, field, pointer] of badFields)
  test(`a definition with ${what} is refused`, async () => {
    const own = await signUp(gateways);
    const body = { ...definition('invoice', fields), UpdateParams: [...fields, field] };
    const reply = await manage(own, 'POST', '/api/create-invoice', { body });
    assert.deepEqual(pointers(assertProblem(reply, 'validation_failed')), [pointer]);
  });
