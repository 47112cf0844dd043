import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../lib/problem.ts';
import { compileEntity } from '../../schema/compile-entity.ts';
import { readListQuery } from './list-query.ts';

const entity = compileEntity(
  {
    entityName: 'order',
    UpdateParams: [
      { name: 'title', index: true },
      { name: 'note' },
      { name: 'amount', colType: 'number', index: true },
      { name: 'paid', colType: 'boolean' },
      { name: 'ref', colType: 'guid' },
      { name: 'state', colType: 'enum', enumValues: ['open', 'done'] },
      { name: 'extra', colType: 'json' },
    ],
  },
  1,
);
const guid = '018bcfe5-6800-7000-8000-00000000000a';

const read = (parameters: Readonly<Record<string, string>>) =>
  readListQuery(entity, new Map(Object.entries(parameters)));

const filters: readonly (readonly [parameters: Readonly<Record<string, string>>, values: readonly unknown[]])[] = [
  [{ title: 'x' }, ['x']],
  [{ title: '' }, ['']],
  [{ title: 'a,b' }, ['a,b']],
  [{ title: 'a,b', title_op: 'in' }, ['a', 'b']],
  [{ amount: '1,2.5,-0', amount_op: 'in' }, [1, 2.5, 0]],
  [{ amount: '2,1', amount_op: 'between' }, [2, 1]],
  [{ amount: '1', amount_op: 'contains' }, ['1']],
  [{ paid: 'true' }, [true]],
  [{ note: 'false', note_op: 'exists' }, [false]],
  [{ ref: guid.toUpperCase() }, [guid]],
  [{ id: guid.toUpperCase(), id_op: 'ne' }, [guid]],
  [{ created_at: '2026', created_at_op: 'gte' }, ['2026']],
  [{ created_by: guid }, [guid]],
];

for (const [parameters, values] of filters)
  test(`${JSON.stringify(parameters)} asks for ${JSON.stringify(values)}`, () => {
    const [filter, ...others] = read(parameters).filters;
    assert.deepEqual(others, []);
    assert.deepEqual([filter?.values, filter?.field], [values, Object.keys(parameters)[0]]);
    assert.equal(filter?.operator, Object.values(parameters)[1] ?? 'eq');
  });

type Refusal = readonly [parameters: Readonly<Record<string, string>>, code: string, place: string];
const long = Array.from({ length: 101 }, () => '1').join(',');

const refused: readonly Refusal[] = [
  [{ colour: 'red' }, 'invalid_request', '/colour unknown_parameter'],
  [{ version: '1' }, 'invalid_request', '/version unknown_parameter'],
  [{ constructor: 'x' }, 'invalid_request', '/constructor unknown_parameter'],
  [{ title_op: 'eq' }, 'invalid_request', '/title_op missing'],
  [{ title: 'x', title_op: 'like' }, 'invalid_request', '/title unknown_operator'],
  [{ title: 'x', title_op: 'toString' }, 'invalid_request', '/title unknown_operator'],
  [{ title: 'x', title_op: '' }, 'invalid_request', '/title unknown_operator'],
  [{ amount: 'x' }, 'invalid_request', '/amount wrong_type'],
  [{ amount: '1,', amount_op: 'in' }, 'invalid_request', '/amount wrong_type'],
  [{ amount: '1', amount_op: 'between' }, 'invalid_request', '/amount wrong_type'],
  [{ amount: '1,2,3', amount_op: 'between' }, 'invalid_request', '/amount wrong_type'],
  [{ amount: long, amount_op: 'in' }, 'invalid_request', '/amount too_many'],
  [{ amount: '1', amount_op: 'exists' }, 'invalid_request', '/amount wrong_type'],
  [{ paid: '1' }, 'invalid_request', '/paid wrong_type'],
  [{ state: 'gone' }, 'invalid_request', '/state not_in_enum'],
  [{ extra: '{}' }, 'invalid_request', '/extra not_filterable'],
  [{ sortby: 'extra' }, 'unindexed_sort', '/sortby unindexed_sort'],
  [{ sortby: 'colour' }, 'invalid_request', '/sortby unknown_field'],
  [{ sortby: '' }, 'invalid_request', '/sortby unknown_field'],
  [{ sortby: 'constructor' }, 'invalid_request', '/sortby unknown_field'],
  [{ sortdir: 'ASC' }, 'invalid_request', '/sortdir wrong_type'],
  ...['0', '201', '-1', '1.5', '', '1e2', ' 5', '0005', '٣'].map(
    (pagesize): Refusal => [{ pagesize }, 'invalid_request', '/pagesize wrong_type'],
  ),
];

for (const [parameters, code, place] of refused)
  test(`${JSON.stringify(parameters).slice(0, 60)} is refused with its place`, () => {
    assert.deepEqual(refusalOf(parameters), { code, errors: [place] });
  });

test('what is not there for an entity is refused with its own reason', () => {
  assert.equal(refusalOf({ q: 'x' }).code, 'search_unavailable');
  for (const parameters of [{ owner: guid }, { all: 'true' }])
    assert.equal(refusalOf(parameters).code, 'invalid_request');
  assert.equal(read({ view: 'summary' }).view, 'summary');
});

test('all mistakes are reported at once', () => {
  const { errors } = refusalOf({ colour: '1', amount: 'x', pagesize: '0', sortdir: 'up' });
  assert.deepEqual(errors.map((error) => error.split(' ')[0]).toSorted(), [
    '/amount',
    '/colour',
    '/pagesize',
    '/sortdir',
  ]);
});

test('without a sort a list is in creation order, the newest first; a sort is ascending by default', () => {
  const order = (parameters: Readonly<Record<string, string>>) => {
    const { sortKeys, descending } = read(parameters);
    return [sortKeys[0]?.field, descending];
  };
  assert.deepEqual(order({}), [undefined, true]);
  assert.deepEqual(order({ sortdir: 'asc' }), [undefined, false]);
  assert.deepEqual(order({ sortby: 'created_at' }), [undefined, false]);
  assert.deepEqual(order({ sortby: 'id', sortdir: 'desc' }), [undefined, true]);
  assert.deepEqual(order({ sortby: 'amount' }), ['amount', false]);
  assert.deepEqual(order({ sortby: 'updated_at', sortdir: 'desc' }), ['updated_at', true]);
});

test('a page has twenty records by default', () => {
  assert.equal(read({}).pageSize, 20);
  for (const size of [1, 20, 200]) assert.equal(read({ pagesize: String(size) }).pageSize, size);
});

test('one query has one spelling, whatever the order of its parameters and its page size', () => {
  const { canonical } = read({ title: 'x', amount: '1', amount_op: 'gt', sortby: 'amount' });
  assert.equal(
    read({ sortby: 'amount', amount_op: 'gt', amount: '1.0', title: 'x', pagesize: '7' }).canonical,
    canonical,
  );
  const others = [{ title: 'x' }, { title: 'x', amount: '1' }, { title: '1', amount: '1', amount_op: 'gt' }];
  for (const other of others) assert.notEqual(read({ sortby: 'amount', ...other }).canonical, canonical);
});

test('two queries that mean something else are spelled differently, wherever a comma stands', () => {
  const spellings = [
    { title: 'a,b' },
    { title: 'a,b', title_op: 'in' },
    { title: 'a', note: 'b' },
    { title: 'a', note: 'b', note_op: 'ne' },
    { title: 'b', note: 'a' },
    { title: '["a"' },
  ].map((parameters) => read(parameters).canonical);
  assert.equal(new Set(spellings).size, spellings.length);
});

function refusalOf(parameters: Readonly<Record<string, string>>): { code: string; errors: readonly string[] } {
  try {
    read(parameters);
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    return { code: error.code, errors: (error.details.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`) };
  }
  assert.fail('it was taken');
}
