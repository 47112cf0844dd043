/** Addresses of a platform with several workers, each of which leads to one of them. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import type { Gateways } from './platform.ts';

/** So many connections are opened for one to lead to a certain worker; which it is, chance says. */
const attemptsMax = 500;

/** The same gateways by two addresses; what leads to one worker by one address leads to the other one by the other. */
export async function pinnedWorkers(
  context: TestContext,
  { app, management }: Gateways,
): Promise<{ readonly one: Gateways; readonly other: Gateways }> {
  const [apps, managements] = [await workersBehind(app), await workersBehind(management)];
  const pinned = async (index: 0 | 1): Promise<Gateways> => ({
    app: await relay(context, app, apps[index]),
    management: await relay(context, management, managements[index]),
  });
  return { one: await pinned(0), other: await pinned(1) };
}

/** What the request ids of two workers that listen at an address begin with. */
export async function workersBehind(url: string): Promise<readonly [string, string]> {
  const found = new Set<string>();
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const { socket, worker } = await connectTo(url);
    socket.destroy();
    found.add(worker);
    const [one, other] = found;
    if (one !== undefined && other !== undefined) return [one, other];
  }
  throw new Error(`${attemptsMax} connections to ${url} led to ${found.size} worker`);
}

async function relay(context: TestContext, url: string, worker: string): Promise<string> {
  const server: Server = createServer((client) => {
    client.on('error', () => undefined);
    reach(url, worker).then(
      (upstream) => {
        upstream.on('error', () => client.destroy());
        client.on('close', () => upstream.destroy());
        upstream.on('close', () => client.destroy());
        client.pipe(upstream).pipe(client);
      },
      () => client.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function reach(url: string, worker: string): Promise<Socket> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const connection = await connectTo(url);
    if (connection.worker === worker) return connection.socket;
    connection.socket.destroy();
  }
  throw new Error(`no connection to ${url} leads to the worker ${worker}`);
}

/** A connection, and the worker that has it. */
async function connectTo(url: string): Promise<{ readonly socket: Socket; readonly worker: string }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  let text = '';
  while (!/\r\n\r\n\{.*\}$/s.test(text)) {
    const [data] = (await once(socket, 'data')) as [Buffer];
    text += data.toString('latin1');
  }
  const worker = /x-request-id: ([^-\r]+)-/i.exec(text)?.[1];
  if (worker === undefined) throw new Error(`an answer names no request: ${text}`);
  return { socket, worker };
}
