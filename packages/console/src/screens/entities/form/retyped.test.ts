import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retyped } from './retyped.ts';

test('a field of another type loses the hints that do not apply to it, and no others', () => {
  const title = {
    name: 'title',
    description: 'x',
    validate: true,
    minlength: 1,
    maxlength: 9,
    pattern: 'a',
    search: true,
  };
  assert.deepEqual(retyped({ ...title, index: true, default: 'aa' }, undefined, 'integer'), {
    field: { name: 'title', description: 'x', validate: true, index: true, colType: 'integer' },
    dropped: ['minlength', 'maxlength', 'pattern', 'default', 'search'],
  });
  assert.deepEqual(retyped(title, undefined, 'encrypted').dropped, ['pattern', 'search']);
  assert.deepEqual(retyped(title, undefined, 'array').dropped, ['pattern', 'minlength', 'maxlength', 'search']);
  assert.deepEqual(retyped(title, undefined, 'string').dropped, []);
  const customer = { name: 'customer', colType: 'guid', index: true, lookup: { entity: 'customer' } };
  assert.deepEqual(retyped(customer, undefined, 'string').dropped, []);
  assert.deepEqual(retyped(customer, undefined, 'json').dropped, ['lookup', 'index']);
  const required = { name: 'n', validate: true, required: false, min: 1 };
  assert.deepEqual(retyped(required, undefined, 'formula').field, { name: 'n', colType: 'formula' });
});

test('a conversion of the stored field stays, and one of the draft goes', () => {
  const stored = { name: 'n', convert: { cel: 'int(n)', from: { colType: 'string' } } };
  assert.deepEqual(retyped({ ...stored, convert: 'double(n)' }, stored, 'number').field.convert, stored.convert);
  assert.deepEqual(retyped({ name: 'n', convert: 'double(n)' }, undefined, 'number').field, {
    name: 'n',
    colType: 'number',
  });
});
