import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, beforeEach, test } from 'node:test';
import { AddressRefused } from '../../lib/network/guarded-request.ts';
import { holdTimeouts } from '../../testing/held-time.ts';
import { createFetchJson, type FetchJsonOptions } from './fetch-json.ts';

let respond: RequestListener;
let calls = 0;
let connections = 0;
const server = createServer((request, reply) => {
  calls += 1;
  respond(request, reply);
});
server.on('connection', () => {
  connections += 1;
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
const origin = `http://127.0.0.1:${port}`;

beforeEach(() => {
  calls = 0;
  connections = 0;
  respond = (_, reply) => reply.end('{"a":1}');
});

after(() => {
  server.closeAllConnections();
  server.close();
});

const limits = { timeoutMilliseconds: 60_000, bodyBytesMax: 1000 };
const development = { ...limits, allowPrivateAddresses: true };
const production = { ...limits, allowPrivateAddresses: false };

function fetchIn(options: FetchJsonOptions, address: string): Promise<unknown> {
  return createFetchJson(options)(address);
}

/** A name server that says one thing after the other, and then the last thing again and again. */
function nameServer(...answers: readonly (readonly string[])[]) {
  const requests: string[] = [];
  const resolve = async (host: string): Promise<readonly LookupAddress[]> => {
    const answer = answers[Math.min(requests.length, answers.length - 1)] ?? [];
    requests.push(host);
    return answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return { requests, resolve };
}

/** Spellings of addresses of this machine and of its private neighbours. */
const privateHosts: readonly string[] = [
  ...['127.0.0.1', '127.1', '0x7f000001', '0x7f.1', '2130706433', '017700000001', '１２７.0.0.1', '127.0.0.1.'],
  ...['0.0.0.0', '0', '[::]', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:7f00:1]'],
  ...['[64:ff9b::7f00:1]', '[2002:7f00:1::]', '10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', '[fd00::1]'],
  ...['169.254.169.254', '[fe80::1]', '[fd00:ec2::254]', '168.63.129.16', '224.0.0.1', '[ff02::1]'],
];

test('F04 F05 in production calls no address that is not public, however it is spelled', async () => {
  for (const host of privateHosts) {
    await assert.rejects(fetchIn(production, `https://${host}:${port}/`), AddressRefused, host);
    await assert.rejects(fetchIn(production, `https://name@${host}:${port}/`), AddressRefused, host);
  }
  for (const host of ['localhost', 'LOCALHOST'])
    await assert.rejects(fetchIn(production, `https://${host}:${port}/`), AddressRefused, host);
  // Not every system knows this spelling.
  await assert.rejects(fetchIn(production, `https://localhost.:${port}/`), Error);
  assert.equal(connections, 0);
});

test('in production calls https and nothing else', async () => {
  const { requests, resolve } = nameServer(['127.0.0.1']);
  for (const scheme of ['http', 'ftp', 'file', 'data', 'ws', 'javascript'])
    await assert.rejects(fetchIn({ ...production, resolve }, `${scheme}://provider.example/`), AddressRefused, scheme);
  for (const text of ['', '/keys', 'provider.example', 'https://'])
    await assert.rejects(fetchIn({ ...production, resolve }, text), AddressRefused, text);
  assert.deepEqual(requests, []);
});

test('judges the very addresses that it connects to, whatever the name server says next', async () => {
  for (const answer of [['127.0.0.1'], ['8.8.8.8', '127.0.0.1'], ['127.0.0.1', '8.8.8.8'], ['::ffff:127.0.0.1'], []]) {
    const { requests, resolve } = nameServer(answer, ['8.8.8.8']);
    const call = fetchIn({ ...production, resolve }, `https://provider.example:${port}/`);
    await assert.rejects(call, AddressRefused, String(answer));
    assert.deepEqual(requests, ['provider.example'], 'asked once');
  }
  assert.equal(connections, 0);
  const rebinding = nameServer(['127.0.0.1'], ['10.0.0.1']);
  const options = { ...development, resolve: rebinding.resolve };
  assert.deepEqual(await fetchIn(options, `http://provider.example:${port}/`), { a: 1 });
  assert.deepEqual(rebinding.requests, ['provider.example'], 'the answer that was judged is used');
  await assert.rejects(fetchIn(options, `http://provider.example:${port}/`), AddressRefused);
  assert.equal(connections, 1);
});

test('in development calls this machine also by plain http, and still nothing beside it', async () => {
  assert.deepEqual(await fetchIn(development, `${origin}/`), { a: 1 });
  assert.deepEqual(await fetchIn(development, `http://localhost:${port}/`), { a: 1 });
  for (const host of ['10.0.0.1', '169.254.169.254', '192.168.1.1', '0.0.0.0', '[::]', '[fd00::1]', '100.64.0.1'])
    await assert.rejects(fetchIn(development, `http://${host}:${port}/`), AddressRefused, host);
});

test('a redirect is not followed', async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    respond = (_, reply) => reply.writeHead(status, { location: `${origin}/elsewhere` }).end('{"a":1}');
    await assert.rejects(fetchIn(development, `${origin}/`), /status/);
  }
  assert.equal(calls, 5);
});

test('an answer that is too long is left before its end', async () => {
  respond = (_, reply) => reply.end(JSON.stringify('x'.repeat(limits.bodyBytesMax - 2)));
  assert.equal(String(await fetchIn(development, `${origin}/`)).length, limits.bodyBytesMax - 2, 'to the last byte');
  respond = (_, reply) => reply.end(JSON.stringify('x'.repeat(limits.bodyBytesMax - 1)));
  await assert.rejects(fetchIn(development, `${origin}/`), /too long/);
  const isLeft = Promise.withResolvers<void>();
  respond = (_, reply) => {
    const more = (error?: Error | null): void => {
      if (error === undefined || error === null) reply.write('x'.repeat(limits.bodyBytesMax), more);
      else isLeft.resolve();
    };
    more();
  };
  await assert.rejects(fetchIn(development, `${origin}/`), /too long/);
  await isLeft.promise;
});

test('an answer that does not come to its end in time is left, wherever it stops', async (t) => {
  const pass = holdTimeouts(t);
  const impatient = { ...development, timeoutMilliseconds: 50 };
  const assertLeft = async (options: FetchJsonOptions, address: string, isUnderWay: Promise<void>): Promise<void> => {
    const left = assert.rejects(fetchIn(options, address), /aborted/);
    await isUnderWay;
    pass(50);
    await left;
  };
  const stops: readonly RequestListener[] = [
    () => {},
    (_, reply) => reply.flushHeaders(),
    (_, reply) => void reply.write('{"a"'),
    (_, reply) => void reply.socket?.write('HTTP/1.1 200 OK\r\nx-slow: '),
  ];
  for (const stop of stops) {
    const hasStopped = Promise.withResolvers<void>();
    respond = (request, reply) => {
      stop(request, reply);
      hasStopped.resolve();
    };
    await assertLeft(impatient, `${origin}/`, hasStopped.promise);
  }
  const wasCalled = Promise.withResolvers<void>();
  const resolve = (): Promise<never> => {
    wasCalled.resolve();
    return new Promise(() => {});
  };
  await assertLeft({ ...impatient, resolve }, `http://provider.example:${port}/`, wasCalled.promise);
});

test('what is no JSON, is packed, is cut off or has another status is no answer', async () => {
  const answers: readonly RequestListener[] = [
    (_, reply) => reply.end(''),
    (_, reply) => reply.end('<html>'),
    (_, reply) => reply.writeHead(200, { 'content-encoding': 'gzip' }).end(Buffer.from('1f8b0800', 'hex')),
    (_, reply) => reply.writeHead(200, { 'content-length': '100' }).write('{"a":1}', () => reply.destroy()),
    (_, reply) => reply.writeHead(404).end('{"a":1}'),
    (_, reply) => reply.writeHead(201).end('{"a":1}'),
    (_, reply) => reply.writeHead(500).end('{"a":1}'),
    (_, reply) => reply.destroy(),
    (_, reply) =>
      void reply.socket?.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
  ];
  for (const [index, answer] of answers.entries()) {
    respond = answer;
    await assert.rejects(fetchIn(development, `${origin}/`), Error, `answer ${index}`);
  }
});
