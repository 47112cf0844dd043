import type { Socket } from 'node:net';
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
