/** Connections without a request under way: how long they wait, and that they keep no other client out. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { drain } from '../drain.ts';
import { createErrorReplies } from '../error-reply.ts';
import { connectionsMax, type ListenOptions, listen } from '../listener.ts';
import { json } from '../reply.ts';

interface Served {
  connected(): Promise<Socket>;
  /** Ends the answers to `/slow` that are under way. */
  readonly release: () => void;
}

async function serve(context: TestContext, options: Partial<ListenOptions> = {}): Promise<Served> {
  const released = Promise.withResolvers<void>();
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    gateway: async ({ url }) => {
      if (url === '/slow') await released.promise;
      return json(200, { url });
    },
    errors: createErrorReplies({ baseUrl: () => '', explain: () => undefined, onFault: () => undefined }),
    ...options,
  });
  const sockets: Socket[] = [];
  context.after(async () => {
    for (const socket of sockets) socket.destroy();
    await drain([listener], 0);
  });
  return {
    release: () => released.resolve(),
    connected: async () => {
      const socket = connect(Number(new URL(listener.url).port), '127.0.0.1');
      sockets.push(socket);
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      return socket;
    },
  };
}

async function ask(socket: Socket, path = '/quick'): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  const [answer = ''] = await once(socket, 'data');
  return String(answer);
}

test('a connection waits 75 s for its next request, or as long as is set', async (context) => {
  for (const [options, seconds] of [
    [{}, 75],
    [{ limits: { keepAliveTimeout: 3_600_000 } }, 3600],
  ] as const) {
    const served = await serve(context, options);
    const answer = await ask(await served.connected());
    assert.ok(answer.includes(`\r\nKeep-Alive: timeout=${seconds}\r\n`), answer);
  }
});

test('from nine tenths of the connections on the longest idle ones end, and none with a request under way', async (context) => {
  const served = await serve(context, { sharers: connectionsMax / 20 });
  const ended: number[] = [];
  const sockets: Socket[] = [];
  for (let index = 0; index < 18; index++) {
    const socket = await served.connected();
    socket.once('close', () => ended.push(index));
    sockets.push(socket);
    // The second one sends nothing at all.
    if (index !== 1) await ask(socket);
  }
  const [first, second, third] = sockets as [Socket, Socket, Socket];
  const slow = ask(first, '/slow');
  await ask(third);
  assert.deepEqual(ended, []);
  const [, fourth, fifth] = [second, sockets[3], sockets[4]];
  for (const longest of [second, fourth, fifth]) {
    const closed = longest === undefined || once(longest, 'close');
    assert.match(await ask(await served.connected()), /^HTTP\/1\.1 200 /);
    await closed;
  }
  assert.deepEqual(ended, [1, 3, 4]);
  served.release();
  assert.match(await slow, /^HTTP\/1\.1 200 /);
  assert.match(await ask(first), /^HTTP\/1\.1 200 /);
});
