/** The last answer of a connection arrives, whatever its client goes on to send, and nothing behind it is a request. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { json } from '../../api/reply.ts';
import { Problem } from '../../lib/problem.ts';
import { createErrorReplies } from '../error-reply.ts';
import { drain, type Listener, type ListenOptions, listen } from '../listener.ts';
import { readJsonBody } from '../pipeline/read-body.ts';
import { closeLingering, type LingeringLimits, lingeringLimits } from './lingering-close.ts';

const kilobyte = 1024;

interface Served extends Listener {
  readonly paths: readonly string[];
  connected(): Promise<Socket>;
}

/** Refuses all but `/read`, which answers the body that it reads; `/late` once no more of its body is taken in. */
async function serve(context: TestContext, options: Partial<ListenOptions> = {}): Promise<Served> {
  const paths: string[] = [];
  const errors = createErrorReplies({
    baseUrl: () => 'http://localhost',
    explain: () => undefined,
    onFault: () => undefined,
  });
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    gateway: async (incoming) => {
      paths.push(incoming.url ?? '');
      if (incoming.url === '/late') while (incoming.readableLength < incoming.readableHighWaterMark) await pause(1);
      if (incoming.url !== '/read') throw new Problem('token_invalid', 'refused by its head');
      return json(200, await readJsonBody(incoming));
    },
    errors,
    ...options,
  });
  const sockets: Socket[] = [];
  context.after(async () => {
    for (const socket of sockets) socket.destroy();
    await drain([listener], 0);
  });
  return {
    ...listener,
    paths,
    connected: async () => {
      const socket = connect({ port: Number(new URL(listener.url).port), host: '127.0.0.1', allowHalfOpen: true });
      sockets.push(socket);
      await once(socket, 'connect');
      return socket;
    },
  };
}

function limits(some: Partial<LingeringLimits>): LingeringLimits {
  return { ...lingeringLimits, ...some };
}

function head(path: string, ...headers: readonly string[]): string {
  return [`POST ${path} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', ...headers, '', ''].join('\r\n');
}

const second = `${head('/second', 'Content-Length: 2')}{}`;
const long = 70 * kilobyte;

/** A reset is an end too. */
function closing(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

/** Text until the server closes its side. */
async function answerOf(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (part: Buffer) => {
    text += part.toString();
  });
  await once(socket, 'end');
  return text;
}

const framings: Readonly<Record<string, readonly string[]>> = {
  'a length': [head('/first', `Content-Length: ${long}`), 'a'.repeat(long), second],
  'a last chunk': [
    head('/first', 'Transfer-Encoding: chunked'),
    `${long.toString(16)}\r\n${'a'.repeat(long)}\r\n0\r\n\r\n`,
    second,
  ],
  'a head of HTTP/1.0': [head('/first', `Content-Length: ${long}`).replace('/1.1', '/1.0'), 'a'.repeat(long), second],
};

for (const [framing, parts] of Object.entries(framings))
  for (const [arrival, packets] of [
    ['in one packet', [parts.join('')]],
    ['after the head', [parts[0], parts.slice(1).join('')]],
    ['behind the body', [parts.slice(0, 2).join(''), parts[2]]],
  ] as const)
    test(`a request behind a refused one with ${framing}, ${arrival}, is none`, async (context) => {
      const served = await serve(context);
      const socket = await served.connected();
      const answer = answerOf(socket);
      for (const packet of packets) {
        socket.write(packet ?? '');
        await new Promise((resolve) => setImmediate(resolve));
      }
      const text = await answer;
      assert.match(text, /^HTTP\/1\.1 401 /);
      assert.match(text, /\r\nConnection: close\r\n/i);
      assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1);
      socket.end(second);
      await closing(socket);
      assert.deepEqual(served.paths, ['/first']);
    });

for (const path of ['/first', '/late'])
  test(`a client that goes on sending to ${path} gets its answer, and closes when it has read it`, async (context) => {
    const served = await serve(context);
    const socket = await served.connected();
    const answer = answerOf(socket);
    socket.write(head(path, `Content-Length: ${15 * kilobyte * kilobyte}`));
    for (let sent = 0; sent < 15 * kilobyte; sent += 64)
      if (!socket.write(Buffer.alloc(64 * kilobyte))) await once(socket, 'drain');
    assert.match(await answer, /^HTTP\/1\.1 401 /);
    socket.end();
    await once(socket, 'close');
    assert.equal(socket.errored, null);
  });

for (const [what, some] of [
  ['sends more than it may', { bytesMax: 128 * kilobyte }],
  ['sends nothing for too long', { quiet: 20 }],
  ['sends for too long', { whole: 20 }],
] as const)
  test(`a client that ${what} behind its answer is cut off`, async (context) => {
    const served = await serve(context, { lingering: limits(some) });
    const socket = await served.connected();
    const answer = answerOf(socket);
    socket.on('error', () => undefined);
    socket.write(head('/first', `Content-Length: ${kilobyte * kilobyte}`));
    assert.match(await answer, /^HTTP\/1\.1 401 /);
    // The reset of the other side shows at a write.
    const tick = setInterval(() => socket.write(Buffer.alloc('quiet' in some ? 0 : kilobyte)), 1);
    if ('quiet' in some) setTimeout(() => socket.write('late'), 200);
    await closing(socket);
    clearInterval(tick);
  });

test('of the connections that linger the oldest ends where there are too many', async (context) => {
  const served = await serve(context, { lingering: limits({ quiet: 600_000, whole: 600_000, connectionsMax: 2 }) });
  const closed: number[] = [];
  const sockets: Socket[] = [];
  for (let index = 0; index < 3; index++) {
    const socket = await served.connected();
    sockets.push(socket);
    socket.on('error', () => undefined).once('close', () => closed.push(index));
    const answer = answerOf(socket);
    socket.write(head('/first', `Content-Length: ${kilobyte * kilobyte}`));
    assert.match(await answer, /^HTTP\/1\.1 401 /);
  }
  const tick = setInterval(() => sockets[0]?.write('a'), 20);
  const [oldest] = sockets;
  if (oldest?.destroyed === false) await closing(oldest);
  clearInterval(tick);
  assert.deepEqual(closed, [0]);
});

test('of those that come at the same time no more linger', () => {
  const sockets = Array.from({ length: 6 }, () => new Socket());
  for (const socket of sockets) closeLingering(socket, { limits: { ...lingeringLimits, connectionsMax: 2 } });
  assert.deepEqual(
    sockets.map(({ destroyed }) => destroyed),
    [true, true, true, true, false, false],
  );
  for (const socket of sockets) socket.destroy();
});

test('a refusal by the head comes in place of `100 Continue`, and the connection ends', async (context) => {
  const served = await serve(context);
  const socket = await served.connected();
  socket.write(head('/first', 'Expect: 100-continue', 'Content-Length: 2'));
  const text = await answerOf(socket);
  assert.match(text, /^HTTP\/1\.1 401 /);
  assert.match(text, /\r\nConnection: close\r\n/i);
  socket.end(second);
  await closing(socket);
  assert.deepEqual(served.paths, ['/first']);
});

test('a body that is read is asked for by `100 Continue`', async (context) => {
  const served = await serve(context);
  const socket = await served.connected();
  socket.write(head('/read', 'Expect: 100-continue', 'Content-Length: 7', 'Connection: close'));
  const [requested] = (await once(socket, 'data')) as [Buffer];
  assert.equal(requested.toString(), 'HTTP/1.1 100 Continue\r\n\r\n');
  socket.write('{"a":1}');
  assert.match(await answerOf(socket), /^HTTP\/1\.1 200 .*\{"a":1\}$/s);
});

test('a drain does not wait for connections that linger as for calls, and ends them', async (context) => {
  const served = await serve(context);
  const socket = await served.connected();
  socket.on('error', () => undefined);
  const answer = answerOf(socket);
  socket.write(head('/first', `Content-Length: ${kilobyte * kilobyte}`));
  assert.match(await answer, /^HTTP\/1\.1 401 /);
  await served.refuseNew();
  await served.close(20);
});
