import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { claimPort } from './check-free.ts';

const host = '127.0.0.1';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

test('of two that claim a free port at once one has it, and the port can be listened to', async () => {
  const port = await freePort();
  const claims = await Promise.allSettled([claimPort(host, port), claimPort(host, port)]);
  assert.deepEqual(claims.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  await assert.rejects(claimPort(host, port), { message: `port ${port} on ${host} is taken by another program` });
  const server = createServer().listen({ port, host, reusePort: true });
  await once(server, 'listening');
  server.close();
});

test('a port with a listener that shares it is taken', async (t) => {
  const server = createServer().listen({ port: 0, host, reusePort: true });
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await assert.rejects(claimPort(host, port), /is taken by another program/);
});
