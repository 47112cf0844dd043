import { createHmac } from 'node:crypto';

/** What a receiver is shown once: the form of Standard Webhooks. */
export function secretText(key: Buffer): string {
  return `whsec_${key.toString('base64')}`;
}

export interface Message {
  /** The same each time that it is sent, so that a receiver recognizes a repeated message. */
  readonly id: string;
  readonly body: string;
}

/**
 * The headers by which a receiver knows who has written a message, and when it was sent (Standard Webhooks 1.0.0).
 * @param now milliseconds since the epoch.
 */
export function signedHeaders(key: Buffer, { id, body }: Message, now: number): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(now / 1000));
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
