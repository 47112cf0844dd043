import type { IncomingHttpHeaders } from 'node:http';
import type { ProblemCode } from '@freehold/contract/problem';
import type { CallTrace } from './call-trace.ts';

/** How a call ended. */
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
