import type { IncomingMessage } from 'node:http';
import { decodeUtf8, parseStrictJson, type StrictJsonOptions } from '../../../lib/formats/strict-json.ts';
import { Problem } from '../../../lib/problem.ts';
import { bodyRequired, hasBody } from './has-body.ts';
import { readMediaType } from './media-type.ts';

export const bodyBytesMax = 1024 * 1024;

/** Of a body that is read before it is known who sends it: more than any of these routes takes. */
export const strangersBody: StrictJsonOptions = { membersMax: 100, elementsMax: 100 };

/** Reads a JSON body. @throws Problem `unsupported_media_type`, `body_too_large`, `invalid_request`. */
export async function readJsonBody(request: IncomingMessage, limits: StrictJsonOptions = {}): Promise<unknown> {
  // Another type is refused by the head, before any of the body is sent.
  if (hasBody(request) && request.headers['content-type'] !== undefined) requireJson(request);
  const body = await readSentBody(request, limits);
  if (body === undefined) throw bodyRequired();
  return body;
}

/** The same, where a body may be left out: only its end says that a chunked one is empty (RFC 9112, 6.3). */
export async function readSentBody(request: IncomingMessage, limits: StrictJsonOptions = {}): Promise<unknown> {
  if (!hasBody(request)) return undefined;
  if (request.headers['transfer-encoding'] === undefined) requireJson(request);
  if (Number(request.headers['content-length'] ?? 0) > bodyBytesMax) throw tooLarge();
  const bytes = await readAll(request);
  if (bytes.length === 0) return undefined;
  requireJson(request);
  return parseStrictJson(decodeUtf8(bytes), limits);
}

function requireJson(request: IncomingMessage): void {
  if (readMediaType(request) === 'application/json') return;
  throw new Problem('unsupported_media_type', 'the body must be `application/json` in UTF-8, without a content coding');
}

function readAll(request: IncomingMessage): Promise<Buffer> {
  if (request.readableEnded) return Promise.resolve(Buffer.alloc(0));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bodyBytesMax) {
        request.removeAllListeners('data');
        request.resume();
        reject(tooLarge());
        return;
      }
      chunks.push(chunk);
    });
    request.on('end', () =>
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)),
    );
    request.on('error', reject);
    request.on('aborted', () => reject(new Problem('invalid_request', 'the request ended before its body did')));
  });
}

function tooLarge(): Problem {
  return new Problem('body_too_large', `a body may have at most ${bodyBytesMax} bytes`);
}
