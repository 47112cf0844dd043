/** Connections without a request under way: how long they wait, and that they keep no other client out. */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { connect, Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { json } from '../../api/reply.ts';
import { createErrorReplies } from '../error-reply.ts';
import { drain, type ListenOptions, listen } from '../listener.ts';
import { createIdleConnections } from './connections.ts';

interface Served {
  connected(): Promise<Socket>;
  /** Emits `slow` when a request to `/slow` has begun. */
  readonly started: EventEmitter;
  /** Ends the answers to `/slow` that are under way. */
  readonly release: () => void;
}

async function serve(context: TestContext, options: Partial<ListenOptions> = {}): Promise<Served> {
  const released = Promise.withResolvers<void>();
  const started = new EventEmitter();
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    gateway: async ({ url }) => {
      if (url === '/slow') {
        started.emit('slow');
        await released.promise;
      }
      return json(200, { url });
    },
    errors: createErrorReplies({ baseUrl: () => '', explain: () => undefined, onFault: () => undefined }),
    ...options,
  });
  const sockets: Socket[] = [];
  context.after(async () => {
    released.resolve();
    for (const socket of sockets) socket.destroy();
    await drain([listener], 0);
  });
  return {
    started,
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
  return new Promise((resolve, reject) => {
    socket.once('data', (answer) => resolve(String(answer)));
    socket.once('close', () => reject(new Error('the connection has ended without an answer')));
  });
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

test('a connection that has sent nothing yet is not answered before its first request', async (context) => {
  const served = await serve(context, { limits: { headersTimeout: 50, connectionsCheckingInterval: 10 } });
  const socket = await served.connected();
  await pause(300);
  assert.match(await ask(socket), /^HTTP\/1\.1 200 /);
  // A request that has begun and does not arrive is.
  socket.write('GET /late HTTP/1.1\r\nHost:');
  const [answer] = await once(socket, 'data');
  assert.match(String(answer), /^HTTP\/1\.1 408 /);
  const slow = await served.connected();
  slow.write('GET /late HTTP/1.1\r\nHost:');
  const [refusal] = await once(slow, 'data');
  assert.match(String(refusal), /^HTTP\/1\.1 408 /);
});

test('from nine tenths of the connections on the longest idle ones end, and none with a request under way', async (context) => {
  const served = await serve(context, { allMax: 20 });
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

test('an address at its bound ends its longest idle connection for a new one, and none with a request under way', async (context) => {
  const served = await serve(context, { perAddressMax: 3 });
  const answers: Promise<string>[] = [];
  const askSlowly = async (socket: Socket): Promise<void> => {
    const started = once(served.started, 'slow');
    const answer = ask(socket, '/slow');
    answers.push(answer);
    await Promise.race([started, answer]);
  };
  const sockets: Socket[] = [];
  for (let index = 0; index < 3; index++) {
    const socket = await served.connected();
    sockets.push(socket);
    await ask(socket);
  }
  const [first, second, third] = sockets as [Socket, Socket, Socket];
  await askSlowly(first);
  for (const longest of [second, third]) {
    await askSlowly(await served.connected());
    await assert.rejects(ask(longest));
  }
  // Three are under way: an ended one and the one in its place were counted once.
  await assert.rejects(ask(await served.connected()));
  served.release();
  for (const answer of answers) assert.match(await answer, /^HTTP\/1\.1 200 /);
});

test('an address at its bound ends no connection of another', () => {
  const connections = createIdleConnections(100);
  const [other, own, later] = ['192.0.2.1', '2001:db8::1', '2001:db8::2'].map((remoteAddress) => {
    const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress });
    connections.opened(socket);
    return socket;
  });
  const ended = () => connections.endLongest('2001:db8:0:0::/64');
  assert.deepEqual([ended(), ended(), ended()], [own, later, undefined]);
  assert.equal(other?.destroyed, false);
});
