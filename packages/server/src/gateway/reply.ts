import type { ServerResponse } from 'node:http';

/** What a handler answers. `body` is the text that is sent; JSON unless `contentType` says otherwise. */
export interface Reply {
  readonly status: number;
  readonly body?: string;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function json(status: number, value: unknown, headers?: Readonly<Record<string, string>>): Reply {
  return { status, body: JSON.stringify(value), ...(headers === undefined ? {} : { headers }) };
}

/** Replies hold what one caller may see, so nobody in between may keep them; entity tags serve the caller's own copy. */
const uncached = 'no-store';
const revalidated = 'private, no-cache';

/** Writes a reply in one go. INVARIANT: every reply has its request id, its length and a rule for caches. */
export function send(response: ServerResponse, reply: Reply, requestId: string): void {
  const { status, body, headers } = reply;
  const out: string[] = ['X-Request-Id', requestId, 'X-Content-Type-Options', 'nosniff'];
  let hasCacheRule = false;
  for (const name in headers) {
    out.push(name, headers[name] ?? '');
    if (name === 'Cache-Control') hasCacheRule = true;
  }
  if (!hasCacheRule) out.push('Cache-Control', headers?.ETag === undefined ? uncached : revalidated);
  if (body === undefined) {
    if (status !== 204 && status !== 304) out.push('Content-Length', '0');
    response.writeHead(status, out);
    response.end();
    return;
  }
  const bytes = Buffer.byteLength(body);
  out.push('Content-Type', reply.contentType ?? 'application/json; charset=utf-8');
  out.push('Content-Length', String(bytes));
  response.writeHead(status, out);
  // As many bytes as characters means ASCII, which Node copies as `latin1` instead of transcoding it.
  response.end(body, bytes === body.length ? 'latin1' : 'utf8');
}
