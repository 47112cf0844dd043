import type { IncomingMessage } from 'node:http';
import { Problem } from '../lib/problem.ts';
import type { Idempotency, OnceRequest } from './port.ts';
import type { RequestEnvelope } from '../api/request.ts';
import { singleHeader } from '../api/single-header.ts';

/** The request as one that counts once, where its sender gave it a key. @throws Problem `invalid_request`. */
export function readOnce(
  idempotency: Idempotency,
  { incoming, body }: RequestEnvelope & { readonly body: unknown },
  principal: string,
): OnceRequest | undefined {
  const key = readIdempotencyKey(incoming);
  if (key === undefined) return undefined;
  return idempotency({ principal, key, content: [incoming.method, incoming.url, body] });
}

/** What an answer says that was given before. */
export const replayedHeaders = { 'Idempotency-Replayed': 'true' };

function readIdempotencyKey(incoming: IncomingMessage): string | undefined {
  if (incoming.headers['idempotency-key'] === undefined) return undefined;
  const key = singleHeader(incoming, 'idempotency-key');
  if (key === undefined || !/^[\x20-\x7e]{1,255}$/.test(key))
    throw new Problem(
      'invalid_request',
      '`Idempotency-Key` must be sent once, as 1 to 255 printable characters of ASCII',
    );
  return key;
}
