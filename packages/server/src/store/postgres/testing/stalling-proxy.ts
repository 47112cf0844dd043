import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A proxy between a client and its server that loses every byte from `stall` on, as a network that drops packets. */
export interface StallingProxy {
  readonly url: string;
  /** From now on nothing passes on the lines that are open, and none is closed; new lines come about and pass nothing. */
  stall(): void;
  /** New lines pass everything again. Those that lost bytes never do. */
  pass(): void;
  stop(): Promise<void>;
}

export async function startStallingProxy(url: string): Promise<StallingProxy> {
  const server = new URL(url);
  const sockets = new Set<Socket>();
  let isStalled = false;
  const stalled = new WeakSet<Socket>();
  const listener = createServer((client) => {
    const upstream = connect(Number(server.port), server.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      if (isStalled) stalled.add(from);
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.on('data', (chunk) => {
        if (!stalled.has(from)) to.write(chunk);
      });
    }
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('a server without a port');
  return {
    url: Object.assign(new URL(url), { port: String(address.port) }).href,
    stall: () => {
      isStalled = true;
      for (const socket of sockets) stalled.add(socket);
    },
    pass: () => {
      isStalled = false;
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
}
