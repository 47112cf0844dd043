import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A proxy between a store and its server, that cuts the line at a chosen moment. */
export interface CuttingProxy {
  readonly url: string;
  /** The next time a client sends the text: `before` it reaches the server, or when the server has answered it with `answer`. */
  cutAt(text: string, when: 'before' | { readonly answer: string }): void;
  /** The number of lines that were cut. */
  readonly cuts: number;
  stop(): Promise<void>;
}

export async function startCuttingProxy(url: string): Promise<CuttingProxy> {
  const server = new URL(url);
  const sockets = new Set<Socket>();
  let plan: Plan | undefined;
  let cuts = 0;
  const listener = createServer((client) => {
    const upstream = connect(Number(server.port), server.hostname);
    const ends = [client, upstream];
    let awaited: string | undefined;
    const cut = () => {
      cuts++;
      for (const end of ends) end.destroy();
    };
    for (const end of ends) sockets.add(end);
    for (const end of ends) end.on('error', () => {});
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    client.on('data', (chunk) => {
      if (plan !== undefined && chunk.includes(plan.text)) {
        const { when } = plan;
        plan = undefined;
        if (when === 'before') return cut();
        awaited = when.answer;
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (awaited === undefined) client.write(chunk);
      else if (chunk.includes(awaited)) cut();
    });
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('a server without a port');
  return {
    url: Object.assign(new URL(url), { port: String(address.port) }).href,
    cutAt(text, when) {
      plan = { text, when };
    },
    get cuts() {
      return cuts;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
}

interface Plan {
  readonly text: string;
  readonly when: 'before' | { readonly answer: string };
}
