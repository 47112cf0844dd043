import { isRemembered } from '../remembered-posts.ts';
import type { Operation } from './operation.ts';
import { idempotencyKey } from './parameters.ts';

/** The operation with what an `Idempotency-Key` adds to it, where the gateway remembers its answers. */
export function rememberedOperation(operation: Operation): Operation {
  if (!isRemembered(operation)) return operation;
  const { parameters = [], replies, problems = [] } = operation;
  return {
    ...operation,
    parameters: [...parameters, idempotencyKey],
    replies: replies.map((reply) => ({
      ...reply,
      headers: [...(reply.headers ?? []), 'Idempotency-Replayed' as const],
    })),
    problems: [...problems, 'conflict', 'idempotency_key_reused'],
  };
}
