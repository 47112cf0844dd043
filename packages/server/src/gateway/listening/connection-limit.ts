import type { Socket } from 'node:net';
import { networkKey } from '../../lib/network/network-key.ts';

/** How many connections each address has to a listener. */
export interface ConnectionCounts {
  /** Counts one more, unless the address has so many already. */
  take(address: string, max: number): boolean;
  release(address: string): void;
}

export function createConnectionCounts(): ConnectionCounts {
  const counts = new Map<string, number>();
  return {
    take: (address, max) => {
      const count = counts.get(address) ?? 0;
      if (count >= max) return false;
      counts.set(address, count + 1);
      return true;
    },
    release: (address) => {
      const left = (counts.get(address) ?? 1) - 1;
      if (left === 0) counts.delete(address);
      else counts.set(address, left);
    },
  };
}

/**
 * A new connection of an address that has so many already takes the place of its longest idle one. Where none is idle, it
 * ends before anything is read from it. Of IPv6 the first half of the address counts.
 */
export function createConnectionLimit(
  { perAddressMax, connections }: { readonly perAddressMax: number; readonly connections: ConnectionCounts },
  {
    endLongest,
    onRefused,
  }: { readonly endLongest: (address: string) => Socket | undefined; readonly onRefused: () => void },
): (socket: Socket) => void {
  /** Those whose place another has. */
  const replaced = new WeakSet<Socket>();
  return (socket) => {
    const address = networkKey(socket.remoteAddress ?? '');
    if (!connections.take(address, perAddressMax)) {
      const longest = endLongest(address);
      if (longest === undefined) {
        onRefused();
        socket.destroy();
        return;
      }
      replaced.add(longest);
    }
    socket.once('close', () => {
      if (!replaced.has(socket)) connections.release(address);
    });
  };
}
