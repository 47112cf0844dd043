import type { Socket } from 'node:net';
import { descriptorsKept, descriptorsMax, nextDescriptor } from '../../lib/descriptors.ts';
import { shareWithoutIdle } from './idle-connections.ts';

/**
 * Ends connections that come while the process has hardly a file descriptor left, before anything is read from them. With
 * none left the system would cut them off without a word, and the store, mails and calls to other systems would fail too.
 * `onScarce` is called before, for each connection from nine tenths of them on.
 */
export function createDescriptorLimit(
  onRefused: () => void,
  {
    max = descriptorsMax(),
    next = nextDescriptor,
    onScarce = () => undefined,
  }: { readonly max?: number | undefined; readonly next?: () => number; readonly onScarce?: () => void } = {},
): (socket: Pick<Socket, 'destroy'>) => void {
  if (max === undefined) return () => undefined;
  const last = max - descriptorsKept(max);
  return (socket) => {
    const descriptor = next();
    if (descriptor >= last * shareWithoutIdle) onScarce();
    if (descriptor < last) return;
    onRefused();
    socket.destroy();
  };
}
