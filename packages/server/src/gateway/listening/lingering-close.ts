import type { Socket } from 'node:net';

const bytesMax = 32 * 1024 * 1024;
const milliseconds = 2000;

/**
 * A connection that is ended while its client sends is reset, and the reset overtakes the reply (RFC 9112, section 9.6).
 * So what comes in the next moments is read and dropped: more than the buffers on the way hold, after which the client
 * must have read the reply to have sent more.
 * @param close ends the connection once all that was written has left
 * @returns what is called with the number of bytes that are dropped
 */
export function closeLingering(socket: Socket, close: () => void, lastText?: string): (bytes: number) => void {
  let timer: NodeJS.Timeout | undefined;
  // A client that reads slowly gets the reply before the time begins.
  const written = (): void => {
    if (!socket.destroyed) timer = setTimeout(close, milliseconds);
  };
  if (lastText === undefined) socket.end(written);
  else socket.end(lastText, written);
  socket.once('close', () => clearTimeout(timer));
  let left = bytesMax;
  return (bytes) => {
    left -= bytes;
    if (left < 0) socket.destroy();
  };
}
