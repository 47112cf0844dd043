import type { platformHealthApi } from '@freehold/contract/management/operator/health';
import type { ReplyOf } from '@freehold/contract/route';
import { type Clock, timestamp } from '../lib/clock.ts';
import type { ServerChange } from '../store/port.ts';
import { faultOfError } from './errors/fault-of-error.ts';

type Health = ReplyOf<typeof platformHealthApi.readPlatformHealth>;
type ShownStore = Health['stores'][number];
type ShownServer = Health['servers'][number];

/** What was met of the stores and of their servers since the start. */
export interface StoreFacts {
  noteFailure(space: ShownStore['space'], call: string, error: unknown): void;
  lastFailures(): Readonly<Partial<Record<ShownStore['space'], NonNullable<ShownStore['last_failure']>>>>;
  /** Notes what became of a server before it is told as ever. */
  noting(onServer: ((change: ServerChange) => void) | undefined): (change: ServerChange) => void;
  servers(): readonly ShownServer[];
}

/** A cluster has fewer; a server that is well again is forgotten. */
const serversMax = 200;
const whyMax = 300;

export function createStoreFacts(clock: Clock): StoreFacts {
  const failures: Partial<Record<ShownStore['space'], NonNullable<ShownStore['last_failure']>>> = {};
  const servers = new Map<string, ShownServer>();
  const now = () => timestamp(clock.now());
  return {
    noteFailure: (space, call, error) => {
      const { name, code, message } = faultOfError(error);
      failures[space] = { at: now(), call, name, code, message };
    },
    lastFailures: () => ({ ...failures }),
    noting: (onServer) => (change) => {
      const { server, state, why } = change;
      if (state === 'up') servers.delete(server);
      else if (servers.has(server) || servers.size < serversMax)
        servers.set(server, { server, state, since: now(), why: why?.slice(0, whyMax).toWellFormed() ?? null });
      onServer?.(change);
    },
    servers: () => [...servers.values()],
  };
}
