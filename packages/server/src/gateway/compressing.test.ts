import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Route } from '@freehold/contract/route';
import type { Reply } from '../api/reply.ts';
import { readRaw } from '../api/testing/raw-request.ts';
import { beginTrace } from './call-trace.ts';
import { compressing } from './compressing.ts';
import { createErrorReplies } from './error-reply.ts';

const errors = createErrorReplies({
  baseUrl: () => 'https://api.example.com',
  explain: () => undefined,
  onFault: (error) => assert.fail(String(error)),
});
const long = JSON.stringify({ text: 'a long text, '.repeat(2000) });
const gzip = 'Accept-Encoding: gzip';

interface Answering {
  readonly compressed?: Route['compressed'];
  readonly headers?: readonly string[];
}

/** The outcome of the reply of a route that is described so. */
function replyTo(reply: Reply, { compressed = 'reply', headers = [gzip] }: Answering = {}): Promise<Reply> {
  const gateway = compressing(async (_, trace) => {
    trace.compressed = compressed;
    return reply;
  });
  return readRaw(['GET / HTTP/1.1', ...headers], (incoming) =>
    gateway(incoming, beginTrace('r1', { method: 'GET', traceparent: undefined }), errors),
  );
}

/** A document as handlers answer it, and how often its text was read. */
function documentOf(tag: string, text = long) {
  let reads = 0;
  async function* pieces(): AsyncGenerator<string> {
    reads++;
    yield text.slice(0, 7);
    yield text.slice(7);
  }
  const reply = (): Reply => ({ status: 200, stream: pieces(), headers: { ETag: tag } });
  return { reply, reads: () => reads };
}

const textOf = ({ bytes = new Uint8Array() }: Reply): string => gunzipSync(bytes).toString();
const coding = ({ headers }: Reply): string | undefined => headers?.['Content-Encoding'];

test('a large reply is compressed, says so, and has a tag of its own', async () => {
  const reply = await replyTo({ status: 200, body: long, headers: { ETag: '"7"' } });
  assert.equal(textOf(reply), long);
  assert.deepEqual(reply.headers, { ETag: '"7.gz"', 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' });
  assert.deepEqual([reply.body, reply.stream], [undefined, undefined]);
});

const small = JSON.stringify('x'.repeat(16 * 1024 - 3));
const exact = JSON.stringify('x'.repeat(16 * 1024 - 2));
const wide = JSON.stringify('ü'.repeat(8 * 1024 - 1));

test('what has 16 KB is compressed, counted in bytes, and what has a byte less is not', async () => {
  assert.equal(coding(await replyTo({ status: 200, body: small })), undefined);
  assert.equal(coding(await replyTo({ status: 200, body: exact })), 'gzip');
  assert.equal(coding(await replyTo({ status: 200, body: wide })), 'gzip');
});

test('what depends on the coding says so in each case, and keeps what it depends on otherwise', async () => {
  assert.equal((await replyTo({ status: 200, body: '{}' })).headers?.Vary, 'Accept-Encoding');
  const reply = await replyTo({ status: 200, body: '{}', headers: { Vary: 'Accept' } }, { headers: [] });
  assert.equal(reply.headers?.Vary, 'Accept, Accept-Encoding');
});

const untouched: readonly (readonly [what: string, reply: Reply, answering: Answering])[] = [
  ['a client that takes none', { status: 200, body: long }, { headers: [] }],
  ['a client that refuses it', { status: 200, body: long }, { headers: ['Accept-Encoding: gzip;q=0'] }],
  ['a client that wants it less', { status: 200, body: long }, { headers: ['Accept-Encoding: identity, gzip;q=0.9'] }],
  ['a session by cookie', { status: 200, body: long }, { headers: [gzip, 'Cookie: freehold=a'] }],
  ['a reply that is no success', { status: 404, body: long }, {}],
];

for (const [what, reply, answering] of untouched)
  test(`nothing is compressed for ${what}`, async () => {
    const { headers: _, ...sent } = await replyTo(reply, answering);
    assert.deepEqual(sent, reply);
  });

test('a stream is sent as it comes, and a route that does not say so is left alone', async () => {
  const { reply, reads } = documentOf('"stream"');
  assert.equal(coding(await replyTo(reply())), undefined);
  assert.equal(reads(), 0);
  const left = compressing(async () => ({ status: 200, body: long }));
  const trace = beginTrace('r1', { method: 'GET', traceparent: undefined });
  const sent = await readRaw(['GET / HTTP/1.1', gzip], (incoming) => left(incoming, trace, errors));
  assert.deepEqual(sent, { status: 200, body: long });
});

test('a call with a token is no session by cookie, whatever cookies come with it', async () => {
  const headers = [gzip, 'Cookie: freehold=a', 'Authorization: Bearer a'];
  assert.equal(coding(await replyTo({ status: 200, body: long }, { headers })), 'gzip');
});

test('a document is compressed once for all who ask for it, also for sessions by cookie', async () => {
  const { reply, reads } = documentOf('"once"');
  const request = { compressed: 'document', headers: [gzip, 'Cookie: freehold=a'] } as const;
  const replies = await Promise.all(Array.from({ length: 5 }, () => replyTo(reply(), request)));
  replies.push(await replyTo(reply(), request));
  for (const one of replies) assert.deepEqual([textOf(one), one.headers?.ETag], [long, '"once.gz"']);
  assert.equal(reads(), 1);
  assert.equal(textOf(await replyTo(documentOf('"other"', `${long} `).reply(), request)), `${long} `);
});

/** All that is sent of a reply that is not compressed. */
async function plainOf({ bytes, stream }: Reply): Promise<string> {
  let text = Buffer.from(bytes ?? []).toString();
  for await (const piece of stream ?? []) text += piece;
  return text;
}

test('a document of few bytes is sent whole as it is, also to several at once', async () => {
  const { reply } = documentOf('"few"', 'few bytes');
  const replies = await Promise.all([1, 2, 3].map(() => replyTo(reply(), { compressed: 'document' })));
  for (const one of replies) {
    assert.deepEqual(one.headers, { ETag: '"few"', Vary: 'Accept-Encoding' });
    assert.equal(await plainOf(one), 'few bytes');
  }
});

test('a document is sent whole while other replies are compressed', async () => {
  const { reply } = documentOf('"late"');
  let calls = 0;
  const gateway = compressing(async (_, trace) => {
    calls++;
    trace.compressed = calls > 2 ? 'document' : 'reply';
    return calls > 2 ? reply() : { status: 200, body: long };
  });
  const request = (incoming: IncomingMessage) =>
    gateway(incoming, beginTrace('r1', { method: 'GET', traceparent: undefined }), errors);
  const replies = await readRaw(['GET / HTTP/1.1', gzip], (incoming) =>
    Promise.all([1, 2, 3, 4].map(() => request(incoming))),
  );
  assert.deepEqual(replies.map(coding), ['gzip', 'gzip', undefined, undefined]);
  for (const one of replies.slice(2)) assert.equal(await plainOf(one), long);
});

test('two replies are compressed at a time, and others are sent as they are', async () => {
  const gateway = compressing(async (_, trace) => {
    trace.compressed = 'reply';
    return { status: 200, body: long };
  });
  const trace = beginTrace('r1', { method: 'GET', traceparent: undefined });
  const replies = await readRaw(['GET / HTTP/1.1', gzip], (incoming) =>
    Promise.all(Array.from({ length: 6 }, () => gateway(incoming, trace, errors))),
  );
  assert.deepEqual(replies.map(coding), ['gzip', 'gzip', undefined, undefined, undefined, undefined]);
  assert.equal(coding(await replyTo({ status: 200, body: long })), 'gzip');
});

const copies: readonly (readonly [named: string, accept: string, tag: string])[] = [
  ['"7"', gzip, '"7"'],
  ['"7.gz"', gzip, '"7.gz"'],
  ['"7", "7.gz"', gzip, '"7.gz"'],
  ['"7", "7.gz"', 'Accept-Encoding: br', '"7"'],
  ['"6.gz", "7"', gzip, '"7"'],
  ['*', gzip, '"7"'],
];

for (const [named, accept, tag] of copies)
  test(`304 to \`If-None-Match: ${named}\` with \`${accept}\` has the tag ${tag}`, async () => {
    const reply: Reply = { status: 304, headers: { ETag: '"7"' } };
    const { headers } = await replyTo(reply, { headers: [accept, `If-None-Match: ${named}`] });
    assert.deepEqual(headers, { ETag: tag, Vary: 'Accept-Encoding' });
  });
