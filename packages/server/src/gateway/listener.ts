import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setTimeout as after, setImmediate as nextTurn } from 'node:timers/promises';
import { Problem } from '../lib/problem.ts';
import type { Gateway } from './app-gateway.ts';
import { type CallWatch, unwatched } from './call-trace.ts';
import type { ErrorReplies } from './error-reply.ts';
import { continueWhenRead, createAnswer } from './listening/answer.ts';
import {
  createConnectionLimit,
  createDescriptorLimit,
  createIdleConnections,
  type IdleConnections,
} from './listening/connections.ts';
import { closeLingering, isLingering, type LingeringLimits, lingeringLimits } from './listening/lingering-close.ts';
import { createPipeliningQueue } from './listening/pipelining-queue.ts';
import { createRequestIds, faultOfTarget } from './listening/request-target.ts';
import { isStreamed } from './pipeline/read-body.ts';

/** A gateway that listens. */
export interface Listener {
  /** The address on this machine. */
  readonly url: string;
  /** Answers 503 from now on. Resolves when the requests that were under way have ended. */
  refuseNew(): Promise<void>;
  /**
   * Takes no more connections and ends those that are open, by force after so long. A connection that waits for its
   * next request ends a second after its last answer.
   */
  close(milliseconds: number): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly gateway: Gateway;
  readonly errors: ErrorReplies;
  readonly watch?: CallWatch;
  readonly limits?: Partial<ListenerTimeLimits>;
  readonly lingering?: LingeringLimits;
  /** The number of connections that one address may have; undefined for as many as there may be at all. */
  readonly perAddressMax?: number | undefined;
  /** The largest number of connections. */
  readonly allMax?: number;
}

/** Against slow and greedy clients. */
interface ListenerTimeLimits {
  readonly headersTimeout: number;
  /** A request that takes longer to arrive is answered 408 and dropped, unless its body is taken as a stream. */
  readonly requestTimeout: number;
  readonly connectionsCheckingInterval: number;
  /** For how long a connection waits for its next request: longer than a proxy in front keeps a connection for its next call. */
  readonly keepAliveTimeout: number;
  /** A connection is dropped when nothing moves on it for this long: also for a client that takes no answers. */
  readonly idleTimeout: number;
}

const timeLimits: ListenerTimeLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 75_000,
  idleTimeout: 30_000,
};
const serverOptions = {
  maxHeaderSize: 16 * 1024,
  // Looked after here, so that the refusal looks like any other.
  requireHostHeader: false,
  // A request without the headers of a body never emits `data` or `end`: readers of bodies ask `readableEnded`.
  optimizeEmptyRequests: true,
} as const;
/** Of each gateway. */
export const connectionsMax = 10_000;

/** @throws Error with a sentence for the operator, such as that the port is taken. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { gateway, errors, watch = unwatched, lingering = lingeringLimits, allMax = connectionsMax } = options;
  const limits = { ...timeLimits, ...options.limits };
  const nextRequestId = createRequestIds();
  const underWay = new Set<IncomingMessage>();
  const idle = Promise.withResolvers<void>();
  let isDraining = false;
  const linger = (socket: Socket, lastText?: string): void =>
    closeLingering(socket, { limits: lingering, ...(lastText === undefined ? {} : { lastText }) });
  const answer = createAnswer({
    gateway,
    errors,
    watch,
    nextRequestId,
    isDraining: () => isDraining,
    linger,
  });

  const turns = createPipeliningQueue();
  const idleConnections = createIdleConnections(allMax);
  const take = (incoming: IncomingMessage, response: ServerResponse, refusal?: Problem): void => {
    turns.take(incoming, response, () => {
      if (!isDraining) underWay.add(incoming);
      const { socket } = incoming;
      idleConnections.busy(socket);
      const ended = answer(incoming, response, refusal);
      return () => {
        ended();
        idleConnections.idle(socket);
        underWay.delete(incoming);
        if (isDraining && underWay.size === 0) idle.resolve();
      };
    });
  };
  const server = createServer({ ...serverOptions, ...limits }, (incoming, response) =>
    take(incoming, response, faultOfTarget(incoming)),
  );
  server.on('checkContinue', (incoming, response) => {
    continueWhenRead(incoming, response);
    take(incoming, response, faultOfTarget(incoming));
  });
  server.on('checkExpectation', (incoming, response) =>
    take(incoming, response, new Problem('expectation_failed', 'only `100-continue` can be expected')),
  );
  limitConnections(server, options, { watch, idleConnections });
  server.setTimeout(limits.idleTimeout);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (isLingering(socket as Socket)) return;
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
      // No request is late where none was begun: an answer now would be taken for that of the first one.
      if ((socket as Socket).bytesRead === 0) return;
      if (isArriving(turns.current(socket as Socket))) return;
    }
    if (turns.endAfterAnswer(socket as Socket)) return;
    const problem = refuseBrokenRequest(error, socket as Socket, { errors, requestId: nextRequestId(), linger });
    if (problem !== undefined) watch.refused(problem.code);
  });
  await bind(server, options);
  const { port } = server.address() as AddressInfo;
  const host = options.host === '0.0.0.0' || options.host === '::' ? '127.0.0.1' : options.host;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    refuseNew: () => {
      isDraining = true;
      if (underWay.size === 0) idle.resolve();
      return idle.promise;
    },
    close: (milliseconds) => close(server, idleConnections, milliseconds),
  };
}

/** Refuses connections that the process, or one address, has no room for. */
function limitConnections(
  server: Server,
  { perAddressMax, allMax = connectionsMax }: ListenOptions,
  { watch, idleConnections }: { readonly watch: CallWatch; readonly idleConnections: IdleConnections },
): void {
  const refuse = (code: 'too_many_connections' | 'no_descriptors') => () => watch.refused(code);
  server.maxConnections = allMax;
  if (perAddressMax !== undefined) {
    const rules = { endLongest: idleConnections.endLongest, onRefused: refuse('too_many_connections') };
    server.on('connection', createConnectionLimit(perAddressMax, rules));
  }
  server.on('connection', createDescriptorLimit(refuse('no_descriptors')));
  server.on('connection', idleConnections.opened);
  server.on('drop', refuse('too_many_connections'));
}

/** Whether this is a long body on its way, which only ends the connection when it stops. */
function isArriving(request: IncomingMessage | undefined): boolean {
  return request !== undefined && isStreamed(request) && !request.complete;
}

function bind(server: Server, { host, port }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'is taken by another program' : `cannot be used (${error.code})`;
      reject(new Error(`port ${port} on ${host} ${why}`, { cause: error }));
    });
    server.listen({ port, host }, resolve);
  });
}

async function close(server: Server, idleConnections: IdleConnections, milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds;
  await quietTurn(server, Math.min(milliseconds, idleMilliseconds));
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), Math.max(0, end - performance.now()));
    // `close` of node:http resets idle connections, and with them a request that is on its way.
    NetServer.prototype.close.call(server, () => {
      clearTimeout(timer);
      server.close(() => resolve());
    });
    idleConnections.endAfter(idleMilliseconds, endIdle);
  });
}

/**
 * Resolves in a turn of the event loop in which nothing came, or after so long. Connections that the system has made and the
 * listener has not taken are reset with it, and each turn takes one.
 */
async function quietTurn(server: Server, milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds;
  let isQuiet = false;
  const came = (): void => {
    isQuiet = false;
  };
  const events = ['connection', 'drop', 'request'];
  for (const event of events) server.on(event, came);
  // The turn that it is called in may be over but for this.
  await nextTurn();
  while (!isQuiet && performance.now() < end) {
    isQuiet = true;
    await nextTurn();
  }
  for (const event of events) server.off(event, came);
}

/**
 * For how long a connection stays idle before a listener that closes ends it. Nothing can be answered behind that end, and
 * a proxy under load sends its next request sooner.
 */
const idleMilliseconds = 1_000;
/** For how long its client may leave its own side open. */
const halfClosedMilliseconds = 200;

/** A request that crosses is lost, but no answer before it, as by a reset. */
function endIdle(socket: Socket): void {
  socket.end();
  socket.setTimeout(halfClosedMilliseconds);
}

/** Bytes that do not parse as HTTP get a problem too, written by hand because there is no response to write it with. */
function refuseBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Socket,
  {
    errors,
    requestId,
    linger,
  }: {
    readonly errors: ErrorReplies;
    readonly requestId: string;
    readonly linger: (socket: Socket, lastText: string) => void;
  },
): Problem | undefined {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return undefined;
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
    `Date: ${new Date().toUTCString()}`,
    `X-Request-Id: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  linger(socket, `${head.join('\r\n')}\r\n\r\n${body}`);
  return problem;
}

/**
 * Ends listeners together. New requests are answered 503 on each of them, `/readyz` among these, as long as anything is
 * under way on one; what is not over after so long is cut off.
 */
export async function drain(listeners: readonly Listener[], milliseconds: number): Promise<void> {
  const deadline = performance.now() + milliseconds;
  const idle = Promise.all(listeners.map((listener) => listener.refuseNew()));
  await Promise.race([idle, after(milliseconds, undefined, { ref: false })]);
  const left = Math.max(0, deadline - performance.now());
  await Promise.all(listeners.map((listener) => listener.close(left)));
}
