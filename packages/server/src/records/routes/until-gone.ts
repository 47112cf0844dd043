import type { GatewayRequest } from '../../api/request.ts';
import { Problem } from '../../lib/problem.ts';
import type { Scope } from '../../store/port.ts';
import type { RecordCall } from '../writing/write-loop.ts';

/** The connection of one. */
interface Client {
  readonly destroyed: boolean;
  once(event: 'close', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
}

/** The same call, whose questions to the engine end when the client of the request has left. */
export function untilGone<Call extends RecordCall>(call: Call, { head }: Pick<GatewayRequest, 'head'>): Call {
  const { workspace } = call;
  return { ...call, workspace: { ...workspace, scope: scopeUntilGone(workspace.scope, head.socket) } };
}

export function scopeUntilGone(scope: Scope, client: Client): Scope {
  return {
    name: scope.name,
    get: (keys) => scope.get(keys),
    range: (pk, read) => scope.range(pk, read),
    follow: (pk, read) => scope.follow(pk, read),
    count: (pk, range, atMost) => scope.count(pk, range, atMost),
    select: (pk, read) => whileThere(client, (signal) => scope.select(pk, { ...read, signal })),
    measure: (pk, read) => whileThere(client, (signal) => scope.measure(pk, { ...read, signal })),
    commit: (changes, options) => scope.commit(changes, options),
  };
}

/** @throws Problem `unavailable` where the client leaves before the answer. */
async function whileThere<T>(client: Client, read: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const gone = new AbortController();
  const leave = (): void => gone.abort(new Problem('unavailable', 'the caller has left'));
  if (client.destroyed) leave();
  client.once('close', leave);
  try {
    return await read(gone.signal);
  } finally {
    client.off('close', leave);
  }
}
