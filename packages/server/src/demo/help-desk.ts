/**
 * The help desk of the demo: what `docs/modelling.md` models (a test compares the two), with tags, dates and a role for
 * leads beside it.
 */

const text = (name: string, maxlength: number) => ({ name, validate: true, maxlength });
const ofTicket = {
  name: 'ticket_id',
  colType: 'guid',
  validate: true,
  lookup: { entity: 'ticket', onDelete: 'cascade' },
};

const tag = {
  entityName: 'tag',
  UpdateParams: [text('name', 40)],
  UniqueIndexes: [{ indexName: 'name_of_tag', fields: ['name'], ignoreCase: true }],
};

const customer = {
  entityName: 'customer',
  UpdateParams: [
    text('name', 80),
    { name: 'tier', colType: 'enum', enumValues: ['free', 'paid'], default: 'free' },
    { name: 'email', colType: 'email' },
    { name: 'since', colType: 'date' },
  ],
  UniqueIndexes: [{ indexName: 'name_of_customer', fields: ['name'] }],
};

const ticket = {
  entityName: 'ticket',
  UpdateParams: [
    { name: 'number', colType: 'autoincrement', index: true },
    { ...text('subject', 120), search: true },
    { name: 'status', colType: 'enum', enumValues: ['open', 'waiting', 'closed'], default: 'open', index: true },
    { name: 'team', default: 'support', index: true },
    { name: 'customer_id', colType: 'guid', lookup: { entity: 'customer', onDelete: 'restrict' } },
    { name: 'requester_id', colType: 'guid' },
    { name: 'assignee_id', colType: 'guid' },
    {
      name: 'tag_ids',
      colType: 'array',
      items: { colType: 'guid', lookup: { entity: 'tag', onDelete: 'setnull' } },
    },
    { name: 'opened_at', colType: 'datetime', index: true },
    { name: 'due_at', colType: 'datetime' },
  ],
  indexes: [{ fields: ['status', '-number'] }],
  ownerIndexes: [
    {
      ownerFieldName: 'requester_id',
      gpkTemplate: 'org#{org};requester#{requester_id}',
      gskTemplate: 'ticket#{id}',
    },
    {
      ownerFieldName: 'assignee_id',
      gpkTemplate: 'org#{org};assignee#{assignee_id}',
      gskTemplate: 'ticket#{id}',
      default: 'none',
    },
  ],
  checks: [{ cel: 'due_at > opened_at', message: 'a ticket is due after it is opened' }],
};

const comment = {
  entityName: 'comment',
  UpdateParams: [ofTicket, { name: 'body', validate: true, search: true }],
};

const time = {
  entityName: 'time',
  UpdateParams: [
    ofTicket,
    { name: 'starts', colType: 'datetime' },
    { name: 'ends', colType: 'datetime' },
    { name: 'minutes', colType: 'integer', validate: true, min: 1 },
    { name: 'rate', colType: 'number', default: 90 },
    { name: 'cost', colType: 'formula', formula: { cel: 'minutes * rate / 60', type: 'number' }, index: true },
  ],
  checks: [{ cel: 'ends > starts', message: 'ends after it starts' }],
};

/** In an order in which each refers to those before it. */
export const definitions = [tag, customer, ticket, comment, time];

/** The change of the test environment after the first release, so that production differs from it. */
export const change = {
  entity: 'ticket',
  field: 'priority',
  body: {
    UpdateParams: [{ name: 'priority', colType: 'integer', validate: true, default: 3, index: true }],
  },
};

const caller = '$' + '{user.id}';
const mine = { StringEquals: { 'record.requester_id': caller } };

const requester = [
  {
    Effect: 'Allow',
    Action: ['createticket'],
    Resource: ['*'],
    Fields: ['subject', 'customer_id'],
    Condition: mine,
  },
  {
    Effect: 'Allow',
    Action: ['getticket', 'listticket', 'countticket'],
    Resource: ['*'],
    Fields: ['!team', '!assignee_id'],
    Condition: mine,
  },
  { Effect: 'Allow', Action: ['getcustomer'], Resource: ['*'], Fields: ['name'] },
];

const agent = [
  {
    Sid: 'Read',
    Effect: 'Allow',
    Resource: ['*'],
    Action: ['getcustomer', 'listcustomer', 'getticket', 'listticket', 'countticket', 'getcomment', 'listcomment'],
  },
  { Sid: 'Tags', Effect: 'Allow', Action: ['gettag', 'listtag'], Resource: ['*'] },
  { Sid: 'Comment', Effect: 'Allow', Action: ['createcomment'], Resource: ['*'] },
  { Sid: 'NoteTime', Effect: 'Allow', Action: ['createtime'], Resource: ['*'] },
  {
    Sid: 'OwnTickets',
    Effect: 'Allow',
    Action: ['updateticket'],
    Resource: ['*'],
    Fields: ['status', 'assignee_id'],
    Condition: { StringEquals: { 'record.team': 'support', 'record.before.assignee_id': caller } },
  },
  {
    Sid: 'TakeOver',
    Effect: 'Allow',
    Action: ['updateticket'],
    Resource: ['*'],
    Fields: ['status', 'assignee_id'],
    Condition: {
      StringEquals: { 'record.team': 'support', 'record.after.assignee_id': caller },
      Null: { 'record.before.assignee_id': 'true' },
    },
  },
  {
    Sid: 'CloseOwn',
    Effect: 'Deny',
    Action: ['updateticket'],
    Resource: ['*'],
    Condition: {
      StringEquals: { 'record.after.status': 'closed' },
      StringNotEquals: { 'record.before.assignee_id': caller },
    },
  },
];

const lead = [
  {
    Sid: 'WholeDesk',
    Effect: 'Allow',
    Action: ['*ticket', '*customer', '*comment', '*time', '*tag'],
    Resource: ['*'],
  },
  {
    Sid: 'KeepClosed',
    Effect: 'Deny',
    Action: ['deleteticket'],
    Resource: ['*'],
    Condition: { StringEquals: { 'record.status': 'closed' } },
  },
];

/** Roles by the names of their policies. */
export const policies = { requester, agent, lead };

/** Workspaces are founded with the roles: everybody reports tickets, and groups let agents and leads do more. */
export const settings: Readonly<Record<string, unknown>> = {
  'tenancy.tenancy_type': 'multi',
  'tenancy.default_member_access': 'requester',
  'tenancy.workspace_templates': {
    policies: Object.entries(policies).map(([name, statements]) => ({ name, statements })),
    groups: [
      { name: 'agents', acl_policies: ['agent'] },
      { name: 'leads', acl_policies: ['lead'] },
    ],
  },
};
