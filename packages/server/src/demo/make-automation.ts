import { createHmac } from 'node:crypto';
import { items, monitoring, names } from './automation.ts';
import { call } from './call.ts';
import type { Sessions } from './make-desk.ts';
import type { App, Builder, Session } from './sign-in.ts';

/** Defines what happens by itself, but for what exists. */
export async function defineAutomation(builder: Builder): Promise<void> {
  const defined = new Set<unknown>();
  for (const kind of ['logicblock', 'event'])
    for (const { name } of await builder.itemsOf(`/config/${kind}`)) defined.add(`${kind} ${name}`);
  for (const [kind, name, content] of items)
    if (!defined.has(`${kind} ${name}`)) await builder.call(`/config/${kind}`, { body: { name, content } });
}

interface Desk {
  readonly app: App;
  readonly builder: Builder;
  /** Where alarms become tickets. */
  readonly workspace: string;
  readonly members: Sessions;
}

/**
 * Uses it once in a workspace that is loaded: a ticket is reported and closed, an alarm comes in, and the report is
 * mailed. What was done already is not repeated.
 */
export async function useAutomation({ app, builder, workspace, members }: Desk): Promise<void> {
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
async function reportTicket({ ann, bob, zoe }: Readonly<Record<'ann' | 'bob' | 'zoe', Session>>): Promise<void> {
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
