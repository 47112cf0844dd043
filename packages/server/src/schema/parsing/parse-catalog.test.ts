import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { thinned } from '../../store/testing/quick.ts';
import { fieldTypes } from '../field-types/registry.ts';
import { parseCatalog } from './parse-catalog.ts';

const taken: readonly (readonly [what: string, fields: readonly object[]])[] = [
  ['a pattern', [{ name: 'x', validate: true, pattern: '^a+$', default: 'aa' }]],
  ['emails with an index and a search', [{ name: 'x', colType: 'email', index: true, search: true, default: 'a@b.c' }]],
  ['an array of strings with a search', [{ name: 'x', colType: 'array', search: true, default: ['a'] }]],
  [
    'an array of numbers',
    [{ name: 'x', colType: 'array', validate: true, maxlength: 3, items: { colType: 'number', min: 1 } }],
  ],
  [
    'a formula of fields defined before and after it',
    [
      { name: 'n', colType: 'autoincrement', index: true },
      { name: 'f', colType: 'formula', formula: '{n}-{id}-{title}', index: true, search: true },
      { name: 'title' },
    ],
  ],
  [
    'a formula of fields of every other type that has a text',
    [
      { name: 'f', colType: 'formula', formula: '{a}{b}{c}{d}{e}' },
      { name: 'a', colType: 'number' },
      { name: 'b', colType: 'boolean' },
      { name: 'c', colType: 'datetime' },
      { name: 'd', colType: 'enum', enumValues: ['a'] },
      { name: 'e', colType: 'email' },
    ],
  ],
  ['a lookup', [{ name: 'x', colType: 'guid', lookup: { entity: 'customer' } }]],
  ['a lookup of a system entity', [{ name: 'x', lookup: { entity: 'user', onDelete: 'cascade' } }]],
  [
    'a lookup to be cleared, unless it is required',
    [
      { name: 'x', lookup: { entity: 'customer', onDelete: 'setnull' } },
      { name: 'y', validate: true, required: false, lookup: { entity: 'customer', onDelete: 'setnull' } },
    ],
  ],
  ['a secret with its lengths', [{ name: 'x', colType: 'encrypted', validate: true, minlength: 1 }]],
];

for (const [what, fields] of taken)
  test(`takes ${what}`, () => {
    const { places, catalog } = parse(fields);
    assert.deepEqual(places, []);
    assert.deepEqual(catalog.fields, fields);
  });

const refused: readonly (readonly [what: string, fields: readonly object[], places: readonly string[]])[] = [
  ['the type that is not built yet', [{ name: 'x', colType: 'file' }], ['/0/colType not_supported']],
  ['a pattern that is no text', [{ name: 'x', pattern: 1 }], ['/0/pattern wrong_type']],
  ['a pattern that does not compile', [{ name: 'x', pattern: 'a)' }], ['/0 invalid_hints']],
  ['a pattern of an address', [{ name: 'x', colType: 'email', pattern: 'a' }], ['/0/pattern hint_without_meaning']],
  [
    'a default that its pattern refuses',
    [{ name: 'x', validate: true, pattern: 'a', default: 'b' }],
    ['/0/default pattern_mismatch'],
  ],
  ['an index on an array', [{ name: 'x', colType: 'array', index: true }], ['/0/index not_indexable']],
  ['an index on a secret', [{ name: 'x', colType: 'encrypted', index: true }], ['/0/index not_indexable']],
  ...['number', 'json', 'guid', 'date', 'boolean', 'encrypted', 'autoincrement'].map(
    (colType) =>
      [`a search of ${colType}`, [{ name: 'x', colType, search: true }], ['/0/search not_searchable']] as const,
  ),
  [
    'a search of an array of numbers',
    [{ name: 'x', colType: 'array', items: { colType: 'number' }, search: true }],
    ['/0/search not_searchable'],
  ],
  ...(['encrypted', 'autoincrement'] as const).map(
    (colType) =>
      [`a default of ${colType}`, [{ name: 'x', colType, default: 'a' }], ['/0/default hint_without_meaning']] as const,
  ),
  [
    'a default of a formula',
    [{ name: 'x', colType: 'formula', formula: 'a', default: 'a' }],
    ['/0/default hint_without_meaning'],
  ],
  [
    'elements of a default, each',
    [{ name: 'x', colType: 'array', default: ['a', 1, 2] }],
    ['/0/default/1 wrong_type', '/0/default/2 wrong_type'],
  ],
  ['items that are no object', [{ name: 'x', colType: 'array', items: 'string' }], ['/0/items wrong_type']],
  ['items of another type', [{ name: 'x', items: {} }], ['/0/items hint_without_meaning']],
  ...['array', 'formula', 'autoincrement', 'encrypted', 'text'].map(
    (colType) =>
      [
        `items of the type ${colType}`,
        [{ name: 'x', colType: 'array', items: { colType } }],
        ['/0/items/colType unknown_type'],
      ] as const,
  ),
  [
    'hints that items do not have',
    [
      { name: 'x', colType: 'array', items: { name: 'y', index: true, min: 1, more: 1 } },
      { name: 'z', colType: 'array', items: { colType: 'date', lookup: { entity: 'a' } } },
    ],
    [
      '/0/items/name unknown_field',
      '/0/items/index hint_without_meaning',
      '/0/items/min hint_without_meaning',
      '/0/items/more unknown_field',
      '/1/items/lookup hint_without_meaning',
    ],
  ],
  [
    'an array of lookups that is to go with one of them, or has more elements than it may, or must keep some',
    [
      { name: 'a', colType: 'array', items: { lookup: { entity: 'a', onDelete: 'cascade' } } },
      { name: 'b', colType: 'array', maxlength: 101, items: { lookup: { entity: 'a' } } },
      {
        name: 'c',
        colType: 'array',
        validate: true,
        minlength: 1,
        items: { lookup: { entity: 'a', onDelete: 'setnull' } },
      },
    ],
    ['/0/items/lookup/onDelete contradiction', '/1 invalid_hints', '/2/items/lookup/onDelete contradiction'],
  ],
  [
    'hints of items that contradict',
    [{ name: 'x', colType: 'array', items: { minlength: 2, maxlength: 1 } }],
    ['/0 invalid_hints'],
  ],
  ['a formula without a formula', [{ name: 'x', colType: 'formula' }], ['/0 invalid_hints']],
  [
    'a formula of what is no field, or has no text, or is made itself',
    [
      { name: 'x', colType: 'formula', formula: '{no}{created_at}{constructor}{j}{a}{s}{x}{y}{}' },
      { name: 'y', colType: 'formula', formula: 'y' },
      { name: 'j', colType: 'json' },
      { name: 'a', colType: 'array' },
      { name: 's', colType: 'encrypted' },
    ],
    Array.from({ length: 9 }, () => '/0/formula unknown_token'),
  ],
  [
    'a lookup on another type',
    [{ name: 'x', colType: 'number', lookup: { entity: 'a' } }],
    ['/0/lookup hint_without_meaning'],
  ],
  ['a lookup that is no object', [{ name: 'x', lookup: 'a' }], ['/0/lookup wrong_type']],
  ...[undefined, 1, '', 'A', 'constructor', 'useraclpolicy', 'usergroup'].map(
    (entity) =>
      [`a lookup of ${entity}`, [{ name: 'x', lookup: { entity } }], ['/0/lookup/entity invalid_name']] as const,
  ),
  ...['delete', null, 1].map(
    (onDelete) =>
      [
        `a lookup that is to ${onDelete}`,
        [{ name: 'x', lookup: { entity: 'a', onDelete } }],
        ['/0/lookup/onDelete wrong_type'],
      ] as const,
  ),
  [
    'a required lookup that is to be cleared',
    [{ name: 'x', validate: true, lookup: { entity: 'a', onDelete: 'setnull' } }],
    ['/0/lookup/onDelete contradiction'],
  ],
  [
    'an unknown member of a lookup',
    [{ name: 'x', lookup: { entity: 'a', view: 'b' } }],
    ['/0/lookup/view unknown_field'],
  ],
  [
    'more indexes than may be, with those of lookups',
    Array.from({ length: 21 }, (_, index) => ({
      name: `f${index}`,
      ...(index % 2 === 0 ? { index: true } : { lookup: { entity: 'a' } }),
    })),
    [' too_many'],
  ],
  [
    'more arrays of lookups than may be',
    Array.from({ length: 5 }, (_, index) => ({
      name: `f${index}`,
      colType: 'array',
      items: { lookup: { entity: 'a' } },
    })),
    [' too_many'],
  ],
  [
    'hints of the id',
    [{ name: 'id', colType: 'guid', default: 'x', search: true, lookup: { entity: 'a' } }],
    ['/0/default hint_without_meaning', '/0/search hint_without_meaning', '/0/lookup hint_without_meaning'],
  ],
];

for (const [what, fields, places] of refused)
  test(`refuses ${what}, and says where`, () => assert.deepEqual(parse(fields).places, places));

test('each check that is not enforced brings a warning, also of the elements of an array', () => {
  const fields = [
    { name: 'a', pattern: 'a', maxlength: 3 },
    { name: 'b', colType: 'number', validate: false, min: 1 },
    { name: 'c', colType: 'array', items: { pattern: 'a' } },
    { name: 'd', validate: true, pattern: 'a' },
    { name: 'e', required: true },
    { name: 'f', required: false },
  ];
  const warnings = parse(fields).catalog.warnings.map((warning) =>
    [...warning.matchAll(/`(\w+)`/g)].map(([, name]) => name).slice(0, 2),
  );
  assert.deepEqual(warnings, [
    ['a', 'maxlength'],
    ['a', 'pattern'],
    ['b', 'min'],
    ['c', 'pattern'],
    ['e', 'required'],
  ]);
});

test('whatever the hints are, each is refused with a place, or the fields compile', () => {
  const hint = fc.constantFrom(
    'colType',
    'validate',
    'required',
    'minlength',
    'max',
    'default',
    'enumValues',
    'index',
    'search',
    'pattern',
    'formula',
    'items',
    'lookup',
    'entity',
    'onDelete',
  );
  const leaf = fc.oneof(
    fc.constantFrom(...fieldTypes.keys()),
    fc.constantFrom('{f0}', 'a', 'user', 'setnull', true, 1, null, ['a']),
    fc.jsonValue(),
  );
  const field = fc.dictionary(hint, fc.oneof(leaf, fc.dictionary(hint, leaf)));
  const property = fc.property(fc.array(field, { maxLength: 3 }), (hints) => {
    const { places, catalog } = parse(hints.map((one, index) => ({ name: `f${index}`, ...one })));
    for (const { colType = 'string', ...one } of places.length > 0 ? [] : catalog.fields)
      assert.equal(typeof fieldTypes.get(colType)?.behave(one), 'object');
    for (const place of places) assert.match(place, /^\/\d|^ too_many/);
  });
  fc.assert(property, { numRuns: thinned(2000) });
});

/** Pointers are relative to the list of fields. */
function parse(fields: readonly object[]) {
  const places: string[] = [];
  const catalog = parseCatalog(fields, (pointer, code, message) => {
    assert.match(message, /^[`a-z]/);
    assert.ok(pointer.startsWith('/UpdateParams'));
    places.push(`${pointer.slice('/UpdateParams'.length)} ${code}`);
  });
  return { places, catalog };
}

test('the patterns of all fields together have a bound on the classes of Unicode that they name', () => {
  const codesOf = (fields: readonly object[]): readonly string[] => {
    const codes: string[] = [];
    parseCatalog(fields, (_pointer, code) => codes.push(code));
    return codes;
  };
  const field = (name: string, classes: number) => ({ name, validate: true, pattern: '\\pL'.repeat(classes) });
  const many = Array.from({ length: 9 }, (_, index) => field(`f${index}`, 100));
  const rest = (classes: number) => ({ name: 'r', colType: 'array', items: { pattern: '\\PL'.repeat(classes) } });
  assert.deepEqual(codesOf([...many, rest(100)]), []);
  assert.deepEqual(codesOf([...many, rest(101)]), ['too_many']);
});
