import type { Key, Put, Scope } from '../store/port.ts';

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

export function webhookKey(orgCode: string): Key {
  return { pk: 'alert-webhook', sk: orgCode };
}

export function deliveryKey(orgCode: string): Key {
  return { pk: 'alert-delivery', sk: orgCode };
}

export function workKey({ org, id, type }: Pick<DeliveryWork, 'org' | 'id' | 'type'>): Key {
  return { pk: 'work', sk: `${deliveryJob};${org};${type === testType ? 'test' : id}` };
}

export function workItem(work: DeliveryWork, at: number, condition: Put['if']): Put {
  const value = JSON.stringify(work);
  return { kind: 'put', ...workKey(work), value, if: condition, due: { at, queue: 'work' } };
}

export async function findWebhook(platform: Scope, orgCode: string): Promise<StoredWebhook | undefined> {
  const [row] = await platform.get([webhookKey(orgCode)]);
  return row === undefined ? undefined : (JSON.parse(row.value) as StoredWebhook);
}
