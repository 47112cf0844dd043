/** An entity with a field of every type, and values for all of them that are sent. */
import { definition } from './org.ts';

export const everyType: Readonly<Record<string, unknown>> = {
  ...definition('thing', [
    { name: 'title', colType: 'string', validate: true, minlength: 1, maxlength: 5, index: true, search: true },
    { name: 'word', colType: 'string', validate: true, required: false, pattern: '^[a-z]+$' },
    { name: 'amount', colType: 'number', validate: true, required: false, min: 0, max: 100, index: true },
    { name: 'seats', colType: 'integer', default: 3 },
    { name: 'paid', colType: 'boolean' },
    { name: 'day', colType: 'date' },
    { name: 'at', colType: 'datetime' },
    { name: 'ref', colType: 'guid' },
    { name: 'state', colType: 'enum', enumValues: ['open', 'done'], validate: true, default: 'open' },
    { name: 'notes', colType: 'json' },
    { name: 'tags', colType: 'array', items: { colType: 'string', maxlength: 3 }, validate: true, required: false },
    { name: 'mail', colType: 'email' },
    { name: 'page', colType: 'url' },
    { name: 'label', colType: 'formula', formula: '{title}-{seats}' },
    { name: 'number', colType: 'autoincrement', index: true },
    { name: 'pin', colType: 'encrypted' },
    { name: 'owner_id', colType: 'guid' },
  ]),
  ownerIndexes: [
    { ownerFieldName: 'owner_id', gpkTemplate: 'org#{org};thing-owner#{owner_id}', gskTemplate: 'thing#{id}' },
  ],
  Views: {
    short: {
      fields: [
        { name: 'title', as: 'name' },
        { name: 'amount', cast: 'string' },
        { name: 'tags', cast: 'string' },
        { name: 'paid', cast: 'integer' },
        { name: 'seats', cast: 'boolean' },
        { name: 'label', cast: 'number' },
        { name: 'version', as: 'edition' },
        { name: 'day' },
      ],
    },
  },
};

export const everyValue = {
  title: 'abc',
  word: 'abc',
  amount: 2.5,
  seats: 4,
  paid: true,
  day: '2026-11-20',
  at: '2026-11-20T09:30:00Z',
  ref: '01890a5d-ac96-774b-bcce-b302099a8057',
  state: 'done',
  notes: { a: [1] },
  tags: ['a', 'b'],
  mail: 'ann@example.com',
  page: 'https://example.com/',
  pin: 'secret',
};
