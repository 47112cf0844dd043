import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readObject, textOf } from '../../components/json-object.ts';
import { changeFrom, checkDefinition, definitionOf, type Field, withHints } from './definition.ts';

const stored = definitionOf({
  key: 'apiname#create-order;version#active',
  version: 3,
  entityName: 'order',
  UpdateParams: [
    { name: 'title', validate: true, maxlength: 80 },
    { name: 'amount', colType: 'number' },
  ],
  checks: [{ cel: 'amount > 0', message: 'an amount is positive' }],
});

test('what a config has beside its definition is not edited', () => {
  assert.deepEqual(Object.keys(stored), ['entityName', 'UpdateParams', 'checks']);
});

test('a change sends what is gone as null, and fields that are gone by their names', () => {
  const edited = { entityName: 'order', UpdateParams: [{ name: 'title', validate: true }, { name: 'note' }] };
  assert.deepEqual(changeFrom(stored, edited), {
    entityName: 'order',
    checks: null,
    UpdateParams: [{ name: 'title', validate: true, maxlength: null }, { name: 'note' }],
    removeFields: ['amount'],
  });
});

test('a definition that is typed again is the same, and a text that is none says why', () => {
  assert.deepEqual(readObject(textOf(stored), checkDefinition), stored);
  const kept = { ...stored, aggregates: [{ name: 'all', group: ['title'], measures: ['count'] }] };
  assert.deepEqual(readObject(textOf(kept), checkDefinition), kept);
  const broken = [
    '{}',
    '{"name": "a", "group": "title", "measures": []}',
    '{"name": "a", "group": [], "measures": [1]}',
  ];
  const aggregates = broken.map((one) => `{"UpdateParams": [], "aggregates": [${one}]}`);
  for (const text of ['{', '[]', 'null', '{"UpdateParams": [{}]}', '{"UpdateParams": {}}', ...aggregates])
    assert.equal(typeof readObject(text, checkDefinition), 'string', text);
});

test('a hint that is emptied is taken out', () => {
  assert.deepEqual(withHints<Field>({ name: 'a', maxlength: 3 }, { maxlength: undefined, index: true }), {
    name: 'a',
    index: true,
  });
});
