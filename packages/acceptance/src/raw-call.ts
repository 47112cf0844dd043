/** One HTTP/1.1 call written byte by byte, for what no decent client would send. */
import { connect } from 'node:net';
import type { Reply } from './call.ts';

export interface RawRequest {
  readonly method: string;
  /** The request target as it goes over the wire: nothing in it is normalised or escaped. */
  readonly target: string;
  /** What `Host` says in place of the address that is called; null leaves the header out. */
  readonly host?: string | null;
  /** Header lines as they stand, in order; `Host` and `Connection: close` are added. */
  readonly headers?: readonly string[];
  readonly body?: string | Uint8Array;
}

const patienceMilliseconds = 60_000;

export async function rawCall(baseUrl: string, request: RawRequest): Promise<Reply<unknown>> {
  const body = Buffer.from(request.body ?? '');
  const framed = (request.headers ?? []).some((line) => /^(?:content-length|transfer-encoding):/i.test(line));
  const lines = [
    `${request.method} ${request.target} HTTP/1.1`,
    ...(request.host === null ? [] : [`Host: ${request.host ?? new URL(baseUrl).host}`]),
    'Connection: close',
    ...(request.headers ?? []),
    ...(request.body === undefined || framed ? [] : [`Content-Length: ${body.length}`]),
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
  return parseReply(await exchange(baseUrl, Buffer.concat([head, body])));
}

/** Sends bytes, and collects what comes back until the server ends the connection. */
function exchange(baseUrl: string, bytes: Uint8Array): Promise<Buffer> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(bytes));
    socket.setTimeout(patienceMilliseconds, () => socket.destroy(new Error('the server did not answer in time')));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    // A server that refuses a request early may reset the connection; what it said before still counts.
    socket.on('error', (error) => (chunks.length > 0 ? resolve(Buffer.concat(chunks)) : reject(error)));
    socket.on('close', () => resolve(Buffer.concat(chunks)));
  });
}

function parseReply(bytes: Buffer): Reply<unknown> {
  const end = bytes.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = bytes.subarray(0, Math.max(end, 0)).toString('latin1').split('\r\n');
  const status = /^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1];
  if (status === undefined) throw new Error(`not an HTTP answer: ${bytes.toString('latin1').slice(0, 200)}`);
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  const rest = bytes.subarray(end + 4);
  const text = (headers.get('transfer-encoding') === 'chunked' ? joinChunks(rest) : rest).toString('utf8');
  const isJson = /^application\/(?:problem\+)?json\b/.test(headers.get('content-type') ?? '') && text !== '';
  return { status: Number(status), headers, text, body: isJson ? JSON.parse(text) : undefined };
}

function joinChunks(bytes: Buffer): Buffer {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16);
    if (lineEnd === -1 || !(size > 0)) return Buffer.concat(chunks);
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}
