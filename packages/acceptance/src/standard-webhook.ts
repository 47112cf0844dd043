/**
 * Standard Webhooks 1.0.0, after the text of the specification and not after the code of the platform: HMAC-SHA256 over
 * `id.timestamp.body` by the bytes of the secret, as `v1,` and base64.
 */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';

export type SignedHeaders = Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>>;

const toleranceSeconds = 300;

export function signMessage(secret: string, id: string, body: string, at = new Date()): SignedHeaders {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  assert.ok(key.length > 0, 'a secret has bytes');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

interface Message {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** Throws where the time of the message is more than five minutes off, or none of its signatures is made by the secret. */
export function verifyMessage(secret: string, { headers, body }: Message): void {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => {
    const value = headers[name];
    return typeof value === 'string' && value !== '' ? value : assert.fail(`the message has no ${name}`);
  }) as [string, string, string];
  const at = new Date(Number(timestamp) * 1000);
  // wall time: the specification has receivers refuse messages of another time.
  assert.ok(
    Math.abs(Date.now() - at.getTime()) <= toleranceSeconds * 1000,
    `the message is of another time: ${timestamp}`,
  );
  const expected = signMessage(secret, id, body, at)['webhook-signature'];
  assert.ok(signatures.split(' ').includes(expected), 'no signature of the message is made by the secret');
}
