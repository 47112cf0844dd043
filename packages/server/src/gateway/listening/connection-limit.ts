import type { Socket } from 'node:net';
import { networkKey } from '../../lib/network/network-key.ts';

/**
 * Ends connections of an address that has so many already, before anything is read from them. Of IPv6 the first half
 * of the address counts.
 */
export function createConnectionLimit(perAddressMax: number, onRefused: () => void): (socket: Socket) => void {
  const counts = new Map<string, number>();
  return (socket) => {
    const address = networkKey(socket.remoteAddress ?? '');
    const count = counts.get(address) ?? 0;
    if (count >= perAddressMax) {
      onRefused();
      socket.destroy();
      return;
    }
    counts.set(address, count + 1);
    socket.once('close', () => {
      const left = (counts.get(address) ?? 1) - 1;
      if (left === 0) counts.delete(address);
      else counts.set(address, left);
    });
  };
}
