import type { Socket } from 'node:net';
import { descriptorsKept, descriptorsMax, nextDescriptor } from '../../lib/descriptors.ts';
import { networkKey } from '../../lib/network/network-key.ts';

/**
 * A new connection of an address that has so many already takes the place of its longest idle one. Where none is idle, it
 * ends before anything is read from it. Of IPv6 the first half of the address counts.
 */
export function createConnectionLimit(
  perAddressMax: number,
  {
    endLongest,
    onRefused,
  }: { readonly endLongest: (address: string) => Socket | undefined; readonly onRefused: () => void },
): (socket: Socket) => void {
  const counts = new Map<string, number>();
  /** Those whose place another has. */
  const replaced = new WeakSet<Socket>();
  return (socket) => {
    const address = networkKey(socket.remoteAddress ?? '');
    const count = counts.get(address) ?? 0;
    if (count < perAddressMax) counts.set(address, count + 1);
    else {
      const longest = endLongest(address);
      if (longest === undefined) {
        onRefused();
        socket.destroy();
        return;
      }
      replaced.add(longest);
    }
    socket.once('close', () => {
      if (replaced.has(socket)) return;
      const left = (counts.get(address) ?? 1) - 1;
      if (left === 0) counts.delete(address);
      else counts.set(address, left);
    });
  };
}

/**
 * Ends connections that come while the process has hardly a file descriptor left, before anything is read from them. With
 * none left the system would cut them off without a word, and the store, mails and calls to other systems would fail too.
 */
export function createDescriptorLimit(
  onRefused: () => void,
  {
    max = descriptorsMax(),
    next = nextDescriptor,
  }: { readonly max?: number | undefined; readonly next?: () => number } = {},
): (socket: Pick<Socket, 'destroy'>) => void {
  if (max === undefined) return () => undefined;
  const last = max - descriptorsKept(max);
  return (socket) => {
    if (next() < last) return;
    onRefused();
    socket.destroy();
  };
}

/** Of the connections that there may be: from this share on, idle ones give way. */
const shareWithoutIdle = 0.9;

export type IdleConnections = ReturnType<typeof createIdleConnections>;

/**
 * The connections of a listener on which no request is under way, also those that have sent none yet.
 * @param max how many connections the listener takes
 */
export function createIdleConnections(max: number) {
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
  /**
   * Ends the connection that has been idle the longest, and gives it; undefined where none is idle.
   * @param address one of `networkKey`: of its connections alone
   */
  const endLongest = (address?: string): Socket | undefined => {
    const [longest] = address === undefined ? idle.keys() : (idleOf.get(address) ?? []);
    if (longest === undefined) return undefined;
    remove(longest);
    return longest.destroy();
  };
  /** Ends each connection by `end` once it has been idle for so long, for a listener that takes no more of them. */
  const endAfter = (milliseconds: number, end: (socket: Socket) => void): void => {
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
    /**
     * A new connection. Where the listener has nine tenths of its connections, the longest idle one ends, so that idle
     * ones keep no client out.
     */
    opened: (socket: Socket): void => {
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
    /** A request of it has begun. */
    busy: remove,
    /** The answer has left. Unless it was the last one of the connection, that waits for the next request. */
    idle: (socket: Socket): void => {
      if (socket.writable) add(socket);
    },
    endLongest,
    endAfter,
  };
}
