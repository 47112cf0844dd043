import type { KindCases } from '../../../promotion/testing/kind-cases.ts';

const field = (name: string, hints: object = {}): object => ({ name, ...hints });
const templates = { gpkTemplate: 'org#{org};o#{keeper}', gskTemplate: 'order#{id}' };

export const entityCases: KindCases = {
  name: 'order',
  content: {
    definition: {
      entityName: 'order',
      baseKeys: { pkTemplate: 'org#{org};data#order', skTemplate: 'order#{id}' },
      UpdateParams: [
        field('title', { validate: true, maxlength: 20 }),
        field('card', { colType: 'encrypted' }),
        field('keeper', { required: false }),
        field('customer', { colType: 'guid', lookup: { entity: 'customer' } }),
        field('parent', { colType: 'guid', lookup: { entity: 'order', onDelete: 'cascade' } }),
        field('seller', { colType: 'guid', lookup: { entity: 'user' } }),
      ],
      ownerIndexes: [{ ownerFieldName: 'keeper', ...templates, scopeList: true }],
      parentIndex: { parentFieldName: 'parent', gpkTemplate: 'org#{org};p#{parent}', gskTemplate: 'order#{id}' },
      UniqueIndexes: [{ indexName: 'by-title', fields: ['title'] }],
      aggregates: [{ name: 'by-keeper', group: ['keeper'], measures: ['count'] }],
      Views: {
        default: { fields: [{ name: 'title' }] },
        short: { fields: [{ name: 'id' }, { name: 'title', as: 'label' }] },
      },
    },
    views: { list: { default: { fields: [{ name: 'id' }] } } },
  },
  closed: ['', '/definition', '/definition/UpdateParams/0', '/definition/Views/short', '/views'],
  refused: [
    { at: '/definition', value: undefined, error: '/definition wrong_type' },
    { at: '/definition/entityName', value: 'offer', error: '/definition/entityName contradiction' },
    {
      at: '/definition/UpdateParams/0/colType',
      value: 'money',
      error: '/definition/UpdateParams/0/colType unknown_type',
    },
    {
      at: '/views/list/default/fields/0/name',
      value: 'gone',
      error: '/views/list/default/fields/0/name unknown_field',
    },
    {
      at: '/definition/aggregates/0/group/0',
      value: 'card',
      error: '/definition/aggregates/0/group/0 not_measurable',
    },
    { at: '/views/create', value: {}, error: '/views/create unknown_field' },
    { at: '/views', value: [], error: '/views wrong_type' },
  ],
  changes: [
    {
      at: '/definition/UpdateParams/0/maxlength',
      value: 30,
      says: ['field `title`: `maxlength` is `30` now, and was `20`'],
    },
    {
      at: '/definition/UpdateParams/2/colType',
      value: 'guid',
      says: ['field `keeper` is of the type `guid` now, and was of `string`'],
    },
    {
      at: '/definition/UpdateParams/6',
      value: field('price', { colType: 'number', validate: true }),
      says: ['field `price` is new, a required number'],
    },
    {
      at: '/definition/UpdateParams/5',
      value: undefined,
      says: ['field `seller` is taken out; stored values stay hidden'],
    },
    {
      at: '/definition/UpdateParams/5',
      value: field('by', { colType: 'guid', lookup: { entity: 'user' } }),
      says: [
        'field `by` is new, an optional guid that looks up `user`',
        'field `seller` is taken out; stored values stay hidden',
      ],
    },
    {
      at: '/definition/UpdateParams/5',
      value: field('sold_by', {
        storedAs: 'seller',
        aliases: ['seller'],
        formerNames: ['seller'],
        colType: 'guid',
        lookup: { entity: 'order' },
      }),
      says: [
        'field `seller` is called `sold_by` now',
        'field `sold_by`: `lookup` is `{"entity":"order"}` now, and was `{"entity":"user"}`',
      ],
    },
    {
      at: '/definition/UpdateParams/5',
      value: field('seller', {
        aliases: ['vendor'],
        formerNames: ['vendor'],
        colType: 'guid',
        lookup: { entity: 'user' },
      }),
      says: ['field `seller`: `aliases` is `["vendor"]` now, and was not said before'],
    },
    {
      at: '/definition/baseKeys',
      value: undefined,
      says: ['`baseKeys` is not said any more; it was an object of 63 characters'],
    },
    {
      at: '/definition/ownerIndexes/0/scopeList',
      value: false,
      says: ['owner index `keeper`: `scopeList` is `false` now, and was `true`'],
    },
    { at: '/definition/ownerIndexes', value: undefined, says: ['owner index `keeper` is taken out'] },
    { at: '/definition/parentIndex', value: undefined, says: ['the parent index on `parent` is taken out'] },
    {
      at: '/definition/parentIndex/gskTemplate',
      value: 'x#{id}',
      says: ['the parent index: `gskTemplate` is `"x#{id}"` now, and was `"order#{id}"`'],
    },
    {
      at: '/definition/aggregates',
      value: undefined,
      says: ['aggregate `by-keeper` is taken out: its figures are worked out from the records from then on'],
    },
    {
      at: '/definition/aggregates/1',
      value: { name: 'by_title', group: ['title'], measures: ['count'] },
      says: ['aggregate `by_title` is new, by `title`: it answers once it is built from the records'],
    },
    {
      at: '/definition/UniqueIndexes/0/ignoreCase',
      value: true,
      says: [
        'unique index `by-title`: `ignoreCase` is `true` now, and was not said before',
        'unique index `by-title` is rebuilt from the records before it holds',
      ],
    },
    {
      at: '/definition/UniqueIndexes/1',
      value: { indexName: 'by_keeper', fields: ['keeper', 'title'] },
      says: ['unique index `by_keeper` is new, on `keeper`, `title`: it is built from the records before it holds'],
    },
    {
      at: '/definition/UniqueIndexes',
      value: [],
      says: ['unique index `by-title` is taken out: values may stand twice from then on'],
    },
    {
      at: '/definition/indexes',
      value: [{ fields: ['title', '-keeper'] }],
      says: ['compound index `title,-keeper` is new: it serves lists once it is built from the records'],
    },
    {
      at: '/definition/checks',
      value: [{ cel: 'title != keeper', message: 'the keeper is not the title' }],
      says: [
        'check `title != keeper` is new: writes that do not meet it are refused with “the keeper is not the title”',
      ],
    },
    {
      at: '/definition/Views/short/fields/1/as',
      value: 'name',
      says: ['view `short` shows `name` too', 'view `short` does not show `label` any more'],
    },
    {
      at: '/definition/Views/short/fields',
      value: [{ name: 'title', as: 'label' }, { name: 'id' }],
      says: ['view `short` shows its fields in another order'],
    },
    {
      at: '/definition/Views',
      value: undefined,
      says: ['view `default` is taken out', 'view `short` is taken out', 'the entity has no views of its own any more'],
    },
    {
      at: '/views/list/default/fields/0/cast',
      value: 'string',
      says: ['view `default` of `list`: `id`: `cast` is `"string"` now, and was not said before'],
    },
    {
      at: '/views/get',
      value: { full: { fields: [{ name: 'keeper' }] } },
      says: ['`get` has views of its own now', 'view `full` of `get` is new: it shows `keeper`'],
    },
  ],
  added: ['entity `order` is new, with the fields `title`, `card`, `keeper`, `customer`, `parent`, `seller`'],
  removed: ['entity `order` is taken out: its routes are gone, its records are served no more'],
  references: ['/definition/UpdateParams/3/lookup/entity entity customer: looks it up in the field `customer`'],
  widening: [
    {
      at: '/definition/UpdateParams/1/colType',
      value: 'string',
      wider: ['field `card` is not encrypted any more: replies show what is written to it'],
    },
    { at: '/definition/UpdateParams/0/validate', value: false, wider: [] },
    { at: '/definition/UniqueIndexes', value: undefined, wider: [] },
    { at: '/definition/UpdateParams/6', value: field('price'), wider: [] },
    {
      at: '/definition/Views',
      value: undefined,
      wider: ['get', 'update', 'delete'].map(
        (action) =>
          `replies of \`${action}\` may show \`keeper\`, \`customer\`, \`parent\`, \`seller\`, \`created_at\`, \`updated_at\`, \`created_by\`, \`updated_by\`, \`version\``,
      ),
    },
    { at: '/views/list/default/fields/1', value: { name: 'keeper' }, wider: ['replies of `list` may show `keeper`'] },
    {
      at: '/definition/ownerIndexes/0/scopeList',
      value: false,
      wider: ['lists show the records of all owners, and not the caller’s own alone'],
    },
  ],
};
