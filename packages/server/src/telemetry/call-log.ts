import type { CallTrace } from '../gateway/call-trace.ts';
import type { CallEnd } from '../gateway/call-watch.ts';
import type { Clock } from '../lib/clock.ts';

/** Writes down that a call has ended. */
export type CallLog = (trace: CallTrace, end: CallEnd) => void;

/**
 * One line of JSON for each call. Put together by hand, since the logger takes three times as long for it. Nothing
 * needs to be escaped: routes, ids, codes, problems and environments are texts that the platform has made.
 */
export function createCallLog(gateway: 'app' | 'management', clock: Clock, write: (line: string) => void): CallLog {
  return (trace, { status, isWhole, milliseconds }) => {
    const { requestId, method, route, problem, org, env, principal, traceId } = trace;
    let line = `{"level":30,"time":${clock.now()},"msg":"call","gateway":"${gateway}","request_id":"${requestId}"`;
    line += `,"method":"${method}","ms":${Math.round(milliseconds * 100) / 100}`;
    if (route !== undefined) line += `,"route":"${route}"`;
    if (status !== undefined) line += `,"status":${status}`;
    if (problem !== undefined) line += `,"problem":"${problem}"`;
    if (!isWhole) line += ',"cut_off":true';
    if (org !== undefined) line += `,"org":"${org}"`;
    if (env !== undefined) line += `,"env":"${env}"`;
    if (principal !== undefined) line += `,"principal":"${principal}"`;
    if (traceId !== undefined) line += `,"trace_id":"${traceId}"`;
    write(`${line}}\n`);
  };
}

/**
 * One short line for each call, for the developer at the terminal: `POST /app/demo/create/ticket 201 2.6 ms`. The query
 * is left out, because it holds values of fields.
 */
export function createTextCallLog(write: (line: string) => void): CallLog {
  return ({ method, target, problem }, { status, isWhole, milliseconds }) => {
    const path = target.replace(/\?.*$/s, '').replace(/[^!-~]/g, '?');
    const outcome = [status, status === undefined || !isWhole ? 'cut off' : undefined].filter(
      (word) => word !== undefined,
    );
    const time = `${milliseconds.toFixed(milliseconds < 100 ? 1 : 0)} ms`;
    write(`${method} ${path} ${outcome.join(' ')} ${time}${problem === undefined ? '' : `  ${problem}`}\n`);
  };
}
