/** Long answers and long bodies over real connections: nothing piles up, nothing hangs, and nothing is taken for whole that is not. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { json, type Reply } from '../../api/reply.ts';
import { Problem } from '../../lib/problem.ts';
import type { Gateway } from '../app-gateway.ts';
import { createErrorReplies } from '../error-reply.ts';
import { drain, type Listener, type ListenOptions, listen } from '../listener.ts';
import { openBodyStream, readJsonBody } from '../pipeline/read-body.ts';

const chunkBytes = 64 * 1024;
const chunk = 'x'.repeat(chunkBytes);
const longBytes = 128 * 1024 * 1024;
/** The bytes that may be on their way: the buffers of both processes and of the system between them. */
const aheadMax = 32 * 1024 * 1024;

interface Served extends Listener {
  readonly port: number;
  readonly faults: readonly unknown[];
  /** A connection that has sent this. */
  send(...parts: readonly string[]): Socket;
}

async function serve(context: TestContext, gateway: Gateway, limits: ListenOptions['limits'] = {}): Promise<Served> {
  const faults: unknown[] = [];
  const errors = createErrorReplies({
    baseUrl: () => 'http://localhost',
    explain: () => undefined,
    onFault: (error) => faults.push(error),
  });
  const listener = await listen({ host: '127.0.0.1', port: 0, gateway, errors, limits });
  const port = Number(new URL(listener.url).port);
  const sockets: Socket[] = [];
  context.after(async () => {
    for (const socket of sockets) socket.destroy();
    await drain([listener], 0);
  });
  return {
    ...listener,
    port,
    faults,
    send: (...parts) => {
      const socket = connect(port, '127.0.0.1');
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.write(parts.join(''));
      return socket;
    },
  };
}

const get = (path: string, version = '1.1') => `GET ${path} HTTP/${version}\r\nHost: x\r\n\r\n`;
const post = (path: string, ...headers: readonly string[]) =>
  [`POST ${path} HTTP/1.1`, 'Host: x', 'Content-Type: text/csv', ...headers, '', ''].join('\r\n');

const streamed = (stream: AsyncIterable<string>): Reply => ({ status: 200, stream, contentType: 'text/csv' });

async function* pieces(...texts: readonly string[]): AsyncGenerator<string> {
  yield* texts;
}

function bytesOf(incoming: IncomingMessage): AsyncIterable<Uint8Array> {
  return openBodyStream(incoming, ['text/csv']).bytes;
}

async function textOf(socket: Socket): Promise<string> {
  let text = '';
  for await (const data of socket) text += String(data);
  return text;
}

/** Reads until this has come. */
async function until(socket: Socket, wanted: string): Promise<string> {
  let text = '';
  for await (const data of socket.iterator({ destroyOnReturn: false })) {
    text += String(data);
    if (text.includes(wanted)) return text;
  }
  throw new Error(`the connection ended without \`${wanted}\`: ${text}`);
}

test('a stream is answered in pieces, with what every reply has', async (context) => {
  const served = await serve(context, async () => streamed(pieces('a,b\r\n', '', 'é,1\r\n')));
  const reply = await fetch(served.url);
  assert.equal(await reply.text(), 'a,b\r\né,1\r\n');
  assert.equal(reply.headers.get('content-length'), null);
  assert.equal(reply.headers.get('content-type'), 'text/csv');
  assert.equal(reply.headers.get('cache-control'), 'no-store');
  assert.match(reply.headers.get('x-request-id') ?? '', /\S/);
});

test('a stream of bytes arrives as it is, with the length that its reply says', async (context) => {
  const bytes = new Uint8Array(3 * chunkBytes).map((_, index) => index % 251);
  async function* parts(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  }
  const headers = { 'Content-Length': String(bytes.length) };
  const served = await serve(context, async () => ({ status: 200, stream: parts(), headers }));
  const reply = await fetch(served.url);
  assert.equal(reply.headers.get('content-length'), String(bytes.length));
  assert.equal(reply.headers.get('transfer-encoding'), null);
  assert.deepEqual(new Uint8Array(await reply.arrayBuffer()), bytes);
  const head = await fetch(served.url, { method: 'HEAD' });
  assert.equal(head.headers.get('content-length'), String(bytes.length));
});

test('a request without the headers of a body is read as one with an empty body, and its connection goes on', async (context) => {
  const served = await serve(context, async (incoming) => {
    if (incoming.url === '/last') return json(200, { last: true });
    if (incoming.url === '/json') return json(200, { read: await readJsonBody(incoming) });
    let bytes = 0;
    for await (const chunk of bytesOf(incoming)) bytes += chunk.length;
    return json(200, { bytes });
  });
  const of = (path: string, ...headers: readonly string[]) =>
    post(path, ...headers).replace('text/csv', path === '/json' ? 'application/json' : 'text/csv');
  const answers: (readonly unknown[])[] = [];
  for (const headers of [[], ['Content-Length: 0']]) {
    const sent = [of('/json', ...headers), of('/stream', ...headers), get('/last')];
    const text = await until(served.send(...sent), '{"last":true}');
    answers.push([...text.matchAll(/HTTP\/1\.1 \d+|"code":"\w+"|"bytes":\d+/g)].map(([found]) => found));
  }
  const expected = ['HTTP/1.1 400', '"code":"invalid_request"', 'HTTP/1.1 200', '"bytes":0', 'HTTP/1.1 200'];
  assert.deepEqual(answers, [expected, expected]);
  assert.deepEqual(served.faults, []);
});

test('a stream of nothing is an empty body', async (context) => {
  const served = await serve(context, async () => streamed(pieces()));
  const reply = await fetch(served.url);
  assert.deepEqual([reply.status, await reply.text()], [200, '']);
});

test('a request sent right behind one with a long answer waits until that answer has left', async (context) => {
  const notified: string[] = [];
  async function* long(): AsyncGenerator<string> {
    for (let sent = 0; sent < 100; sent++) yield chunk;
    notified.push('made');
  }
  const served = await serve(context, async ({ url }) => {
    notified.push(url ?? '');
    return url === '/long' ? streamed(long()) : json(200, { last: true });
  });
  const text = await until(served.send(get('/long'), get('/short')), '{"last":true}');
  assert.deepEqual(notified, ['/long', 'made', '/short']);
  assert.match(text, /\r\n0\r\n\r\nHTTP\/1\.1 200 OK/);
});

test('a slow reader holds up the making of what it has not read', async (context) => {
  let made = 0;
  let taken = 0;
  let ahead = 0;
  async function* long(): AsyncGenerator<string> {
    for (; made < longBytes; made += chunkBytes) {
      ahead = Math.max(ahead, made - taken);
      yield chunk;
    }
  }
  const served = await serve(context, async () => streamed(long()));
  for await (const data of served.send(get('/').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))) {
    taken += (data as Buffer).length;
    await nextTurn();
  }
  assert.ok(taken > longBytes);
  assert.ok(ahead < aheadMax, `${ahead} bytes were made ahead`);
});

/** An endless answer, and a promise of its end. */
function endless(): { readonly stream: AsyncIterable<string>; readonly returned: Promise<void> } {
  const returned = Promise.withResolvers<void>();
  async function* make(): AsyncGenerator<string> {
    try {
      for (;;) yield chunk;
    } finally {
      returned.resolve();
    }
  }
  return { stream: make(), returned: returned.promise };
}

test('a stream is returned when its reader leaves', async (context) => {
  const { stream, returned } = endless();
  const served = await serve(context, async () => streamed(stream));
  const socket = served.send(get('/'));
  await once(socket, 'data');
  socket.destroy();
  await returned;
  assert.deepEqual(served.faults, []);
});

const idleTimeout = 60_000;

/** From here on the connection is idle soon: not before its request is read, however busy the machine is. */
function soonIdle({ socket }: IncomingMessage): void {
  assert.equal(socket.timeout, idleTimeout);
  socket.setTimeout(100);
}

test('a reader that takes nothing is left', async (context) => {
  const { stream, returned } = endless();
  const gateway: Gateway = async (incoming) => {
    soonIdle(incoming);
    return streamed(stream);
  };
  const served = await serve(context, gateway, { idleTimeout });
  const socket = served.send(get('/'));
  await once(socket, 'connect');
  socket.pause();
  await returned;
  assert.deepEqual(served.faults, []);
});

test('a stream that fails at once is answered like other failures, and the connection goes on', async (context) => {
  // biome-ignore lint/correctness/useYield: it fails before it has anything to yield
  async function* failing(): AsyncGenerator<string> {
    throw new Problem('unavailable', 'the store cannot serve this now');
  }
  const served = await serve(context, async ({ url }) =>
    url === '/failing' ? streamed(failing()) : json(200, { last: true }),
  );
  const text = await until(served.send(get('/failing'), get('/short')), '{"last":true}');
  assert.match(text, /^HTTP\/1\.1 503 /);
  assert.deepEqual(served.faults, []);
});

for (const version of ['1.0', '1.1'])
  test(`a stream that fails later is cut off, logged, and not taken for complete by HTTP/${version}`, async (context) => {
    const cause = new Problem('unavailable', 'the store cannot serve this now');
    const isRead = Promise.withResolvers<void>();
    async function* failing(): AsyncGenerator<string> {
      yield 'a,b\r\n';
      await isRead.promise;
      throw cause;
    }
    const served = await serve(context, async () => streamed(failing()));
    const socket = served.send(get('/', version));
    await until(socket, 'a,b\r\n');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    isRead.resolve();
    await closed;
    assert.equal((socket.errored as NodeJS.ErrnoException | null)?.code, 'ECONNRESET');
    assert.deepEqual(
      served.faults.map((fault) => (fault as Error).cause),
      [cause],
    );
  });

test('a drain waits for a long answer and for nothing after it', { timeout: 60_000 }, async (context) => {
  const mayEnd = Promise.withResolvers<void>();
  async function* long(): AsyncGenerator<string> {
    yield 'a,b\r\n';
    await mayEnd.promise;
    yield 'c,d\r\n';
  }
  const served = await serve(context, async () => streamed(long()), { keepAliveTimeout: 60_000, idleTimeout: 60_000 });
  const socket = served.send(get('/'));
  await until(socket, 'a,b\r\n');
  const drained = drain([served], 60_000).then(() => 'drained');
  mayEnd.resolve();
  assert.match(await textOf(socket), /c,d\r\n\r\n0\r\n\r\n$/);
  assert.equal(await drained, 'drained');
});

test('a drain cuts off what takes too long', async (context) => {
  const { stream, returned } = endless();
  const served = await serve(context, async () => streamed(stream));
  const socket = served.send(get('/'));
  await once(socket, 'data');
  await drain([served], 10);
  await returned;
});

test('a body comes no faster than it is read, however long it is', async (context) => {
  let read = 0;
  const served = await serve(context, async (incoming) => {
    for await (const { length } of bytesOf(incoming)) {
      read += length;
      await nextTurn();
    }
    return json(200, { read });
  });
  const socket = served.send(post('/', `Content-Length: ${longBytes}`));
  const reply = until(socket, '"read"');
  let ahead = 0;
  for (let sent = 0; sent < longBytes; sent += chunkBytes) {
    if (!socket.write(chunk)) await once(socket, 'drain');
    ahead = Math.max(ahead, sent - read);
  }
  assert.ok((await reply).endsWith(`{"read":${longBytes}}`));
  assert.ok(ahead < aheadMax, `${ahead} bytes had arrived unread`);
});

test('a client that leaves in the middle of its body ends the reading, and is no fault', async (context) => {
  const ended = Promise.withResolvers<unknown>();
  const served = await serve(context, async (incoming) => {
    try {
      for await (const data of bytesOf(incoming)) assert.ok(data.length > 0);
    } catch (error) {
      ended.resolve(error);
      throw error;
    }
    return json(200, {});
  });
  const socket = served.send(post('/', `Content-Length: ${longBytes}`), 'a,b');
  await once(socket, 'connect');
  socket.end();
  const error = await ended.promise;
  assert.ok(error instanceof Problem && error.code === 'invalid_request');
  assert.deepEqual(served.faults, []);
});

/** Refuses at once, or after the first bytes, or answers without having read to the end. */
const leaving: Readonly<Record<string, (incoming: IncomingMessage) => Promise<Reply>>> = {
  '/refused': async () => {
    throw new Problem('access_denied', 'no');
  },
  '/refused-later': async (incoming) => {
    for await (const _ of bytesOf(incoming)) break;
    throw new Problem('access_denied', 'no');
  },
  '/answered': async (incoming) => {
    for await (const _ of bytesOf(incoming)) break;
    return json(403, {});
  },
};

for (const [path, answer] of Object.entries(leaving)) {
  const gateway: Gateway = async (incoming) => (incoming.url === path ? answer(incoming) : json(200, { last: true }));

  test(`a long body that is not read to its end ends the connection with the answer (${path})`, async (context) => {
    const served = await serve(context, gateway);
    const socket = served.send(post(path, 'Transfer-Encoding: chunked'), `${chunkBytes.toString(16)}\r\n${chunk}\r\n`);
    const text = await textOf(socket);
    assert.match(text, /^HTTP\/1\.1 403 /);
    assert.match(text, /^connection: close\r$/im);
  });

  test(`the request behind a short body that is not read to its end is answered (${path})`, async (context) => {
    const served = await serve(context, gateway);
    const half = chunk.slice(0, chunkBytes / 2);
    const socket = served.send(post(path, `Content-Length: ${chunkBytes}`), half);
    const first = await until(socket, '\r\n\r\n');
    assert.match(first, /^HTTP\/1\.1 403 /);
    socket.write(half + get('/next'));
    await until(socket, '{"last":true}');
  });
}

test('a body that is taken as a stream may take longer than a request may, as long as bytes arrive', async (context) => {
  const hasStarted = Promise.withResolvers<void>();
  const arrivals: string[] = [];
  const served = await serve(
    context,
    async (incoming) => {
      if (incoming.url === '/json') return json(200, await readJsonBody(incoming));
      // From here on, so that no machine is too slow to read the head of this one in time.
      Object.assign(incoming.socket.server ?? {}, { headersTimeout: 100, requestTimeout: 100 });
      for await (const data of bytesOf(incoming)) {
        arrivals.push(String(data));
        hasStarted.resolve();
      }
      return json(200, { arrivals });
    },
    { connectionsCheckingInterval: 10 },
  );
  const socket = served.send(post('/', 'Content-Length: 3'), 'a');
  await hasStarted.promise;
  // Each of these begins later, and is found to have taken too long.
  for (const part of [',', 'b']) {
    const late = served.send(post('/json', 'Content-Length: 3').replace('text/csv', 'application/json'));
    assert.match(await textOf(late), /^HTTP\/1\.1 408 /);
    socket.write(part);
  }
  assert.match(await until(socket, 'arrivals'), /{"arrivals":\["a",",","b"\]}/);
});

test('a body of which nothing comes any more is left', async (context) => {
  const ended = Promise.withResolvers<unknown>();
  const served = await serve(
    context,
    async (incoming) => {
      soonIdle(incoming);
      try {
        for await (const data of bytesOf(incoming)) assert.equal(String(data), 'a');
      } catch (error) {
        ended.resolve(error);
      }
      return json(200, {});
    },
    { idleTimeout },
  );
  const socket = served.send(post('/', 'Content-Length: 3'), 'a');
  assert.equal(await textOf(socket), '');
  assert.ok((await ended.promise) instanceof Problem);
});

for (const [request, code] of [
  [get('/'), 'unavailable'],
  [`${post('/', 'Content-Length: 1')}a`, 'outcome_unknown'],
] as const)
  test(`a call without an answer for as long as a connection may be idle is answered ${code}`, async (context) => {
    const late = Promise.withResolvers<Reply>();
    const gateway: Gateway = async (incoming) => {
      if (incoming.url === '/next') return json(200, { next: true });
      if (incoming.method === 'POST') for await (const data of bytesOf(incoming)) assert.equal(String(data), 'a');
      soonIdle(incoming);
      return late.promise;
    };
    const served = await serve(context, gateway, { idleTimeout });
    const socket = served.send(request);
    const text = await until(socket, code);
    assert.match(text, /^HTTP\/1\.1 503 /);
    // An answer that comes later is dropped: the next call of the connection gets its own.
    late.resolve(json(201, { late: true }));
    socket.write(get('/next'));
    assert.match(await until(socket, 'next'), /"next":true/);
    assert.deepEqual(served.faults, []);
  });

test('a client that expects 100-continue gets it', async (context) => {
  const served = await serve(context, async (incoming) => {
    let text = '';
    for await (const data of bytesOf(incoming)) text += String(data);
    return json(200, { text });
  });
  const socket = served.send(post('/', 'Content-Length: 3', 'Expect: 100-continue'));
  await until(socket, 'HTTP/1.1 100 Continue\r\n\r\n');
  socket.write('a,b');
  await until(socket, '{"text":"a,b"}');
});

/** Has the connection be idle by a clock that the test moves. */
function idleClock({ socket }: IncomingMessage): (milliseconds: number) => void {
  let left = socket.timeout ?? 0;
  socket.setTimeout(0);
  Object.assign(socket, {
    timeout: left,
    setTimeout: (milliseconds: number) => {
      left = milliseconds;
    },
  });
  return (milliseconds) => {
    left -= milliseconds;
    if (left <= 0) socket.emit('timeout');
  };
}

test('an answer that has nothing to send for long is not idle while it says so', async (context) => {
  async function* searching(pass: (milliseconds: number) => void): AsyncGenerator<string> {
    yield 'a,b\r\n';
    for (let turn = 0; turn < 20; turn++) {
      pass(idleTimeout / 5);
      await nextTurn();
      yield '';
    }
    yield 'c,d\r\n';
  }
  const served = await serve(context, async (incoming) => streamed(searching(idleClock(incoming))), { idleTimeout });
  const text = await until(served.send(get('/')), 'c,d');
  assert.match(text, /a,b/);
  assert.deepEqual(served.faults, []);
});

test('an answer that has nothing to send is returned when its reader leaves', async (context) => {
  const returned = Promise.withResolvers<void>();
  async function* searching(): AsyncGenerator<string> {
    try {
      yield 'a,b\r\n';
      for (;;) {
        await nextTurn();
        yield '';
      }
    } finally {
      returned.resolve();
    }
  }
  const served = await serve(context, async () => streamed(searching()));
  const socket = served.send(get('/'));
  await until(socket, 'a,b');
  socket.destroy();
  await returned.promise;
});

for (const framing of ['Content-Length: 6', 'Transfer-Encoding: chunked'])
  test(`an answer may begin before its body has come (${framing})`, async (context) => {
    async function* counting(incoming: IncomingMessage): AsyncGenerator<string> {
      yield 'begun\n';
      let text = '';
      for await (const data of bytesOf(incoming)) text += String(data);
      yield `ended with ${text}\n`;
    }
    const served = await serve(context, async (incoming) => {
      openBodyStream(incoming, ['text/csv']);
      return streamed(counting(incoming));
    });
    const [first, second] = framing.endsWith('6') ? ['a,b', 'c,d'] : ['3\r\na,b\r\n', '3\r\nc,d\r\n0\r\n\r\n'];
    const socket = served.send(post('/', framing), first);
    assert.match(await until(socket, 'begun'), /^connection: close\r$/im);
    socket.write(second);
    assert.match(await textOf(socket), /ended with a,bc,d\n/);
  });

test('what is sent without end after a refusal is dropped up to a bound, and then reset', async (context) => {
  const served = await serve(context, async () => {
    throw new Problem('access_denied', 'no');
  });
  const socket = served.send(post('/', 'Transfer-Encoding: chunked'));
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.resume();
  let sent = 0;
  for (; sent < longBytes && !socket.destroyed; sent += chunkBytes)
    if (!socket.write(`${chunkBytes.toString(16)}\r\n${chunk}\r\n`))
      await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
  await closed;
  assert.ok(sent < longBytes, `${sent} bytes were taken`);
});

test('a request behind a body that was refused is not served', async (context) => {
  const seen: (string | undefined)[] = [];
  const served = await serve(context, async ({ url }) => {
    seen.push(url);
    throw new Problem('access_denied', 'no');
  });
  const length = 2 * 1024 * 1024;
  const text = await textOf(
    served.send(post('/first', `Content-Length: ${length}`), 'x'.repeat(length), get('/second')),
  );
  assert.match(text, /^HTTP\/1\.1 403 /);
  assert.deepEqual([text.split('HTTP/1.1 ').length - 1, seen], [1, ['/first']]);
});
