import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { thinned } from '../../store/testing/quick.ts';
import { type CompiledEntity, compileEntity } from '../compile-entity.ts';
import type { FieldDefinition, FieldValue } from '../definition.ts';
import { newEntityState } from '../entity-state.ts';
import { readValue } from '../field-types/field-type.ts';
import { type CompiledField, fieldTypes } from '../field-types/registry.ts';
import { narrowedFields } from './narrowed-fields.ts';

function entityWith(field: Omit<FieldDefinition, 'name'> | undefined, hidden: readonly string[] = []): CompiledEntity {
  const definition = { entityName: 'order', UpdateParams: field === undefined ? [] : [{ ...field, name: 'x' }] };
  return compileEntity(definition, 1, { ...newEntityState(definition, 1), hidden });
}

const v = { validate: true };
const free = { ...v, required: false };

const unrelated: readonly (readonly [string, Omit<FieldDefinition, 'name'>, Omit<FieldDefinition, 'name'>])[] = [
  ['nothing', { ...v, minlength: 2, pattern: 'a' }, { ...v, minlength: 2, pattern: 'a' }],
  ['a description', v, { ...v, description: 'what it is' }],
  ['an index and a search', {}, { index: true, search: true }],
  ['a default', {}, { default: 'a' }],
  ['checks that are switched off', { ...v, maxlength: 2 }, { maxlength: 1 }],
  ['lengths that are not enforced', { maxlength: 2 }, { maxlength: 1, minlength: 1 }],
  ['a value that need not be there any more', v, free],
  ['wider bounds', { ...v, colType: 'number', min: 1, max: 2 }, { ...v, colType: 'number', min: 0, max: 3 }],
  ['a bound less', { ...v, minlength: 1, maxlength: 2 }, { ...v, maxlength: 2 }],
  ['another value of an enum', { colType: 'enum', enumValues: ['a'] }, { colType: 'enum', enumValues: ['b', 'a'] }],
  ['a whole number that may be any', { colType: 'integer' }, { colType: 'number' }],
  ['an address that may be any text', { colType: 'email' }, { colType: 'string' }],
  ['what becomes of a reference', { lookup: { entity: 'a' } }, { lookup: { entity: 'a', onDelete: 'cascade' } }],
  ['a reference that is no more', { lookup: { entity: 'a' } }, {}],
  ['a value that is sealed from now on', {}, { colType: 'encrypted' }],
  ['lengths of sealed values', { ...v, colType: 'encrypted' }, { ...v, colType: 'encrypted', maxlength: 1 }],
  [
    'wider elements',
    { colType: 'array', items: { colType: 'integer' } },
    { colType: 'array', items: { colType: 'number' } },
  ],
];

for (const [what, before, after] of unrelated) {
  test(`${what}: no record is looked at`, () => {
    assert.deepEqual(narrowedFields(entityWith(before), entityWith(after)), []);
  });
}

const shortElements = { colType: 'array', items: { maxlength: 1 } };

const narrower: readonly (readonly [string, CompiledEntity, CompiledEntity])[] = [
  ['a new field that is required', entityWith(undefined), entityWith(v)],
  ['a field that comes again', entityWith(undefined, ['x']), entityWith({})],
  ['a field that is required from now on', entityWith(free), entityWith(v)],
  [
    'a required reference with a default',
    entityWith(undefined),
    entityWith({ ...v, default: 'a', lookup: { entity: 'a' } }),
  ],
  ['a field with a backfill that comes again', entityWith(undefined, ['x']), entityWith({ ...v, backfill: 'id' })],
  ['the switch of the checks', entityWith({ minlength: 1 }), entityWith({ ...free, minlength: 1 })],
  ['the switch of the checks of elements', entityWith(shortElements), entityWith({ ...free, ...shortElements })],
  ['another pattern', entityWith({ ...v, pattern: 'a' }), entityWith({ ...v, pattern: 'b' })],
  ['a new reference', entityWith({}), entityWith({ lookup: { entity: 'a' } })],
  ['a reference to another entity', entityWith({ lookup: { entity: 'a' } }), entityWith({ lookup: { entity: 'b' } })],
  ['a required value that was sealed', entityWith({ ...v, colType: 'encrypted' }), entityWith(v)],
  ['a required value that is to be sealed', entityWith(v), entityWith({ ...v, colType: 'encrypted' })],
];

for (const [what, before, after] of narrower) {
  test(`${what}: records are looked at`, () => {
    assert.deepEqual(narrowedFields(before, after), ['x']);
  });
}

test('a new field that may be left out, or that the platform fills: no record is looked at', () => {
  for (const field of [{}, free, { ...v, colType: 'autoincrement' }, { ...v, colType: 'formula', formula: 'a' }])
    assert.deepEqual(narrowedFields(entityWith(undefined), entityWith(field)), []);
});

test('a required field that is filled where records have no value: no record is looked at', () => {
  for (const old of [undefined, free])
    for (const filled of [{ default: 'a' }, { backfill: 'id' }])
      assert.deepEqual(narrowedFields(entityWith(old), entityWith({ ...v, ...filled })), []);
});

const small = fc.integer({ min: 0, max: 4 });
const enumValues = fc.subarray(['a', 'b', 'abc'], { minLength: 1 });
const pattern = fc.constantFrom('a', '^b', '^$');
const hintsOf = { minlength: small, maxlength: small, min: small, max: small, enumValues, pattern };
const plainTypes = [
  'string',
  'number',
  'integer',
  'boolean',
  'date',
  'datetime',
  'guid',
  'enum',
  'email',
  'url',
  'json',
];
const items = fc.record({ colType: fc.constantFrom(...plainTypes), ...hintsOf }, { requiredKeys: ['colType'] });
const anyField = fc
  .record(
    {
      colType: fc.constantFrom(...plainTypes, 'array', 'array', 'formula', 'autoincrement'),
      validate: fc.boolean(),
      required: fc.boolean(),
      formula: fc.constant('a'),
      items,
      ...hintsOf,
    },
    { requiredKeys: ['colType'] },
  )
  .map(meaningful)
  .filter(isField);

/** Two fields that have little in common, or the same field with a few hints that are others. */
const change = fc
  .tuple(anyField, anyField, fc.subarray(['validate', 'required', 'items', ...Object.keys(hintsOf)], { maxLength: 3 }))
  .chain(([before, other, hints]) => {
    const changed = Object.entries(other).filter(([hint]) => hints.includes(hint));
    const near = meaningful({ ...before, ...Object.fromEntries(changed) });
    return fc.constantFrom([before, other] as const, [before, near] as const, [near, before] as const);
  })
  .filter((fields) => fields.every(isField));

function isField(field: { readonly colType: string }): boolean {
  return typeof fieldTypes.get(field.colType)?.behave({ ...field, name: 'x' }) === 'object';
}

/** The field without the hints that mean nothing for its type. */
function meaningful<Field extends { readonly colType: string }>(field: Field): Field {
  const hints = ['colType', 'validate', 'required', ...(fieldTypes.get(field.colType)?.hints ?? [])];
  return Object.fromEntries(Object.entries(field).filter(([hint]) => hints.includes(hint))) as Field;
}

const id = '018bcfe5-0000-7000-8000-00000000000a';
const texts = [
  '',
  'a',
  'b',
  'ab',
  'abc',
  'a@b.example',
  '2026-11-20',
  '2026-11-20T09:30:00.000Z',
  '2026-11-20T09:30:00+01:00',
];
const plain = [...texts, id, id.toUpperCase(), 'https://a.example/', -1, 0, 1, 2.5, 3, 7, true, {}, { a: 1 }];
const values: readonly unknown[] = [...plain, [], ...plain.map((value) => [value]), ['a', 'abc'], [1, 7, 2]];

test('a field of which the new definition refuses what the old one took is always looked at', () => {
  fc.assert(
    fc.property(change, ([before, after]) => {
      const [old, next] = [entityWith(before), entityWith(after)];
      if (narrowedFields(old, next).length > 0) return;
      const [was, is] = [fieldOf(old), fieldOf(next)];
      assert.ok(was.required || !is.required);
      for (const value of values) {
        const stored = asStored(was, value);
        if (stored === undefined) continue;
        assert.ok(isDeepStrictEqual(asStored(is, stored), stored), JSON.stringify({ before, after, stored }));
      }
    }),
    { numRuns: thinned(10_000) },
  );
});

function fieldOf(entity: CompiledEntity): CompiledField {
  const field = entity.fields.get('x');
  assert.ok(field !== undefined);
  return field;
}

function asStored({ behaviour, definition }: CompiledField, value: unknown): FieldValue | undefined {
  const read = readValue(behaviour, definition.validate === true, value);
  return 'value' in read ? read.value : undefined;
}
