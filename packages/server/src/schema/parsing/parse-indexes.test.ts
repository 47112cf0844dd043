import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Problem } from '../../lib/problem.ts';
import { thinned } from '../../store/testing/quick.ts';
import { compileEntity } from '../compile-entity.ts';
import type { FieldDefinition } from '../definition.ts';
import { parseDefinition } from '../parse-definition.ts';
import { checkIndexes } from './parse-indexes.ts';

const catalog: readonly FieldDefinition[] = [
  { name: 'title' },
  { name: 'owner_id', colType: 'guid' },
  { name: 'score', colType: 'number' },
  { name: 'rank', colType: 'integer' },
  { name: 'state', colType: 'enum', enumValues: ['on', 'off'] },
  { name: 'extra', colType: 'json' },
  { name: 'org' },
  { name: 'id', colType: 'guid' },
];

function mistakesIn(input: Readonly<Record<string, unknown>>, fields = catalog): readonly string[] {
  const mistakes: string[] = [];
  checkIndexes(input, fields, (pointer, code, message) => {
    assert.match(message, /^[`a-z].*[^.]$/, 'a sentence without an end');
    mistakes.push(`${pointer} ${code}`);
  });
  return mistakes;
}

const owner = { ownerFieldName: 'owner_id', gpkTemplate: 'org#{org};owner#{owner_id}', gskTemplate: 'order#{id}' };
const parent = { parentFieldName: 'title', gpkTemplate: 'org#{org};parent#{title}', gskTemplate: '{created_at}#{id}' };
const unique = { indexName: 'by_title', fields: ['title'] };

const accepted: readonly (readonly [what: string, input: Readonly<Record<string, unknown>>])[] = [
  ['nothing', {}],
  ['empty lists', { ownerIndexes: [], UniqueIndexes: [] }],
  ['an index of each kind', { ownerIndexes: [owner], parentIndex: parent, UniqueIndexes: [unique] }],
  ['`user_id` for the owner', { ownerIndexes: [{ ...owner, gpkTemplate: 'org#{org};o#{user_id}' }] }],
  [
    'the creator of the record as its owner',
    {
      ownerIndexes: [
        { ...owner, ownerFieldName: 'created_by', gpkTemplate: 'org#{org};{created_by}', scopeList: true },
      ],
    },
  ],
  ['a number and a workspace in the order', { parentIndex: { ...parent, gskTemplate: '{tenant_id}#{score}#{id}' } }],
  [
    'parents by a whole number and by an enum',
    { parentIndex: { ...parent, parentFieldName: 'rank', gpkTemplate: 'org#{org};{rank}' } },
  ],
  [
    'five fields, without regard to case',
    {
      UniqueIndexes: [
        { indexName: 'A-b_1', fields: ['title', 'owner_id', 'score', 'rank', 'state'], ignoreCase: true },
      ],
    },
  ],
];

for (const [what, input] of accepted)
  test(`takes ${what}, and it compiles`, () => {
    assert.deepEqual(mistakesIn(input), []);
    const { definition } = parseDefinition({ entityName: 'order', UpdateParams: catalog, ...input });
    assert.equal(compileEntity(definition, 1).name, 'order');
  });

const owners = (...items: readonly unknown[]) => ({ ownerIndexes: items });
const at = '/ownerIndexes/0';

const refused: readonly (readonly [
  what: string,
  input: Readonly<Record<string, unknown>>,
  mistakes: readonly string[],
])[] = [
  ['owner indexes that are no list', { ownerIndexes: {} }, ['/ownerIndexes wrong_type']],
  ['what is no index', owners(null, []), ['/ownerIndexes/0 wrong_type', '/ownerIndexes/1 wrong_type']],
  [
    'an empty index',
    owners({}),
    [`${at}/ownerFieldName wrong_type`, `${at}/gpkTemplate wrong_type`, `${at}/gskTemplate wrong_type`],
  ],
  ['an unknown member', owners({ ...owner, 'a/b': 1 }), [`${at}/a~1b unknown_field`]],
  ['an owner that is no field', owners({ ...owner, ownerFieldName: 'absent' }), [`${at}/ownerFieldName unknown_field`]],
  [
    'another field of the platform',
    owners({ ...owner, ownerFieldName: 'updated_by' }),
    [`${at}/ownerFieldName unknown_field`],
  ],
  ['the id as an owner', owners({ ...owner, ownerFieldName: 'id' }), [`${at}/ownerFieldName unknown_field`]],
  ['an owner that is a number', owners({ ...owner, ownerFieldName: 'score' }), [`${at}/ownerFieldName unfit_field`]],
  [
    'an owner that no template can name',
    owners({ ...owner, ownerFieldName: 'org' }),
    [`${at}/ownerFieldName unfit_field`],
  ],
  ['one owner twice', owners(owner, owner), ['/ownerIndexes/1/ownerFieldName duplicate']],
  [
    'a partition outside of the workspace',
    owners({ ...owner, gpkTemplate: 'owner#{owner_id}' }),
    [`${at}/gpkTemplate outside_workspace`],
  ],
  [
    'a partition without the owner',
    owners({ ...owner, gpkTemplate: 'org#{org};all' }),
    [`${at}/gpkTemplate missing_token`],
  ],
  [
    'a partition by another field',
    owners({ ...owner, gpkTemplate: 'org#{org};{title}#{owner_id}' }),
    [`${at}/gpkTemplate unknown_token`],
  ],
  [
    'a partition by a claim',
    owners({ ...owner, gpkTemplate: 'org#{org};{role}#{owner_id}' }),
    [`${at}/gpkTemplate unknown_token`],
  ],
  ['a partition that is no template', owners({ ...owner, gpkTemplate: '{' }), [`${at}/gpkTemplate invalid_template`]],
  ['an endless partition', owners({ ...owner, gpkTemplate: 'x'.repeat(257) }), [`${at}/gpkTemplate wrong_type`]],
  ['an order by a claim', owners({ ...owner, gskTemplate: '{user_id}#{id}' }), [`${at}/gskTemplate unknown_token`]],
  ['an order by what has none', owners({ ...owner, gskTemplate: '{extra}#{id}' }), [`${at}/gskTemplate unknown_token`]],
  [
    'an order by another time',
    owners({ ...owner, gskTemplate: '{updated_at}#{id}' }),
    [`${at}/gskTemplate unknown_token`],
  ],
  ['a scope that is no yes or no', owners({ ...owner, scopeList: 'true' }), [`${at}/scopeList wrong_type`]],
  [
    'two scopes',
    owners(
      { ...owner, scopeList: true },
      { ...owner, ownerFieldName: 'created_by', gpkTemplate: 'org#{org};{user_id}', scopeList: true },
    ),
    ['/ownerIndexes/1/scopeList duplicate'],
  ],
  [
    'six owner indexes',
    owners(...Array.from({ length: 6 }, () => null)),
    ['/ownerIndexes too_many', ...[0, 1, 2, 3, 4].map((index) => `/ownerIndexes/${index} wrong_type`)],
  ],
  ['parents that are a list', { parentIndex: [parent] }, ['/parentIndex wrong_type']],
  [
    'an empty parent',
    { parentIndex: {} },
    [
      '/parentIndex/parentFieldName wrong_type',
      '/parentIndex/gpkTemplate wrong_type',
      '/parentIndex/gskTemplate wrong_type',
    ],
  ],
  [
    'a parent that scopes lists',
    { parentIndex: { ...parent, scopeList: true } },
    ['/parentIndex/scopeList unknown_field'],
  ],
  [
    '`user_id` for a parent',
    { parentIndex: { ...parent, gpkTemplate: 'org#{org};{user_id}' } },
    ['/parentIndex/gpkTemplate unknown_token', '/parentIndex/gpkTemplate missing_token'],
  ],
  [
    'the creator of the record as its parent',
    { parentIndex: { ...parent, parentFieldName: 'created_by' } },
    ['/parentIndex/parentFieldName unknown_field'],
  ],
  [
    'json as a parent',
    { parentIndex: { ...parent, parentFieldName: 'extra' } },
    ['/parentIndex/parentFieldName unfit_field'],
  ],
  ['unique indexes that are no list', { UniqueIndexes: unique }, ['/UniqueIndexes wrong_type']],
  [
    'a unique index without anything',
    { UniqueIndexes: [{}] },
    ['/UniqueIndexes/0/indexName invalid_name', '/UniqueIndexes/0/fields wrong_type'],
  ],
  ...['', '1a', 'a b', 'a#b', 'ä', 'x'.repeat(64), 7].map(
    (indexName) =>
      [
        `the index name ${JSON.stringify(indexName)}`,
        { UniqueIndexes: [{ ...unique, indexName }] },
        ['/UniqueIndexes/0/indexName invalid_name'],
      ] as const,
  ),
  [
    'one name twice',
    { UniqueIndexes: [unique, { ...unique, fields: ['score'] }] },
    ['/UniqueIndexes/1/indexName duplicate'],
  ],
  [
    'no fields, or six',
    {
      UniqueIndexes: [
        { ...unique, fields: [] },
        { indexName: 'b', fields: Array(6).fill('title') },
      ],
    },
    ['/UniqueIndexes/0/fields wrong_type', '/UniqueIndexes/1/fields wrong_type'],
  ],
  [
    'fields that are none, that come twice, that have no order',
    { UniqueIndexes: [{ ...unique, fields: ['toString', 'title', 'title', 'extra', { toString: 1 }] }] },
    ['/0 unknown_field', '/2 duplicate', '/3 not_indexable', '/4 wrong_type'].map(
      (end) => `/UniqueIndexes/0/fields${end}`,
    ),
  ],
  [
    'a case that is no yes or no',
    { UniqueIndexes: [{ ...unique, ignoreCase: 1 }] },
    ['/UniqueIndexes/0/ignoreCase wrong_type'],
  ],
  [
    'an unknown member of a unique index',
    { UniqueIndexes: [{ ...unique, name: 1 }] },
    ['/UniqueIndexes/0/name unknown_field'],
  ],
];

for (const [what, input, mistakes] of refused)
  test(`refuses ${what} and says where`, () => assert.deepEqual(mistakesIn(input), mistakes));

test('`user_id` is the owner only where no field has that name', () => {
  const index = { ...owner, gpkTemplate: 'org#{org};{user_id}#{owner_id}' };
  assert.deepEqual(mistakesIn(owners(index)), []);
  assert.deepEqual(mistakesIn(owners(index), [...catalog, { name: 'user_id' }]), [`${at}/gpkTemplate unknown_token`]);
  const own = { ...index, ownerFieldName: 'user_id', gpkTemplate: 'org#{org};{user_id}' };
  assert.deepEqual(mistakesIn(owners(own), [...catalog, { name: 'user_id' }]), []);
});

test('whatever is sent, it is refused as a problem or compiles', () => {
  const template = fc.constantFrom('org#{org};{title}', 'org#{org};{user_id}', '{score}#{id}', '{id}', '{x}', '{', '');
  const leaf = fc.oneof(
    template,
    fc.constantFrom('title', 'owner_id', 'extra', 'created_by', 'org', true),
    fc.jsonValue(),
  );
  const members = [
    'ownerFieldName',
    'parentFieldName',
    'gpkTemplate',
    'gskTemplate',
    'scopeList',
    'indexName',
    'fields',
    'ignoreCase',
    'x',
  ];
  const name = fc.constantFrom(...members);
  const index = fc.oneof(
    { weight: 4, arbitrary: fc.record({ ownerFieldName: leaf, gpkTemplate: template, gskTemplate: template }) },
    { weight: 4, arbitrary: fc.record({ parentFieldName: leaf, gpkTemplate: template, gskTemplate: template }) },
    { weight: 4, arbitrary: fc.record({ indexName: leaf, fields: fc.array(leaf, { maxLength: 3 }) }) },
    fc.dictionary(name, leaf),
    leaf,
  );
  const list = fc.oneof(fc.array(index, { maxLength: 2 }), leaf);
  const input = fc.record({ ownerIndexes: list, parentIndex: index, UniqueIndexes: list }, { requiredKeys: [] });
  let compiled = 0;
  const property = fc.property(input, (sent) => {
    try {
      compileEntity(parseDefinition({ entityName: 'order', UpdateParams: catalog, ...sent }).definition, 1);
      compiled += 1;
    } catch (error) {
      assert.ok(error instanceof Problem, String(error));
    }
  });
  fc.assert(property, { numRuns: thinned(1000) });
  assert.ok(compiled > 0);
});
