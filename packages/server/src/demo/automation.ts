import { createHmac } from 'node:crypto';
import type { Sessions } from './make-desk.ts';
import { type App, type Builder, call, type DemoSession } from './sign-in.ts';

/** The automation of the help desk, as `docs/modelling.md` shows it (a test compares the two). */

const mailbox = 'desk@helpdesk.example';

/** The secret that the monitoring signs its messages with. Its value is in this file: it protects nothing. */
const monitoring = { name: 'monitoring', value: 'the monitoring of the demo' };

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

const names = { alarm: alarm.name, report: morningReport.name };

/** Defines what happens by itself, but for what exists. */
export async function defineAutomation(builder: Builder): Promise<void> {
  const defined = new Set<unknown>();
  for (const kind of ['logicblock', 'event'])
    for (const { name } of await builder.itemsOf(`/config/${kind}`)) defined.add(`${kind} ${name}`);
  for (const [kind, name, content] of items)
    if (!defined.has(`${kind} ${name}`)) await builder.call(`/config/${kind}`, { body: { name, content } });
}

interface DeskAccess {
  readonly app: App;
  readonly builder: Builder;
  /** The workspace in which alarms become tickets. */
  readonly workspace: string;
  readonly members: Sessions;
}

/**
 * Uses it once in a workspace that is loaded: a ticket is reported and closed, an alarm comes in, and the report is
 * mailed. What was done already is not repeated.
 */
export async function useAutomation({ app, builder, workspace, members }: DeskAccess): Promise<void> {
  const secret = { value: monitoring.value, hosts: [] };
  await builder.call(`/secrets/${monitoring.name}?env=test`, { method: 'PUT', body: secret });
  await builder.call(`/hooks/${names.alarm}?env=test`, { method: 'PUT', body: { tenant_code: workspace } });
  const [ann, bob, zoe] = ['Ann', 'Bob', 'Zoe'].map((name) => members.get(name));
  if (ann === undefined || bob === undefined || zoe === undefined) return;
  await reportTicket({ ann, bob, zoe });
  await sendAlarm(app);
  const runs = await builder.itemsOf(`/runs?env=test&block=${names.report}`);
  if (runs.length === 0)
    await builder.call(`/logicblocks/${names.report}/run?env=test`, { body: { tenant_code: workspace } });
}

/** Zoe reports a ticket of a customer, and Bob solves it. */
async function reportTicket({ ann, bob, zoe }: Readonly<Record<'ann' | 'bob' | 'zoe', DemoSession>>): Promise<void> {
  const [made] = await zoe.itemsOf(`/list/ticket?pagesize=1&created_by=${zoe.userId}`);
  const [customer] = await ann.itemsOf('/list/customer?pagesize=1&tier=paid');
  const body = { subject: 'The new lamp at the reception hums', customer_id: customer?.id };
  const { id, status } = made ?? (await zoe.call('/create/ticket', { body }));
  if (status === 'closed') return;
  await bob.call(`/update/ticket/${id}`, { method: 'PUT', body: { assignee_id: bob.userId } });
  await bob.call(`/update/ticket/${id}`, { method: 'PUT', body: { status: 'closed' } });
}

/** As another system would send it. A message of an id counts once. */
async function sendAlarm({ base }: App): Promise<void> {
  const body = { message: 'no light on floor 3' };
  const [id, time] = ['msg_demo', Math.floor(Date.now() / 1000)];
  const signed = createHmac('sha256', monitoring.value).update(`${id}.${time}.${JSON.stringify(body)}`);
  await call({
    url: `${base}/hooks/${names.alarm}?env=test`,
    headers: {
      'webhook-id': id,
      'webhook-timestamp': String(time),
      'webhook-signature': `v1,${signed.digest('base64')}`,
    },
    body,
  });
}
