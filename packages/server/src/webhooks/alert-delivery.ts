import { platformActor, platformAuditEntry } from '../audit/audit-entry.ts';
import { timestamp } from '../lib/clock.ts';
import type { Change, Put, Scope } from '../store/port.ts';
import { json, table } from '../store/table.ts';
import { tryCommit } from '../store/transact.ts';
import { pauseAfter, type RetryPauses, type SendDeps, type SendOutcome, send } from '../work/send.ts';

/** The webhook for an org's alerts. */
export interface StoredWebhook {
  /** The source of its secret. */
  readonly id: string;
  readonly url: string;
  readonly created_at: string;
  readonly created_by: string;
  /** The address of the gateway by which it was set up. */
  readonly management_url: string;
}

/** The progress of the last message. */
export interface AlertDelivery {
  readonly id: string;
  readonly type: string;
  readonly state: 'delivered' | 'retrying' | 'failed';
  readonly attempts: number;
  readonly at: string;
  readonly status: number | null;
  readonly failure: string | null;
  readonly next_attempt_at: string | null;
}

/** A message to send, as a job has it. */
export interface DeliveryWork {
  readonly job: typeof deliveryJob;
  readonly org: string;
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** The number of times that it was sent already. */
  readonly attempts: number;
}

export const deliveryJob = 'deliver-webhook';

/** Tests take the place of one another, so that at most one waits. */
export const testType = 'webhook.test';

/** By org. */
export const webhooks = table(
  (orgCode: string) => ({ pk: 'alert-webhook', sk: orgCode }),
  json<StoredWebhook>('alert webhook', { id: 'string', url: 'string', management_url: 'string' }),
);

/** By org. */
export const deliveries = table(
  (orgCode: string) => ({ pk: 'alert-delivery', sk: orgCode }),
  json<AlertDelivery>('alert delivery', { id: 'string', state: 'string' }),
);

const deliveryWorks = table(
  ({ org, id, type }: Pick<DeliveryWork, 'org' | 'id' | 'type'>) => ({
    pk: 'work',
    sk: `${deliveryJob};${org};${type === testType ? 'test' : id}`,
  }),
  json<DeliveryWork>('alert message', { org: 'string', id: 'string', type: 'string' }),
);

export function workItem(work: DeliveryWork, at: number, condition: Put['if']): Put {
  return deliveryWorks.put(work, work, { if: condition, due: { at, queue: 'work' } });
}

export interface DeliverDeps extends SendDeps {
  readonly platform: Scope;
  readonly keyOf: (webhook: StoredWebhook) => Buffer;
}

/** After the last there is no further attempt. */
export const retryMilliseconds: readonly number[] = [5, 60, 300, 1800, 7200, 21_600].map((seconds) => seconds * 1000);
const alertPauses: RetryPauses = { after: (attempts) => retryMilliseconds[attempts - 1] };
const timeoutMilliseconds = 10_000;

/**
 * Sends a message to where its org wants it by now; where it wants none any more, it is forgotten. What became of it is
 * written in the commit that takes the work away or puts it off, so after a crash before it the message is sent again.
 */
export async function deliver(deps: DeliverDeps, work: DeliveryWork, renewLease: () => Promise<void>): Promise<void> {
  const webhook = (await webhooks.read(deps.platform, work.org))?.value;
  if (webhook === undefined) return;
  const { id, type, timestamp: at, data } = work;
  const body = JSON.stringify({ id, type, timestamp: at, data });
  const { url } = webhook;
  const outcome = await send(deps, { id, body, url, keys: [deps.keyOf(webhook)], timeoutMilliseconds });
  // A platform that ends has cut the call off: that is no failure of the receiver.
  if (outcome.state !== 'delivered') await renewLease();
  // If it is refused, another node has taken the work over and finished.
  await tryCommit(deps.platform, changesAfter(work, outcome, deps.now()));
}

function changesAfter(work: DeliveryWork, outcome: SendOutcome, now: number): readonly Change[] {
  const { org, id, type } = work;
  const attempts = work.attempts + 1;
  const nextAt = nextAttemptAt({ ...work, attempts }, outcome, now);
  const { status, answer } = outcome;
  const isDelivered = outcome.state === 'delivered';
  const state = isDelivered ? 'delivered' : nextAt === undefined ? 'failed' : 'retrying';
  const reason = status === null ? answer : `the answer has status ${status}`;
  const failure = isDelivered ? null : reason;
  const next_attempt_at = nextAt === undefined ? null : timestamp(nextAt);
  const delivery: AlertDelivery = { id, type, state, attempts, at: timestamp(now), status, failure, next_attempt_at };
  return [
    deliveries.put(org, delivery, { if: 'any' }),
    ...(nextAt === undefined ? workDone(work) : [workItem({ ...work, attempts }, nextAt, 'present')]),
    ...(state === 'failed' && type !== testType ? [givenUp(work, attempts, now)] : []),
  ];
}

/** A newer test may have taken the place of one: the queue removes the work that it started with, and no other. */
function workDone(work: DeliveryWork): readonly Change[] {
  return work.type === testType ? [] : [deliveryWorks.remove(work, 'present')];
}

function nextAttemptAt(
  { type, attempts }: DeliveryWork,
  { state, retryAfterSeconds }: SendOutcome,
  now: number,
): number | undefined {
  if (state !== 'failed' || type === testType) return undefined;
  const pause = pauseAfter(alertPauses, attempts, 0, retryAfterSeconds);
  return pause === undefined ? undefined : now + pause;
}

function givenUp({ org, id, type }: DeliveryWork, attempts: number, now: number): Change {
  const auditContext = { at: timestamp(now), actor: platformActor, request_id: '' };
  const target = { kind: 'webhook_message', id };
  return platformAuditEntry(org, auditContext, { action: 'alert_webhook.failed', target, detail: { type, attempts } });
}
