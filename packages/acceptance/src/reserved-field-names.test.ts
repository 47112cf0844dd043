/** Fields may have the names that CEL reserves for its grammar, and those of its types and functions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pointers } from './assert-problem.ts';
import { act, count, create, defineEntity, definition, foundedOrg, list, manage } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);

const reserved =
  'as break const continue else for function if import let loop package namespace return var void while prototype'.split(
    ' ',
  );
const predefined = ['type', 'string', 'int', 'duration', 'size', 'now', 'user', 'record'];
const words = [...reserved, ...predefined, 'in', 'true', 'null'];

const whole = (entity: string) => ({
  ...definition(entity, [
    ...words.map((name) => ({ name, index: ['package', 'type', 'in'].includes(name) })),
    { name: 'title' },
    { name: 'label', colType: 'formula', formula: { cel: 'record.package + "/" + title', type: 'string' } },
  ]),
  checks: [{ cel: 'record.package != "bomb" && record["in"] != title', message: 'no bombs' }],
});

test('an entity has them beside formulas and checks, in a dry run, a definition and a change', async () => {
  await defineEntity(org, definition('parcel', [{ name: 'title' }]));
  for (const query of ['?dry_run=true', '']) {
    const changed = await manage(org, 'PUT', `/api/create-parcel${query}`, { body: whole('parcel') });
    assert.equal(changed.status, 200, changed.text);
  }
  await defineEntity(org, whole('other'));
  const values = Object.fromEntries(words.map((name) => [name, `${name} 1`]));
  const made = await create(founder, 'parcel', { ...values, title: 't' });
  assert.equal(made.label, 'package 1/t');
  const refused = await act(founder, 'POST', '/create/parcel', { body: { ...values, package: 'bomb', title: 't' } });
  assert.equal(refused.status, 400, refused.text);
  await create(founder, 'parcel', { title: 'u', package: 'p', in: 'i' });
});

test('lists, counts and exports filter on them, and on the fields beside them', async () => {
  const filters = [
    'title == "t"',
    'record.package == "package 1" && has(record.package)',
    'label == "package 1/t"',
    'type == "type 1" && size.startsWith("size") && now > timestamp("2020-01-01T00:00:00Z")',
    ...words.map((name) => `record["${name}"] == "${name} 1"`),
    ...[...reserved, ...predefined].map((name) => `record.${name} == "${name} 1"`),
  ];
  for (const filter of filters) {
    const query = `?filter=${encodeURIComponent(filter)}`;
    const { items } = await list(founder, 'parcel', query);
    assert.deepEqual(
      items.map(({ title }) => title),
      ['t'],
      filter,
    );
    assert.equal(await count(founder, 'parcel', query), 1, filter);
    const exported = await act(founder, 'GET', `/export/parcel${query}`);
    assert.equal(exported.status, 200, exported.text);
  }
  assert.equal(await count(founder, 'parcel', '?package=p&in=i&sortby=in'), 1);
});

test('the bare name of a reserved word is refused with the spelling that reads the field', async () => {
  const refused = await act(founder, 'GET', `/list/parcel?filter=${encodeURIComponent('package == "p"')}`);
  assert.equal(refused.status, 400, refused.text);
  assert.deepEqual(pointers(refused.body as never), ['/filter']);
  assert.match(refused.text, /`package` is a reserved word: a field of this name is read as `record\.package`/);
});

test('they are new names of fields, and aliases', async () => {
  await defineEntity(org, definition('box', [{ name: 'kind' }, { name: 'title' }]));
  await create(founder, 'box', { kind: 'small', title: 'a' });
  const body = { UpdateParams: [{ name: 'package', renamedFrom: 'kind', aliases: ['kind', 'import'] }] };
  const renamed = await manage(org, 'PUT', '/api/create-box', { body });
  assert.equal(renamed.status, 200, renamed.text);
  for (const filter of ['record.package == "small"', 'kind == "small"', 'record.import == "small"', 'title == "a"'])
    assert.equal(await count(founder, 'box', `?filter=${encodeURIComponent(filter)}`), 1, filter);
});
