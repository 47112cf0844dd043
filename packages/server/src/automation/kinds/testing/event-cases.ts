import type { KindCases } from '../../../promotion/testing/kind-cases.ts';

const on = {
  entity_name: 'order',
  event_name: 'tell-shop',
  event_stage: 'after',
  event_optype: 'create',
  enabled: true,
  entry_conditions: [{ field: 'total', op: 'gt', value: 5 }],
  when: 'record.total < 100',
};

function record(destination_config: object): object {
  return { ...on, event_type: 'record', destination_config };
}

function mail(to: string): object {
  return { ...on, event_type: 'mail', destination_config: { to, subject: 'New: {{record.title}}', text: 'Hello' } };
}

function longUrl(end: string): string {
  return `https://shop.example/hook?${'a'.repeat(103)}${end}`;
}

export const eventCases: KindCases = {
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
    when: 'record.total < 100',
    destination_config: { url: 'https://shop.example/hook?a=b', headers: { 'X-Shop': 'freehold' } },
  },
  closed: ['', '/destination_config', '/entry_conditions/0'],
  refused: [
    { at: '/event_name', value: 'other', error: '/event_name contradiction' },
    { at: '/event_name', value: undefined, error: '/event_name required' },
    { at: '/entity_name', value: 'Order', error: '/entity_name pattern_mismatch' },
    { at: '/event_type', value: 'fax', error: '/event_type not_in_enum' },
    { at: '/event_type', value: 'mail', error: '/destination_config/to required' },
    { at: '/event_type', value: 'record', error: '/destination_config/entity required' },
    { at: '/when', value: '', error: '/when too_short' },
    { at: '/when', value: 'x'.repeat(1001), error: '/when too_long' },
    { at: '', value: record({ entity: 'log', action: 'create' }), error: '/destination_config/values required' },
    {
      at: '',
      value: record({ entity: 'log', action: 'create', record: 'x', values: {} }),
      error: '/destination_config/record contradiction',
    },
    {
      at: '',
      value: record({ entity: 'aclpolicy', action: 'delete', record: 'x' }),
      error: '/destination_config/entity unsuitable_entity',
    },
    { at: '/event_type', value: undefined, error: '/event_type required' },
    { at: '/event_type', value: 'crew', error: '/destination_config/crew required' },
    { at: '/event_stage', value: 'during', error: '/event_stage not_in_enum' },
    { at: '/enabled', value: 'yes', error: '/enabled wrong_type' },
    {
      at: '/entry_conditions',
      value: Array(21).fill({ field: 'a', op: 'eq', value: 1 }),
      error: '/entry_conditions too_many',
    },
    { at: '/entry_conditions/0/op', value: 'like', error: '/entry_conditions/0/op not_in_enum' },
    { at: '/destination_config/url', value: 'http://shop.example', error: '/destination_config/url invalid_address' },
    {
      at: '/destination_config/url',
      value: 'https://a:b@shop.example',
      error: '/destination_config/url invalid_address',
    },
    { at: '/destination_config/url', value: 'https://', error: '/destination_config/url pattern_mismatch' },
    { at: '/destination_config/url', value: 'ftp://shop.example', error: '/destination_config/url pattern_mismatch' },
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
      error: '/destination_config/headers/X-Shop pattern_mismatch',
    },
    {
      at: '/prod_destination_config',
      value: { url: 'http://shop.example' },
      error: '/prod_destination_config/url invalid_address',
    },
    { at: '/prod_destination_config', value: { to: 'a' }, error: '/prod_destination_config/url required' },
    { at: '/prod_destination_config', value: null, error: '/prod_destination_config wrong_type' },
    { at: '', value: [], error: ' wrong_type' },
  ],
  changes: [
    { at: '/entity_name', value: 'user', says: ['`entity_name` is `"user"` now, and was `"order"`'] },
    {
      at: '/destination_config/headers',
      value: undefined,
      says: ['destination: `headers` is not said any more; it was `{"X-Shop":"freehold"}`'],
    },
    {
      at: '/prod_destination_config',
      value: { url: 'https://live.example/hook' },
      says: [
        'in production it is to call `"https://live.example/hook"` now, and was to call `"https://shop.example/hook?a=b"`',
      ],
    },
    {
      at: '/prod_destination_config',
      value: { url: 'https://shop.example/hook?a=b' },
      says: ['destination in production: `headers` is not said any more; it was `{"X-Shop":"freehold"}`'],
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
        when: 'record.total < 100',
        destination_config: { crew: 'packers' },
      },
      says: ['it is to run the crew `packers` now, and was to call `"https://shop.example/hook?a=b"`'],
    },
    { at: '/when', value: undefined, says: ['`when` is not said any more; it was `"record.total < 100"`'] },
    {
      at: '',
      value: mail('{{record.email}}'),
      says: ['it is to send a mail to `"{{record.email}}"` now, and was to call `"https://shop.example/hook?a=b"`'],
    },
    {
      at: '',
      value: record({ entity: 'log', action: 'delete', record: '{{record.log}}' }),
      says: ['it is to delete a record of `log` now, and was to call `"https://shop.example/hook?a=b"`'],
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
    {
      at: '/prod_destination_config',
      value: { url: 'https://live.example/hook' },
      wider: ['what is written to records of `order` is sent to `"https://live.example/hook"`'],
    },
    {
      at: '/when',
      value: undefined,
      wider: [
        'what is written to records of `order` is sent to `"https://shop.example/hook?a=b"`, on other conditions than before',
      ],
    },
    {
      at: '/entry_conditions',
      value: [],
      wider: [
        'what is written to records of `order` is sent to `"https://shop.example/hook?a=b"`, on other conditions than before',
      ],
    },
    {
      at: '',
      value: mail('{{record.email}}'),
      wider: ['what is written to records of `order` is mailed to `"{{record.email}}"`'],
    },
    {
      at: '',
      value: record({ entity: 'log', action: 'delete', record: '{{record.log}}' }),
      wider: ['writes of `order` delete records of `log`'],
    },
    {
      at: '',
      value: { ...on, event_type: 'logicblock', destination_config: { logicblock: 'pack' } },
      wider: ['writes of `order` run the logic block `pack`'],
    },
    {
      at: '/destination_config/url',
      value: longUrl('b'),
      wider: ['what is written to records of `order` is sent to `"https://shop.example/hook?aaaa"`… (130 characters)'],
    },
  ],
};
