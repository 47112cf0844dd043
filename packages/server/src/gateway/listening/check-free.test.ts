import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { claimPort } from './check-free.ts';

const host = '127.0.0.1';

/** Below those that a system hands out, so that no other program gets it meanwhile. */
async function freePort(): Promise<number> {
  for (let port = 20_000 + (process.pid % 10_000); ; port++) {
    const server = createServer().listen(port, host);
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
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
