import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { ProblemCode } from '@freehold/contract/problem';
import type { Route } from '@freehold/contract/route';
import type { Environment } from '../tenancy/port.ts';

/**
 * What is known of a request so far. INVARIANT: but for `target`, no member is a text that came with the request, save
 * what the platform itself has made or listed, so that logging them reveals no secret.
 */
export interface CallTrace {
  readonly requestId: string;
  readonly method: string;
  /** As it was sent, with its query: for a developer's own terminal, never for a log that is kept. */
  readonly target: string;
  /** By `performance.now()`. */
  readonly startedAt: number;
  /** The pattern of the route, never the path. */
  route: string | undefined;
  /** How the route says that its reply is compressed. */
  compressed: Route['compressed'];
  /** Of the caller, once that is known. */
  org: string | undefined;
  env: Environment | undefined;
  /** The id of the caller, not of a builder who acts in its name. */
  principal: string | undefined;
  /** The id of the builder who acts in the name of the caller. */
  builder: string | undefined;
  /** Of the trace that the request says it is a part of (W3C Trace Context). */
  readonly traceId: string | undefined;
  /** Of the answer, where it tells of one. */
  problem: ProblemCode | undefined;
  /** What every answer of the call tells beside its own headers. */
  replyHeaders: Readonly<Record<string, string>> | undefined;
}

export function beginTrace(
  requestId: string,
  { method, target = '', traceparent }: Pick<IncomingMessage, 'method'> & { target?: string; traceparent: unknown },
): CallTrace {
  return {
    requestId,
    method: knownMethods.has(method ?? '') ? (method ?? '') : 'other',
    target,
    startedAt: performance.now(),
    route: undefined,
    compressed: undefined,
    org: undefined,
    env: undefined,
    principal: undefined,
    builder: undefined,
    traceId: readTraceId(traceparent),
    problem: undefined,
    replyHeaders: undefined,
  };
}

const knownMethods = new Set(['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH']);

/** W3C Trace Context, 3.2: what does not fit is as if it had not been sent. */
function readTraceId(traceparent: unknown): string | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const found = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$/.exec(
    traceparent,
  );
  if (found === null) return undefined;
  // Version 00 ends after the flags.
  return traceparent.startsWith('00') && traceparent.length !== 55 ? undefined : found[1];
}
