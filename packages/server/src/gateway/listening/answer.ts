import { IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Reply } from '../../api/reply.ts';
import { Problem } from '../../lib/problem.ts';
import type { Gateway } from '../app-gateway.ts';
import { beginTrace, type CallWatch } from '../call-trace.ts';
import type { ErrorReplies } from '../error-reply.ts';
import { isStreamed } from '../pipeline/read-body.ts';
import { send } from '../pipeline/send-reply.ts';

interface AnswerDeps {
  readonly gateway: Gateway;
  readonly errors: ErrorReplies;
  readonly watch: CallWatch;
  readonly nextRequestId: () => string;
  readonly isDraining: () => boolean;
  /** Ends a connection once its client has read the last answer. */
  readonly linger: Linger;
}

type Linger = (socket: Socket) => void;

/**
 * Sees one request through to the end of its answer, whatever happens to either. `refusal` is known beforehand. What it
 * gives is to be called once that end has come.
 */
type AnswerRequest = (incoming: IncomingMessage, response: ServerResponse, refusal?: Problem) => () => void;

export function createAnswer(deps: AnswerDeps): AnswerRequest {
  const { gateway, errors, watch, nextRequestId, isDraining, linger } = deps;
  return (incoming, response, refusal) => {
    const requestId = nextRequestId();
    const { method, headers, url: target = '' } = incoming;
    const trace = beginTrace(requestId, { method, target, traceparent: headers.traceparent });
    const answer = (reply: Reply): Promise<void> | undefined => {
      if (response.headersSent || response.destroyed) return undefined;
      trace.problem = reply.problem;
      if (trace.replyHeaders !== undefined) response.setHeaders(new Map(Object.entries(trace.replyHeaders)));
      // A body that is still being read while the answer is under way may end after it, or never.
      if (reply.stream !== undefined && isStreamed(incoming)) endWithReply(incoming, response, linger);
      else if (!incoming.complete) leaveUnread(incoming, response, linger);
      // The last answer of a connection: a connection that stayed open would hold up the end of the drain.
      if (isDraining()) endWithReply(incoming, response, linger);
      watch.answering(trace, reply.status);
      return send(response, reply, requestId);
    };
    const refuse = (error: unknown): void => {
      if (response.headersSent) {
        errors.reply(new Error('an answer was cut off', { cause: error }), requestId);
        cutOff(response);
        return;
      }
      leaveUnread(incoming, response, linger);
      void answer(errors.reply(error, requestId));
    };
    // Only the wait ends here: the call may go on, and a write of it may yet be stored.
    response.once('timeout', () => {
      if (response.headersSent || !(incoming.complete || incoming.readableEnded)) response.socket?.destroy();
      else refuse(noAnswer(method));
    });
    if (isDraining()) refuse(new Problem('unavailable', 'the platform is shutting down'));
    else if (refusal !== undefined) refuse(refusal);
    else
      watch
        .during(trace, headers, () => gateway(incoming, trace, errors))
        .then(answer)
        .catch(refuse);
    return () => {
      watch.ended(trace, {
        status: response.headersSent ? response.statusCode : undefined,
        isWhole: response.writableFinished,
        milliseconds: performance.now() - trace.startedAt,
      });
    };
  };
}

function noAnswer(method: string | undefined): Problem {
  if (method === 'GET' || method === 'HEAD') return new Problem('unavailable', 'the call took too long');
  return new Problem('outcome_unknown', 'the call took too long: what it writes may or may not be stored');
}

/**
 * The part of a request that is unread when it is answered is read and dropped where it is little; otherwise the
 * connection ends with the reply. Only the headers decide, so that a refusal tells nothing about the refused request.
 */
function leaveUnread(incoming: IncomingMessage, response: ServerResponse, linger: Linger): void {
  const { headers } = incoming;
  const isLong = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > droppedBytesMax;
  // A client that awaited `100 Continue` may send its body or the next request: nothing behind this can be read.
  if (isLong || isAwaited(incoming)) endWithReply(incoming, response, linger);
  else incoming.resume();
}

const droppedBytesMax = 64 * 1024;

/** Ends the connection with this reply, also where the body has not arrived by then. */
function endWithReply(incoming: IncomingMessage, response: ServerResponse, linger: Linger): void {
  const { socket } = incoming;
  if (response.hasHeader('Connection')) return;
  response.setHeader('Connection', 'close');
  // Node ends the connection of its last reply by this, once the reply has left.
  socket.destroySoon = () => linger(socket);
}

/**
 * Ends an answer so that it is never taken for a whole one: with a reset, because the body of an HTTP/1.0 answer ends
 * where the connection does.
 */
function cutOff(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

const awaited = new WeakSet<IncomingMessage>();

/**
 * Sends `100 Continue` once the body is read, and not before: a request that is refused by its head gets its refusal in
 * place of it, and its client sends no body (RFC 9110, section 10.1.1).
 */
export function continueWhenRead(incoming: IncomingMessage, response: ServerResponse): void {
  awaited.add(incoming);
  const read = IncomingMessage.prototype._read;
  incoming._read = (size) => {
    incoming._read = read;
    awaited.delete(incoming);
    if (!response.headersSent) response.writeContinue();
    read.call(incoming, size);
  };
}

/** Whether the client of the request still waits for `100 Continue`. */
function isAwaited(incoming: IncomingMessage): boolean {
  return awaited.has(incoming);
}
