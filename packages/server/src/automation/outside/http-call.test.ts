import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type CallRules, createGuardedRequest } from '../../lib/network/guarded-request.ts';
import { createFairSlots, type FairSlots } from '../../lib/scheduling/fair-slots.ts';
import { holdTimeouts } from '../../testing/held-time.ts';
import type { HttpValue } from '../blocks/block-run.ts';
import { callHttp, type HttpCall } from './outside-http.ts';

type Answer = (reply: ServerResponse, request: IncomingMessage) => void;

async function sink(t: TestContext, answer: Answer) {
  const seen: { readonly headers: IncomingMessage['headers']; readonly body: string }[] = [];
  const server = createServer(async (request, reply) => {
    let body = '';
    for await (const part of request.setEncoding('latin1')) body += part;
    seen.push({ headers: request.headers, body });
    answer(reply, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { seen, port: (server.address() as AddressInfo).port };
}

interface Options {
  readonly rules?: CallRules;
  readonly host?: string;
  readonly timeoutMilliseconds?: number;
  readonly closing?: AbortSignal;
  readonly slots?: FairSlots;
}

function caller(port: number, { rules = { isDevelopment: true }, host = '127.0.0.1', ...options }: Options = {}) {
  const deps = {
    request: createGuardedRequest(rules),
    slots: createFairSlots({ perOrg: 1, perNode: 2, waitingPerOrg: 1, what: 'calls' }),
    closing: new AbortController().signal,
    ...options,
  };
  return (call: Partial<HttpCall> = {}) =>
    callHttp(deps, { org: 'acme', url: new URL(`http://${host}:${port}/`), method: 'POST', headers: {}, ...call });
}

const json = { 'content-type': 'application/json; charset=utf-8' };

for (const [what, headers, body, expected] of [
  ['JSON', json, '{"a": [1]}', { a: [1] }],
  ['JSON of a type of its own', { 'content-type': 'application/problem+json' }, '"x"', 'x'],
  ['JSON that is a text', { 'content-type': 'text/plain' }, '{"a": 1}', '{"a": 1}'],
  ['no JSON', json, '{"a":', '{"a":'],
  ['JSON with a name twice', json, '{"a": 1, "a": 2}', '{"a": 1, "a": 2}'],
  ['JSON that names a prototype', json, '{"__proto__": {}}', '{"__proto__": {}}'],
  ['nothing', json, '', ''],
  ['no UTF-8', json, Buffer.from([0xff, 0xfe]), null],
  ['what no store takes', {}, 'a\0b', null],
  ['an encoding that was not asked for', { ...json, 'content-encoding': 'gzip' }, gzipSync('{"a": 1}'), null],
  ['256 KB', {}, 'x'.repeat(256 * 1024), 'x'.repeat(256 * 1024)],
] as const)
  test(`an answer with ${what}`, async (t) => {
    const { port } = await sink(t, (reply) => void reply.writeHead(418, { ...headers, 'set-cookie': 'a=b' }).end(body));
    const type = 'content-type' in headers ? { 'content-type': headers['content-type'] } : {};
    assert.deepEqual(await caller(port)(), { status: 418, headers: type, body: expected });
  });

test('a call sends what it was given, and says itself how long it is and how it is answered', async (t) => {
  const { port, seen } = await sink(t, (reply) => void reply.end());
  const call = caller(port);
  await call({ body: { a: 'ä' } });
  await call({ body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'me' } });
  await call({ body: null });
  await call({ method: 'GET' });
  assert.deepEqual(
    seen.map(({ headers, body }) => [headers['content-type'], headers['content-length'], headers['user-agent'], body]),
    [
      ['application/json', '10', 'freehold', Buffer.from('{"a":"ä"}').toString('latin1')],
      ['application/x-www-form-urlencoded', '3', 'freehold', 'a=b'],
      ['application/json', '4', 'freehold', 'null'],
      [undefined, undefined, 'freehold', ''],
    ],
  );
  assert.ok(seen.every(({ headers }) => headers['accept-encoding'] === 'identity' && headers.connection === 'close'));
});

test('what is too large, or would end a header, is not sent', async (t) => {
  const { port, seen } = await sink(t, (reply) => void reply.end());
  const call = caller(port);
  for (const given of [
    { body: 'x'.repeat(256 * 1024 + 1) },
    { body: { a: 'ä'.repeat(128 * 1024) } },
    { headers: { a: 'b\r\nc: d' } },
    { headers: { a: 'b\0' } },
    { headers: { a: 'ä' } },
    { headers: { a: 'x'.repeat(4097) } },
  ])
    await assert.rejects(call(given), { code: 'block_failed' });
  assert.deepEqual(seen, []);
});

/** Bytes that never end, each of which has left before the next; and a promise of the tenth. */
function drip(reply: ServerResponse, tenth: () => void, left = 10): void {
  if (left === 0) tenth();
  if (!reply.destroyed) reply.write('x', () => setImmediate(drip, reply, tenth, left - 1));
}

test('an answer that is too large, drips or does not come ends the call', async (t) => {
  const pass = holdTimeouts(t);
  let isUnderWay = Promise.withResolvers<void>();
  const { port } = await sink(t, (reply, { url, method }) => {
    if (method === 'PUT') reply.end(Buffer.alloc(256 * 1024 + 1, 'x'));
    else if (method === 'PATCH') reply.socket?.destroy();
    else if (method === 'DELETE')
      reply.writeHead(200, { 'content-length': 100 }).write(url ?? '', () => reply.destroy());
    else if (method === 'POST') drip(reply, isUnderWay.resolve);
    else isUnderWay.resolve();
  });
  const call = caller(port, { timeoutMilliseconds: 100 });
  const message = async (method: HttpCall['method']) => {
    const error: Error = await call({ method }).then(
      () => assert.fail('it was answered'),
      (refused) => refused,
    );
    return error.message;
  };
  assert.match(await message('PUT'), /at most 262144 bytes/);
  assert.match(await message('PATCH'), /^there was no answer/);
  assert.match(await message('DELETE'), /^there was no answer/);
  // Each byte comes in time, the last one never.
  for (const method of ['POST', 'GET'] as const) {
    isUnderWay = Promise.withResolvers();
    const refused = message(method);
    await isUnderWay.promise;
    pass(100);
    assert.equal(await refused, 'no answer within 0.1 s');
  }
});

test('the wait for a turn counts, and more than may wait is refused', async (t) => {
  const pass = holdTimeouts(t);
  const hasArrived = Promise.withResolvers<void>();
  const { port, seen } = await sink(t, (reply) => {
    hasArrived.resolve();
    if (seen.length === 2) reply.end();
  });
  const slots = createFairSlots({ perOrg: 1, perNode: 2, waitingPerOrg: 1, what: 'calls' });
  const ended = (one: Promise<HttpValue>): Promise<unknown> =>
    one.then(
      ({ status }) => status,
      ({ code }) => code,
    );
  const patient = caller(port, { slots, timeoutMilliseconds: 2000 });
  const hasty = caller(port, { slots, timeoutMilliseconds: 100 });
  const first = ended(patient());
  const waits = ended(hasty());
  assert.equal(await ended(patient()), 'rate_limited');
  await hasArrived.promise;
  pass(100);
  assert.equal(await waits, 'block_failed');
  assert.equal(seen.length, 1);
  pass(1900);
  assert.equal(await first, 'block_failed');
  assert.equal(await ended(hasty()), 200);
});

test('a platform that closes leaves its calls to a later start', async (t) => {
  const hasArrived = Promise.withResolvers<void>();
  const { port } = await sink(t, () => hasArrived.resolve());
  const closing = new AbortController();
  const call = caller(port, { closing: closing.signal });
  const pending = call();
  await hasArrived.promise;
  closing.abort();
  await assert.rejects(pending, { code: 'unavailable' });
  await assert.rejects(call(), { code: 'unavailable' });
});

test('K10 a name that becomes an address of this machine, or has one among others, is not called', async (t) => {
  const { port, seen } = await sink(t, (reply) => void reply.end());
  const alsoPublic = { address: '93.184.215.14', family: 4 };
  const loopback = { address: '127.0.0.1', family: 4 };
  let lookups = 0;
  const resolve = async () => (lookups++ % 2 === 0 ? [alsoPublic, loopback] : [loopback]);
  const rules = { isDevelopment: false, resolve };
  const request = createGuardedRequest(rules);
  const slots = createFairSlots({ perOrg: 1, perNode: 2, waitingPerOrg: 1, what: 'calls' });
  const deps = { request, slots, closing: new AbortController().signal };
  for (const host of ['rebound.example', 'rebound.example', '127.0.0.1', '[::1]', '169.254.169.254']) {
    const url = new URL(`https://${host}:${port}/`);
    const error: Error = await callHttp(deps, { org: 'acme', url, method: 'GET', headers: {} }).then(
      () => assert.fail('it was called'),
      (refused) => refused,
    );
    assert.match(error.message, /not public/);
  }
  assert.deepEqual([seen, lookups], [[], 2]);
});
