/** What happens by itself at the help desk: what `docs/modelling.md` shows (a test compares the two). */

const mailbox = 'desk@helpdesk.example';

/** The secret that the monitoring signs its messages with. Its value is in this file: it protects nothing. */
export const monitoring = { name: 'monitoring', value: 'the monitoring of the demo' };

const receiveTicket = {
  name: 'receive-ticket',
  description: 'Dates a ticket that was reported: customers who pay get an answer within two days, others within five.',
  run_as: 'app',
  policies: [
    { Effect: 'Allow', Action: ['getcustomer'], Resource: ['*'], Fields: ['tier'] },
    { Effect: 'Allow', Action: ['updateticket'], Resource: ['*'], Fields: ['opened_at', 'due_at'] },
  ],
  steps: [
    { id: 'is_of_customer', type: 'condition', if: 'has(record.customer_id)', else: 'dated' },
    { id: 'customer', type: 'get', entity: 'customer', record: '{{ record.customer_id }}' },
    {
      id: 'dated',
      type: 'update',
      entity: 'ticket',
      record: '{{ record.id }}',
      values: {
        opened_at: '{{ now }}',
        due_at: '{{ now + (steps.customer.tier == "paid" ? duration("48h") : duration("120h")) }}',
      },
    },
  ],
};

const morningReport = {
  name: 'morning-report',
  description: 'Mails each morning how many tickets are open, for each workspace.',
  run_as: 'app',
  policies: [{ Effect: 'Allow', Action: ['listticket'], Resource: ['*'], Fields: ['status'] }],
  schedule: { cron: '30 7 * * 1-5', timezone: 'Europe/Berlin', missed: 'skip', workspaces: 'all' },
  steps: [
    {
      id: 'open',
      type: 'list',
      entity: 'ticket',
      filters: [{ field: 'status', op: 'eq', value: 'open' }],
      all: true,
    },
    {
      id: 'mail',
      type: 'mail',
      to: mailbox,
      subject: '{{ steps.open.count }} tickets are open in {{ tenant.code }}',
      text: 'They are in the list of open tickets, the oldest last.',
    },
  ],
  returns: { open: '{{ steps.open.count }}' },
};

const alarm = {
  name: 'alarm',
  description: 'Opens a ticket when the monitoring sends an alarm.',
  run_as: 'app',
  policies: [{ Effect: 'Allow', Action: ['createticket'], Resource: ['*'], Fields: ['subject', 'team'] }],
  hook: { signature: 'standard', secrets: [monitoring.name] },
  input_schema: {
    type: 'object',
    required: ['message'],
    properties: { message: { type: 'string', maxLength: 100 } },
  },
  steps: [
    {
      id: 'ticket',
      type: 'create',
      entity: 'ticket',
      values: { subject: 'Alarm: {{ input.message }}', team: 'field' },
    },
  ],
};

/** Tickets of an import have their dates. */
const newTicket = {
  event_name: 'new-ticket',
  entity_name: 'ticket',
  event_stage: 'after',
  event_optype: 'create',
  enabled: true,
  when: '!has(record.opened_at)',
  event_type: 'logicblock',
  destination_config: { logicblock: receiveTicket.name },
};

const ticketClosed = {
  event_name: 'ticket-closed',
  entity_name: 'ticket',
  event_stage: 'after',
  event_optype: 'update',
  enabled: true,
  when: 'record.status == "closed" && before.status != "closed"',
  event_type: 'mail',
  destination_config: {
    to: mailbox,
    subject: 'Ticket {{ record.number }} is closed',
    text: 'It was about: {{ record.subject }}',
  },
};

/** Config items by their kind, in an order in which each refers to what is there. */
export const items: readonly (readonly [kind: 'logicblock' | 'event', name: string, content: object])[] = [
  ...[receiveTicket, morningReport, alarm].map((content) => ['logicblock', content.name, content] as const),
  ...[newTicket, ticketClosed].map((content) => ['event', content.event_name, content] as const),
];

export const names = { alarm: alarm.name, report: morningReport.name };
