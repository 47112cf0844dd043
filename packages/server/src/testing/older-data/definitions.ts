/** What the org of a fixture defines: a field of every type, every kind of index, a config item of every kind. */
export const customer = {
  entityName: 'customer',
  UpdateParams: [{ name: 'name', colType: 'string', validate: true, maxlength: 50 }],
};

export const customerWithCity = [...customer.UpdateParams, { name: 'city', colType: 'string', index: true }];

export const thing = {
  entityName: 'thing',
  UpdateParams: [
    { name: 'title', colType: 'string', validate: true, minlength: 1, maxlength: 40, index: true, search: true },
    { name: 'word', colType: 'string', validate: true, required: false, pattern: '^[a-z]+$' },
    { name: 'amount', colType: 'number', validate: true, required: false, min: 0, max: 100, index: true },
    { name: 'seats', colType: 'integer', default: 3 },
    { name: 'paid', colType: 'boolean' },
    { name: 'day', colType: 'date', index: true },
    { name: 'at', colType: 'datetime' },
    { name: 'ref', colType: 'guid' },
    { name: 'state', colType: 'enum', enumValues: ['open', 'done'], validate: true, default: 'open' },
    { name: 'notes', colType: 'json' },
    { name: 'tags', colType: 'array', items: { colType: 'string', maxlength: 9 }, validate: true, required: false },
    { name: 'mail', colType: 'email' },
    { name: 'page', colType: 'url' },
    { name: 'label', colType: 'formula', formula: '{title}-{seats}' },
    { name: 'number', colType: 'autoincrement', index: true },
    { name: 'pin', colType: 'encrypted' },
    { name: 'owner_id', colType: 'guid' },
    { name: 'customer_id', colType: 'guid', lookup: { entity: 'customer', onDelete: 'restrict' } },
  ],
  UniqueIndexes: [{ indexName: 'by_word', fields: ['word'], ignoreCase: true }],
  ownerIndexes: [
    { ownerFieldName: 'owner_id', gpkTemplate: 'org#{org};thing-owner#{owner_id}', gskTemplate: 'thing#{id}' },
  ],
  parentIndex: {
    parentFieldName: 'customer_id',
    gpkTemplate: 'org#{org};thing-of#{customer_id}',
    gskTemplate: 'thing#{id}',
  },
  aggregates: [{ name: 'by_state', group: ['state'], measures: ['count', 'sum:seats'] }],
  Views: {
    short: {
      fields: [
        { name: 'title', as: 'name' },
        { name: 'amount', cast: 'string' },
        { name: 'version', as: 'edition' },
        { name: 'customer_id', lookup: { view: 'compact', as: 'customer' } },
      ],
    },
  },
};

/** While there are records one aggregate comes. */
export const thingCountedOtherwise = [...thing.aggregates, { name: 'by_day', group: ['day'], measures: ['count'] }];

/** While there are records one index comes and another goes. */
export const thingIndexedOtherwise = thing.UpdateParams.map((field) => {
  if (field.name === 'amount') return { ...field, index: false };
  return field.name === 'seats' ? { ...field, index: true } : field;
});

export const valueOfEachType = {
  title: 'Émile writes',
  word: 'abc',
  amount: 2.5,
  seats: 4,
  paid: true,
  day: '2026-11-20',
  at: '2026-11-20T09:30:00Z',
  ref: '01890a5d-ac96-774b-bcce-b302099a8057',
  state: 'done',
  notes: { a: [1, { b: null }] },
  tags: ['a', 'b'],
  mail: 'ann@example.com',
  page: 'https://example.com/',
  pin: 'secret',
};

export const configItems = [
  {
    kind: 'logicblock',
    name: 'greet',
    content: { name: 'greet', steps: [{ id: 'read', type: 'list', entity: 'user' }] },
  },
  {
    kind: 'event',
    name: 'welcome',
    content: {
      entity_name: 'user',
      event_name: 'welcome',
      event_type: 'logicblock',
      event_stage: 'after',
      event_optype: 'create',
      enabled: true,
      destination_config: { logicblock: 'greet' },
    },
  },
  {
    kind: 'crew',
    name: 'office',
    content: {
      name: 'office',
      status: 'active',
      agents: [{ name: 'clerk', prompt: 'Write it down.', model: 'small', tools: [] }],
    },
  },
];

export const settings = [
  { group: 'acl', name: 'cache_seconds', value: 30 },
  { group: 'auth', name: 'allowed_domains', value: ['https://app.example.com'] },
  {
    group: 'tenancy',
    name: 'workspace_templates',
    value: {
      policies: [{ name: 'writers', statements: [{ Effect: 'Allow', Action: ['*thing'], Resource: ['*'] }] }],
      groups: [{ name: 'staff', acl_policies: ['writers'] }],
    },
  },
  {
    group: 'auth',
    name: 'issuers',
    value: [{ issuer: 'https://id.example.com', audiences: ['a'], jwks_uri: 'https://id.example.com/jwks' }],
  },
];

export const ownThings = [
  {
    Sid: 'own',
    Effect: 'Allow',
    Action: ['creatething', 'updatething'],
    Resource: ['*'],
    Condition: { StringEquals: { 'record.owner_id': '{sub}' } },
  },
  {
    Sid: 'hide',
    Effect: 'Deny',
    Action: ['getthing'],
    Resource: ['*'],
    Condition: { StringEquals: { 'record.state': 'done' } },
  },
];

export const noDeletes = [
  { Effect: 'Deny', Action: ['delete*'], Resource: ['*'] },
  { Effect: 'Allow', Action: ['creatething'], Resource: ['*'] },
  { Effect: 'Deny', Mode: 'report', Action: ['list*'], Resource: ['*'] },
];

export const operations = ['b0', 'b1'].map((title) => ({ action: 'create', entity: 'thing', data: { title } }));
