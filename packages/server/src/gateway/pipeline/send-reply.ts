import type { ServerResponse } from 'node:http';
import type { Reply } from '../../api/reply.ts';

/**
 * Writes a reply; resolves when nothing of it is left to be made.
 * INVARIANT: every reply has its request id and what caches have to know, and shows where it ends.
 * @throws whatever its stream throws.
 */
export function send(response: ServerResponse, reply: Reply, requestId: string): Promise<void> | undefined {
  const { status, body, bytes: raw, stream } = reply;
  const head = headOf(reply, requestId);
  if (stream !== undefined) {
    head.push('Content-Type', reply.contentType ?? jsonType);
    const writeHead = () => response.writeHead(status, head);
    return response.req.method === 'HEAD'
      ? sendHeadOf(response, stream, writeHead)
      : sendStream(response, stream, writeHead);
  }
  if (raw !== undefined) {
    head.push('Content-Type', reply.contentType ?? jsonType, 'Content-Length', String(raw.byteLength));
    response.writeHead(status, head);
    response.end(raw);
    return undefined;
  }
  if (body === undefined) {
    if (status !== 204 && status !== 304) head.push('Content-Length', '0');
    response.writeHead(status, head);
    response.end();
    return undefined;
  }
  const bytes = Buffer.byteLength(body);
  head.push('Content-Type', reply.contentType ?? jsonType);
  head.push('Content-Length', String(bytes));
  response.writeHead(status, head);
  // As many bytes as characters means ASCII, which Node copies as `latin1` instead of transcoding it.
  response.end(body, bytes === body.length ? 'latin1' : 'utf8');
  return undefined;
}

const jsonType = 'application/json; charset=utf-8';

/** Replies hold what one caller may see, so no shared cache may store them; entity tags serve the caller's own copy. */
const uncached = 'no-store';
const revalidated = 'private, no-cache';

function headOf({ headers }: Reply, requestId: string): string[] {
  const head: string[] = ['X-Request-Id', requestId, 'X-Content-Type-Options', 'nosniff', 'Vary', 'Origin'];
  let hasCacheRule = false;
  for (const name in headers) {
    // A reply that tells the caller's own id for the request tells it in place of ours.
    if (name === 'X-Request-Id') head[1] = headers[name] ?? requestId;
    else if (name === 'Vary') head[5] = `Origin, ${headers[name]}`;
    else head.push(name, headers[name] ?? '');
    if (name === 'Cache-Control') hasCacheRule = true;
  }
  if (!hasCacheRule) head.push('Cache-Control', headers?.ETag === undefined ? uncached : revalidated);
  return head;
}

/**
 * Sends a reply piece by piece, no faster than the client takes it; where the client leaves, the stream is returned.
 * An empty piece says that there is nothing to send yet, and that the connection is not idle for it.
 * The head goes out with the first piece, so that a stream that fails at once can still be answered with a refusal.
 * @throws whatever the stream throws.
 */
async function sendStream(
  response: ServerResponse,
  stream: AsyncIterable<string | Uint8Array>,
  writeHead: () => void,
): Promise<void> {
  for await (const piece of stream) {
    if (response.destroyed) return;
    if (piece === '') {
      response.socket?.setTimeout(response.socket.timeout ?? 0);
      continue;
    }
    if (!response.headersSent) writeHead();
    if (!response.write(piece)) await roomIn(response);
    if (response.destroyed) return;
  }
  if (!response.headersSent) writeHead();
  response.end();
}

/**
 * The head of such a reply alone. What comes first of the stream is made all the same, for its refusals, and nothing after it.
 * @throws whatever the stream throws.
 */
async function sendHeadOf(
  response: ServerResponse,
  stream: AsyncIterable<string | Uint8Array>,
  writeHead: () => void,
): Promise<void> {
  for await (const _ of stream) break;
  if (response.destroyed) return;
  writeHead();
  response.end();
}

/** Resolves when the client has taken what waits for it, or has left. */
function roomIn(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      response.off('drain', settle);
      response.off('close', settle);
      resolve();
    };
    response.on('drain', settle);
    response.on('close', settle);
  });
}
