import type { KindCases } from '../../../promotion/testing/kind-cases.ts';

const content = {
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
    { id: 'sum', type: 'script', source: 'return { sum: [1, 2].length, braces: "{{" }' },
  ],
  returns: { done: true },
};

const statement = { Effect: 'Allow', Action: ['getorder', 'listorder'], Resource: ['/item/order/*', '/list/order'] };
const asApp = { ...content, run_as: 'app', policies: [statement] };

const hook = { signature: 'standard', secrets: ['payments'] };

export const logicBlockCases: KindCases = {
  name: 'close-order',
  identity: 'name',
  content,
  closed: [
    '',
    ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((index) => `/steps/${index}`),
    '/steps/1/if/0',
    '/steps/3/filters/0',
  ],
  refused: [
    { at: '/name', value: 'Close', error: '/name pattern_mismatch' },
    { at: '/name', value: 'close', error: '/name contradiction' },
    { at: '/run_as', value: 'app', error: '/policies required' },
    { at: '/policies', value: [statement], error: '/policies contradiction' },
    {
      at: '',
      value: { ...asApp, policies: [{ ...statement, Action: ['read'] }] },
      error: '/policies/0/Action/0 invalid_value',
    },
    { at: '/steps', value: [], error: '/steps too_few' },
    { at: '/steps', value: undefined, error: '/steps required' },
    { at: '/steps/0/type', value: 'run', error: '/steps/0/type not_in_enum' },
    { at: '/steps/0/entity', value: undefined, error: '/steps/0/entity required' },
    { at: '/steps/1/id', value: 'read', error: '/steps/1/id duplicate' },
    { at: '/steps/1/else', value: 'read', error: '/steps/1/else unknown_reference' },
    { at: '/steps/1/else', value: 'nowhere', error: '/steps/1/else unknown_reference' },
    { at: '/steps/1/if', value: [], error: '/steps/1/if too_few' },
    { at: '/steps/2/values', value: { 'a b': 1 }, error: '/steps/2/values/a b pattern_mismatch' },
    { at: '/steps/2/if_version', value: 1.5, error: '/steps/2/if_version wrong_type' },
    { at: '/steps/2/on_error', value: 'ignore', error: '/steps/2/on_error not_in_enum' },
    { at: '/steps/2/on_error', value: { goto: 'read' }, error: '/steps/2/on_error/goto unknown_reference' },
    { at: '/transaction', value: false, error: '/transaction not_in_enum' },
    { at: '/steps/3/all', value: 1, error: '/steps/3/all wrong_type' },
    { at: '/steps/3/fields', value: [], error: '/steps/3/fields too_few' },
    { at: '/steps/3/fields', value: ['a b'], error: '/steps/3/fields/0 pattern_mismatch' },
    { at: '/steps/3/pagesize', value: 201, error: '/steps/3/pagesize out_of_range' },
    { at: '/steps/8/url', value: 'http://shop.example', error: '/steps/8/url invalid_address' },
    { at: '/transaction', value: true, error: '/steps/8/type contradiction' },
    { at: '/steps/8/url', value: 'https://{{input.host}}/', error: '/steps/8/url invalid_address' },
    { at: '/steps/8/secret', value: { name: 'shop' }, error: '/steps/8/secret/header required' },
    {
      at: '/steps/8/secret',
      value: { name: 'shop', header: 'authorization', prefix: 'a', basic: 'b' },
      error: '/steps/8/secret/prefix contradiction',
    },
    { at: '/steps/8/headers', value: { cookie: 'a' }, error: '/steps/8/headers/cookie refused_header' },
    { at: '/steps/8/method', value: 'get', error: '/steps/8/method not_in_enum' },
    { at: '/steps/9/source', value: '', error: '/steps/9/source too_short' },
    { at: '/steps/9/source', value: 'return {', error: '/steps/9/source invalid_script' },
    { at: '/steps/9/source', value: '}), (function () {', error: '/steps/9/source invalid_script' },
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
    {
      at: '',
      value: { ...content, transaction: true, steps: content.steps.slice(0, 1) },
      says: [
        '`transaction` is `true` now, and was not said before',
        ...['open', 'close', 'find', 'note', 'clean', 'again', 'mail', 'tell', 'sum'].map(
          (id) => `step \`${id}\` is taken out`,
        ),
      ],
    },
    {
      at: '',
      value: asApp,
      says: [
        '`run_as` is `"app"` now, and was not said before',
        '`policies` is a list of 1 now, and was not said before',
      ],
    },
    {
      at: '',
      value: { ...asApp, schedule: { cron: '0 3 * * *', timezone: 'Europe/Berlin', missed: 'skip' } },
      says: [
        '`run_as` is `"app"` now, and was not said before',
        '`policies` is a list of 1 now, and was not said before',
        '`schedule` is an object of 63 characters now, and was not said before',
      ],
    },
    {
      at: '',
      value: { ...asApp, hook },
      says: [
        '`run_as` is `"app"` now, and was not said before',
        '`policies` is a list of 1 now, and was not said before',
        '`hook` is `{"signature":"standard","secrets":["payments"]}` now, and was not said before',
      ],
    },
    {
      at: '/steps/2/on_error',
      value: 'continue',
      says: ['step `close`: `on_error` is `"continue"` now, and was not said before'],
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
        ...['open', 'find', 'note', 'clean', 'again', 'mail', 'tell', 'sum'].map((id) => `step \`${id}\` is taken out`),
        'each step stands in another order',
      ],
    },
  ],
  added: ['logic block `close-order` is new, with 10 steps'],
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
    {
      at: '/steps/8/secret',
      value: { name: 'shop', header: 'authorization' },
      wider: ['the secret `shop` is sent to `shop.example`'],
    },
    {
      at: '/steps/8',
      value: { id: 'tell', type: 'mail', to: 'a@b.example', subject: 'a', text: 'b' },
      wider: ['mails are sent to `a@b.example`'],
    },
    { at: '/steps/9/source', value: 'return 2', wider: ['another script is run in the step `sum`'] },
    {
      at: '',
      value: asApp,
      wider: [
        'its steps are decided by policies of its own, and not by those of its caller',
        'its steps may do `getorder`, `listorder` on `/item/order/*`, `/list/order`',
      ],
    },
    {
      at: '',
      value: { ...asApp, hook },
      wider: [
        'its steps are decided by policies of its own, and not by those of its caller',
        'its steps may do `getorder`, `listorder` on `/item/order/*`, `/list/order`',
        'it is started by messages that are signed with the secret `payments`',
      ],
    },
    {
      at: '',
      value: { ...asApp, schedule: { cron: '0 3 * * *', timezone: 'Europe/Berlin', missed: 'skip' } },
      wider: [
        'its steps are decided by policies of its own, and not by those of its caller',
        'its steps may do `getorder`, `listorder` on `/item/order/*`, `/list/order`',
        'it runs by itself: `0 3 * * *` in `Europe/Berlin`',
      ],
    },
  ],
};
