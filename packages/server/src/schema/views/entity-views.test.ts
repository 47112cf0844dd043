import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generatedViews, viewNamed } from './entity-views.ts';

const stamps = ['created_at', 'updated_at', 'created_by', 'updated_by', 'version'];

function namesOf(fields: readonly { readonly name: string; readonly colType?: string }[]) {
  const views = generatedViews({ UpdateParams: fields });
  return [views.default, views.compact].map((view) => view.fields.map(({ name }) => name));
}

test('by default all is shown that may be, in the order of the records; in short who it is', () => {
  const fields = [
    { name: 'id', colType: 'guid' },
    { name: 'title' },
    { name: 'pin', colType: 'encrypted' },
    { name: 'name' },
  ];
  assert.deepEqual(namesOf(fields), [
    ['id', 'title', 'name', ...stamps],
    ['id', 'name'],
  ]);
});

test('an entity without a name, or with a secret one, is shown in short by its id alone', () => {
  assert.deepEqual(namesOf([{ name: 'title' }])[1], ['id']);
  assert.deepEqual(namesOf([{ name: 'name', colType: 'encrypted' }])[1], ['id']);
});

test('no name of a view means a built-in member', () => {
  const views = generatedViews({ UpdateParams: [] });
  assert.equal(viewNamed(views, 'compact'), views.compact);
  for (const name of ['constructor', '__proto__', 'toString', 'other']) assert.equal(viewNamed(views, name), undefined);
});
