import type { Socket } from 'node:net';
import { descriptorsKept, descriptorsMax, nextDescriptor } from '../../lib/descriptors.ts';

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
