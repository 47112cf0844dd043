import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Problem } from '../lib/problem.ts';
import { thinned } from '../store/testing/quick.ts';
import { compileEntity } from './compile-entity.ts';
import { parseDefinition } from './parse-definition.ts';

const many = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `f${index}` }));
const field = (item: unknown) => ({ entityName: 'order', UpdateParams: [item] });
const typed = (characters: number) => {
  const formulas = Array.from({ length: 40 }, (_, index) => ({
    name: `f${index}`,
    colType: 'formula',
    formula: { cel: '1'.padEnd(index === 0 ? characters - 39 * 500 : 500), type: 'number' },
  }));
  return { entityName: 'order', UpdateParams: formulas };
};
const backfilled = (characters: number, fields: number) => ({
  entityName: 'order',
  UpdateParams: Array.from({ length: fields }, (_, index) => ({
    name: `f${index}`,
    colType: 'number',
    backfill: '1'.padEnd(characters),
  })),
});
const keys = (baseKeys: unknown) => ({ entityName: 'order', UpdateParams: [{ name: 'title' }], baseKeys });
const pk = 'org#{org};data#order';
const sk = 'order#{id}';

const accepted: readonly (readonly [what: string, input: object])[] = [
  ['a name alone', { entityName: 'order' }],
  [
    'the example of the document',
    {
      entityName: 'order',
      baseKeys: { pkTemplate: pk, skTemplate: sk },
      UpdateParams: [
        { name: 'id', colType: 'guid' },
        { name: 'title', colType: 'string', validate: true, minlength: 1 },
      ],
      ownerIndexes: [],
      UniqueIndexes: [],
    },
  ],
  ['every token of the platform', keys({ pkTemplate: pk, skTemplate: '{tenant_id}#{user_id};{sub}#{role};{id}' })],
  ['a field as a token', keys({ pkTemplate: 'org#{org};{title}', skTemplate: sk })],
  ['as many fields as there may be', { entityName: 'order', UpdateParams: many(200) }],
  ['expressions as long as they may be together', typed(20_000)],
  ['backfills as long as they may be together', backfilled(1000, 20)],
  ['a default of its own type', field({ name: 'n', colType: 'number', validate: true, min: 1, default: 1 })],
  ['a default that only checks that are off would refuse', field({ name: 't', maxlength: 1, default: 'long' })],
];

for (const [what, input] of accepted)
  test(`takes ${what}, keeps it as it was supplied, and it compiles`, () => {
    const { definition } = parseDefinition(input);
    assert.deepEqual(definition, { UpdateParams: [], ...input });
    assert.equal(compileEntity(definition, 1).name, 'order');
  });

type Refusal = readonly [what: string, input: unknown, places: readonly string[]];

const refused: readonly Refusal[] = [
  ['what is no object', [], [' wrong_type']],
  ['null', null, [' wrong_type']],
  ['no name', {}, ['/entityName invalid_name']],
  ['a system entity', { entityName: 'user' }, ['/entityName invalid_name']],
  ['a built-in name', { entityName: 'constructor' }, ['/entityName invalid_name']],
  ['unknown members', { entityName: 'order', 'x/y': 1 }, ['/x~1y unknown_field']],
  ['fields that are no array', { entityName: 'order', UpdateParams: {} }, ['/UpdateParams wrong_type']],
  ['too many fields', { entityName: 'order', UpdateParams: many(201) }, ['/UpdateParams too_many']],
  [
    'too many indexes',
    { entityName: 'order', UpdateParams: many(21).map((one) => ({ ...one, index: true })) },
    ['/UpdateParams too_many'],
  ],
  ['a field that is no object', field('title'), ['/UpdateParams/0 wrong_type']],
  ['a field without a name', field({}), ['/UpdateParams/0/name invalid_name']],
  ['a field named like a list parameter', field({ name: 'owner' }), ['/UpdateParams/0/name invalid_name']],
  ['a field named like a built-in', field({ name: 'valueOf' }), ['/UpdateParams/0/name invalid_name']],
  ['a field of the platform', field({ name: 'version' }), ['/UpdateParams/0/name reserved_name']],
  ['an id that is no guid', field({ name: 'id' }), ['/UpdateParams/0/name reserved_name']],
  [
    'one field twice',
    { entityName: 'order', UpdateParams: [...many(1), ...many(1)] },
    ['/UpdateParams/1/name duplicate'],
  ],
  ['an unknown type', field({ name: 'x', colType: 'text' }), ['/UpdateParams/0/colType unknown_type']],
  ['a type that is no text', field({ name: 'x', colType: ['string'] }), ['/UpdateParams/0/colType unknown_type']],
  ['a type that is null', field({ name: 'x', colType: null }), ['/UpdateParams/0/colType unknown_type']],
  [
    'hints of wrong types',
    field({ name: 'x', validate: 1, minlength: -1, maxlength: 1.5, default: null, index: 'yes' }),
    [
      '/UpdateParams/0/validate wrong_type',
      '/UpdateParams/0/minlength wrong_type',
      '/UpdateParams/0/maxlength wrong_type',
      '/UpdateParams/0/default wrong_type',
      '/UpdateParams/0/index wrong_type',
    ],
  ],
  ['a hint of another type', field({ name: 'x', min: 1 }), ['/UpdateParams/0/min hint_without_meaning']],
  ['an unknown hint', field({ name: 'x', 'a~b': 1 }), ['/UpdateParams/0/a~0b unknown_field']],
  ['a hint named like a built-in', field({ name: 'x', toString: 1 }), ['/UpdateParams/0/toString unknown_field']],
  ['lengths that contradict', field({ name: 'x', minlength: 2, maxlength: 1 }), ['/UpdateParams/0 invalid_hints']],
  ['an enum without values', field({ name: 'x', colType: 'enum' }), ['/UpdateParams/0 invalid_hints']],
  [
    'values that are no texts',
    field({ name: 'x', colType: 'enum', enumValues: [1] }),
    ['/UpdateParams/0/enumValues wrong_type'],
  ],
  ['an index on json', field({ name: 'x', colType: 'json', index: true }), ['/UpdateParams/0/index not_indexable']],
  [
    'a default of another type',
    field({ name: 'x', colType: 'number', default: '1' }),
    ['/UpdateParams/0/default wrong_type'],
  ],
  ['expressions that are too long together', typed(20_001), [' too_long']],
  ['a backfill that counts as one of them', backfilled(1001, 20), [' too_long']],
  ['a backfill that is no text', field({ name: 'x', backfill: 1 }), ['/UpdateParams/0/backfill wrong_type']],
  [
    'a backfill with ids of other records',
    field({ name: 'x', colType: 'guid', lookup: { entity: 'user' }, backfill: 'id' }),
    ['/UpdateParams/0/backfill hint_without_meaning'],
  ],
  [
    'a default its checks refuse',
    field({ name: 'x', validate: true, maxlength: 1, default: 'xx' }),
    ['/UpdateParams/0/default too_long'],
  ],
  ['keys that are no object', keys('x'), ['/baseKeys wrong_type']],
  ['keys without templates', keys({}), ['/baseKeys/pkTemplate wrong_type', '/baseKeys/skTemplate wrong_type']],
  ['an unknown member of the keys', keys({ pkTemplate: pk, skTemplate: sk, gsi: 1 }), ['/baseKeys/gsi unknown_field']],
  [
    'a key that a removal elsewhere would leave without a value',
    {
      entityName: 'order',
      UpdateParams: [{ name: 'of', colType: 'guid', lookup: { entity: 'order', onDelete: 'setnull' } }],
      baseKeys: { pkTemplate: pk, skTemplate: '{of}#{id}' },
    },
    ['/baseKeys/skTemplate contradiction'],
  ],
  ['an unknown token', keys({ pkTemplate: pk, skTemplate: '{nothing}' }), ['/baseKeys/skTemplate unknown_token']],
  [
    'a built-in as a token',
    keys({ pkTemplate: pk, skTemplate: '{constructor}' }),
    ['/baseKeys/skTemplate unknown_token'],
  ],
  [
    'a token without a text of its own',
    {
      entityName: 'order',
      UpdateParams: [{ name: 'parts', colType: 'json' }],
      baseKeys: { pkTemplate: pk, skTemplate: '{parts}#{id}' },
    },
    ['/baseKeys/skTemplate unknown_token'],
  ],
  ['a broken template', keys({ pkTemplate: pk, skTemplate: '{id' }), ['/baseKeys/skTemplate invalid_template']],
  [
    'tokens side by side',
    keys({ pkTemplate: pk, skTemplate: '{id}{title}' }),
    ['/baseKeys/skTemplate invalid_template'],
  ],
  ['an endless template', keys({ pkTemplate: pk, skTemplate: 'x'.repeat(257) }), ['/baseKeys/skTemplate wrong_type']],
  ...['{org}', 'org#{org}', 'org#{org};', 'org#acme-main;data', 'x;org#{org};', 'org#{title};x', ' org#{org};x'].map(
    (pkTemplate): Refusal => [
      `the partition \`${pkTemplate}\``,
      keys({ pkTemplate, skTemplate: sk }),
      ['/baseKeys/pkTemplate outside_workspace'],
    ],
  ),
];

for (const [what, input, places] of refused)
  test(`refuses ${what} and says where`, () => {
    const { code, errors } = refusalOf(input);
    assert.deepEqual(errors, places);
    assert.equal(
      code,
      places.every((place) => place.endsWith('unknown_field')) ? 'unknown_field' : 'validation_failed',
    );
  });

test('all mistakes are reported at once', () => {
  const input = {
    entityName: '',
    UpdateParams: [
      { name: 'a', min: 1 },
      { name: 'b', x: 1 },
    ],
    baseKeys: 1,
    more: 1,
  };
  assert.equal(refusalOf(input).errors.length, 5);
});

test('lengths that are not enforced bring a warning each', () => {
  const { warnings } = parseDefinition(field({ name: 'x', minlength: 1 }));
  assert.equal(warnings.length, 1);
  assert.deepEqual(parseDefinition(field({ name: 'x', minlength: 1, validate: true })).warnings, []);
});

test('whatever is sent, it is refused as a problem or compiles', () => {
  const leaf = fc.oneof(
    fc.constantFrom('string', 'number', 'x', 'order', '{id}', pk, 0, -1, true, null),
    fc.jsonValue(),
  );
  const name = fc.constantFrom('name', 'colType', 'validate', 'minlength', 'default', 'enumValues', 'index', 'x');
  const item = fc.oneof(fc.dictionary(name, leaf), leaf);
  const input = fc.record(
    {
      entityName: fc.constantFrom('order', 'x'),
      UpdateParams: fc.oneof(fc.array(item, { maxLength: 3 }), leaf),
      baseKeys: fc.dictionary(fc.constantFrom('pkTemplate', 'skTemplate'), leaf),
    },
    { requiredKeys: ['entityName'] },
  );
  const property = fc.property(input, (sent) => {
    try {
      compileEntity(parseDefinition(sent).definition, 1);
    } catch (error) {
      assert.ok(error instanceof Problem, String(error));
    }
  });
  fc.assert(property, { numRuns: thinned(2000) });
});

function refusalOf(input: unknown): { readonly code: string; readonly errors: readonly string[] } {
  try {
    parseDefinition(input);
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    return { code: error.code, errors: (error.details.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`) };
  }
  assert.fail('it was taken');
}
