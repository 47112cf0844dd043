import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { ProblemCode } from '@freehold/contract/problem';
import type { Route } from '@freehold/contract/route';
import type { Environment } from '../tenancy/port.ts';

/**
 * The facts known of a request so far. INVARIANT: but for `target`, no member is a text that came with the request,
 * save what the platform itself has made or listed, so that logging them reveals no secret.
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
  /** The way the route says that its reply is compressed. */
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
  /** Headers of every answer of the call, beside the answer's own. */
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

/** The end of a call. */
export interface CallEnd {
  /** Undefined where the connection ended before there was an answer. */
  readonly status: number | undefined;
  /** Whether all of the answer went out. */
  readonly isWhole: boolean;
  /** From its head until its answer had left. */
  readonly milliseconds: number;
}

/** Sees every call of a gateway, to count it, to write it down or to measure it. Changes nothing about it. */
export interface CallWatch {
  /** Does the work of a call. */
  during<T>(trace: CallTrace, headers: IncomingHttpHeaders, work: () => T): T;
  /** Comes before the answer leaves. A caller who has it finds what is noted here. */
  answering(trace: CallTrace, status: number): void;
  ended(trace: CallTrace, end: CallEnd): void;
  /** A connection was ended: with this refusal, or before anything was read because there were too many, or no file descriptors. */
  refused(code: ProblemCode | 'too_many_connections' | 'no_descriptors'): void;
}

/** Looks at nothing. */
export const unwatched: CallWatch = {
  during: (_trace, _headers, work) => work(),
  answering: () => undefined,
  ended: () => undefined,
  refused: () => undefined,
};
