import { createHmac } from 'node:crypto';

/** The text that a receiver is shown once: the form of Standard Webhooks. */
export function secretText(key: Buffer): string {
  return `whsec_${key.toString('base64')}`;
}

export interface Message {
  /** The same each time that it is sent, so that a receiver recognizes a repeated message. */
  readonly id: string;
  readonly body: string;
}

export interface SignedHeaders {
  readonly 'webhook-id': string;
  /** In seconds since the epoch. */
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/**
 * The headers by which a receiver knows who has written a message, and when it was sent (Standard Webhooks 1.0.0).
 * @param keys more than one while receivers go from an old secret to a new one. @param now milliseconds since the epoch.
 */
export function signedHeaders(keys: readonly Buffer[], { id, body }: Message, now: number): SignedHeaders {
  const timestamp = String(Math.floor(now / 1000));
  const content = `${id}.${timestamp}.${body}`;
  const signatures = keys.map((key) => `v1,${createHmac('sha256', key).update(content).digest('base64')}`);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
