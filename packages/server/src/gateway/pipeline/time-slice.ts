import type { IncomingMessage } from 'node:http';
import { Problem } from '../../lib/problem.ts';
import { scheduler } from '../../lib/scheduling/event-loop.ts';
import type { ShareKey } from '../../lib/scheduling/fair-scheduler.ts';
import type { CallTrace } from '../call-trace.ts';

/**
 * Lets a call begin when its slice comes; undefined if it may begin now. A call releases its slice when it has
 * answered.
 * @throws Problem `rate_limited`, where too many calls of its org wait; where the caller has left meanwhile,
 * `unavailable`.
 */
export function acquireSlice(
  incoming: IncomingMessage,
  trace: CallTrace,
  shareKey: ShareKey,
): Promise<void> | undefined {
  return scheduler.enter(trace, shareKey, trace.startedAt)?.then(() => {
    // No client is left to receive the answer.
    if (incoming.socket.destroyed) throw new Problem('unavailable', 'the caller has left');
  });
}

/** Does what a call asks for when it is its turn. */
export async function withTimeSlice<T>(
  incoming: IncomingMessage,
  trace: CallTrace,
  { shareKey, work }: { readonly shareKey: ShareKey; readonly work: () => T | Promise<T> },
): Promise<T> {
  const turn = acquireSlice(incoming, trace, shareKey);
  if (turn !== undefined) await turn;
  try {
    return await work();
  } finally {
    scheduler.leave(trace);
  }
}
