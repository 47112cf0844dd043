/** A drain loses no request: a connection that waits for its next one is not ended while that may be on its way. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { json } from '../../api/reply.ts';
import { createErrorReplies } from '../error-reply.ts';
import { drain, type Listener, listen } from '../listener.ts';

interface Served extends Listener {
  readonly paths: readonly string[];
  /** A connection whose first request was answered. */
  idle(): Promise<Socket>;
  connected(): Promise<Socket>;
}

async function serve(context: TestContext): Promise<Served> {
  const paths: string[] = [];
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    gateway: async ({ url = '' }) => {
      paths.push(url);
      return json(200, {});
    },
    errors: createErrorReplies({ baseUrl: () => '', explain: () => undefined, onFault: () => undefined }),
    limits: { keepAliveTimeout: 300_000, idleTimeout: 300_000 },
  });
  const sockets: Socket[] = [];
  context.after(async () => {
    for (const socket of sockets) socket.destroy();
    await listener.close(0);
  });
  const connected = async () => {
    const socket = connect(Number(new URL(listener.url).port), '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  return {
    ...listener,
    paths,
    connected,
    idle: async () => {
      const socket = await connected();
      socket.write(post('/before', '{}'));
      assert.match(String(await once(socket, 'data')), /^HTTP\/1\.1 200 .*\r\nConnection: keep-alive\r\n/s);
      return socket;
    },
  };
}

function post(path: string, body: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** Until the other side has ended it: rejects where that is a reset. */
async function textOf(socket: Socket): Promise<string> {
  return Buffer.concat(await socket.toArray()).toString();
}

const refusal = /^HTTP\/1\.1 503 .*\r\nConnection: close\r\n.*\r\nRetry-After: 1\r\n.*"code":"unavailable".*\}$/s;

test('a request on an idle connection is refused in full once requests are, and is the last one of it', async (context) => {
  const served = await serve(context);
  const [used, unused] = [await served.idle(), await served.connected()];
  await served.refuseNew();
  for (const socket of [used, unused]) {
    socket.write(post('/during', '{}') + post('/behind', '{}'));
    const text = await textOf(socket);
    assert.match(text, refusal);
    assert.equal(text.match(/HTTP\/1\.1/g)?.length, 1);
  }
  assert.deepEqual(served.paths, ['/before']);
});

test('a request on an idle connection is refused in full after the last call has ended', async (context) => {
  const served = await serve(context);
  const [first, second] = [await served.idle(), await served.idle()];
  const drained = drain([served], 300_000);
  for (const socket of [first, second]) {
    socket.write(post('/during', '{}'));
    assert.match(await textOf(socket), refusal);
  }
  await drained;
});

test('requests on connections that the listener has yet to take are refused in full', async (context) => {
  const served = await serve(context);
  const sockets = Array.from({ length: 20 }, () => connect(Number(new URL(served.url).port), '127.0.0.1'));
  const texts = sockets.map((socket) => {
    socket.write(post('/during', '{}'));
    return textOf(socket);
  });
  // The system makes them at once, and each turn of the event loop takes one.
  await Promise.race(sockets.map((socket) => once(socket, 'connect')));
  await drain([served], 300_000);
  for (const text of texts) assert.match(await text, refusal);
});

test('a request that came while the process was busy is refused in full, however long its connection was idle', async (context) => {
  const served = await serve(context);
  const socket = await served.idle();
  const drained = drain([served], 300_000);
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  socket.write(post('/during', '{}'));
  // wall time: the process reads nothing until the connection has been idle for long enough to be ended.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
  assert.match(await textOf(socket), refusal);
  await drained;
});

test('a connection that stays idle ends without a reset, and the drain with it', async (context) => {
  const served = await serve(context);
  const sockets = [await served.idle(), await served.connected()];
  const texts = Promise.all(sockets.map(textOf));
  await drain([served], 300_000);
  assert.deepEqual(await texts, ['', '']);
});

test('a client that does not end its side of an idle connection holds no drain up', async (context) => {
  const served = await serve(context);
  const socket = connect({ port: Number(new URL(served.url).port), host: '127.0.0.1', allowHalfOpen: true });
  context.after(() => socket.destroy());
  await once(socket, 'connect');
  await drain([served], 300_000);
});

test('a drain without an open connection waits for no timer', async (context) => {
  const served = await serve(context);
  const socket = await served.idle();
  socket.end();
  await textOf(socket);
  context.mock.timers.enable({ apis: ['setTimeout'] });
  await drain([served], 300_000);
});
