import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../lib/problem.ts';
import { compileEntity } from '../../schema/compile-entity.ts';
import { reservedParameters, sharedParameters } from '../../schema/names.ts';
import { isParameter, parameter, withPlainNames } from './list-parameters.ts';
import { readListQuery } from './list-query.ts';

const plain = compileEntity({ entityName: 'order', UpdateParams: [{ name: 'title', search: true }] }, 1);
/** With a field for each parameter that may share its name. */
const sharing = compileEntity(
  { entityName: 'bill', UpdateParams: sharedParameters.map((name) => ({ name, colType: 'number' })) },
  1,
);

const named = (sent: Readonly<Record<string, string>>, entity = plain) =>
  Object.fromEntries(withPlainNames(new Map(Object.entries(sent)), entity));

test('every parameter is also sent with `$` before its name', () => {
  for (const name of [...reservedParameters, ...sharedParameters]) {
    assert.deepEqual(named({ [`$${name}`]: 'x' }), { [name]: 'x' });
    assert.equal(isParameter(plain, name), true, name);
    assert.equal(parameter({ parameters: new Map([[name, 'x']]), entity: plain }, name), 'x');
  }
});

test('a field keeps its name as a filter, and the parameter of that name has `$` before it', () => {
  for (const name of sharedParameters) {
    const parameters = withPlainNames(new Map(Object.entries({ [name]: '5', [`$${name}`]: 'x' })), sharing);
    assert.equal(parameter({ parameters, entity: sharing }, name), 'x');
    assert.deepEqual([isParameter(sharing, name), isParameter(sharing, `$${name}`)], [false, true]);
    const { filters } = readListQuery(sharing, new Map(Object.entries({ [name]: '5', [`${name}_op`]: 'gte' })));
    assert.deepEqual(
      filters.map(({ field, operator, values }) => [field, operator, values]),
      [[name, 'gte', [5]]],
    );
  }
});

test('the parameters of other requests never name fields', () => {
  assert.deepEqual(Object.fromEntries(withPlainNames(new Map([['$fields', 'a']]))), { fields: 'a' });
});

test('names with `$` that are no parameters stay as they are', () => {
  for (const sent of [{ $title: 'x' }, { $: 'x' }, { $$q: 'x' }, { $owner_op: 'x' }])
    assert.deepEqual(named(sent), sent);
});

test('a query in both spellings reads as one', () => {
  const sent = { sortby: 'created_at', sortdir: 'asc', pagesize: '7' };
  const spelled = Object.fromEntries(Object.entries(sent).map(([name, text]) => [`$${name}`, text]));
  const [left, right] = [sent, spelled].map((one) => readListQuery(plain, new Map(Object.entries(one))));
  assert.deepEqual(left, right);
});

const refused: readonly (readonly [sent: Readonly<Record<string, string>>, place: string])[] = [
  [{ q: 'x', $q: 'x' }, '/$q contradiction'],
  [{ $pagesize: '5', pagesize: '6' }, '/$pagesize contradiction'],
  [{ total: '1', $total: '1' }, '/$total contradiction'],
  [{ $title: 'x' }, '/$title unknown_parameter'],
  [{ facets: 'x', $facets: 'x' }, '/$facets contradiction'],
  [{ filter: 'x', filter_op: 'eq' }, '/filter_op missing'],
];

for (const [sent, place] of refused)
  test(`${JSON.stringify(sent)} is refused`, () => {
    assert.throws(
      () => readListQuery(plain, new Map(Object.entries(sent))),
      (error) => {
        assert.ok(error instanceof Problem);
        const places = error.details.errors?.map(({ pointer, code }) => `${pointer} ${code}`) ?? [];
        return places.includes(place);
      },
    );
  });

test('a route takes no parameter of another', () => {
  for (const [route, sent] of [
    ['export', { pagesize: '5' }],
    ['export', { $nexttoken: 'x' }],
  ] as const)
    assert.throws(() => readListQuery(plain, new Map(Object.entries(sent)), route), /is no parameter of this route/);
});
