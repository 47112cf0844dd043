import type { IncomingMessage } from 'node:http';
import { Problem } from '../../lib/problem.ts';
import { decodeUtf8, parseStrictJson } from '../../lib/strict-json.ts';

export const bodyBytesMax = 1024 * 1024;

/** Reads a JSON body. @throws Problem `unsupported_media_type`, `body_too_large`, `invalid_request`. */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  requireJson(request);
  if (Number(request.headers['content-length'] ?? 0) > bodyBytesMax) throw tooLarge();
  const bytes = await readAll(request);
  return parseStrictJson(decodeUtf8(bytes));
}

/** RFC 9110, 8.3.1, with the one parameter that JSON may come with. The whole value is matched, never its beginning. */
const jsonType = /^application\/json(?:[ \t]*;[ \t]*charset=(?:utf-8|"utf-8"))?$/i;

function requireJson(request: IncomingMessage): void {
  const type = request.headers['content-type'];
  const isCoded = request.headers['content-encoding'] !== undefined;
  if (type !== undefined && !isCoded && jsonType.test(type) && isAlone(request)) return;
  throw new Problem('unsupported_media_type', 'the body must be `application/json` in UTF-8, without a content coding');
}

/** Node keeps the first of several Content-Type headers; a request with two means two things. */
function isAlone(request: IncomingMessage): boolean {
  let count = 0;
  for (let index = 0; index < request.rawHeaders.length; index += 2)
    if (request.rawHeaders[index]?.toLowerCase() === 'content-type') count += 1;
  return count === 1;
}

function readAll(request: IncomingMessage): Promise<Buffer> {
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
