import type { Socket } from 'node:net';

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
}

/** @param max how many connections the listener takes */
export function createIdleConnections(max: number): IdleConnections {
  /** By the time that they became idle. */
  const idle = new Set<Socket>();
  let open = 0;
  const endLongest = (): void => {
    const [longest] = idle;
    if (longest === undefined) return;
    idle.delete(longest);
    longest.destroy();
  };
  return {
    opened: (socket) => {
      if (socket.destroyed) return;
      open += 1;
      socket.once('close', () => {
        open -= 1;
        idle.delete(socket);
      });
      if (open > max * shareWithoutIdle) endLongest();
      idle.add(socket);
    },
    busy: (socket) => void idle.delete(socket),
    idle: (socket) => {
      if (socket.writable) idle.add(socket);
    },
  };
}
