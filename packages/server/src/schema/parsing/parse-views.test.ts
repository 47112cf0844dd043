import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Problem } from '../../lib/problem.ts';
import { thinned } from '../../store/testing/quick.ts';
import { compileEntity } from '../compile-entity.ts';
import type { FieldDefinition } from '../definition.ts';
import { parseDefinition } from '../parse-definition.ts';
import { compileView, generatedViews } from '../views/entity-views.ts';
import { parseViews } from './parse-views.ts';

const catalog: readonly FieldDefinition[] = [
  { name: 'title' },
  { name: 'amount', colType: 'number' },
  { name: 'customer_id', colType: 'guid', lookup: { entity: 'customer' } },
  { name: 'pin', colType: 'encrypted' },
];
const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `t${index}`, as: `t${index}` }));
const numberedFields = numbered(201).map(({ name }) => ({ name }));

function read(input: unknown) {
  const mistakes: string[] = [];
  const views = parseViews(input, [...catalog, ...numberedFields], (pointer, code, message) => {
    assert.match(message, /^[`a-z].*[^.]$/, 'a sentence without an end');
    mistakes.push(`${pointer} ${code}`);
  });
  return { mistakes, views };
}

const lookup = { name: 'customer_id', lookup: { view: 'compact', as: 'customer' } };
const v = (...fields: readonly unknown[]) => ({ v: { fields } });
const copies = (count: number) => Array.from({ length: count }, (_, index) => ({ name: 'title', as: `copy${index}` }));

const accepted: readonly (readonly [what: string, input: object])[] = [
  ['none', {}],
  ['fields, names, casts and lookups', v({ name: 'title' }, { name: 'amount', as: 'total', cast: 'string' }, lookup)],
  ['what the platform sets', v({ name: 'id' }, { name: 'version' }, { name: 'created_by', as: 'owner' })],
  ['the id beside the record that it points to', v({ name: 'customer_id' }, lookup)],
  ['one field by five names', v(...copies(5))],
  ['views in place of the generated ones', { default: { fields: [{ name: 'title' }] }, compact: { fields: [lookup] } }],
  ['as many as there may be', Object.fromEntries(numbered(20).map(({ as }) => [as, { fields: numbered(200) }]))],
  ['the generated views of an entity', generatedViews({ UpdateParams: catalog })],
];

for (const [what, input] of accepted)
  test(`takes ${what}, as they were supplied`, () => {
    const { mistakes, views } = read(input);
    assert.deepEqual(mistakes, []);
    assert.deepEqual(views, input);
  });

const refused: readonly (readonly [what: string, input: unknown, mistakes: readonly string[]])[] = [
  ['what is no object', [], ['/Views wrong_type']],
  ['null', null, ['/Views wrong_type']],
  ...['Summary', '1a', '', 'a-b', 'constructor', '__proto__', 'x'.repeat(64)].map(
    (name) =>
      [
        `a view named \`${name}\``,
        JSON.parse(`{${JSON.stringify(name)}:{"fields":[{"name":"title"}]}}`),
        [`/Views/${name} invalid_name`],
      ] as const,
  ),
  ['21 views', Object.fromEntries(numbered(21).map(({ as }) => [as, v({ name: 'title' }).v])), ['/Views too_many']],
  ['a view that is no object', { v: [] }, ['/Views/v wrong_type']],
  ['a view without fields', { v: {} }, ['/Views/v/fields wrong_type']],
  ['a view of no fields', v(), ['/Views/v/fields too_few']],
  ['one field by six names', v(...copies(6)), ['/Views/v/fields/5 too_many']],
  ['a view of 201 fields', v(...numbered(201)), ['/Views/v/fields too_many']],
  [
    'a view that looks up eleven fields',
    v(...numbered(11).map(({ as }) => ({ ...lookup, lookup: { view: 'compact', as } }))),
    ['/Views/v/fields too_many'],
  ],
  [
    'unknown members',
    { v: { ...v({ name: 'title', x: 1 }).v, y: 1 } },
    ['/Views/v/y unknown_field', '/Views/v/fields/0/x unknown_field'],
  ],
  ['a field that is no object', v('title'), ['/Views/v/fields/0 wrong_type']],
  ['a field without a name', v({}), ['/Views/v/fields/0/name wrong_type']],
  ['what is no field', v({ name: 'toString' }), ['/Views/v/fields/0/name unknown_field']],
  ['an encrypted field', v({ name: 'pin' }), ['/Views/v/fields/0/name secret_field']],
  [
    'names that no member can have',
    v({ name: 'title', as: 'a b' }, { name: 'title', as: 'valueOf' }),
    ['/Views/v/fields/0/as invalid_name', '/Views/v/fields/1/as invalid_name'],
  ],
  ['an unknown cast', v({ name: 'title', cast: 'date' }), ['/Views/v/fields/0/cast wrong_type']],
  ['one name twice', v({ name: 'title' }, { name: 'amount', as: 'title' }), ['/Views/v/fields/1 duplicate']],
  ['the name of a lookup twice', v({ name: 'title', as: 'customer' }, lookup), ['/Views/v/fields/1 duplicate']],
  ['a lookup that is no object', v({ ...lookup, lookup: 'compact' }), ['/Views/v/fields/0/lookup wrong_type']],
  [
    'a lookup without view and name',
    v({ ...lookup, lookup: { x: 1 } }),
    ['x unknown_field', 'view invalid_name', 'as invalid_name'].map((end) => `/Views/v/fields/0/lookup/${end}`),
  ],
  ['a lookup of a field that points nowhere', v({ ...lookup, name: 'title' }), ['/Views/v/fields/0/lookup no_lookup']],
  ['a lookup of a field of the platform', v({ ...lookup, name: 'created_by' }), ['/Views/v/fields/0/lookup no_lookup']],
  [
    'a lookup with a name and a cast of its own',
    v({ ...lookup, as: 'x', cast: 'string' }),
    ['as', 'cast'].map((member) => `/Views/v/fields/0/${member} hint_without_meaning`),
  ],
];

for (const [what, input, mistakes] of refused)
  test(`refuses ${what} and says where`, () => assert.deepEqual(read(input).mistakes, mistakes));

test('the views of a definition are kept with it', () => {
  const input = { entityName: 'order', UpdateParams: [{ name: 'title' }], Views: v({ name: 'title', as: 'heading' }) };
  assert.deepEqual(parseDefinition(input).definition, input);
});

test('whatever is sent, it is refused as a problem or compiles', () => {
  const leaf = fc.oneof(
    fc.constantFrom('title', 'customer_id', 'pin', 'version', 'compact', 'string', '__proto__'),
    fc.jsonValue(),
  );
  const field = fc.oneof(
    { weight: 3, arbitrary: fc.record({ name: fc.constantFrom('title', 'version', 'customer_id') }) },
    fc.record(
      { name: leaf, as: leaf, cast: leaf, lookup: fc.oneof(fc.record({ view: leaf, as: leaf }), leaf) },
      { requiredKeys: [] },
    ),
    leaf,
  );
  const view = fc.oneof({ weight: 3, arbitrary: fc.record({ fields: fc.array(field, { maxLength: 3 }) }) }, leaf);
  const input = fc.oneof(
    { weight: 3, arbitrary: fc.dictionary(fc.constantFrom('v', 'default', '__proto__'), view) },
    leaf,
  );
  let compiled = 0;
  const property = fc.property(input, (Views) => {
    try {
      const { definition } = parseDefinition({ entityName: 'order', UpdateParams: [{ name: 'title' }], Views });
      const entity = compileEntity(definition, 1);
      for (const one of Object.values(definition.Views ?? {})) compileView(one, entity);
      compiled += 1;
    } catch (error) {
      assert.ok(error instanceof Problem, String(error));
    }
  });
  fc.assert(property, { numRuns: thinned(1000) });
  assert.ok(compiled > 0);
});
