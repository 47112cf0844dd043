import { singleHeader } from '../api/headers/single-header.ts';
import type { RequestEnvelope, RequestHead } from '../api/request.ts';
import { Problem } from '../lib/problem.ts';
import type { Actor } from './actor.ts';
import type { Idempotency, OnceRequest } from './idempotency.ts';

/** The request as one that counts once, where its sender gave it a key. @throws Problem `invalid_request`. */
export function readOnce(
  idempotency: Idempotency,
  { head, body }: RequestEnvelope & { readonly body: unknown },
  principal: string,
): OnceRequest | undefined {
  const key = readIdempotencyKey(head);
  if (key === undefined) return undefined;
  return idempotency({ principal, key, content: [head.method, head.url, body] });
}

/** Whose keys a caller sends: a person has keys of his own, and so has each builder who acts for him. */
export function keyHolderOf({ userId, claims: { act } }: Pick<Actor, 'userId' | 'claims'>): string {
  if (typeof act !== 'object' || act === null || !('sub' in act)) return userId;
  return `${userId} ${act.sub}`;
}

/** What an answer says that was given before. */
export const replayedHeaders = { 'Idempotency-Replayed': 'true' };

function readIdempotencyKey(head: RequestHead): string | undefined {
  if (head.headers['idempotency-key'] === undefined) return undefined;
  const key = singleHeader(head, 'idempotency-key');
  if (key === undefined || !/^[\x20-\x7e]{1,255}$/.test(key))
    throw new Problem(
      'invalid_request',
      '`Idempotency-Key` must be sent once, as 1 to 255 printable characters of ASCII',
    );
  return key;
}
