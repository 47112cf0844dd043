import type { Put } from '../store/port.ts';
import { json, table } from '../store/table.ts';

/** Where an org wants its alerts sent. */
export interface StoredWebhook {
  /** What its secret is derived from. */
  readonly id: string;
  readonly url: string;
  readonly created_at: string;
  readonly created_by: string;
  /** Where the gateway was reached by which it was set up. */
  readonly management_url: string;
}

/** How far the last message has come. */
export interface Delivery {
  readonly id: string;
  readonly type: string;
  readonly state: 'delivered' | 'retrying' | 'failed';
  readonly attempts: number;
  readonly at: string;
  readonly status: number | null;
  readonly failure: string | null;
  readonly next_attempt_at: string | null;
}

/** What is to be sent, as a job has it. */
export interface DeliveryWork {
  readonly job: typeof deliveryJob;
  readonly org: string;
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** How often it was sent already. */
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
  json<Delivery>('alert delivery', { id: 'string', state: 'string' }),
);

export const deliveryWorks = table(
  ({ org, id, type }: Pick<DeliveryWork, 'org' | 'id' | 'type'>) => ({
    pk: 'work',
    sk: `${deliveryJob};${org};${type === testType ? 'test' : id}`,
  }),
  json<DeliveryWork>('alert message', { org: 'string', id: 'string', type: 'string' }),
);

export function workItem(work: DeliveryWork, at: number, condition: Put['if']): Put {
  return deliveryWorks.put(work, work, { if: condition, due: { at, queue: 'work' } });
}
