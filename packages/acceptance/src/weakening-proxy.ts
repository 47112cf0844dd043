/** A proxy that changes the tags of replies, as those do that compress them. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

/** Runs until the tests of this file have ended. @returns its address. */
export async function startProxy(target: string, changeTag: (tag: string) => string): Promise<string> {
  const forward = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const { method, url = '/', headers } = incoming;
    const forwarded = request(new URL(url, target), { method, headers, agent: false }, (reply) => {
      const { etag, ...others } = reply.headers;
      outgoing.writeHead(reply.statusCode ?? 502, etag === undefined ? others : { ...others, etag: changeTag(etag) });
      reply.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  };
  const server = createServer(forward).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
