import type { Socket } from 'node:net';

/** Limits of the bytes that a client may send behind the last answer of its connection. */
export interface LingeringLimits {
  readonly bytesMax: number;
  /** Milliseconds without a byte. */
  readonly quiet: number;
  /** Milliseconds in all. */
  readonly whole: number;
  /** So many connections linger at a time, all listeners together; the oldest ends. */
  readonly connectionsMax: number;
}

export const lingeringLimits: LingeringLimits = {
  bytesMax: 16 * 1024 * 1024,
  quiet: 5_000,
  whole: 30_000,
  connectionsMax: 256,
};

/** By age. */
const lingering = new Set<Socket>();

/**
 * Ends a connection whose last answer has been written, or is `lastText`. A connection that is ended while its client sends is
 * reset, and the reset overtakes the answer (RFC 9112, section 9.6). So this side is closed, and the bytes that come
 * are dropped until the client closes the other one. No parser sees them: behind the last answer there are no requests.
 */
export function closeLingering(
  socket: Socket,
  { limits, lastText }: { readonly limits: LingeringLimits; readonly lastText?: string },
): void {
  if (lingering.has(socket) || socket.destroyed) return;
  // A listener for data takes the connection from the parser of HTTP; the others are its own.
  socket.on('data', () => undefined);
  socket.removeAllListeners('data').removeAllListeners('end');
  let left = limits.bytesMax;
  socket.on('data', ({ length }: Buffer) => {
    left -= length;
    if (left < 0) socket.destroy();
    else quiet.refresh();
  });
  const destroy = (): void => void socket.destroy();
  socket.on('end', destroy);
  const quiet = setTimeout(destroy, limits.quiet).unref();
  const whole = setTimeout(destroy, limits.whole).unref();
  socket.once('close', () => {
    clearTimeout(quiet);
    clearTimeout(whole);
    lingering.delete(socket);
  });
  lingering.add(socket);
  if (lingering.size > limits.connectionsMax) {
    const [oldest = socket] = lingering;
    // It is closed later than the next one may come.
    lingering.delete(oldest);
    oldest.destroy();
  }
  // A client that reads slowly gets the answer before its time begins.
  const written = (): void => {
    quiet.refresh();
    whole.refresh();
  };
  if (lastText === undefined) socket.end(written);
  else socket.end(lastText, written);
  socket.resume();
  // A body that filled its buffer made the parser stop the connection, but not its stream: this reads on.
  socket._read(0);
}

export function isLingering(socket: Socket): boolean {
  return lingering.has(socket);
}
