import type { Socket } from 'node:net';
import { networkKey } from '../../lib/network/network-key.ts';

/** Of the connections that there may be: from this share on, idle ones give way. */
const shareWithoutIdle = 0.9;

/** The connections of a listener on which no request is under way, also those that have sent none yet. */
export interface IdleConnections {
  /**
   * A new connection. Where the listener has nine tenths of its connections, the longest idle one ends, so that idle ones
   * keep no client out.
   */
  opened(socket: Socket): void;
  /** A request of it has begun. */
  busy(socket: Socket): void;
  /** The answer has left. Unless it was the last one of the connection, that waits for the next request. */
  idle(socket: Socket): void;
  /**
   * Ends the connection that has been idle the longest, and gives it; undefined where none is idle.
   * @param address one of `networkKey`: of its connections alone
   */
  endLongest(address?: string): Socket | undefined;
  /** Ends each connection by `end` once it has been idle for so long, for a listener that takes no more of them. */
  endAfter(milliseconds: number, end: (socket: Socket) => void): void;
}

/** @param max how many connections the listener takes */
export function createIdleConnections(max: number): IdleConnections {
  /** Since when, in milliseconds of `performance.now`: in the order of that time, as are those of each address. */
  const idle = new Map<Socket, number>();
  const idleOf = new Map<string, Set<Socket>>();
  const addresses = new WeakMap<Socket, string>();
  let open = 0;
  const add = (socket: Socket): void => {
    idle.set(socket, performance.now());
    const address = addresses.get(socket) ?? '';
    const known = idleOf.get(address);
    if (known === undefined) idleOf.set(address, new Set([socket]));
    else known.add(socket);
  };
  const remove = (socket: Socket): void => {
    if (!idle.delete(socket)) return;
    const address = addresses.get(socket) ?? '';
    const known = idleOf.get(address);
    known?.delete(socket);
    if (known?.size === 0) idleOf.delete(address);
  };
  const endLongest = (address?: string): Socket | undefined => {
    const [longest] = address === undefined ? idle.keys() : (idleOf.get(address) ?? []);
    if (longest === undefined) return undefined;
    remove(longest);
    return longest.destroy();
  };
  const endAfter: IdleConnections['endAfter'] = (milliseconds, end) => {
    for (const [socket, since] of idle) {
      const left = since + milliseconds - performance.now();
      if (left > 0) {
        // Behind what has come meanwhile, of which a timer of a busy process knows nothing.
        setTimeout(() => setImmediate(endAfter, milliseconds, end), left).unref();
        return;
      }
      remove(socket);
      end(socket);
    }
  };
  return {
    opened: (socket) => {
      if (socket.destroyed) return;
      open += 1;
      addresses.set(socket, networkKey(socket.remoteAddress ?? ''));
      socket.once('close', () => {
        open -= 1;
        remove(socket);
      });
      if (open > max * shareWithoutIdle) endLongest();
      add(socket);
    },
    busy: remove,
    idle: (socket) => {
      if (socket.writable) add(socket);
    },
    endLongest,
    endAfter,
  };
}
