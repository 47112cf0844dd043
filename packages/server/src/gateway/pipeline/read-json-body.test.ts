import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRaw } from '../../api/testing/raw-request.ts';
import type { Problem } from '../../lib/problem.ts';
import { bodyBytesMax, readJsonBody } from './read-body.ts';
import { readRequest } from './read-request.ts';

const json = 'Content-Type: application/json';

function send(body: string | Uint8Array, headers: readonly string[] = [json]) {
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  return readRaw(['POST / HTTP/1.1', length, ...headers], (request) => readJsonBody(request), body);
}

const types = ['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'];

for (const type of types)
  test(`a body of type \`${type}\` is read`, async () => {
    assert.deepEqual(await send('{"a":["é",1]}', [`Content-Type: ${type}`]), { a: ['é', 1] });
  });

const wrongTypes: readonly (readonly string[])[] = [
  [],
  ['Content-Type:'],
  ['Content-Type: text/plain'],
  ['Content-Type: application/jsonp'],
  ['Content-Type: application/json; charset=latin1'],
  ['Content-Type: application/json; charset=utf-8; x=1'],
  ['Content-Type: application/json, text/plain'],
  ['Content-Type: application/problem+json'],
  [json, 'Content-Encoding: gzip'],
  [json, 'Content-Encoding: identity'],
  [json, json],
  [json, 'content-type: text/plain'],
];

for (const headers of wrongTypes)
  test(`a body with the headers ${JSON.stringify(headers)} is of no type that is read`, async () => {
    await assert.rejects(send('{}', headers), { code: 'unsupported_media_type' });
  });

const broken: readonly (readonly [what: string, body: string | Uint8Array])[] = [
  ['that is empty', ''],
  ['that is blank', ' '],
  ['that is no JSON', '{"a":}'],
  ['with more behind it', '{} {}'],
  ['with a byte order mark', '\ufeff{}'],
  ['in broken UTF-8', Buffer.from([0x22, 0xc3, 0x22])],
  ['with one key twice', '{"a":1,"a":2}'],
  ['with a lone surrogate', '{"a":"\\ud800"}'],
  ['with U+0000', '{"a":"\\u0000"}'],
  ['with an unsafe integer', '9007199254740993'],
  ['that is too deep', '['.repeat(33) + ']'.repeat(33)],
];

for (const [what, body] of broken)
  test(`a body ${what} is refused`, async () => {
    await assert.rejects(send(body), { code: 'invalid_request' });
  });

test('a body may have exactly a mebibyte, with a length or in chunks, and not a byte more', async () => {
  const filled = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`;
  const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const inChunks = [json, 'Transfer-Encoding: chunked'];
  const sendChunked = (body: string) =>
    readRaw(['POST / HTTP/1.1', ...inChunks], (request) => readJsonBody(request), chunked(body));
  assert.equal(await send(filled(bodyBytesMax)), 'x'.repeat(bodyBytesMax - 2));
  assert.equal(await sendChunked(filled(bodyBytesMax)), 'x'.repeat(bodyBytesMax - 2));
  await assert.rejects(send(filled(bodyBytesMax + 1)), { code: 'body_too_large' });
  await assert.rejects(sendChunked(filled(bodyBytesMax + 1)), { code: 'body_too_large' });
});

test('a body said to be too large is refused before it comes', async () => {
  const lines = ['POST / HTTP/1.1', json, `Content-Length: ${bodyBytesMax + 1}`];
  await assert.rejects(
    readRaw(lines, (request) => readJsonBody(request)),
    { code: 'body_too_large' },
  );
});

test('a route that is open to anyone reads 100 members of a body and no more', async () => {
  const read = (access: string, body: string) =>
    readRaw(
      ['POST / HTTP/1.1', `Content-Length: ${body.length}`, json],
      async (incoming) => {
        const matched = { route: { access, takesBody: true }, params: {}, query: '', requestId: 'r', ip: '' };
        return (await readRequest(incoming, matched)).body;
      },
      body,
    );
  const members = (count: number) => Array.from({ length: count }, (_, index) => `"k${index}":1`).join();
  assert.ok(await read('public', `{${members(100)}}`));
  assert.ok(await read('self', `{${members(101)}}`));
  for (const body of [`{${members(101)}}`, `{"a":[${'0,'.repeat(100)}0]}`])
    await assert.rejects(read('public', body), ({ code, details }: Problem) => {
      assert.deepEqual([code, details.errors?.length, details.errors?.[0]?.code], ['invalid_request', 1, 'too_many']);
      return true;
    });
});

test('a body that ends before its end is refused', async () => {
  const lines = ['POST / HTTP/1.1', json, 'Content-Length: 10'];
  const reading = readRaw(
    lines,
    async (request) => {
      request.once('data', () => request.socket.destroy());
      return readJsonBody(request);
    },
    '{}',
  );
  await assert.rejects(reading, { code: 'invalid_request' });
});
