/** Contents of each kind of config items, with what is to be said of changes of them. For tests. */
import type { ConfigItemKind } from '../../entities/config-item.ts';
import type { SettingType } from '../../entities/setting.ts';
import { createConfigKinds } from '../config-kinds.ts';

export type Json = unknown;

export interface KindCases {
  readonly name: string;
  /** With every member that there is. */
  readonly content: Json;
  /** Where no member but those that are known may stand. */
  readonly closed: readonly string[];
  readonly refused: readonly { readonly at: string; readonly value: Json; readonly error: string }[];
  /** The member that repeats the name, which a change leaves alone. */
  readonly identity?: string;
  /** At least one of each other member. */
  readonly changes: readonly { readonly at: string; readonly value: Json; readonly says: readonly string[] }[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly references: readonly string[];
  readonly widening: readonly { readonly at: string; readonly value: Json; readonly wider: readonly string[] }[];
}

/** A setting that lets more in the longer it is, and refers to another where it is long. */
const door: SettingType<number> = {
  key: 'house.door',
  description: 'How wide the door stands open.',
  byDefault: 1,
  schema: { type: 'integer' },
  parse: (input) =>
    typeof input === 'number' && Number.isInteger(input)
      ? { value: input }
      : { errors: [{ pointer: '', code: 'wrong_type', message: 'must be a whole number' }] },
  inProduction: (value) => Math.min(value, 50),
  needs: (value) => (value > 5 ? [{ key: 'house.frame', reason: 'hangs in it' }] : []),
  widens: (before, after) => (after > before ? [`the door is open by ${after - before} more`] : []),
};

export const kinds = createConfigKinds({ settingTypes: [door] });

const event: KindCases = {
  name: 'tell-shop',
  identity: 'event_name',
  content: {
    entity_name: 'order',
    event_name: 'tell-shop',
    event_type: 'webhook',
    event_stage: 'after',
    event_optype: 'create',
    enabled: true,
    entry_conditions: [{ field: 'total', op: 'gt', value: 5 }],
    destination_config: { url: 'https://shop.example/hook?a=b', headers: { 'X-Shop': 'freehold' } },
  },
  closed: ['', '/destination_config', '/entry_conditions/0'],
  refused: [
    { at: '/event_name', value: 'other', error: '/event_name contradiction' },
    { at: '/event_name', value: undefined, error: '/event_name required' },
    { at: '/entity_name', value: 'Order', error: '/entity_name invalid_form' },
    { at: '/event_type', value: 'mail', error: '/event_type wrong_type' },
    { at: '/event_type', value: undefined, error: '/event_type required' },
    { at: '/event_type', value: 'crew', error: '/destination_config/crew required' },
    { at: '/event_stage', value: 'during', error: '/event_stage wrong_type' },
    { at: '/enabled', value: 'yes', error: '/enabled wrong_type' },
    {
      at: '/entry_conditions',
      value: Array(21).fill({ field: 'a', op: 'eq', value: 1 }),
      error: '/entry_conditions too_many',
    },
    { at: '/entry_conditions/0/op', value: 'like', error: '/entry_conditions/0/op wrong_type' },
    { at: '/destination_config/url', value: 'http://shop.example', error: '/destination_config/url invalid_address' },
    {
      at: '/destination_config/url',
      value: 'https://a:b@shop.example',
      error: '/destination_config/url invalid_address',
    },
    { at: '/destination_config/url', value: 'https://', error: '/destination_config/url invalid_form' },
    { at: '/destination_config/url', value: 'ftp://shop.example', error: '/destination_config/url invalid_form' },
    {
      at: '/destination_config/headers/Authorization',
      value: 'x',
      error: '/destination_config/headers/Authorization refused_header',
    },
    { at: '/destination_config/headers/Host', value: 'x', error: '/destination_config/headers/Host refused_header' },
    { at: '/destination_config/headers/x-shop', value: 'x', error: '/destination_config/headers duplicate' },
    {
      at: '/destination_config/headers/X-Shop',
      value: 'a\r\nb',
      error: '/destination_config/headers/X-Shop invalid_form',
    },
    { at: '', value: [], error: ' wrong_type' },
  ],
  changes: [
    { at: '/entity_name', value: 'user', says: ['`entity_name` is `"user"` now, and was `"order"`'] },
    {
      at: '/destination_config/headers',
      value: undefined,
      says: ['destination: `headers` is not said any more; it was `{"X-Shop":"freehold"}`'],
    },
    { at: '/event_stage', value: 'before', says: ['`event_stage` is `"before"` now, and was `"after"`'] },
    { at: '/event_optype', value: 'delete', says: ['`event_optype` is `"delete"` now, and was `"create"`'] },
    { at: '/enabled', value: false, says: ['`enabled` is `false` now, and was `true`'] },
    {
      at: '',
      value: {
        entity_name: 'order',
        event_name: 'tell-shop',
        event_type: 'crew',
        event_stage: 'after',
        event_optype: 'create',
        enabled: true,
        entry_conditions: [{ field: 'total', op: 'gt', value: 5 }],
        destination_config: { crew: 'packers' },
      },
      says: ['it is to run the crew `packers` now, and was to call `"https://shop.example/hook?a=b"`'],
    },
    {
      at: '/entry_conditions',
      value: undefined,
      says: ['`entry_conditions` is not said any more; it was `[{"field":"total","op":"gt","value":5}]`'],
    },
  ],
  added: [
    'event `tell-shop` is new: after a create of `order`, on conditions, it is to call `"https://shop.example/hook?a=b"`',
  ],
  removed: ['event `tell-shop` is taken out: it was to call `"https://shop.example/hook?a=b"`'],
  references: ['/entity_name entity order: waits for records of `order`'],
  widening: [
    {
      at: '/destination_config/url',
      value: 'http://localhost:3000/x',
      wider: ['what is written to records of `order` is sent to `"http://localhost:3000/x"`'],
    },
    { at: '/enabled', value: false, wider: [] },
  ],
};

const logicblock: KindCases = {
  name: 'close-order',
  identity: 'name',
  content: {
    name: 'close-order',
    description: 'Closes an order and tells the shop.',
    input_schema: { type: 'object', properties: { id: { type: 'string' } } },
    steps: [
      { id: 'read', type: 'get', entity: 'order', record: '{{input.id}}' },
      { id: 'open', type: 'condition', if: [{ value: '{{read.status}}', op: 'eq', than: 'open' }], else: 'tell' },
      { id: 'close', type: 'update', entity: 'order', record: '{{input.id}}', values: { status: 'closed' } },
      { id: 'find', type: 'list', entity: 'user', filters: [{ field: 'role', op: 'eq', value: 'boss' }], pagesize: 5 },
      { id: 'note', type: 'create', entity: 'note', values: { text: 'closed' }, description: 'For the books.' },
      { id: 'clean', type: 'delete', entity: 'draft', record: '{{input.id}}' },
      { id: 'again', type: 'call', logicblock: 'close-order' },
      { id: 'mail', type: 'call', logicblock: 'mail-boss', input: { id: 1 } },
      { id: 'tell', type: 'http', method: 'POST', url: 'https://shop.example/hook', headers: {}, body: { a: [1] } },
    ],
    returns: { done: true },
  },
  closed: ['', ...[0, 1, 2, 3, 4, 5, 6, 7, 8].map((index) => `/steps/${index}`), '/steps/1/if/0', '/steps/3/filters/0'],
  refused: [
    { at: '/name', value: 'Close', error: '/name invalid_form' },
    { at: '/name', value: 'close', error: '/name contradiction' },
    { at: '/steps', value: [], error: '/steps too_few' },
    { at: '/steps', value: undefined, error: '/steps required' },
    { at: '/steps/0/type', value: 'run', error: '/steps/0/type wrong_type' },
    { at: '/steps/0/entity', value: undefined, error: '/steps/0/entity required' },
    { at: '/steps/1/id', value: 'read', error: '/steps/1/id duplicate' },
    { at: '/steps/1/else', value: 'read', error: '/steps/1/else unknown_reference' },
    { at: '/steps/1/else', value: 'nowhere', error: '/steps/1/else unknown_reference' },
    { at: '/steps/1/if', value: [], error: '/steps/1/if too_few' },
    { at: '/steps/2/values', value: { 'a b': 1 }, error: '/steps/2/values/a b invalid_form' },
    { at: '/steps/3/pagesize', value: 201, error: '/steps/3/pagesize out_of_range' },
    { at: '/steps/8/url', value: 'http://shop.example', error: '/steps/8/url invalid_address' },
    { at: '/steps/8/headers', value: { cookie: 'a' }, error: '/steps/8/headers/cookie refused_header' },
    { at: '/steps/8/method', value: 'get', error: '/steps/8/method wrong_type' },
  ],
  changes: [
    {
      at: '/description',
      value: 'Closes.',
      says: ['`description` is `"Closes."` now, and was `"Closes an order and tells the shop."`'],
    },
    {
      at: '/input_schema',
      value: undefined,
      says: ['`input_schema` is not said any more; it was `{"type":"object","properties":{"id":{"type":"string"}}}`'],
    },
    { at: '/returns', value: null, says: ['`returns` is `null` now, and was `{"done":true}`'] },
    {
      at: '/steps',
      value: [
        { id: 'close', type: 'delete', entity: 'order', record: '{{input.id}}' },
        { id: 'read', type: 'get', entity: 'order', record: '{{input.id}}' },
        { id: 'new', type: 'call', logicblock: 'other' },
      ],
      says: [
        'step `close`: `type` is `"delete"` now, and was `"update"`',
        'step `close`: `values` is not said any more; it was `{"status":"closed"}`',
        'step `new` is new, of the type `call`',
        ...['open', 'find', 'note', 'clean', 'again', 'mail', 'tell'].map((id) => `step \`${id}\` is taken out`),
        'each step stands in another order',
      ],
    },
  ],
  added: ['logic block `close-order` is new, with 9 steps'],
  removed: ['logic block `close-order` is taken out'],
  references: [
    '/steps/0/entity entity order: works on its records in the step `read`',
    '/steps/2/entity entity order: works on its records in the step `close`',
    '/steps/4/entity entity note: works on its records in the step `note`',
    '/steps/5/entity entity draft: works on its records in the step `clean`',
    '/steps/7/logicblock logicblock mail-boss: calls it in the step `mail`',
  ],
  widening: [
    { at: '/steps/8/url', value: 'https://other.example/', wider: ['data may be sent to `https://other.example/`'] },
    { at: '/steps/8/body', value: {}, wider: [] },
  ],
};

const crew: KindCases = {
  name: 'packers',
  identity: 'name',
  content: {
    name: 'packers',
    description: 'Packs.',
    status: 'active',
    agents: [
      {
        name: 'finder',
        prompt: 'Find what is to be packed.',
        model: 'small',
        tools: [
          { kind: 'entity', name: 'order' },
          { kind: 'entity', name: 'user' },
          { kind: 'logicblock', name: 'close-order' },
        ],
        guardrails: ['Never open a parcel.'],
        memory: { type: 'conversation', messages_max: 20 },
      },
      { name: 'packer', prompt: 'Pack it.', model: 'small' },
    ],
    nodes: [
      { id: 'first', agent: 'finder', next: ['second'] },
      { id: 'second', agent: 'packer' },
    ],
  },
  closed: ['', '/agents/0', '/agents/0/tools/0', '/agents/0/memory', '/nodes/0'],
  refused: [
    { at: '/name', value: 'pack', error: '/name contradiction' },
    { at: '/status', value: 'on', error: '/status wrong_type' },
    { at: '/agents', value: [], error: '/agents too_few' },
    { at: '/agents/1/name', value: 'finder', error: '/agents/1/name duplicate' },
    { at: '/agents/0/prompt', value: '', error: '/agents/0/prompt too_short' },
    { at: '/agents/0/prompt', value: 'a'.repeat(20_001), error: '/agents/0/prompt too_long' },
    { at: '/agents/0/tools/0/kind', value: 'mail', error: '/agents/0/tools/0/kind wrong_type' },
    { at: '/agents/0/tools/1', value: { kind: 'entity', name: 'order' }, error: '/agents/0/tools/1 duplicate' },
    { at: '/agents/0/memory/messages_max', value: 0, error: '/agents/0/memory/messages_max out_of_range' },
    { at: '/nodes/0/agent', value: 'boss', error: '/nodes/0/agent unknown_reference' },
    { at: '/nodes/0/next/0', value: 'third', error: '/nodes/0/next/0 unknown_reference' },
    { at: '/nodes/1/id', value: 'first', error: '/nodes/1/id duplicate' },
  ],
  changes: [
    { at: '/description', value: undefined, says: ['`description` is not said any more; it was `"Packs."`'] },
    { at: '/status', value: 'inactive', says: ['`status` is `"inactive"` now, and was `"active"`'] },
    {
      at: '/agents/0/tools',
      value: [{ kind: 'entity', name: 'note' }],
      says: [
        'agent `finder` may use the entity `note`',
        'agent `finder` may not use the entity `order` any more',
        'agent `finder` may not use the entity `user` any more',
        'agent `finder` may not use the logicblock `close-order` any more',
      ],
    },
    {
      at: '/agents/0/prompt',
      value: 'Find.',
      says: ['agent `finder`: `prompt` is `"Find."` now, and was `"Find what is to be packed."`'],
    },
    { at: '/agents/1/model', value: 'large', says: ['agent `packer`: `model` is `"large"` now, and was `"small"`'] },
    { at: '/nodes', value: undefined, says: ['node `first` is taken out', 'node `second` is taken out'] },
  ],
  added: ['crew `packers` is new, with the agents `finder`, `packer`'],
  removed: ['crew `packers` is taken out'],
  references: [
    '/agents/0/tools/0/name entity order: its agent `finder` uses the entity',
    '/agents/0/tools/2/name logicblock close-order: its agent `finder` uses the logicblock',
  ],
  widening: [
    { at: '/agents/1/tools', value: [{ kind: 'entity', name: 'note' }], wider: ['the crew may use the entity `note`'] },
    { at: '/status', value: 'inactive', wider: [] },
  ],
};

const settings: KindCases = {
  name: 'house.door',
  content: { value: 7, prod_value: 3 },
  closed: [''],
  refused: [
    { at: '/value', value: 'wide', error: '/value wrong_type' },
    { at: '/value', value: undefined, error: '/value wrong_type' },
    { at: '/prod_value', value: null, error: '/prod_value wrong_type' },
    { at: '', value: 7, error: ' wrong_type' },
  ],
  changes: [
    { at: '/value', value: 8, says: ['setting `house.door`: `value` is `8` now, and was `7`'] },
    {
      at: '/prod_value',
      value: undefined,
      says: ['setting `house.door`: `prod_value` is not said any more; it was `3`'],
    },
  ],
  added: ['setting `house.door` is settled: `7`', 'setting `house.door` of production is settled: `3`'],
  removed: ['setting `house.door` is taken out: its default holds, `1`'],
  references: ['/value settings house.frame: hangs in it'],
  widening: [
    { at: '/value', value: 100, wider: [] },
    { at: '/prod_value', value: 4, wider: ['the door is open by 1 more'] },
    { at: '', value: { value: 100 }, wider: ['the door is open by 47 more'] },
    { at: '', value: { value: 2 }, wider: [] },
  ],
};

const field = (name: string, hints: object = {}): object => ({ name, ...hints });
const templates = { gpkTemplate: 'org#{org};o#{keeper}', gskTemplate: 'order#{id}' };

const entity: KindCases = {
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
      at: '/definition/UniqueIndexes/0/ignoreCase',
      value: true,
      says: [
        'unique index `by-title`: `ignoreCase` is `true` now, and was not said before',
        'unique index `by-title` is built anew from production’s records before it holds',
      ],
    },
    {
      at: '/definition/UniqueIndexes/1',
      value: { indexName: 'by_keeper', fields: ['keeper', 'title'] },
      says: [
        'unique index `by_keeper` is new, on `keeper`, `title`: it is built from production’s records before it holds',
      ],
    },
    {
      at: '/definition/UniqueIndexes',
      value: [],
      says: ['unique index `by-title` is taken out: values may stand twice from then on'],
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

/** A kind without cases is a mistake in its types. */
export const kindCases: Readonly<Record<ConfigItemKind, KindCases>> = { entity, logicblock, event, settings, crew };

/** A content with another value at a JSON pointer; `undefined` takes it out. The same where there is no such place. */
export function put(content: Json, at: string, value: Json): Json {
  if (at === '') return value;
  const copy: unknown = structuredClone(content);
  const path = at.split('/').slice(1);
  const last = path.pop() ?? '';
  let holder = copy as Record<string, unknown>;
  for (const step of path) {
    if (typeof holder[step] !== 'object') return content;
    holder = holder[step] as Record<string, unknown>;
  }
  if (value !== undefined) holder[last] = value;
  else if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else delete holder[last];
  return copy;
}
