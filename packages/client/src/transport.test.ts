import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestOf } from './caller.ts';
import { FreeholdError } from './errors.ts';
import { type Request, send, type Transport } from './transport.ts';

type Reply = Response | 'lost';

/** A transport whose replies are given, and whose waits are noted in seconds and over at once. */
function given(...replies: readonly Reply[]) {
  const sent: RequestInit[] = [];
  const waits: number[] = [];
  const transport: Transport = {
    fetch: async (_url, init = {}) => {
      const reply = replies[sent.length] ?? 'lost';
      sent.push(init);
      if (reply === 'lost') throw new TypeError('fetch failed');
      return reply;
    },
    retries: 3,
    wait: async (milliseconds) => {
      waits.push(milliseconds / 1000);
    },
    random: () => 0,
    now: () => Date.parse('2026-11-20T10:00:00Z'),
  };
  return { sent, waits, transport };
}

function refusal(status: number, code: string, headers: Readonly<Record<string, string>> = {}): Response {
  const problem = { status, code, detail: `says ${code}`, title: code, request_id: 'r' };
  return Response.json(problem, { status, headers: { ...headers, 'content-type': 'application/problem+json' } });
}

const ok = () => Response.json({ id: '1' });
const of = (...request: Parameters<typeof requestOf>): Request => ({ ...requestOf(...request), url: 'https://x/y' });
const get = of('GET', '/list/a');
const post = of('POST', '/create/a', { body: {} });
const put = of('PUT', '/update/a/1', { body: {} });
const putIfMatch = of('PUT', '/update/a/1', { body: {}, headers: { 'If-Match': '"1"' } });
const remove = of('DELETE', '/delete/a/1');
const removeIfMatch = of('DELETE', '/delete/a/1', { headers: { 'If-Match': '"1"' } });
const importing = of('POST', '/import/a', { body: 'x', headers: { 'Content-Type': 'text/csv' } });

for (const [name, request] of Object.entries({ get, post, putIfMatch, removeIfMatch }))
  test(`${name} is sent again after a lost reply and after 502, 503 and 504`, async () => {
    const replies = ['lost', refusal(503, 'unavailable'), new Response('', { status: 502 }), ok()] as const;
    const { transport, sent } = given(...replies);
    assert.deepEqual((await send(transport, request)).body, { id: '1' });
    assert.equal(sent.length, 4);
    const keys = new Set(sent.map(({ headers }) => new Headers(headers).get('idempotency-key')));
    assert.equal(keys.size, 1);
    assert.equal(keys.has(null), name !== 'post');
  });

for (const [name, request] of Object.entries({ put, remove, importing }))
  test(`${name} is not sent again where it may have been done, and says that`, async () => {
    for (const reply of ['lost', refusal(503, 'unavailable')] as const) {
      const { transport, sent } = given(reply, ok());
      await assert.rejects(send(transport, request), { uncertain: true });
      assert.equal(sent.length, 1);
    }
  });

for (const [name, request] of Object.entries({ get, post, put, putIfMatch, remove, importing }))
  test(`${name} is sent again after 429 \`rate_limited\`, which says that nothing was done`, async () => {
    const { transport, sent } = given(refusal(429, 'rate_limited'), ok());
    await send(transport, request);
    assert.equal(sent.length, 2);
  });

test('other refusals are final, also 429 of a plan that is used up', async () => {
  for (const reply of [
    refusal(429, 'plan_limit_exceeded', { 'retry-after': '1' }),
    refusal(409, 'conflict'),
    refusal(500, 'internal_error'),
    refusal(400, 'invalid_request'),
  ]) {
    const { transport, sent } = given(reply, ok());
    await assert.rejects(send(transport, post), { status: reply.status, uncertain: reply.status === 500 });
    assert.equal(sent.length, 1);
  }
});

test('a call is sent four times at most, with longer waits each time', async () => {
  const { transport, sent, waits } = given();
  await assert.rejects(send(transport, get), { code: 'network', status: 0, uncertain: false });
  assert.equal(sent.length, 4);
  assert.deepEqual(waits, [0.125, 0.25, 0.5]);
  const jittered = given('lost', ok());
  await send({ ...jittered.transport, random: () => 1 }, get);
  assert.deepEqual(jittered.waits, [0.375]);
  const none = given();
  await assert.rejects(send({ ...none.transport, retries: 0 }, get), { code: 'network' });
  assert.equal(none.sent.length, 1);
});

test('`Retry-After` is waited for, in seconds or as a date, and never shortened', async () => {
  for (const [headers, seconds] of [
    [{ 'retry-after': '7' }, 7],
    [{ 'retry-after': 'Fri, 20 Nov 2026 10:00:09 GMT' }, 9],
    [{ 'retry-after': 'Fri, 20 Nov 2026 10:00:09 GMT', date: 'Fri, 20 Nov 2026 10:00:06 GMT' }, 3],
    [{ 'retry-after': 'Fri, 20 Nov 2026 09:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, 0.125],
  ] as const) {
    const { transport, waits } = given(refusal(429, 'rate_limited', headers), ok());
    await send(transport, get);
    assert.deepEqual(waits, [seconds]);
  }
});

test('a wait that is asked for and longer than half a minute is the caller’s', async () => {
  const { transport, sent } = given(refusal(429, 'rate_limited', { 'retry-after': '31' }), ok());
  await assert.rejects(send(transport, get), { code: 'rate_limited', retryAfter: 31 });
  assert.equal(sent.length, 1);
});

test('an abort ends the call and the wait, with its reason', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  const { transport, sent } = given('lost', ok());
  const aborting = {
    ...transport,
    wait: async (_: number, signal: AbortSignal | undefined) => {
      controller.abort(reason);
      signal?.throwIfAborted();
    },
  };
  await assert.rejects(send(aborting, { ...get, signal: controller.signal }), reason);
  assert.equal(sent.length, 1);
  await assert.rejects(send(transport, { ...get, signal: controller.signal }), reason);
  assert.equal(sent.length, 1);
});

test('a reply of another server than the platform has a code of its own', async () => {
  const { transport } = given(new Response('<h1>no</h1>', { status: 404, headers: { 'content-type': 'text/html' } }));
  await assert.rejects(send(transport, get), (error) => {
    assert.ok(error instanceof FreeholdError);
    assert.deepEqual([error.code, error.status], ['unexpected_reply', 404]);
    return true;
  });
});

test('a conflict after a lost reply says that the change may have been made by an earlier attempt', async () => {
  const { transport } = given('lost', refusal(412, 'version_mismatch'));
  await assert.rejects(send(transport, putIfMatch), { name: 'VersionConflictError', uncertain: true });
  const other = given(refusal(412, 'version_mismatch'));
  await assert.rejects(send(other.transport, putIfMatch), { name: 'VersionConflictError', uncertain: false });
});

test('a reply that says it is JSON and is none is no lost reply', async () => {
  const { transport, sent } = given(new Response('{', { headers: { 'content-type': 'application/json' } }), ok());
  await assert.rejects(send(transport, get), { code: 'unexpected_reply', status: 200 });
  assert.equal(sent.length, 1);
});

test('a stream is sent once', async () => {
  const body = new Blob(['x']).stream();
  const { transport, sent } = given(refusal(429, 'rate_limited'), ok());
  await assert.rejects(send(transport, { ...post, body }), { code: 'rate_limited' });
  assert.equal(sent.length, 1);
});
