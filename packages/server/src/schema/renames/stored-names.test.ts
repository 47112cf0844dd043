import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { renamedIn, StoredNames } from './stored-names.ts';

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const fields = fc
  .uniqueArray(fc.record({ name, stored: name }), {
    selector: (field) => field.name,
    comparator: (left, right) => left === right,
  })
  .map((some) => {
    const taken = new Set<string>();
    return some.flatMap(({ name, stored }) => {
      if (taken.has(stored)) return [];
      taken.add(stored);
      return [stored === name ? { name } : { name, storedAs: stored }];
    });
  });

test('a record that is read and written again is the same, whatever its fields are called and whatever else it has', () => {
  const record = fc.dictionary(name, fc.integer(), { noNullPrototype: true });
  fc.assert(
    fc.property(fields, record, (some, values) => {
      const names = new StoredNames(some);
      const named = names.named(values);
      assert.equal(Object.keys(named).length, Object.keys(values).length);
      assert.deepEqual(Object.entries(names.written(named)), Object.entries(values));
      for (const { name, storedAs = name } of some) assert.equal(named[name], values[storedAs]);
    }),
  );
});

test('values of an entity without renamed fields are not copied', () => {
  const values = { a: 1 };
  const names = new StoredNames([{ name: 'a' }]);
  assert.equal(names.named(values), values);
  assert.equal(names.written(values), values);
});

test('a stored value that no field has keeps out of the way of the field that has its name now', () => {
  const names = new StoredNames([{ name: 'text', storedAs: 'body' }]);
  assert.deepEqual(names.named({ text: 'hidden', body: 'shown' }), { '@text': 'hidden', text: 'shown' });
});

test('indexes are shown by the names that their fields have', () => {
  const names = new StoredNames([{ name: 'text', storedAs: 'body' }, { name: 'rank' }]);
  const shown = (kind: 'field' | 'unique' | 'compound', name: string) => names.indexName({ kind, name });
  assert.equal(shown('field', 'body'), 'text');
  assert.equal(shown('unique', 'body'), 'body');
  assert.equal(shown('compound', 'rank,-body'), 'rank,-text');
});

test('an expression reads other values once one of its words is the name of another stored field', () => {
  const cel = 'body > other.body && note == "x"';
  assert.deepEqual(renamedIn(cel, [{ name: 'body' }]), []);
  assert.deepEqual(renamedIn(cel, [{ name: 'text', aliases: ['body'], storedAs: 'body' }]), []);
  assert.deepEqual(renamedIn(cel, [{ name: 'body', storedAs: 'note' }]), ['body note']);
});
