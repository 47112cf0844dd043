import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { readRaw } from '../../api/testing/raw-request.ts';
import { openBodyStream } from './read-body.ts';
import { readRequest } from './read-request.ts';

const csv = 'Content-Type: text/csv';
const types = ['text/csv', 'application/x-ndjson'];

async function readAll(request: IncomingMessage): Promise<{ readonly mediaType: string; readonly text: string }> {
  const { mediaType, bytes } = openBodyStream(request, types);
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return { mediaType, text: Buffer.concat(chunks).toString() };
}

for (const [type, mediaType] of [
  ['text/csv', 'text/csv'],
  ['Text/CSV; charset=UTF-8', 'text/csv'],
  ['application/x-ndjson;charset="utf-8"', 'application/x-ndjson'],
] as const)
  test(`a body of type \`${type}\` is taken as it comes`, async () => {
    const lines = ['POST / HTTP/1.1', 'Content-Length: 3', `Content-Type: ${type}`];
    assert.deepEqual(await readRaw(lines, readAll, 'a,b'), { mediaType, text: 'a,b' });
  });

for (const headers of [
  [],
  ['Content-Type: application/json'],
  ['Content-Type: text/csv; charset=latin1'],
  ['Content-Type: text/csv; header=present'],
  ['Content-Type: text/csvx'],
  [csv, 'Content-Encoding: gzip'],
  [csv, csv],
])
  test(`a body with the headers ${JSON.stringify(headers)} is of no type that is taken`, async () => {
    const reading = readRaw(['POST / HTTP/1.1', 'Content-Length: 3', ...headers], readAll, 'a,b');
    await assert.rejects(reading, { code: 'unsupported_media_type' });
  });

test('a request without a body has an empty one', async () => {
  assert.deepEqual(await readRaw(['POST / HTTP/1.1', csv], readAll), { mediaType: 'text/csv', text: '' });
});

test('a body that ends before its end is refused, after what came of it', async () => {
  let text = '';
  const reading = readRaw(
    ['POST / HTTP/1.1', csv, 'Content-Length: 10'],
    async (request) => {
      for await (const chunk of openBodyStream(request, types).bytes) {
        text += Buffer.from(chunk).toString();
        request.socket.destroy();
      }
    },
    'a,b',
  );
  await assert.rejects(reading, { code: 'invalid_request' });
  assert.equal(text, 'a,b');
});

test('a body that is not read to its end leaves the request alive', async () => {
  const reading = readRaw(
    ['POST / HTTP/1.1', csv, 'Content-Length: 10'],
    async (request) => {
      for await (const chunk of openBodyStream(request, types).bytes) {
        assert.equal(Buffer.from(chunk).toString(), 'a,b');
        break;
      }
      return request.destroyed;
    },
    'a,b',
  );
  assert.equal(await reading, false);
});

test('a chunked body that is empty is none, on routes that take no body and those that need none', async () => {
  const chunked = ['DELETE / HTTP/1.1', 'Transfer-Encoding: chunked'];
  const read = (lines: readonly string[], body: string, takesBody?: 'where sent') =>
    readRaw(
      lines,
      async (incoming) => {
        const route = { access: 'self', ...(takesBody === undefined ? {} : { takesBody }) };
        return (await readRequest(incoming, { route, params: {}, query: '', requestId: 'r', ip: '' })).body;
      },
      body,
    );
  const json = 'Content-Type: application/json';
  for (const takesBody of [undefined, 'where sent'] as const) {
    assert.equal(await read(chunked, '0\r\n\r\n', takesBody), undefined);
    assert.equal(await read([...chunked, json], '0\r\n\r\n', takesBody), undefined);
    await assert.rejects(read(chunked, '2\r\n{}\r\n0\r\n\r\n', takesBody), { code: 'unsupported_media_type' });
  }
  assert.equal(await read([...chunked, json], '2\r\n{}\r\n0\r\n\r\n'), undefined);
  assert.deepEqual(await read([...chunked, json], '2\r\n{}\r\n0\r\n\r\n', 'where sent'), {});
  const filled = '7\r\n{"a":1}\r\n0\r\n\r\n';
  await assert.rejects(read([...chunked, json], filled), { code: 'unknown_field' });
});

test('a handler gets JSON, or a stream, or neither, by what its route says', async () => {
  const read = (takesBody: boolean | { readonly streamOf: readonly string[] }, header: string) =>
    readRaw(
      ['POST / HTTP/1.1', 'Content-Length: 2', header],
      async (incoming) => {
        const matched = { route: { access: 'self', takesBody }, params: {}, query: '', requestId: 'r', ip: '' };
        const { body, stream } = await readRequest(incoming, matched);
        return [body, stream?.mediaType];
      },
      '{}',
    );
  assert.deepEqual(await read(true, 'Content-Type: application/json'), [{}, undefined]);
  assert.deepEqual(await read({ streamOf: types }, csv), [undefined, 'text/csv']);
  assert.deepEqual(await read(false, csv), [undefined, undefined]);
  await assert.rejects(read(true, csv), { code: 'unsupported_media_type' });
});
