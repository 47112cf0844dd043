/** Entities with a field of every type, and every way to refer to others. */
import type { Definitions } from '../generate-types.ts';

const ticket = {
  entityName: 'ticket',
  UpdateParams: [
    { name: 'title', validate: true, maxlength: 80, index: true, search: true, description: 'What it is about.' },
    { name: 'note' },
    { name: 'amount', colType: 'number', index: true },
    { name: 'seats', colType: 'integer', validate: true, default: 1 },
    { name: 'paid', colType: 'boolean' },
    { name: 'day', colType: 'date' },
    { name: 'due', colType: 'datetime' },
    { name: 'mail', colType: 'email' },
    { name: 'page', colType: 'url' },
    { name: 'ref', colType: 'guid' },
    { name: 'state', colType: 'enum', enumValues: ['open', 'done'], validate: true, index: true },
    { name: 'labels', colType: 'array' },
    { name: 'scores', colType: 'array', items: { colType: 'enum', enumValues: ['a', 'b'] } },
    { name: 'extra', colType: 'json' },
    { name: 'summary', colType: 'formula', formula: '{title}-{seats}' },
    { name: 'cost', colType: 'formula', formula: { cel: 'amount * 2', type: 'number' } },
    { name: 'number', colType: 'autoincrement', index: true },
    { name: 'pin', colType: 'encrypted' },
    { name: 'customer_id', colType: 'guid', lookup: { entity: 'customer', onDelete: 'restrict' } },
    { name: 'tag_ids', colType: 'array', items: { colType: 'guid', lookup: { entity: 'tag' } } },
    { name: 'priority', colType: 'integer', aliases: ['urgency'] },
    { name: 'owner_id', colType: 'guid', validate: true },
  ],
  indexes: [{ fields: ['paid', '-due'] }],
  ownerIndexes: [{ ownerFieldName: 'owner_id', gpkTemplate: 'x', gskTemplate: 'y' }],
  Views: {
    short: {
      fields: [
        { name: 'title', as: 'name' },
        { name: 'amount', cast: 'string' },
        { name: 'paid', cast: 'integer' },
        { name: 'customer_id', lookup: { view: 'compact', as: 'customer' } },
        { name: 'version', as: 'edition' },
      ],
    },
  },
};

const customer = {
  entityName: 'customer',
  UpdateParams: [
    { name: 'name', validate: true },
    { name: 'tier', colType: 'enum', enumValues: ['gold', 'lead'], index: true },
  ],
};

const tag = { entityName: 'tag', UpdateParams: [{ name: 'label', validate: true }] };

export const helpDesk: Definitions = {
  entities: [
    {
      entityName: 'ticket',
      create: ticket,
      list: { Views: { ...ticket.Views, default: { fields: [{ name: 'id' }, { name: 'title' }] } } },
    },
    { entityName: 'customer', create: customer },
    { entityName: 'tag', create: tag },
  ],
  logicBlocks: [
    {
      name: 'closeticket',
      input_schema: {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'string' }, why: { enum: ['done', 'duplicate'] }, seats: { type: 'integer' } },
        additionalProperties: false,
      },
    },
    { name: 'ping' },
  ],
};
