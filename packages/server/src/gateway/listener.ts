import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Problem } from '../lib/problem.ts';
import type { Gateway } from './app-gateway.ts';
import type { ErrorReplies } from './error-reply.ts';
import { createRequestIds } from './pipeline/request-id.ts';
import { createTurns } from './pipeline/turns.ts';
import { type Reply, send } from './reply.ts';

/** A gateway that listens. */
export interface Listener {
  /** Where it is reached on this machine. */
  readonly url: string;
  /** Takes no more requests, lets those under way finish for at most this long, then ends. */
  drain(milliseconds: number): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly gateway: Gateway;
  readonly errors: ErrorReplies;
}

/** Against slow and greedy clients: a request that takes longer than this to arrive is answered 408 and dropped. */
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 16 * 1024,
  connectionsCheckingInterval: 5_000,
  // Looked after here, so that the refusal looks like any other.
  requireHostHeader: false,
} as const;
const idleMilliseconds = 30_000;
const connectionsMax = 10_000;

/** @throws Error with a sentence for the operator, such as that the port is taken. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { gateway, errors } = options;
  const nextRequestId = createRequestIds();
  let isDraining = false;

  const handle = (incoming: IncomingMessage, response: ServerResponse, refusal?: Problem): void => {
    const requestId = nextRequestId();
    const answer = (reply: Reply): void => {
      if (response.headersSent || response.destroyed) return;
      // The last answer of a connection: one that stayed open would hold up the end of the drain.
      if (isDraining) response.setHeader('Connection', 'close');
      send(response, reply, requestId);
    };
    const refuse = (error: unknown): void => {
      leaveUnread(incoming, response);
      answer(errors.reply(error, requestId));
    };
    if (isDraining) refuse(new Problem('unavailable', 'the platform is shutting down'));
    else if (refusal !== undefined) refuse(refusal);
    else gateway(incoming, requestId).then(answer, refuse);
  };

  const turns = createTurns();
  const server = createServer(limits, (incoming, response) => {
    const refusal = hasOneHost(incoming)
      ? undefined
      : new Problem('invalid_request', 'a request has one `Host` header');
    turns.take(incoming, response, () => handle(incoming, response, refusal));
  });
  server.on('checkExpectation', (incoming, response) => {
    const refusal = new Problem('expectation_failed', 'only `100-continue` can be expected');
    turns.take(incoming, response, () => handle(incoming, response, refusal));
  });
  server.maxConnections = connectionsMax;
  // Also for a client that takes no answers: a write that makes no progress is idle.
  server.setTimeout(idleMilliseconds);
  server.on('clientError', (error, socket) => {
    if (!turns.endAfterAnswer(socket as Socket)) refuseBrokenRequest(error, socket as Socket, errors, nextRequestId());
  });
  await bind(server, options);
  const { port } = server.address() as AddressInfo;
  const host = options.host === '0.0.0.0' || options.host === '::' ? '127.0.0.1' : options.host;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    drain: (milliseconds) => {
      isDraining = true;
      return close(server, milliseconds);
    },
  };
}

/** RFC 9112, 3.2: a second `Host` would let two readers see two addresses in one request. */
function hasOneHost({ rawHeaders, httpVersionMinor }: IncomingMessage): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count === 1 || (count === 0 && httpVersionMinor === 0);
}

/**
 * What a refused request still sends is read and dropped where it is little; otherwise the connection ends with the
 * reply. Only the headers decide, so that the reply tells nothing about what was refused.
 */
function leaveUnread(incoming: IncomingMessage, response: ServerResponse): void {
  const { headers } = incoming;
  const isLong = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > droppedBytesMax;
  if (isLong && !response.headersSent) response.setHeader('Connection', 'close');
}

const droppedBytesMax = 64 * 1024;

function bind(server: Server, { host, port }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'is taken by another program' : `cannot be used (${error.code})`;
      reject(new Error(`port ${port} on ${host} ${why}`, { cause: error }));
    });
    server.listen(port, host, resolve);
  });
}

function close(server: Server, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), milliseconds);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** What does not parse as HTTP gets a problem too, written by hand because there is no response to write it with. */
function refuseBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Socket,
  errors: ErrorReplies,
  requestId: string,
): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const problem =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? new Problem('headers_too_large', 'the headers of the request are too large')
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? new Problem('request_timeout', 'the request took too long to arrive')
        : new Problem('invalid_request', 'the request is not valid HTTP');
  const { status, body = '' } = errors.reply(problem, requestId);
  const head = [
    `HTTP/1.1 ${status} ${problem.code}`,
    `X-Request-Id: ${requestId}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
