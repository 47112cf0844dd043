import type { IncomingMessage } from 'node:http';
import type { BodyStream } from '../../api/request.ts';
import { decodeUtf8, parseStrictJson, type StrictJsonOptions } from '../../lib/formats/strict-json.ts';
import { Problem } from '../../lib/problem.ts';

/** Whether the head says that a body may follow (RFC 9112, 6). One in chunks may still turn out to be empty. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

function bodyRequired(): Problem {
  return new Problem('invalid_request', 'a body is required');
}

/**
 * The type of a body in lower case; undefined where it is missing, said twice, or not plain UTF-8. The whole value is
 * matched, never its beginning (RFC 9110, 8.3.1), with the one parameter that a text in UTF-8 may come with.
 */
function readMediaType(request: IncomingMessage): string | undefined {
  const { headers } = request;
  if (headers['content-encoding'] !== undefined || !isAlone(request)) return undefined;
  return form.exec(headers['content-type'] ?? '')?.[1]?.toLowerCase();
}

const form = /^([\w.+-]+\/[\w.+-]+)(?:[ \t]*;[ \t]*charset=(?:utf-8|"utf-8"))?$/i;

/** Node keeps the first of several Content-Type headers; a request with two means two things. */
function isAlone(request: IncomingMessage): boolean {
  let count = 0;
  for (let index = 0; index < request.rawHeaders.length; index += 2)
    if (request.rawHeaders[index]?.toLowerCase() === 'content-type') count += 1;
  return count === 1;
}

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

/**
 * Takes a body of one of these types, of which nothing is read yet: whether an empty one is a file is for its reader to say.
 * @throws Problem `unsupported_media_type`, and `invalid_request` without a body.
 */
export function openBodyStream(request: IncomingMessage, mediaTypes: readonly string[]): BodyStream {
  const mediaType = readMediaType(request);
  if (mediaType === undefined || !mediaTypes.includes(mediaType)) {
    if (!hasBody(request)) throw bodyRequired();
    const types = mediaTypes.map((type) => `\`${type}\``).join(' or ');
    throw new Problem('unsupported_media_type', `the body must be ${types} in UTF-8, without a content coding`);
  }
  opened.add(request);
  return { mediaType, bytes: bytesOf(request) };
}

const opened = new WeakSet<IncomingMessage>();

/** Whether a request may take as long as bytes arrive. */
export function isStreamed(request: IncomingMessage): boolean {
  return opened.has(request);
}

async function* bytesOf(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  if (request.readableEnded) return;
  try {
    // The request outlives the reading, so that what is left of it can be read and dropped.
    yield* request.iterator({ destroyOnReturn: false });
  } catch (cause) {
    throw new Problem('invalid_request', 'the request ended before its body did', {}, cause);
  }
}
